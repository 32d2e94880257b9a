"""The language that both ends speak: what is said, what is legal, how bytes move."""

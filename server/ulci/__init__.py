"""What both ends share: what is said, what is legal, how bytes move, how settings are read."""

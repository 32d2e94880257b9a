"""The relay server: the arbiter of games between anything that speaks ULCI or UCI."""

"""Zero-width (non-)joiners, which Persian names and emoji need: they change how the characters
beside them are drawn. Python calls them unprintable."""

JOINERS = "\u200c\u200d"

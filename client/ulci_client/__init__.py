"""The programs that people run at their end: bridge, terminal client, house engine."""

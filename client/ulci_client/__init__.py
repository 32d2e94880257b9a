"""The programs that people run at their end: terminal client, bridge, doctor, house engine."""

"""The relay server: the arbiter of games between programs that speak ULCI, UCI, UGI or
UTI.

From the bottom: `game` holds the state of one game, `lobby` pairs players, `statistics` computes
strengths with their errors, `rating` rates players, `tournament` decides the next pairings; all are
pure. `bus` carries bytes between servers, `storage` keeps games in SQL, `openings` reads books,
`engines` runs programs that play, `config` reads the operator's file. `hall` connects players and
games. `cluster` makes several halls act as one, `match` plays a match in one, `web` shows games to
outsiders. `app` puts a server together, and `cli` is the command.
"""

from ulci.signals import end_at_interrupt

end_at_interrupt()  # what a program imports takes time

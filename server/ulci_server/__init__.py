"""The relay server: the arbiter of games between programs that speak ULCI, UCI, UGI or
UTI.

From the bottom: `game` is what has happened in one game, `lobby` who waits for whom, `statistics`
how sure an answer is, `rating` how strong a player is, `tournament` who plays whom next; all are
pure. `bus` carries bytes between
servers, `storage` keeps games in SQL, `openings` reads books, `engines` runs programs that play,
`config` reads the operator's file. `hall` is where connections meet games. `cluster` makes several
halls act as one, `match` plays a match on one, `web` shows games to outsiders. `app` puts a
server together, and `cli` is the command.
"""

from ulci.signals import end_at_interrupt

end_at_interrupt()  # what a program imports takes time

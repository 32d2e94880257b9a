"""A small engine of our own, a sparring partner for people and tests: two plies and the captures
after them.

* `board`: the interface of a game for the search, with an evaluation; `chessboard`,
  `libertyboard`, `mnkboard` implement it; `games`: which of them a position belongs to.
* `piece_values`: what a piece is worth on its square, on boards of any size.
* `search`: alpha-beta as a generator, so that its caller decides when to stop.
* `search_limits`: how long a ``go`` allows; `settings`: the options.
* `running_search`: one ``go`` being searched; `verbs`: every command of the protocol.
* `command`: ``ulci engine``, on standard input and output.
"""

"""How does a person play at a terminal? ``ulci play``: a board to look at, a line to type in.

* pure: `hear` and `lobby` (what the server says), `typed` and `commands` (what the person types)
  turn into changes of the `state` and effects, `model` is their one face; `game` follows the board,
  `beside` what a variant has beside it, `clean` is the one door for what comes from the wire.
* pure: what each command does stands with those of its kind: `meeting`, `playing`, `spectating`,
  `talking`, `reading`; `needs` says when it may be done, `chosen` which one is meant.
* pure: `screen`, `board`, `panel`, `lobby_screen`, `status` show the state as rows of styled text,
  `report` as plain lines, `pgn` for other programs; `look` says with which signs and colours,
  `complete` how a typed line may go on.
* Trio: `session` keeps the line to the server, and dials again when it is lost; `saving` writes
  files.
* shells: `full_screen` (prompt_toolkit, with Trio as a `guest` of its loop) and `plain`.
* `command`: ``ulci play``; `settings`: what was asked for; `run`: which shell suits.
"""

from .run import run_play
from .settings import Settings

__all__ = ["Settings", "run_play"]

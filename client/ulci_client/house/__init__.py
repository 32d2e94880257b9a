"""Who plays when nobody else is there? A small engine of our own, a sparring partner for people
and for tests: two plies and the captures behind them.

* `board`: what a game must offer to be thought about; `chessboard`: chess and Chess960 do;
  `libertyboard`: so does Liberty Chess; `mnkboard`: so do tic-tac-toe and its larger boards;
  `games`: which of them is meant.
* `evaluation`: what a piece is worth where it stands, on a board of any size.
* `search`: which move looks best; a generator, so that whoever runs it decides when to stop.
* `limits`: how long a ``go`` allows; `settings`: what may be set.
* `thinking`: one ``go`` being answered; `engine`: every verb of the protocol.
* `console`: the engine on standard input and output; `command`: from the command line to it.
"""

from .console import run_house_engine
from .settings import SettingError

__all__ = ["SettingError", "run_house_engine"]

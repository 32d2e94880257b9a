"""A demonstration: a game between two engines through the real programs.

* `command`: the command and its time limits; it reads the game from the database.
* `engines`: which engines play, from those of this machine.
* `programs`: the server and the bridges as processes, what they have said, and how long all of them
  have; none is left behind.
* `view`: shows the game, on a terminal and elsewhere.
"""

from .command import demo

__all__ = ["demo"]

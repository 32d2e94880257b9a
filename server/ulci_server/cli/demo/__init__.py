"""What does the server do? A game between two engines through the real programs.

* `command`: the whole of it, and its bounds.
* `engines`: who plays, from what this machine has.
* `programs`: the server and the bridges as processes of their own, none of which is left behind.
* `watching`: the game as the database has it; nothing else is asked.
* `view`: how it is shown, on a terminal and elsewhere; `board`: the board of it.
* `record`: what is left of it, short enough for a terminal.
"""

from .command import demo

__all__ = ["demo"]

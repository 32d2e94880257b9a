"""``ulci-server tournament``: what an operator does with tournaments of a server.

* `command`: the words of the command.
* `reading`: a description from its file, with all that is wrong at once.
* `screen`: how far a tournament is, as lines of a terminal.
* `writing`: files of it for people and other programs.

Commands change rows, also while a server runs, which notices within a second; no server need run.
"""

from .command import tournament

__all__ = ["tournament"]

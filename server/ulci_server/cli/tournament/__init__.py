"""``ulci-server tournament``: what an operator does with tournaments of a server.

* `command`: the words of the command.
* `making`: from a description to a tournament in the database, with all that is wrong at once.
* `screen`: how far a tournament is, as lines of a terminal.
* `writing`: files of it for people and other programs.

Commands change rows, also while a server runs, which notices within a second; no server need run.
"""

from .command import tournament

__all__ = ["tournament"]

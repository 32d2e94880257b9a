"""Which rows the facts are, and back: a module writes the rows of its tables and reads them.

* `games`, `encounters`, `moves`, `events`, `reports`, `runs`: a kind of facts each.
* `ratings`: what the end of a game changes in the ratings of its players, `rating_rows`.
* `tournaments`: what their directors decide, which is no fact of a game.

`KINDS` has all that is written, in the order in which it must be: moves refer to their game. A new
kind of facts is a module with its `Kind` here, and a row of that table; what else shall be written
with a fact that there is, in the same transaction, is a `Kind` of the same class.
"""

from . import encounters, events, games, moves, ratings, reports, runs

KINDS = (
    games.BEGUN,
    encounters.ENCOUNTER,
    moves.PLAYED,
    events.HAPPENED,
    reports.REPORTED,
    games.ENDED,
    ratings.RATED,
    runs.BEAT,
    games.RELEASED,
)

__all__ = ["KINDS"]

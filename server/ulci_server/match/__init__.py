"""A match: given engines play given games, until all are played or a test is decided.

* `engines`: what a match knows of an engine, and how a process of it takes a place in the hall.
* `search_output`: what an engine prints while it thinks, for who asks for it.
* `followed_journal`: the journal, with each move as it is played.
* `host`: the lobby service of such a hall: nobody seeks, and the director seats who comes.
* `director`: begins the games that are due, and tells what happens.
* `recovery`: what the record says of a match, so that it goes on where it was.

The hall, its tables, clocks and journal are those of the server. What is due is decided by
`ulci_server.tournament`.
"""

from .director import POOL, Director, MatchEvents
from .engines import EngineFailedError, MatchEngine
from .followed_journal import FollowedJournal
from .host import MatchHost
from .recovery import OtherMatchError, Past, recall
from .search_output import SearchOutput, Seat

__all__ = [
    "POOL",
    "Director",
    "EngineFailedError",
    "FollowedJournal",
    "MatchEngine",
    "MatchEvents",
    "MatchHost",
    "OtherMatchError",
    "Past",
    "SearchOutput",
    "Seat",
    "recall",
]

"""A match: given engines play given games, until all are played or a test is decided.

* `engines`: a match's settings of an engine, and the places of its processes in the hall.
* `search_output`: an engine's output while it searches, for listeners.
* `followed_journal`: the journal, with each move as it is played.
* `host`: the lobby service of a match's hall: nobody seeks, and the director seats each client.
* `director`: begins the games that are due, and reports the events of the match.
* `recovery`: reads a match from the record, so that it continues where it was.

The hall, its tables, clocks and journal are those of the server. `ulci_server.tournament` decides
which games are due.
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

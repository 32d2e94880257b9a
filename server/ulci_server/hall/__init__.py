"""Where do the tasks live? One reader a connection; sessions, tables and alarms are plain objects.

* `Session`: one connected client: its introduction, what it owes, the seat it speaks from.
* `Table`: one game. Every event is one plain call that runs `Game.handle` and performs the effects
  in order; what stands behind a `Settle` waits in the table's queue until the journal is durable.
* `Hall`: who is here, which tables stand, who sits down where; the door through which all come.
* `Alarms`: one timer heap for all clocks.
* `Referee`: the engine that judges a game whose rules are not here.

Only sockets, the disk, referees and alarms wait.
"""

from .alarms import Alarm, Alarms
from .hall import Hall
from .referee import Referee, RefereeError, RefereeSettings
from .session import Patience, Session
from .table import Table

__all__ = [
    "Alarm",
    "Alarms",
    "Hall",
    "Patience",
    "Referee",
    "RefereeError",
    "RefereeSettings",
    "Session",
    "Table",
]

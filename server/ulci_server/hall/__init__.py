"""Where do the tasks live? One reader a connection; sessions, tables and alarms are plain objects.

* `Session`: one connected client: what it is told and owes, the seat it plays from.
  It has a `Search` (what it thinks), `Questions`, a `Barrier` (``isready``), and its `Rest` after
  a game.
* `ear`: how a client is heard; `hearing`: what each of its words leads to.
* `Table`: one game. Every event is one plain call that runs `Game.handle` and performs the effects
  in order; what stands behind a `Settle` waits in the table's queue until the journal is durable.
* `Arbiter`: what the game is told of a move; `logged`: what a person reads of it.
* `Hall`: who is in it, and who plays whom; `Reception`: as whom a client comes in; `Door`: whether
  it may; `Guests`: who is here; `Tables`: which tables stand; `Closing`: how it all ends.
* `Gallery`: tells those who watch, out of the players' way.
* `Liveness`: whether the program that thinks is still there.
* `returning`: which games a new server goes on with.
* `Alarms`: one timer heap for all clocks.
* `Referee`: the engine that judges a game whose rules are not here, in a process of its own, and
  in a second one for what the first died of.

* `Turns`: in which order tasks that have waited go on, so that a recording can be held again.

Only sockets, the disk, referees and alarms wait.
"""

from .alarms import Alarm, Alarms
from .door import Door
from .ear import Patience
from .hall import Hall
from .referee import Referee, RefereeError
from .referee_process import RefereeSettings
from .returning import Downtime
from .session import Session
from .settings import Settings
from .table import Table

__all__ = [
    "Alarm",
    "Alarms",
    "Door",
    "Downtime",
    "Hall",
    "Patience",
    "Referee",
    "RefereeError",
    "RefereeSettings",
    "Session",
    "Settings",
    "Table",
]

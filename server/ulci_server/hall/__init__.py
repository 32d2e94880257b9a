"""Where connections meet games. Sessions, tables and timers are plain objects, not tasks.

* `login`: who may enter, and under which name. `session`: one connected client. `table`: one game.
  `tournament`: tournaments, and which of their games begin.
* `hall`: connections and tables; `closing`: shutdown; `absent_player`: a seat whose player has not
  connected.
* `lobby_service`: the lobby as a hall knows it; `lobby_host`: who is logged in, and the games of
  those who are paired; `host_services`: what a hall does for its hosts; `member`: a player as the
  lobby sees it; `rating_refresh`: its rating after a game; `strangers`: how much players hear from
  those whom they do not know.
* `admin`: what admin commands do; `complaint_desk`: what players complain about.
* `announcements`: lines for everybody in the lobby; `lists`: answers of many lines (``who``,
  ``games``).
* `timers`: one heap of alarms for all clocks. `gradual_work`: work on thousands of objects, a few
  at a time; `sharing`: work that is done once for all who ask for it.
* `loop_monitor`: what held the event loop, uptime and task count.
* `settings`: the settings of a hall.

Only sockets, the disk, referees and alarms wait.
"""

from ulci_server.hall.login.authenticator import Authenticator
from ulci_server.hall.login.handshake import ClientTimeouts
from ulci_server.hall.session.session import Session
from ulci_server.hall.table.recovery import Downtime
from ulci_server.hall.table.referee_process import RefereeSettings
from ulci_server.hall.table.referee_supervisor import Referee, RefereeError
from ulci_server.hall.table.table import Table

from .absent_player import AbsentPlayer, LocalClient, LocalSeat
from .hall import Hall
from .lobby_host import LobbyHost
from .settings import HallSettings

__all__ = [
    "AbsentPlayer",
    "Authenticator",
    "ClientTimeouts",
    "Downtime",
    "Hall",
    "HallSettings",
    "LobbyHost",
    "LocalClient",
    "LocalSeat",
    "Referee",
    "RefereeError",
    "RefereeSettings",
    "Session",
    "Table",
]

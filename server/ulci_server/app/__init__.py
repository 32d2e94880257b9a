"""The composition root: the only room that knows every concrete class of the server.

* `factory`: makes the server's objects from the configuration.
* `serving`: runs them, from the first listener to the shutdown. `alone`: a lone server, which has
  its lobby and all games; `clustering`: a server of a cluster. `matching`: plays a match;
  `running`: the frame of servers and matches. `engines`: starts the engines of a server.
* `listening`: the listeners and the page; `shutdown`: requests to end; `reload`: requests to read
  certificates and settings again.
* `heartbeats`: let the next run know when this one ended, even after a crash.
* `lock_keeper`: ends a server that another one has taken over, and keeps the lock that prevents it.
* `wire_log`: the log of all lines, if there is one.
* `garbage`: when cyclic garbage is collected; `idle`: releases memory while no game runs.
"""

from .reload import Reload
from .serving import run_server
from .shutdown import Shutdown, UnsavedError
from .wire_log import server_name

__all__ = ["Reload", "Shutdown", "UnsavedError", "run_server", "server_name"]

"""The composition root: the only room that knows every concrete class of the server.

* `factory`: makes the server's objects from the configuration.
* `serving`: runs them, from the first listener to the shutdown. `alone`: a lone server, which has
  its lobby and all games; `clustering`: one of several that act as one. `matching`: plays a match;
  `running`: what it shares with a server. `engines`: those that a server runs itself.
* `listening`: the listeners and the page; `shutdown`: how it is asked to end;
  `reload`: what it reads again when it is asked.
* `heartbeats`: shows the next run when this one ended, even after a crash.
* `lock_keeper`: ends a server that another one has taken over, and keeps the lock that prevents it.
* `wire_log`: the log of all lines, if one is kept.
* `garbage`: when cyclic garbage is collected; `idle`: what a server without games gives back.
"""

from .reload import Reload
from .serving import run_server
from .shutdown import Shutdown, UnsavedError
from .wire_log import server_name

__all__ = ["Reload", "Shutdown", "UnsavedError", "run_server", "server_name"]

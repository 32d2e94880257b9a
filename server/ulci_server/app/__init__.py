"""The composition root: the only room that knows every concrete class of the server.

making       what the configuration says becomes the objects that do it
serving      they run together, from the first listener to the last word
succession   games go from one server to the next, whichever way the first one ended
"""

from ulci_server.app.making import replayed
from ulci_server.app.serving import MakeTape, Shutdown, UnsavedError, run_server

__all__ = ["MakeTape", "Shutdown", "UnsavedError", "replayed", "run_server"]

"""Programs of this server that play: started, watched and ended by it.

* `offer`: what the operator wants of an engine. `engine`: asks it what it is, and puts it to its
  boards; `board`: a place in the lobby, and a program while there is a game.
* `on_demand`: the connection of a place without a program. `profile`: what the lobby is told.

Nothing here knows the hall: a place in its lobby is a session like any other, by `ProgramHost`.
"""

from .engine import ServerEngine
from .offer import EngineOffer

__all__ = ["EngineOffer", "ServerEngine"]

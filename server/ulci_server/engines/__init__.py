"""Engines of this server: the server starts, watches and ends their programs.

* `offer`: the operator's settings of an engine. `engine`: learns the engine's profile, and runs its
  boards; `board`: a place in the lobby, with a program while it plays.
* `on_demand`: the connection of a board between its programs. `profile`: the engine's profile in
  the lobby.

This room does not know the hall: each board is a session there like any other, by `ProgramHost`.
"""

from .engine import ServerEngine
from .offer import EngineOffer

__all__ = ["EngineOffer", "ServerEngine"]

"""How does a local engine play at a server? It moves messages, not lines, between two peers.

    server's Peer  <-->  player  <-->  engine's Peer
                           |
                         relay     what is passed on when; pondering; either end's absence   pure
                         seeking   when to ask for a game, and when to stop                  pure
                         redial    how long to wait before the next call                     pure

* `thinking`: what the engine searches, and for whom; `owed`: what it has to answer, and until when;
  `told`: what it was told between searches. `guess`, `watch`: what they reckon with. Pure.
* `games`: when a game begins and ends, and what people see of it; `notices`: what the lobby is
  answered. Plain calls.
* `introducing`: what the server is told of the engine. Pure.
* `keeping`: the two loops of a player, which keep its engine and its line alive.
* `crew`: several players that share a number of games; signals and exit codes.
* `status`, `record`: what a person sees, and what is written down.
* `command`: ``ulci bridge``.

How an engine's words are spelled is its dialect's business; nothing here knows a line.
"""

from .crew import Crew, ExitCode
from .record import Record
from .settings import Settings
from .status import Level, View

__all__ = ["Crew", "ExitCode", "Level", "Record", "Settings", "View"]

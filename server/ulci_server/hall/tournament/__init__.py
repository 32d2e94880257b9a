"""Tournaments that this server plays: who is here for them, and when their games begin.

* `rows`: what is stored, as the pure room has it, and back.
* `entrants`: who they are. `presence`: which clients play for which entrant, and which of them are
  free.
* `running`: the pairings whose games are on. `lateness`: who lets an opponent wait, and what that
  costs. `policies`: when an entrant is out, and how what it was to play counts.
* `openings`: the opening of a number. `timing`: when a tournament begins. `pairing_process`: pairs
  in a process of its own what would hold the loop; `pairing_worker`: that process.
* `tools`: what a director needs of the lobby and the database. `lobby_access`: the lobby so.
* `seats`: begins the games that are due. `director`: one tournament, from its creation to its end.
* `making`: from a description to the rows of a new tournament. `directing`: what directors decide,
  at a terminal or over the network.
* `host`: all tournaments, and what the lobby notes for them. `commands`: what players ask;
  `standings_reader`: makes them their lists.

`ulci_server.tournament` decides who meets whom and who leads. A director stores each pairing before
its game begins, and each decision before anybody hears of it: a server that ends at any instant
goes on from what is stored. In a cluster the tournaments are where the lobby is.
"""

from .commands import TOURNAMENT_COMMANDS
from .host import TournamentHost
from .lobby_access import LobbyAccess
from .tools import Tools, TournamentLobby

__all__ = ["TOURNAMENT_COMMANDS", "LobbyAccess", "Tools", "TournamentHost", "TournamentLobby"]

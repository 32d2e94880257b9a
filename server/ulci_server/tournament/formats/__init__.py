"""The formats of tournaments, a module each.

* `format`: what each of them decides, and what it answers.
* `rounds`: round robin and gauntlet. `sprt`: a test of two. `swiss`: pairs in a process of its own.
  `knockout`, `ladder`, `arena`.

A new format is a module with its class here, a row of `FORMATS`, and a word of
`settings.TournamentFormat`.
"""

from collections.abc import Callable, Mapping

from ulci_server.tournament.settings import TournamentFormat
from ulci_server.tournament.state import State

from .arena import Arena
from .format import Format, PairingRequest
from .knockout import Knockout
from .ladder import Ladder
from .rounds import Gauntlet, RoundRobin
from .sprt import TestOfTwo
from .swiss import Swiss, prepared

FORMATS: Mapping[TournamentFormat, Callable[[State], Format]] = {
    TournamentFormat.ROUND_ROBIN: RoundRobin,
    TournamentFormat.GAUNTLET: Gauntlet,
    TournamentFormat.SWISS: Swiss,
    TournamentFormat.KNOCKOUT: Knockout,
    TournamentFormat.SPRT: TestOfTwo,
    TournamentFormat.LADDER: Ladder,
    TournamentFormat.ARENA: Arena,
}

__all__ = ["FORMATS", "Format", "PairingRequest", "prepared"]

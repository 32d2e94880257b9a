"""The table of dialects. Those of the UCI family are rows; UTI is not.

A new one is a row here, and a word that a listener may be configured with in
`ulci_server.config.listener`; what the doctor asks an engine that speaks it is in
`ulci_client.doctor.suites`.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from . import messages as say
from . import uti
from .dialect import Dialect, Role
from .uci_dialects import Row

_CLOCKS = {key: key for key in ("wtime", "btime", "winc", "binc")}
_PLAYERS_CLOCKS = {"p1time": "wtime", "p2time": "btime", "p1inc": "winc", "p2inc": "binc"}

# What a client may be sent in UCI, in ULCI and in UGI.
_TO_UCI = frozenset({
    say.Hello, say.Debug, say.IsReady, say.SetOption, say.Register, say.NewGame, say.Position,
    say.Go, say.Stop, say.PonderHit, say.Quit,
})  # fmt: skip
_TO_ULCI = frozenset({
    say.Hello, say.Debug, say.IsReady, say.SetOption, say.NewGame, say.Position, say.Go, say.Clock,
    say.Stop, say.Eval, say.Bench, say.Perft, say.Info, say.Report, say.Quit, say.Unknown,
})  # fmt: skip
_TO_UGI = frozenset({
    say.Hello, say.IsReady, say.SetOption, say.NewGame, say.Position, say.Go, say.Stop, say.Query,
    say.Quit,
})  # fmt: skip

ULCI = Row(
    "ULCI",
    "uci",
    "uciok",
    "ucinewgame",
    _CLOCKS,
    _TO_ULCI,
    lacks=frozenset({"movestogo", "ponder"}),
)
UCI = Row("UCI", "uci", "uciok", "ucinewgame", _CLOCKS, _TO_UCI)
# "The only meaningful change besides generalisation" from UCI are query and response; but its list
# of what may follow go has no moves to go and no pondering, and a bestmove is the move alone.
UGI = Row(
    "UGI",
    "ugi",
    "ugiok",
    "uginewgame",
    _PLAYERS_CLOCKS,
    _TO_UGI,
    lacks=frozenset({"movestogo", "ponder", "bestmove ponder"}),
    opaque=True,
)

_UTI: Mapping[Role, Callable[[], Dialect]] = {
    Role.SERVER: uti.Asking,
    Role.CLIENT: uti.Answering,
}

DIALECTS: Mapping[str, Callable[[Role], Dialect]] = MappingProxyType({
    "ulci": lambda _: ULCI,
    "uci": lambda _: UCI,
    "ugi": lambda _: UGI,
    "uti": lambda role: _UTI[role](),
})  # fmt: skip
"""Every dialect by its name, created for one connection and the role of this end."""

"""What match runners write of a move: ``{+0.49/10 0.087s, n=20661, sd=14}``.

The score is the mover's own, from its point of view; a mate is counted in plies. What is not known
is left out, as a zero would be read as a value.
"""

import enum
from collections.abc import Callable, Mapping, Set

from ulci.protocol.messages import Info, Score
from ulci.rules.pgn import plain
from ulci_server.game import MovePlayed


class Detail(enum.StrEnum):
    """What may be written beside score, depth and time, by the keys of ``-pgnout``, in the order of
    the comment. Stored games have no `SELDEPTH`, `HASHFULL` and `TBHITS`."""

    TIMELEFT = "timeleft"
    LATENCY = "latency"
    NODES = "nodes"
    SELDEPTH = "seldepth"
    NPS = "nps"
    HASHFULL = "hashfull"
    TBHITS = "tbhits"
    PV = "pv"


def comments(move: MovePlayed, details: Set[Detail]) -> list[str]:
    """The parts of a move's comment."""
    info = move.info or Info()
    written = (_WRITE[detail](move, info) for detail in Detail if detail in details)
    return [_first(move, info), *filter(None, written)]


def _first(move: MovePlayed, info: Info) -> str:
    time = _seconds(_paid(move))
    return time if info.score is None else f"{_score(info.score)}/{info.depth or 0} {time}"


def _paid(move: MovePlayed) -> int:
    """ms of the mover's clock."""
    return max(0, move.spent - move.lag - move.stall)


def _seconds(ms: int) -> str:
    return f"{ms / 1000:.3f}s"


def _score(score: Score) -> str:
    if score.mate is not None:
        return f"+M{2 * score.mate - 1}" if score.mate > 0 else f"-M{-2 * score.mate}"
    cp = score.cp or 0
    return f"{cp / 100:+.2f}" if cp else "0.00"


def _timeleft(move: MovePlayed, _: Info) -> str:
    return "" if move.left is None else f"tl={_seconds(move.left)}"


def _latency(move: MovePlayed, info: Info) -> str:
    """What the clock paid beyond the time that the program says it took; less than nothing, where
    that rounds up."""
    return "" if info.time is None else f"latency={_seconds(_paid(move) - info.time)}"


def _nps(_: MovePlayed, info: Info) -> str:
    nps = info.nps
    if nps is None and info.nodes is not None and info.time:
        nps = info.nodes * 1000 // info.time
    return "" if nps is None else f"nps={nps}"


def _count(key: str, of: Callable[[Info], int | None]) -> Callable[[MovePlayed, Info], str]:
    def write(_: MovePlayed, info: Info) -> str:
        return "" if (number := of(info)) is None else f"{key}={number}"

    return write


def _pv(_: MovePlayed, info: Info) -> str:
    return f'pv="{plain(" ".join(info.pv))}"' if info.pv else ""


_WRITE: Mapping[Detail, Callable[[MovePlayed, Info], str]] = {
    Detail.TIMELEFT: _timeleft,
    Detail.LATENCY: _latency,
    Detail.NODES: _count("n", lambda info: info.nodes),
    Detail.SELDEPTH: _count("sd", lambda info: info.seldepth),
    Detail.NPS: _nps,
    Detail.HASHFULL: _count("hashfull", lambda info: info.hashfull),
    Detail.TBHITS: _count("tbhits", lambda info: info.tbhits),
    Detail.PV: _pv,
}

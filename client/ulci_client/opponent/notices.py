"""What the server announces about a game, as sentences for the person at the GUI. Pure."""

from collections.abc import Callable, Mapping
from typing import Any

from ulci.conduct import conduct_in_words
from ulci.protocol.lobby.lines import (
    GameStart,
    Line,
    NoteLine,
    OpponentState,
    Pause,
    Resumption,
    TakebackOffer,
)

from .games import ServerGame


def notice(line: Line, game: ServerGame | None) -> str:
    """The sentence; empty for lines that are no news, or news of another game than this one."""
    if isinstance(line, NoteLine):
        return f"the server says: {line.text}"
    spoken = _NOTICES.get(type(line))
    if spoken is None or game is None or getattr(line, "id", None) != game.id:
        return ""
    return spoken(line, game.opponent)


def started(line: GameStart, clock: str) -> list[str]:
    """The game begins; `clock`: the GUI's, empty if unknown."""
    told = [
        f"game {line.id}: {line.white} - {line.black}, {line.game} {line.time}; the server's clock"
        " counts"
    ]
    if line.conduct:
        told.append(f"in this game: {conduct_in_words(line.conduct)}")
    if line.book:
        told.append(
            f"the game begins with {line.book} plies of a book, which the GUI must have, too"
        )
    if clock and line.time and clock not in (line.time, f"{line.time}+0"):
        told.append(
            f"the GUI's clock is {clock}, the server's {line.time}: give this side no clock"
            " (tc=inf), and your own engine a shorter one than the server's"
        )
    return told


def _presence(line: OpponentState, opponent: str) -> str:
    claim = ""
    if line.claim_in is not None:
        claim = f"; a win may be claimed in {line.claim_in / 1000:g} s (ClaimWin)"
        if not line.claim_in:
            claim = "; a win may be claimed now (ClaimWin)"
    return f"{opponent} is {line.state}{claim}"


def _takeback(line: TakebackOffer, opponent: str) -> str:
    if line.by != opponent:
        return ""
    return f"{opponent} asks to take back: a GUI's game cannot; it is not granted"


def _paused(_: Pause, __: str) -> str:
    return "the server stops for a while; no clock runs, and the game goes on"


def _resumed(line: Resumption, _: str) -> str:
    long = "" if line.downtime is None else f" for {round(line.downtime / 1000, 1):g} s"
    return f"the server was down{long}, charged to nobody"


_NOTICES: Mapping[type[Line], Callable[[Any, str], str]] = {
    OpponentState: _presence,
    TakebackOffer: _takeback,
    Pause: _paused,
    Resumption: _resumed,
}

"""How is what happens in a game put into words? Lobby lines, key and value in turn, and results."""

import math

from ulci.protocol.messages import Blame, Info, Lobby, Report
from ulci.rules.outcome import Outcome, Reason

from .endings import Ending, quote
from .facts import GameStarted, Seat


def one_word(name: str) -> str:
    """The name as one word of a line: blanks replaced by ``_``, and never nothing."""
    return "_".join(name.split()) or "_"


def called(seat: Seat) -> str:
    """The player as the lobby calls them: two may have one name, but not one handle."""
    return seat.handle or one_word(seat.name)


def _line(text: str) -> Lobby:
    return Lobby(tuple(text.split()))


def started(fact: GameStarted) -> Lobby:
    """``lobby game 42 start white Ada black Bob game chess time 300+3 rated yes``."""
    white, black = fact.seats
    return _line(
        f"game {fact.game} start white {called(white)} black {called(black)}"
        f" game {one_word(fact.rules)} time {fact.control} rated {'yes' if fact.rated else 'no'}"
    )


def offered(game: int, seat: Seat) -> Lobby:
    """``lobby game 42 offer draw from Bob``."""
    return _line(f"game {game} offer draw from {called(seat)}")


def declined(game: int, seat: Seat) -> Lobby:
    """``lobby game 42 decline draw from Ada``: Ada moved instead of accepting."""
    return _line(f"game {game} decline draw from {called(seat)}")


def away(game: int, grace: float) -> Lobby:
    """``lobby game 42 opponent away claim-in 30000``; without a grace only the clock counts."""
    claim = "" if math.isinf(grace) else f" claim-in {round(grace * 1000)}"
    return _line(f"game {game} opponent away{claim}")


def back(game: int) -> Lobby:
    """``lobby game 42 opponent back``."""
    return _line(f"game {game} opponent back")


def over(game: int, outcome: Outcome) -> Lobby:
    """``lobby game 42 over result 1-0 reason resignation``."""
    return _line(f"game {game} over {_result(outcome)}")


def result(outcome: Outcome) -> Info:
    """``info string result 1-0 reason checkmate``."""
    return Info(string=_result(outcome))


def why(ending: Ending) -> list[Info]:
    """One more ``info string`` where the result alone would leave a player wondering."""
    puzzling = ending.outcome.reason in _PUZZLING and ending.detail
    return [Info(string=ending.detail)] if puzzling else []


# Mate, a flag or a resignation need no explanation.
_PUZZLING = frozenset({
    Reason.ABORTED, Reason.ILLEGAL_MOVE, Reason.STALL, Reason.DISCONNECT, Reason.SERVER,
})  # fmt: skip


def _result(outcome: Outcome) -> str:
    return f"result {outcome.score} reason {outcome.reason.value}"


def illegal(move: str, why: str) -> Report:
    """``info clienterror illegal move 'e2e5': no piece can go there``."""
    return Report(Blame.CLIENT, f"illegal move {quote(move)}: {why}")


DRAW_TOO_EARLY = _line("error draw-too-early the game has not begun")
DRAW_OFFERED = _line("error draw-offered your offer stands until your opponent moves or accepts")
ABORT_TOO_LATE = _line("error abort-too-late both sides have moved: resign, or offer a draw")

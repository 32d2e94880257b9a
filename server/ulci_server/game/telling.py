"""How is what happens in a game put into words? Lobby lines, key and value in turn, and results."""

import math

from ulci.protocol.messages import Blame, Info, Lobby, Report
from ulci.rules.outcome import Outcome, Reason, Side

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
    """``lobby game 42 start white Ada black Bob game chess time 300+3 rated yes lag none``."""
    white, black = fact.seats
    return _line(
        f"game {fact.game} start white {called(white)} black {called(black)}"
        f" game {one_word(fact.rules)} time {fact.control} rated {'yes' if fact.rated else 'no'}"
        f" lag {fact.lag}"
    )


def offered(game: int, seat: Seat) -> Lobby:
    """``lobby game 42 offer draw from Bob``."""
    return _line(f"game {game} offer draw from {called(seat)}")


def declined(game: int, seat: Seat) -> Lobby:
    """``lobby game 42 decline draw from Ada``: Ada moved instead of accepting."""
    return _line(f"game {game} decline draw from {called(seat)}")


def takeback_offered(game: int, seat: Seat, plies: int) -> Lobby:
    """``lobby game 42 offer takeback 2 from Bob``."""
    return _line(f"game {game} offer takeback {plies} from {called(seat)}")


def takeback_declined(game: int, seat: Seat) -> Lobby:
    """``lobby game 42 decline takeback from Ada``."""
    return _line(f"game {game} decline takeback from {called(seat)}")


def taken_back(game: int, plies: int, ply: int) -> Lobby:
    """``lobby game 42 takeback 2 ply 14``: two plies are gone, and 14 are left."""
    return _line(f"game {game} takeback {plies} ply {ply}")


def time_given(game: int, gift: int, to: Side, by: str) -> Lobby:
    """``lobby game 42 givetime 15000 to black from Ada``, in ms."""
    return _line(f"game {game} givetime {gift} to {to.word} from {one_word(by)}")


def paused(game: int) -> Lobby:
    """``lobby game 42 paused``: the server ends, and the game goes on when it is back."""
    return _line(f"game {game} paused")


def resumed(game: int, downtime: int) -> Lobby:
    """``lobby game 42 resumed downtime 12300``, in ms, which nobody's clock pays."""
    return _line(f"game {game} resumed downtime {downtime}")


def away(game: int, grace: float) -> Lobby:
    """``lobby game 42 opponent away claim-in 30000``; without a grace only the clock counts."""
    claim = "" if math.isinf(grace) else f" claim-in {max(0, round(grace * 1000))}"
    return _line(f"game {game} opponent away{claim}")


def back(game: int) -> Lobby:
    """``lobby game 42 opponent back``."""
    return opponent(game, "back")


def opponent(game: int, how: str) -> Lobby:
    """``lobby game 42 opponent hung``."""
    return _line(f"game {game} opponent {how}")


def seen(game: int, side: Side, how: str) -> Lobby:
    """``lobby game 42 white line-down``, for those who watch."""
    return _line(f"game {game} {side.word} {how}")


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
    Reason.ABORTED, Reason.ADJUDICATION, Reason.ILLEGAL_MOVE, Reason.STALL, Reason.DISCONNECT,
    Reason.SERVER,
})  # fmt: skip


def _result(outcome: Outcome) -> str:
    return f"result {outcome.score} reason {outcome.reason.value}"


def illegal(move: str, why: str) -> Report:
    """``info clienterror illegal move 'e2e5': no piece can go there``."""
    return Report(Blame.CLIENT, f"illegal move {quote(move)}: {why}")


DRAW_TOO_EARLY = _line("error draw-too-early the game has not begun")
DRAW_OFFERED = _line("error draw-offered your offer stands until your opponent moves or accepts")
ABORT_TOO_LATE = _line("error abort-too-late both sides have moved: resign, or offer a draw")
CLAIM_NOTHING = _line(
    "error no-claim there is nothing to claim: the opponent is here, or may still come back"
)
NO_TAKEBACK = _line("error no-takeback there is no move of yours to take back")
TAKEBACK_TOO_FAR = _line("error no-takeback so many moves were not made")
TAKEBACK_OFFERED = _line("error takeback-offered your offer stands until your opponent answers")
NO_TIME_TO_GIVE = _line("error no-clock this game has no clock on which time could be given")
TOO_MUCH_TIME = _line("error too-much-time no clock shows more than 24 days")
NOT_YET = _line("error too-early the game has not begun")

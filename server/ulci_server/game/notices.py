"""Notices: the lobby lines and results about a game for players and spectators."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from ulci.protocol.lobby.lines import (
    DrawDecline,
    DrawOffer,
    ErrorLine,
    GameOver,
    GameStart,
    OpponentState,
    Pause,
    PlayerState,
    Resumption,
    TakebackDecline,
    TakebackOffer,
    TakenBack,
    TimeGift,
    WentBerserk,
)
from ulci.protocol.messages import (
    Abort,
    Berserk,
    Blame,
    GameCommand,
    GiveTime,
    Info,
    Lobby,
    Report,
    Takeback,
)
from ulci.rules import Outcome, Side

from .endings import Ending, quote
from .facts import GameStarted, Seat


def one_word(name: str) -> str:
    """The name as one word of a line: blanks replaced by ``_``, and never empty."""
    return "_".join(name.split()) or "_"


def called(seat: Seat) -> str:
    """The player's name in the lobby: two may share a name, but not a handle."""
    return seat.handle or one_word(seat.name)


def started(fact: GameStarted) -> Lobby:
    white, black = map(called, fact.seats)
    rules, control = one_word(fact.rules), str(fact.control)
    terms = (rules, control, fact.rated, fact.lag, fact.conduct)
    book = len(fact.opening)
    return Lobby(GameStart(fact.game, white, black, *terms, book, *strengths(fact)))


def strengths(fact: GameStarted) -> tuple[int | None, int | None, str, str]:
    """The players' levels and ratings, as in the lobby's lines."""
    white, black = fact.seats
    ratings = ["" if seat.rating is None else str(seat.rating) for seat in fact.seats]
    return white.level, black.level, ratings[0], ratings[1]


def offered(game: int, seat: Seat) -> Lobby:
    return Lobby(DrawOffer(game, called(seat)))


def declined(game: int, seat: Seat) -> Lobby:
    return Lobby(DrawDecline(game, called(seat)))


def takeback_offered(game: int, seat: Seat, plies: int) -> Lobby:
    return Lobby(TakebackOffer(game, plies, called(seat)))


def takeback_declined(game: int, seat: Seat) -> Lobby:
    return Lobby(TakebackDecline(game, called(seat)))


def taken_back(game: int, plies: int, ply: int) -> Lobby:
    return Lobby(TakenBack(game, plies, ply))


def time_given(game: int, gift: int, to: Side, by: str) -> Lobby:
    return Lobby(TimeGift(game, gift, to.word, one_word(by)))


def went_berserk(game: int, side: Side, seat: Seat) -> Lobby:
    return Lobby(WentBerserk(game, side.word, called(seat)))


def paused(game: int) -> Lobby:
    return Lobby(Pause(game))


def resumed(game: int, downtime: int | None) -> Lobby:
    return Lobby(Resumption(game, downtime))


def away(game: int, grace: float) -> Lobby:
    """The notice that a player is away. grace: s after which the opponent may claim the game;
    infinite: only the clock counts."""
    claim_in = None if math.isinf(grace) else max(0, round(grace * 1000))
    return Lobby(OpponentState(game, "away", claim_in))


def back(game: int) -> Lobby:
    return opponent(game, "back")


def opponent(game: int, how: str) -> Lobby:
    return Lobby(OpponentState(game, how))


def seen(game: int, side: Side, how: str) -> Lobby:
    """The notice of a player's presence for spectators."""
    return Lobby(PlayerState(game, side.word, how))


def over(game: int, outcome: Outcome) -> Lobby:
    return Lobby(GameOver(game, outcome.score, outcome.reason.value))


def result(outcome: Outcome) -> Info:
    """``info string result 1-0 reason checkmate``."""
    return Info(string=f"result {outcome.score} reason {outcome.reason.value}")


def why(ending: Ending) -> list[Info]:
    """One more ``info string`` if the result alone does not explain the end."""
    explained = ending.outcome.reason.explained and ending.detail
    return [Info(string=ending.detail)] if explained else []


def illegal(move: str, why: str) -> Report:
    """``info clienterror illegal move 'e2e5': no piece can go there``."""
    return Report(Blame.CLIENT, f"illegal move {quote(move)}: {why}")


def _error(code: str, text: str) -> Lobby:
    return Lobby(ErrorLine(code, text))


DRAW_TOO_EARLY = _error("draw-too-early", "the game has not begun")
DRAW_OFFERED = _error("draw-offered", "your offer stands until your opponent moves or accepts")
ABORT_TOO_LATE = _error("abort-too-late", "both sides have moved: resign, or offer a draw")
CLAIM_NOTHING = _error(
    "no-claim", "there is nothing to claim: the opponent is here, or may still come back"
)
NO_TAKEBACK = _error("no-takeback", "there is no move of yours to take back")
TAKEBACK_TOO_FAR = _error("no-takeback", "so many moves were not made")
TAKEBACK_OFFERED = _error("takeback-offered", "your offer stands until your opponent answers")
NO_TIME_TO_GIVE = _error("no-clock", "this game has no clock on which time could be given")
TOO_MUCH_TIME = _error("too-much-time", "no clock shows more than 24 days")
BERSERK_TOO_LATE = _error("berserk-too-late", "berserk is said before your first move")
BERSERK_TWICE = _error("berserk-said", "you play with half of your time already")
NO_TIME_TO_HALVE = _error("no-clock", "your clock in this game cannot be halved")
NOT_YET = _error("too-early", "the game has not begun")


class Forbidden(NamedTuple):
    """The field of `Conduct` that permits a command, and the error without it."""

    field: str
    error: Lobby


FORBIDDEN: Mapping[type[GameCommand], Forbidden] = {
    Abort: Forbidden("abort", _error("forbidden", "this game cannot be aborted: play or resign")),
    Takeback: Forbidden("takeback", _error("forbidden", "no moves are taken back in this game")),
    GiveTime: Forbidden("givetime", _error("forbidden", "no time is given in this game")),
    Berserk: Forbidden("berserk", _error("forbidden", "berserk is for games of an arena")),
}

"""Which games the engine plays, and answers to UGI queries about a position."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ulci.protocol.messages import Position
from ulci.rules import GAME_TABLE, GAMES, Side, StartError
from ulci.rules import Position as Judged
from ulci.rules.chess import VARIANTS as CHESS_VARIANTS
from ulci.rules.chess import VariantRules

from . import chessboard, libertyboard, mnkboard
from .board import Board, PositionError
from .settings import HouseSettings


class Game(NamedTuple):
    """read: makes a board from a start and moves. rules: names the game's row in `GAMES`."""

    read: Callable[[str | None, Sequence[str], HouseSettings], Board[Any]]
    rules: Callable[[HouseSettings], str]


_CHESS = Game(
    lambda start, moves, settings: chessboard.read_untrusted(
        start, moves, chess960=settings.chess960
    ),
    lambda settings: "chess960" if settings.chess960 else "chess",
)
_LIBERTY = Game(
    lambda start, moves, _: libertyboard.read_untrusted(start, moves), lambda _: "liberty"
)
# A start includes the board's size, so one entry serves all sizes.
_MNK = Game(lambda start, moves, _: mnkboard.read_untrusted(start, moves), lambda _: "mnk")
_MNK_START = "3/3/3 x 3"


def _variant(rules: VariantRules) -> Game:
    return Game(
        lambda start, moves, _: chessboard.read_variant_untrusted(rules.board, start, moves),
        lambda _: rules.name,
    )


TABLE: Mapping[str, Game] = {
    "chess": _CHESS,
    "liberty": _LIBERTY,
    **{rules.name: _variant(rules) for rules in CHESS_VARIANTS},
    **dict.fromkeys((name for name, row in GAME_TABLE.items() if row.stones), _MNK),
}
"""By the value of ``UCI_Variant``."""

_MNK_STARTS = re.compile(r"[xo0-9/]+ [xo]\b.*")
_CHESS_FIELDS, _CHESS_RANKS = 6, 8


def _game(position: Position, settings: HouseSettings) -> Game:
    """A start that is not chess identifies its game, whatever is set."""
    game = TABLE[settings.variant]
    if position.start is None or game is not _CHESS:
        return game
    return _MNK if _MNK_STARTS.fullmatch(position.start) else game


def read_untrusted(position: Position, settings: HouseSettings) -> Board[Any]:
    """The position to search. What chess cannot read may be Liberty Chess: ULCI does not name the
    game.

    Raises:
        PositionError: no game can read it; the text is that of the likelier game.
    """
    game = _game(position, settings)
    try:
        return _read(game, position, settings)
    except PositionError as error:
        if game is not _CHESS or settings.chess960:
            raise
        try:
            return _read(_LIBERTY, position, settings)
        except PositionError as other:
            raise (error if _looks_like_chess(position.start) else other) from None


def _read(game: Game, position: Position, settings: HouseSettings) -> Board[Any]:
    try:
        return game.read(position.start, position.moves, settings)
    except StartError as error:
        raise PositionError(str(error)) from None


def _looks_like_chess(start: str | None) -> bool:
    if start is None:
        return True
    ranks = start.partition(" ")[0].count("/") + 1
    return ranks == _CHESS_RANKS and len(start.split()) <= _CHESS_FIELDS


def answer_untrusted(question: str, position: Position, settings: HouseSettings) -> str:
    """The answer to UGI's ``query``.

    Raises:
        PositionError: an unknown question, or an unreadable position.
    """
    if question not in _ANSWERS:
        raise PositionError(f"no such query, only {', '.join(_ANSWERS)}")
    return _ANSWERS[question](_judged(position, settings))


def _judged(position: Position, settings: HouseSettings) -> Judged:
    game, start = _game(position, settings), position.start
    if start is None and game is _MNK:
        start = _MNK_START
    try:
        judged = GAMES[game.rules(settings)].new(start)
    except StartError as error:
        raise PositionError(str(error)) from None
    for number, move in enumerate(position.moves, start=1):
        made = len(judged.moves)
        judged.play_untrusted(move)
        if len(judged.moves) == made:
            raise PositionError(f"move {number} is not legal, or the game was over")
    return judged


def _result(judged: Judged) -> str:
    outcome = judged.outcome()
    if outcome is None:
        return "none"
    if outcome.winner is None:
        return "draw"
    return "p1win" if outcome.winner is Side.WHITE else "p2win"


def _truth(value: bool) -> str:
    return "true" if value else "false"


_ANSWERS: Mapping[str, Callable[[Judged], str]] = {
    "gameover": lambda judged: _truth(judged.outcome() is not None),
    "p1turn": lambda judged: _truth(judged.turn is Side.WHITE),
    "result": _result,
}

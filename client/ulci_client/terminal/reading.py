"""What a person may ask this end about the game: the board, the clocks, the moves. Pure."""

from collections.abc import Iterator

from . import report
from .state import Effect, Kind, News, Page, State


def flip(state: State, _: str, __: float) -> Iterator[Effect]:
    state.flipped = not state.flipped
    yield News(Kind.OK, "The board is turned round.", "ok flipped")


def board(state: State, _: str, __: float) -> Iterator[Effect]:
    yield Page("Board", tuple(report.board_lines(state)))


def clock(state: State, _: str, at: float) -> Iterator[Effect]:
    assert state.game is not None
    yield News(Kind.OK, report.clocks_in_words(state.game, at), report.clock_line(state.game, at))


def moves(state: State, _: str, __: float) -> Iterator[Effect]:
    assert state.game is not None
    yield Page("Moves", tuple(report.move_lines(state.game)))


def fen(state: State, _: str, __: float) -> Iterator[Effect]:
    assert state.game is not None
    assert state.game.position is not None
    yield News(Kind.OK, state.game.position.fen(), f"fen {state.game.position.fen()}")

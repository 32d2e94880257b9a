"""What a person may ask this end about the game: the board, the clocks, the moves. Pure."""

from collections.abc import Iterator

from . import report
from .chosen import number
from .state import Effect, Kind, News, Page, Save, State


def flip(state: State, _: str, __: float) -> Iterator[Effect]:
    state.flipped = not state.flipped
    yield News(Kind.OK, "The board is turned round.", "ok flipped")


def board(state: State, _: str, __: float) -> Iterator[Effect]:
    yield Page("Board", tuple(report.board_lines(state)))


def clock(state: State, _: str, at: float) -> Iterator[Effect]:
    assert state.game is not None
    yield News(Kind.OK, report.clocks_in_words(state.game, at), report.clock_line(state.game, at))


def back(state: State, rest: str, _: float) -> Iterator[Effect]:
    """So many half-moves."""
    yield from _step(state, -(number(rest, "back 3") if rest else 1))


def forward(state: State, rest: str, _: float) -> Iterator[Effect]:
    """The same."""
    yield from _step(state, number(rest, "forward 3") if rest else 1)


def _step(state: State, plies: int) -> Iterator[Effect]:
    game = state.game
    assert game is not None
    game.look_at(game.plies_shown + plies)
    if not state.curious:  # on a screen the board is there to be seen
        last = report.last_move(game)
        title = f"Board after {last}" if last else "Board before the first move"
        yield Page(title, tuple(report.board_lines(state)))


def moves(state: State, _: str, __: float) -> Iterator[Effect]:
    assert state.game is not None
    yield Page("Moves", tuple(report.move_lines(state.game)))


def save(state: State, rest: str, _: float) -> Iterator[Effect]:
    """Over or not; without a file's name to one that is called by the game's number."""
    assert state.game is not None
    number = "" if state.game.id is None else f"-{state.game.id}"
    yield Save(rest or f"game{number}.pgn", state.game)


def fen(state: State, _: str, __: float) -> Iterator[Effect]:
    assert state.game is not None
    assert state.game.shown is not None
    yield News(Kind.OK, state.game.shown.fen(), f"fen {state.game.shown.fen()}")

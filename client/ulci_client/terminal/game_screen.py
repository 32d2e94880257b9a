"""A game in a window of any size: where the board goes, and what stands around it. Pure."""

from collections.abc import Iterator
from typing import NamedTuple

from ulci.rules import Side

from .board import board_rows, height, label_rows, margin, size
from .game import Game
from .look import Look
from .panel import AROUND_PAGE, moves_block, page_panel, panel_rows, player_row
from .report import from_black, move_rows
from .rows import Row, beside, cut, exactly, width, wrapped
from .state import Page, State

# A narrower panel cannot hold a name, a clock and the moves.
PANEL = 27

# A wider one only tears names and clocks apart.
PANEL_MOST = 60

# Columns between the board and the panel.
GAP = 2

# Rows of news that the board leaves at least: an answer, and what came before it.
NEWS = 2

# Rows of a page beside its lines: its title, and how to leave it.
PAGE = 2

# Without a panel: both players, and the last moves.
STACKED = 3

# From this size (rows of a square) on a board without a panel needs so many rows of moves below:
# before it grows that large, the moves are worth more.
ALONE = 3
MOVES = 5


class Layout(NamedTuple):
    """How a game is laid out. cell: columns and rows of a square. panel: the columns beside the
    board, 0 if the players stand above and below it."""

    cell: tuple[int, int]
    panel: int


def layout(game: Game, look: Look, columns: int, rows: int) -> Layout | None:
    """The largest squares that leave room for everything else; None if not even small ones do."""
    if game.position is None:
        return None
    for cell, panel in _arrangements(look):
        wide, high = _space(game, look, cell, panel=panel)
        if not panel and cell[1] >= ALONE:
            high += MOVES
        if wide <= columns and high <= rows:
            spare = columns - wide + PANEL
            return Layout(cell, min(spare, PANEL_MOST) if panel else 0)
    return None


def game_rows(state: State, game: Game, look: Look, room: tuple[int, int], now: float) -> list[Row]:
    """The game in at most so many columns and rows (`room`)."""
    if game.blind:
        return _blind(state, game, look, room, now)
    chosen = layout(game, look, *room)
    if chosen is None:
        return _compact(game, look, room, now)
    black_below = from_black(state)
    board = board_rows(game, look, chosen.cell, from_black=black_below)
    top = Side.WHITE if black_below else Side.BLACK
    if chosen.panel:
        size = chosen.panel, len(board) - 1
        panel = panel_rows(game, look, size, top, now)
        if state.page is not None:
            page = page_rows(state.page, chosen.panel, size[1] - AROUND_PAGE)
            panel = page_panel(game, page, look, size, top, now)
        return beside(board, panel, width(board[-1]), GAP)
    cells = min(room[0], max(PANEL, width(board[-1])))
    above, below = (
        player_row(game, side, look, cells, now, with_men=True) for side in (top, top.other)
    )
    free = room[1] - len(board) - STACKED - NEWS
    return [above, *board, below, *_moves_below(game, room[0], free)]


def _moves_below(game: Game, columns: int, free: int) -> list[Row]:
    """One row of moves, or some of the free ones; as much is left to the news."""
    rows = 1 + free * 2 // 3
    if rows < MOVES:
        return [[("class:number", f" {_last_moves(game, columns - 1)}")]]
    return [[], *exactly(moves_block(game, columns, rows - 1), rows - 1)]


def fits_beside(state: State, look: Look, columns: int, rows: int) -> bool:
    """Whether the page can be read beside the board, which then stays in sight."""
    game = state.game
    chosen = None if game is None else layout(game, look, columns, rows)
    if chosen is None or not chosen.panel or game is None or state.page is None:
        return False
    lines = sum(len([*wrapped(line, chosen.panel)]) for line in state.page.lines)
    board = len(board_rows(game, look, chosen.cell, from_black=False))
    return lines + PAGE + AROUND_PAGE <= board - 1


def page_rows(page: Page, columns: int, rows: int, scrolled: int = 0) -> list[Row]:
    """A longer answer, until something else is typed; `scrolled` lines down if it is too long."""
    lines = [line for text in page.lines for line in wrapped(text, columns)]
    room, hint = max(rows - PAGE, 0), "(Enter: back)"
    if len(lines) > room:
        hint = "(Page Up, Page Down; Enter: back)"
        room = max(room - 1, 0)
        at = min(scrolled, len(lines) - room)
        more = "…" if at + room < len(lines) else ""
        lines = [*lines[at : at + room], more]
    head: Row = [("class:heading", cut(page.title, columns))]
    return [head, *([("", line)] for line in lines), [("class:label", cut(hint, columns))]]


def _arrangements(look: Look) -> Iterator[tuple[tuple[int, int], bool]]:
    """Sizes of a square, and whether with a panel, the best first."""
    for cell in look.cells:
        yield cell, True
        yield cell, False


def _space(game: Game, look: Look, cell: tuple[int, int], *, panel: bool) -> tuple[int, int]:
    """The columns and rows that such an arrangement takes, with the least of news."""
    assert game.position is not None
    files, ranks = size(game.position)
    wide = margin(ranks) + files * cell[0]
    high = height(look, ranks, cell) + label_rows(files, cell) + NEWS
    return (wide + GAP + PANEL, high) if panel else (wide, high + STACKED)


def _compact(game: Game, look: Look, room: tuple[int, int], now: float) -> list[Row]:
    """Everything but the board, for a window that is too small for one."""
    columns, rows = room
    lines = [player_row(game, side, look, columns, now) for side in Side]
    lines.append([("", f" {_last_moves(game, columns - 1)}")])
    if game.position is not None:
        wide, high = _space(game, look, look.cells[-1], panel=False)
        hint = f"In a window of {wide}x{high + 3} you see the board; type board to read it."
        lines += [[("class:label", f" {line}")] for line in wrapped(hint, columns - 1)]
    return lines[:rows]


def _blind(state: State, game: Game, look: Look, room: tuple[int, int], now: float) -> list[Row]:
    """A game without a board: the players, and the moves as they were sent."""
    columns, rows = room
    top = Side.WHITE if from_black(state) else Side.BLACK
    cells = min(columns, PANEL_MOST)
    above, below = (player_row(game, side, look, cells, now) for side in (top, top.other))
    why: list[Row] = [
        [("class:label", f"  {line}")] for line in wrapped(f"No board: {game.blind}.", columns - 2)
    ]
    space = rows - len(why) - STACKED - NEWS
    if space < 1:
        return [above, below, [("class:number", f" {_last_moves(game, columns - 1)}")]][:rows]
    return [above, *why, [], *exactly(moves_block(game, columns, space), space), below]


def _last_moves(game: Game, cells: int) -> str:
    """As many as fit on a line."""
    moves = [f"{number}. {white} {black}".strip() for number, white, black in move_rows(game)]
    while len(moves) > 1 and len(" ".join(moves)) > cells:
        moves.pop(0)
    return cut(" ".join(moves), cells)

"""A game in a window of any size: where the board goes, and what stands around it. Pure."""

from collections.abc import Iterator
from typing import NamedTuple

from ulci.rules import Side
from ulci_client.terminal.model.game import Game
from ulci_client.terminal.model.state import ClientState, Page

from .board import board_rows, height, label_rows, margin, size
from .panel import AROUND_PAGE, moves_block, page_panel, panel_rows, player_row
from .plain_lines import from_black, move_rows
from .rows import Row, cut, exactly, side_by_side, width, wrapped
from .theme import Theme

# Least columns of a panel: a name, a clock and the moves.
PANEL = 27

# Most columns: beyond it names and clocks are too far apart.
PANEL_MOST = 60

# Columns between the board and the panel.
GAP = 2

# Least rows left for news: an answer and the news before it.
NEWS = 2

# Rows of a page besides its lines: title and hint.
PAGE = 2

# Rows without a panel: both players and the last moves.
STACKED = 3

# With squares of so many rows or more, a board without a panel needs MOVES rows of moves below it.
ALONE = 3
MOVES = 5


class GameLayout(NamedTuple):
    """A game's layout. cell: columns and rows of a square. panel: columns of the panel, 0 if the
    players are above and below the board."""

    cell: tuple[int, int]
    panel: int


def layout(game: Game, theme: Theme, columns: int, rows: int) -> GameLayout | None:
    """The largest squares that leave room for everything else; None if no size does."""
    if game.position is None:
        return None
    for cell, panel in _arrangements(theme):
        wide, high = _space(game, theme, cell, panel=panel)
        if not panel and cell[1] >= ALONE:
            high += MOVES
        if wide <= columns and high <= rows:
            spare = columns - wide + PANEL
            return GameLayout(cell, min(spare, PANEL_MOST) if panel else 0)
    return None


def game_rows(
    state: ClientState, game: Game, theme: Theme, room: tuple[int, int], now: float
) -> list[Row]:
    """The game in at most so many columns and rows (`room`)."""
    if game.blind:
        return _blind(state, game, theme, room, now)
    chosen = layout(game, theme, *room)
    if chosen is None:
        return _compact(game, theme, room, now)
    black_below = from_black(state)
    board = board_rows(game, theme, chosen.cell, from_black=black_below)
    top = Side.WHITE if black_below else Side.BLACK
    if chosen.panel:
        size = chosen.panel, len(board) - 1
        panel = panel_rows(game, theme, size, top, now)
        if state.page is not None:
            page = page_rows(state.page, chosen.panel, size[1] - AROUND_PAGE)
            panel = page_panel(game, page, theme, size, top, now)
        return side_by_side(board, panel, width(board[-1]), GAP)
    cells = min(room[0], max(PANEL, width(board[-1])))
    above, below = (
        player_row(game, side, theme, cells, now, with_men=True) for side in (top, top.other)
    )
    free = room[1] - len(board) - STACKED - NEWS
    return [above, *board, below, *_moves_below(game, room[0], free)]


def _moves_below(game: Game, columns: int, free: int) -> list[Row]:
    """One row of moves, or two thirds of the free rows; the rest is for news."""
    rows = 1 + free * 2 // 3
    if rows < MOVES:
        return [[("class:number", f" {_last_moves(game, columns - 1)}")]]
    return [[], *exactly(moves_block(game, columns, rows - 1), rows - 1)]


def fits_beside(state: ClientState, theme: Theme, columns: int, rows: int) -> bool:
    """Whether the page fits beside the board."""
    game = state.game
    chosen = None if game is None else layout(game, theme, columns, rows)
    if chosen is None or not chosen.panel or game is None or state.page is None:
        return False
    lines = sum(len([*wrapped(line, chosen.panel)]) for line in state.page.lines)
    board = len(board_rows(game, theme, chosen.cell, from_black=False))
    return lines + PAGE + AROUND_PAGE <= board - 1


def page_rows(page: Page, columns: int, rows: int, scrolled: int = 0) -> list[Row]:
    """A longer answer, until something else is typed; `scrolled`: lines hidden above."""
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


def _arrangements(theme: Theme) -> Iterator[tuple[tuple[int, int], bool]]:
    """(size of a square, with a panel?), best first."""
    for cell in theme.cells:
        yield cell, True
        yield cell, False


def _space(game: Game, theme: Theme, cell: tuple[int, int], *, panel: bool) -> tuple[int, int]:
    """The columns and rows of this arrangement, with the least rows of news."""
    assert game.position is not None
    files, ranks = size(game.position)
    wide = margin(ranks) + files * cell[0]
    high = height(theme, ranks, cell) + label_rows(files, cell) + NEWS
    return (wide + GAP + PANEL, high) if panel else (wide, high + STACKED)


def _compact(game: Game, theme: Theme, room: tuple[int, int], now: float) -> list[Row]:
    """Everything except the board, for a window too small for it."""
    columns, rows = room
    lines = [player_row(game, side, theme, columns, now) for side in Side]
    lines.append([("", f" {_last_moves(game, columns - 1)}")])
    if game.position is not None:
        wide, high = _space(game, theme, theme.cells[-1], panel=False)
        hint = f"The board needs a window of {wide}x{high + 3}; type board to read it."
        lines += [[("class:label", f" {line}")] for line in wrapped(hint, columns - 1)]
    return lines[:rows]


def _blind(
    state: ClientState, game: Game, theme: Theme, room: tuple[int, int], now: float
) -> list[Row]:
    """A game without a board: the players and the moves."""
    columns, rows = room
    top = Side.WHITE if from_black(state) else Side.BLACK
    cells = min(columns, PANEL_MOST)
    above, below = (player_row(game, side, theme, cells, now) for side in (top, top.other))
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

"""The panel beside the board: both players with their clocks, and the moves. Pure."""

from collections.abc import Mapping, Sequence

from ulci.rules import Side
from ulci_client.terminal.model.clocks import LOW_MS, shown
from ulci_client.terminal.model.game import Game

from .plain_lines import move_rows, numbered, row_shown
from .rows import Row, apart, cut, exactly, fitted, width
from .theme import Theme

# Columns of a move's number, and of a usual move ("Nbxd2+", "exd8=Q+").
NUMBER = 4
MOVE = 9

# Rows around a page: both players, each with an empty row.
AROUND_PAGE = 4

# The longest move shown in full ("Nab10xac11=Q+" with two-letter files).
MOVE_MOST = 13


def player_row(
    game: Game, side: Side, theme: Theme, cells: int, now: float, *, with_men: bool = False
) -> Row:
    """``● Bob (engine)      4:58``: the dot marks whose turn it is. with_men: includes the
    contents of `captured_row`."""
    turn = game.turn is side and not game.over
    left: Row = [("class:turn", f"{theme.active if turn else ' '} ")]
    left.append(("class:name", game.named(side)))
    if kind := game.kind(side):
        left.append(("class:kind", f" ({kind})"))
    if side is game.mine:
        left.append(("class:kind", " (you)" if not game.names[side] else ""))
    if word := _absence(game, side):
        left.append(("class:status-bad", f" {word}"))
    clock = clock_cells(game, side, now)
    if with_men:
        left += _men(game, side, theme, cells - width(left) - width(clock) - 1)
    return apart(left, clock, cells)


def _absence(game: Game, side: Side) -> str:
    """``away``, ``hung``: what keeps the opponent, or in a watched game the player to move."""
    if side is game.mine or (game.watched and side is not game.turn):
        return ""
    return game.trouble.replace("-", " ") or ("away" if game.away is not None else "")


def clock_cells(game: Game, side: Side, now: float) -> Row:
    """The clock; empty without one."""
    if game.clocks is None:
        return []
    left = game.clocks.remaining(side, now)
    running = game.clocks.running is side
    style = "clock-active" if running else "clock"
    if running and left < LOW_MS:
        style = "clock-low"
    return [(f"class:{style}", f" {shown(left)} ")]


def captured_row(game: Game, side: Side, theme: Theme, cells: int) -> Row:
    """The side's captures or pocket, and its lead in pawns or the checks that it has given."""
    return fitted(_men(game, side, theme, cells), cells)


def _men(game: Game, side: Side, theme: Theme, cells: int) -> Row:
    hand = game.pocket(side)
    men = game.captured(side.other) if hand is None else hand
    signs = "".join(theme.man(man) for man in men)
    words = [] if hand is None else ["in hand:" if hand else "nothing in hand"]
    lead = game.lead() if hand is None else None
    ahead = 0 if lead is None else lead if side is Side.WHITE else -lead
    after = [f"+{ahead}"] if ahead > 0 else []
    if (checks := game.checks(side)) is not None:
        after.append(f"{checks[0]} of {checks[1]} checks")
    room = cells - 2 - sum(len(word) + 1 for word in (*words, *after))
    shown_men = [cut(signs, room)] if signs and room > 0 else []
    return [("class:fallen", f"  {' '.join([*words, *shown_men, *after])}")]


def panel_rows(game: Game, theme: Theme, size: tuple[int, int], top: Side, now: float) -> list[Row]:
    """The whole panel; `size`: columns and rows; `top`: the side at the top of the board."""
    cells, height = size
    rule: Row = [("class:rule", theme.rule * cells)]
    head = [player_row(game, top, theme, cells, now), captured_row(game, top, theme, cells), rule]
    foot = [
        rule,
        captured_row(game, top.other, theme, cells),
        player_row(game, top.other, theme, cells, now),
    ]
    room = height - len(head) - len(foot)
    if room < 1:
        return exactly([head[0], foot[-1]], height)
    return [*head, *exactly(moves_block(game, cells, room), room), *foot]


def page_panel(
    game: Game, page: Sequence[Row], theme: Theme, size: tuple[int, int], top: Side, now: float
) -> list[Row]:
    """A page between both players and their running clocks; `size` as for the panel."""
    cells, height = size
    above, below = (player_row(game, side, theme, cells, now) for side in (top, top.other))
    return [above, [], *exactly(page, height - AROUND_PAGE), [], below]


def clocks_row(game: Game, theme: Theme, cells: int, now: float) -> Row:
    """Both players in one row, White first."""
    half = cells // 2 - 1
    white, black = (player_row(game, side, theme, half, now) for side in Side)
    return [*white, ("", "  "), *black]


def moves_block(game: Game, cells: int, height: int) -> list[Row]:
    """The latest moves that fit, in columns read downwards."""
    longest = max((len(ply.san) for ply in game.plies), default=0)
    move = min(max(MOVE, longest), MOVE_MOST)
    group = NUMBER + 2 * move + 2
    marked, side = _marked(game)
    styles = {**_book_styles(game), (marked, side): "class:newest"}
    rows = [_move_row(move, *row, styles) for row in move_rows(game)]
    if game.result is not None:
        rows.append([("class:newest", " " * NUMBER + game.result.score)])
    groups = max(1, cells // group)
    if game.viewed is not None:  # end the list there, unless the rest fits, too
        rows = rows[: max(marked, height * groups)]
    rows = _latest(rows, height, groups)
    columns = [rows[at : at + height] for at in range(0, len(rows), height)]
    block: list[Row] = []
    for line in range(min(height, len(rows))):
        joined: Row = []
        for column in columns:
            if line < len(column):
                joined += fitted(column[line], min(group, cells))
        block.append(joined)
    return block


def _latest(rows: Sequence[Row], height: int, groups: int) -> list[Row]:
    """The end of the list; whole columns are dropped, so that the rest does not move."""
    excess = len(rows) - height * groups
    if excess <= 0:
        return [*rows]
    if groups == 1:
        return [*rows[excess:]]
    return [*rows[-(-excess // height) * height :]]


def _move_row(
    cells: int, number: int, white: str, black: str, styles: Mapping[tuple[int, int], str]
) -> Row:
    """`styles`: those of moves, by row and column."""
    row: Row = [("class:number", f"{number:>3} ")]
    for column, text in enumerate((white, black)):
        sign, style = cut(text, cells), styles.get((number, column), "")
        row += [(style, sign), ("", " " * (cells + 1 - width([("", sign)])))]
    return row


def _book_styles(game: Game) -> Mapping[tuple[int, int], str]:
    """Of the moves of the opening, by row and column."""
    return {
        (number, column): "class:book"
        for number, white, black in numbered(game.plies[: game.book])
        for column, move in enumerate((white, black))
        if move.strip(".")
    }


def _marked(game: Game) -> tuple[int, int]:
    """The row and column of the move that led to the board shown."""
    if not game.plies_shown:
        return 0, 0
    number, _, black = row_shown(game)
    return number, int(bool(black.strip(".")))

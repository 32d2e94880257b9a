"""What stands beside the board: both players with their clocks, and the moves. Pure."""

from collections.abc import Sequence

from ulci.rules import Side

from .clocks import LOW_MS, shown
from .game import Game
from .look import Look
from .report import move_rows, row_shown
from .rows import Row, apart, cut, exactly, fitted, width

# Columns of one move of both sides: a number, and the longest usual moves ("Nbxd2+", "exd8=Q+").
NUMBER = 4
MOVE = 9

# Rows around a page: two players, and a free one next to each.
AROUND_PAGE = 4

# The longest that is shown in full ("Nab10xac11=Q+" of two-letter files).
MOVE_MOST = 13


def player_row(
    game: Game, side: Side, look: Look, cells: int, now: float, *, with_men: bool = False
) -> Row:
    """``● Bob (engine)      4:58``: the dot marks whose turn it is. With what `fallen_row` shows if
    that has no row of its own."""
    turn = game.turn is side and not game.over
    left: Row = [("class:turn", f"{look.active if turn else ' '} ")]
    left.append(("class:name", game.named(side)))
    if game.kinds[side]:
        left.append(("class:kind", f" ({game.kinds[side]})"))
    if side is game.mine:
        left.append(("class:kind", " (you)" if not game.names[side] else ""))
    if word := _absence(game, side):
        left.append(("class:status-bad", f" {word}"))
    clock = clock_cells(game, side, now)
    if with_men:
        left += _men(game, side, look, cells - width(left) - width(clock) - 1)
    return apart(left, clock, cells)


def _absence(game: Game, side: Side) -> str:
    """``away``, ``hung``: what keeps the opponent, or who is to move where both are others."""
    if side is game.mine or (game.watched and side is not game.turn):
        return ""
    return game.trouble.replace("-", " ") or ("away" if game.away is not None else "")


def clock_cells(game: Game, side: Side, now: float) -> Row:
    """The clock, or what the result means for the side."""
    if game.clocks is None:
        return []
    left = game.clocks.remaining(side, now)
    running = game.clocks.running is side
    style = "clock-active" if running else "clock"
    if running and left < LOW_MS:
        style = "clock-low"
    return [(f"class:{style}", f" {shown(left)} ")]


def fallen_row(game: Game, side: Side, look: Look, cells: int) -> Row:
    """What the side has captured, or has in hand; by how many pawns it is ahead, or how many
    checks it has given."""
    return fitted(_men(game, side, look, cells), cells)


def _men(game: Game, side: Side, look: Look, cells: int) -> Row:
    hand = game.hand(side)
    men = game.fallen(side.other) if hand is None else hand
    signs = "".join(look.man(man) for man in men)
    words = [] if hand is None else ["in hand:" if hand else "nothing in hand"]
    lead = game.lead() if hand is None else None
    ahead = 0 if lead is None else lead if side is Side.WHITE else -lead
    after = [f"+{ahead}"] if ahead > 0 else []
    if (checks := game.checks(side)) is not None:
        after.append(f"{checks[0]} of {checks[1]} checks")
    room = cells - 2 - sum(len(word) + 1 for word in (*words, *after))
    shown_men = [cut(signs, room)] if signs and room > 0 else []
    return [("class:fallen", f"  {' '.join([*words, *shown_men, *after])}")]


def panel_rows(game: Game, look: Look, size: tuple[int, int], top: Side, now: float) -> list[Row]:
    """The whole panel; `size` is its columns and rows, `top` the side at the top of the board."""
    cells, height = size
    rule: Row = [("class:rule", look.rule * cells)]
    head = [player_row(game, top, look, cells, now), fallen_row(game, top, look, cells), rule]
    foot = [
        rule,
        fallen_row(game, top.other, look, cells),
        player_row(game, top.other, look, cells, now),
    ]
    room = height - len(head) - len(foot)
    if room < 1:
        return exactly([head[0], foot[-1]], height)
    return [*head, *exactly(moves_block(game, cells, room), room), *foot]


def page_panel(
    game: Game, page: Sequence[Row], look: Look, size: tuple[int, int], top: Side, now: float
) -> list[Row]:
    """A page between both players, whose clocks run on while it is read; `size` as of the panel."""
    cells, height = size
    above, below = (player_row(game, side, look, cells, now) for side in (top, top.other))
    return [above, [], *exactly(page, height - AROUND_PAGE), [], below]


def clocks_row(game: Game, look: Look, cells: int, now: float) -> Row:
    """Both players in one row, White first."""
    half = cells // 2 - 1
    white, black = (player_row(game, side, look, half, now) for side in Side)
    return [*white, ("", "  "), *black]


def moves_block(game: Game, cells: int, height: int) -> list[Row]:
    """The latest moves that fit, in as many column groups as fit, read downwards."""
    longest = max((len(ply.san) for ply in game.plies), default=0)
    move = min(max(MOVE, longest), MOVE_MOST)
    group = NUMBER + 2 * move + 2
    marked, side = _marked(game)
    rows = [_move_row(move, *row, side if row[0] == marked else None) for row in move_rows(game)]
    if game.result is not None:
        rows.append([("class:newest", " " * NUMBER + game.result.score)])
    groups = max(1, cells // group)
    if game.viewed is not None:  # the list ends there, unless what follows fits as well
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
    """The end of the list; whole columns are dropped, so that the rest stands still."""
    excess = len(rows) - height * groups
    if excess <= 0:
        return [*rows]
    if groups == 1:
        return [*rows[excess:]]
    return [*rows[-(-excess // height) * height :]]


def _move_row(cells: int, number: int, white: str, black: str, marked: int | None) -> Row:
    """`marked`: which of the two led to the board that is shown."""
    styles = ["", ""]
    if marked is not None:
        styles[marked] = "class:newest"
    row: Row = [("class:number", f"{number:>3} ")]
    for text, style in ((white, styles[0]), (black, styles[1])):
        sign = cut(text, cells)
        row += [(style, sign), ("", " " * (cells + 1 - width([("", sign)])))]
    return row


def _marked(game: Game) -> tuple[int, int]:
    """The row and the column of the move that led to the board that is shown."""
    if not game.plies_shown:
        return 0, 0
    number, _, black = row_shown(game)
    return number, int(bool(black.strip(".")))

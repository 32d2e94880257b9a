"""What stands beside the board: both players with their clocks, and the moves. Pure."""

from collections.abc import Sequence

from ulci.rules import Side

from .clocks import LOW_MS, shown
from .game import Game
from .look import Look
from .report import move_rows
from .rows import Row, apart, cut, exactly, fitted, width

# Columns of one move of both sides: a number, and the longest usual moves ("Nbxd2+", "exd8=Q+").
NUMBER = 4
MOVE = 9
GROUP = NUMBER + 2 * MOVE + 2


def player_row(game: Game, side: Side, look: Look, cells: int, now: float) -> Row:
    """``● Bob (engine)      4:58``: the dot marks whose turn it is."""
    turn = game.turn is side and not game.over
    left: Row = [("class:turn", f"{look.active if turn else ' '} ")]
    left.append(("class:name", game.named(side)))
    if game.kinds[side]:
        left.append(("class:kind", f" ({game.kinds[side]})"))
    if side is game.mine:
        left.append(("class:kind", " (you)" if not game.names[side] else ""))
    if game.away is not None and side is not game.mine:
        left.append(("class:status-bad", " away"))
    return apart(left, clock_cells(game, side, now), cells)


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
    """What the side has captured, and by how many pawns it is ahead."""
    men = game.fallen(side.other)
    signs = "".join(look.man(man) for man in men)
    row: Row = [("class:fallen", f"  {cut(signs, cells - 6)}")]
    lead = game.lead()
    ahead = 0 if lead is None else lead if side is Side.WHITE else -lead
    if ahead > 0:
        row.append(("class:fallen", f"{' ' if men else ''}+{ahead}"))
    return fitted(row, cells)


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


def moves_block(game: Game, cells: int, height: int) -> list[Row]:
    """The latest moves that fit, in as many column groups as fit, read downwards."""
    rows = [_move_row(game, *row) for row in move_rows(game)]
    if game.result is not None:
        rows.append([("class:newest", " " * NUMBER + game.result.score)])
    groups = max(1, cells // GROUP)
    rows = _latest(rows, height, groups)
    columns = [rows[at : at + height] for at in range(0, len(rows), height)]
    block: list[Row] = []
    for line in range(min(height, len(rows))):
        joined: Row = []
        for column in columns:
            if line < len(column):
                joined += fitted(column[line], min(GROUP, cells))
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


def _move_row(game: Game, number: int, white: str, black: str) -> Row:
    styles = ["", ""]
    if game.plies and number == _last_number(game):
        styles[bool(black) and black != "..."] = "class:newest"
    row: Row = [("class:number", f"{number:>3} ")]
    for text, style in ((white, styles[0]), (black, styles[1])):
        sign = cut(text, MOVE)
        row += [(style, sign), ("", " " * (MOVE + 1 - width([("", sign)])))]
    return row


def _last_number(game: Game) -> int:
    return max((number for number, _, _ in move_rows(game)), default=0)

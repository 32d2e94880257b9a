"""The board: stones, side to move, winning length, and their notation."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ulci.rules.outcome import Side
from ulci.rules.position import StartError
from ulci.rules.text import quoted

MAX_SIDE = 26
"""Files have single letters. A full board of this size and a whole game on it fit into a line."""

DEFAULT_LENGTH = 3

STONES = {"x": Side.WHITE, "o": Side.BLACK}
LETTERS = {stone: letter for letter, stone in STONES.items()}

_TOKEN = re.compile(r"[0-9]+|.", re.DOTALL)
_NAME = re.compile(r"([A-Za-z])([0-9]{1,2})", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,4}", re.ASCII)

# Right, down, and the two diagonals downwards: each line is searched in one direction only.
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


@dataclass(slots=True)
class Board:
    """Squares count from 0 at the top left, row by row. A line of `length` or more stones wins."""

    width: int = 3
    height: int = 3
    length: int = DEFAULT_LENGTH
    turn: Side = Side.WHITE
    stones: dict[int, Side] = field(default_factory=dict)

    @property
    def full(self) -> bool:
        return len(self.stones) == self.width * self.height

    def put(self, square: int) -> None:
        """Put a stone of the side to move on an empty square."""
        self.stones[square] = self.turn
        self.turn = self.turn.other

    def take_back(self, square: int) -> None:
        """Undo the last `put`, which was on this square."""
        del self.stones[square]
        self.turn = self.turn.other

    def empty(self) -> Iterator[int]:
        """The squares without a stone, in order."""
        return (each for each in range(self.width * self.height) if each not in self.stones)

    def name(self, square: int) -> str:
        """``a1`` at the bottom left."""
        row, column = divmod(square, self.width)
        return f"{chr(ord('a') + column)}{self.height - row}"

    def find_untrusted(self, text: str) -> int | None:
        """The square of a name in either case, or of UTI's number; None if there is none."""
        if found := _NAME.fullmatch(text):
            column, row = ord(found[1].lower()) - ord("a"), self.height - int(found[2])
            if column < self.width and 0 <= row < self.height:
                return row * self.width + column
        elif _NUMBER.fullmatch(text) and 1 <= int(text) <= self.width * self.height:
            return int(text) - 1
        return None

    def line_through(self, square: int) -> bool:
        """Whether the stone on this square is part of a winning line."""
        return any(
            1 + self._run(square, dx, dy) + self._run(square, -dx, -dy) >= self.length
            for dx, dy in DIRECTIONS
        )

    def lines(self) -> set[Side]:
        """The sides that have a winning line: at most one during a game; a start may have both."""
        found: set[Side] = set()
        for row in self._rows():
            last, run = None, 0
            for square in row:
                stone = self.stones.get(square)
                run = run + 1 if stone is last else 1
                last = stone
                if stone is not None and run >= self.length:
                    found.add(stone)
        return found

    def has_room(self, side: Side, moves: int) -> bool:
        """Whether the side could have a winning line after `moves` more stones if the opponent
        lets it. Every row is scanned once, whatever the winning length."""
        stones, other = self.stones, side.other
        for row in self._rows():
            open_, own = 0, 0  # adjacent squares without a stone of the opponent; stones on them
            for at, square in enumerate(row):
                stone = stones.get(square)
                if stone is other:
                    open_ = own = 0
                    continue
                open_ += 1
                own += stone is side
                if open_ > self.length:
                    own -= stones.get(row[at - self.length]) is side
                if open_ >= self.length and own + moves >= self.length:
                    return True
        return False

    def _rows(self) -> Iterator[range]:
        """Every rank, file and diagonal with room for a line."""
        width, height, area = self.width, self.height, self.width * self.height
        for first in range(0, area, width):
            yield range(first, first + width)
        for file in range(width):
            yield range(file, area, width)
        # Diagonals begin at the top or at a side; the corner at the top counts once.
        for first, long in (
            *((file, min(width - file, height)) for file in range(width)),
            *((rank * width, min(width, height - rank)) for rank in range(1, height)),
        ):
            if long >= self.length:
                yield range(first, first + long * (width + 1), width + 1)
        for first, long in (
            *((file, min(file + 1, height)) for file in range(width)),
            *(((rank + 1) * width - 1, min(width, height - rank)) for rank in range(1, height)),
        ):
            if long >= self.length and width > 1:
                yield range(first, first + long * (width - 1), width - 1)

    def windows(self) -> Iterator[list[int]]:
        """Every row of exactly `length` squares, as a list."""
        reach = self.length - 1
        for square in range(self.width * self.height):
            row, column = divmod(square, self.width)
            for dx, dy in DIRECTIONS:
                if 0 <= row + dy * reach < self.height and column + dx * reach < self.width:
                    step = dy * self.width + dx
                    yield [square + step * each for each in range(self.length)]

    def write(self) -> str:
        """The board as `read_start` reads it, with all fields."""
        rows = (
            self._row(range(first, first + self.width))
            for first in range(0, self.width * self.height, self.width)
        )
        return f"{'/'.join(rows)} {LETTERS[self.turn]} {self.length}"

    def _row(self, squares: range) -> str:
        said = "".join(
            LETTERS[self.stones[each]] if each in self.stones else " " for each in squares
        )
        return re.sub(" +", lambda gap: str(len(gap[0])), said)

    def _run(self, square: int, dx: int, dy: int) -> int:
        """The number of adjacent stones of the same side in this direction."""
        side, count = self.stones[square], 0
        row, column = divmod(square, self.width)
        while True:
            row, column = row + dy, column + dx
            if not (0 <= row < self.height and 0 <= column < self.width):
                return count
            if self.stones.get(row * self.width + column) is not side:
                return count
            count += 1


def read_start(start: str) -> Board:
    """A board from its start. Any number of stones may be anywhere, as UTI allows.

    Raises:
        StartError: a field is missing or wrong.
    """
    rows, turn, length = _fields(start)
    if turn not in STONES:
        raise StartError(f"the side to move is {quoted(turn)}, expected x or o")
    ranks = [_read_rank(row) for row in rows.split("/")]
    width, height = len(ranks[0]), len(ranks)
    if not (1 <= width <= MAX_SIDE and height <= MAX_SIDE):
        raise StartError(
            f"the board is {width}x{height} squares, expected 1x1 to {MAX_SIDE}x{MAX_SIDE}"
        )
    if wrong := next((at for at, rank in enumerate(ranks, 1) if len(rank) != width), None):
        raise StartError(
            f"row {wrong} has {len(ranks[wrong - 1])} squares, expected {width} as in the first"
        )
    most = max(width, height)
    if not _NUMBER.fullmatch(length) or not 1 <= int(length) <= most:
        raise StartError(
            f"the length that wins is {quoted(length)}, expected a number from 1 to {most}"
        )
    stones = {at: STONES[each] for at, each in enumerate("".join(ranks)) if each in STONES}
    return Board(width, height, int(length), STONES[turn], stones)


def _fields(start: str) -> tuple[str, str, str]:
    match start.split():
        case [rows, turn]:
            return rows, turn, str(DEFAULT_LENGTH)
        case [rows, turn, length]:
            return rows, turn, length
        case fields:
            raise StartError(
                f"there are {len(fields)} fields, expected rows, x or o, and the length that wins,"
                " such as 3/3/3 x 3"
            )


def _read_rank(row: str) -> str:
    """A letter for each square."""
    squares = ""
    for token in _TOKEN.findall(row):
        if token in STONES:
            squares += token
        elif _NUMBER.fullmatch(token) and 1 <= int(token) <= MAX_SIDE:
            squares += "-" * int(token)
        else:
            raise StartError(
                f"the row {quoted(row)} has {quoted(token)}, expected x, o or a number of empty"
                f" squares from 1 to {MAX_SIDE}"
            )
    return squares

"""Liberty Chess once more, slowly: every rule as a sentence about squares, nothing shared with the
real thing but the text that both read and write. What is legal is found by making every move on a
copy and asking whether the other side could take a king. It knows nothing of how a game ends.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

Square = tuple[int, int]

ATTACK = {**dict.fromkeys("nbrqacblzxihum", 2), **dict.fromkeys("pke", 3), **dict.fromkeys("ow", 1)}
DEFENCE = {**dict.fromkeys("pnbrqaclzxihumo", 1), **dict.fromkeys("ew", 2), "k": 3}
LEAPS = {"n": (1, 2), "a": (1, 2), "c": (1, 2), "u": (1, 2), "m": (1, 2), "l": (1, 3), "z": (2, 3)}
STEPPERS = "kxeuh"
DIAGONAL, ORTHOGONAL = "bqam", "rqcm"


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


@dataclass
class SlowBoard:
    width: int
    height: int
    men: dict[Square, str]
    white: bool
    rights: set[str]
    passed: list[Square]
    moves: int = 2
    row: int = 2
    castle_row: int = 1
    queen_column: int = 1
    king_column: int = 0
    promotions: str = "qrbn"
    fire: bool = False
    homes: dict[bool, set[Square]] = field(default_factory=dict)

    # What stands where

    def own(self, square: Square) -> bool:
        return square in self.men and self.men[square].isupper() == self.white

    def kind(self, square: Square) -> str:
        return self.men[square].lower()

    def takes(self, start: Square, end: Square) -> bool:
        if end not in self.men:
            return False
        allowed = self.fire or self.men[start].isupper() != self.men[end].isupper()
        return allowed and ATTACK[self.kind(start)] > DEFENCE[self.kind(end)]

    def free(self, start: Square, step: Square, times: int) -> bool:
        """Whether the squares between are empty."""
        between = ((start[0] + step[0] * n, start[1] + step[1] * n) for n in range(1, times))
        return not any(square in self.men for square in between)

    # How men go; `reaches` is also what gives check

    def reaches(self, start: Square, end: Square) -> bool:
        """Whether the man on `start` attacks `end`, whatever stands there."""
        kind = self.kind(start)
        files, ranks = end[0] - start[0], end[1] - start[1]
        a, b = sorted((abs(files), abs(ranks)))
        if kind in "ow" or not b:
            return False
        if kind == "p":
            return a == b == 1 and ranks == (1 if self.men[start].isupper() else -1)
        if LEAPS.get(kind) == (a, b) or (kind in STEPPERS and b == 1):
            return True
        if kind == "h" and b == 2 and a != 1:
            return True
        if kind == "i" and b == 2 * a:
            return self.free(start, (files // a, ranks // a), a)
        straight = (a == b and kind in DIAGONAL) or (a == 0 and kind in ORTHOGONAL)
        return straight and self.free(start, (sign(files), sign(ranks)), b)

    def attacked(self, square: Square, *, by_white: bool) -> bool:
        return any(
            man.isupper() == by_white and self.reaches(start, square)
            for start, man in self.men.items()
        )

    def in_check(self, *, white: bool) -> bool:
        king = "K" if white else "k"
        return any(
            self.attacked(square, by_white=not white)
            for square, man in list(self.men.items())
            if man == king
        )

    # Moves that are right but for the king

    def goes(self, start: Square, end: Square) -> bool:
        kind = self.kind(start)
        if start == end:
            return False
        if kind in "ow":
            return end not in self.men
        if kind == "p":
            return self.pawn_goes(start, end)
        if self.reaches(start, end) and (end not in self.men or self.takes(start, end)):
            return True
        if kind == "b":
            return self.vatican(start, end)
        return kind == "k" and self.castles(start, end)

    def pawn_goes(self, start: Square, end: Square) -> bool:
        if not self.moves:
            return False
        if self.reaches(start, end):
            return self.takes(start, end) or (end not in self.men and end in self.passed)
        forward = 1 if self.white else -1
        steps = (end[1] - start[1]) * forward
        from_home = start[1] if self.white else self.height - 1 - start[1]
        most = self.moves if from_home < self.row else 1
        if start[0] != end[0] or not 0 < steps <= most or end in self.men:
            return False
        return self.free(start, (0, forward), steps)

    def vatican(self, start: Square, end: Square) -> bool:
        if {abs(start[0] - end[0]), abs(start[1] - end[1])} != {0, 2}:
            return False
        middle = (start[0] + end[0]) // 2, (start[1] + end[1]) // 2
        return self.men.get(end) == self.men[start] and self.takes(start, middle)

    def partner(self, *, white: bool, short: bool) -> Square:
        rank = self.castle_row - 1 if white else self.height - self.castle_row
        return (self.king_column if short else self.queen_column) - 1, rank

    def castles(self, start: Square, end: Square) -> bool:
        short = end[0] > start[0]
        partner = self.partner(white=self.white, short=short)
        if start[1] != partner[1] or end[1] != start[1] or abs(start[0] - end[0]) != 2:
            return False
        right = ("K" if short else "Q") if self.white else ("k" if short else "q")
        if right not in self.rights or partner == start:
            return False
        if end in self.men and not self.takes(start, end):
            return False
        # Of a king beyond its partner nothing is asked.
        between = range(start[0] + 1, partner[0]) if short else range(partner[0] + 1, start[0])
        if any((file, start[1]) in self.men for file in between):
            return False
        if self.in_check(white=self.white):
            return False
        crossed = (start[0] + end[0]) // 2, start[1]
        return not self.attacked(crossed, by_white=not self.white)

    # What moves do

    def after(self, start: Square, end: Square, promotion: str = "") -> "SlowBoard":
        men = dict(self.men)
        man, kind = men[start], self.kind(start)
        passed: list[Square] = []
        rights = set(self.rights)
        if kind == "b" and not self.reaches(start, end):
            del men[(start[0] + end[0]) // 2, (start[1] + end[1]) // 2]
            return replace(self, men=men, white=not self.white, passed=passed)
        if kind == "k" and abs(end[0] - start[0]) == 2:
            partner = self.partner(white=self.white, short=end[0] > start[0])
            crossed = (start[0] + end[0]) // 2, start[1]
            companion = men.pop(partner, None)
            men.pop(crossed, None)
            if companion is not None and partner != crossed:
                men[crossed] = companion
        if kind == "p" and start[0] != end[0] and end not in men:
            ranks = [rank for _, rank in self.passed]
            men.pop((end[0], min(ranks) - 1 if self.white else max(ranks) + 1), None)
        if kind == "p" and start[0] == end[0]:
            low, high = sorted((start[1], end[1]))
            passed = [(start[0], rank) for rank in range(low + 1, high)]
        del men[start]
        men[end] = man
        if promotion:
            men[end] = promotion.upper() if self.white else promotion
        for square in (start, end):
            rights -= self.lost(square)
        return replace(self, men=men, white=not self.white, passed=passed, rights=rights)

    def lost(self, square: Square) -> set[str]:
        lost = set()
        for white in (True, False):
            king, queen = "KQ" if white else "kq"
            if square == self.partner(white=white, short=True):
                lost.add(king)
            if square == self.partner(white=white, short=False):
                lost.add(queen)
            if square in self.homes[white]:
                lost |= {king, queen}
        return lost

    def legal(self) -> Iterator[str]:
        every = list(itertools.product(range(self.width), range(self.height)))
        for start in [square for square in every if self.own(square)]:
            for end in every:
                if not self.goes(start, end):
                    continue
                if self.after(start, end).in_check(white=self.white):
                    continue
                last = end[1] == (self.height - 1 if self.white else 0)
                promotes = self.kind(start) == "p" and last
                for letter in self.promotions if promotes else ("",):
                    yield f"{name(start)}{name(end)}{letter}"


def name(square: Square) -> str:
    file, letters = square[0] + 1, ""
    while file:
        file, rest = divmod(file - 1, 26)
        letters = "abcdefghijklmnopqrstuvwxyz"[rest] + letters
    return f"{letters}{square[1] + 1}"


def square_of(text: str) -> Square:
    match = re.fullmatch(r"([a-z]+)([0-9]+)", text)
    assert match
    file = 0
    for letter in match[1]:
        file = file * 26 + "abcdefghijklmnopqrstuvwxyz".index(letter) + 1
    return file - 1, int(match[2]) - 1


def read(text: str) -> SlowBoard:
    """The board of a valid L-FEN."""
    fields = text.split()
    fields += ["", "w", "-", "-", "0", "1", "-", "qrbn", ""][len(fields) :]
    ranks = fields[0].split("/")
    men: dict[Square, str] = {}
    width = 0
    for rank, row in enumerate(reversed(ranks)):
        file = 0
        for token in re.findall(r"[0-9]+|[A-Za-z]", row):
            if token.isdigit():
                file += int(token)
            else:
                men[file, rank] = token
                file += 1
        width = file
    passed = []
    if fields[3] != "-":
        low, _, top = fields[3].partition("-")
        file, rank = square_of(low)
        passed = [(file, at) for at in range(rank, int(top or rank + 1))]
    numbers = [2, 2, 1, 1, width]
    for place, item in enumerate(fields[6].split(",") if fields[6] != "-" else ()):
        numbers[place] = int(item) if item else numbers[place]
    board = SlowBoard(
        width,
        len(ranks),
        men,
        fields[1] == "w",
        set(fields[2]) - {"-"},
        passed,
        *numbers,
        promotions=fields[7],
        fire=fields[8] == "ff",
    )
    for white in (True, False):
        rank = board.partner(white=white, short=True)[1]
        king = "K" if white else "k"
        board.homes[white] = {at for at, man in men.items() if man == king and at[1] == rank}
    return board

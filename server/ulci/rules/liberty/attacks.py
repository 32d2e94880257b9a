"""Attacks on a square, and how they restrict the moves of the side to move."""

import itertools
from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple

from .board import Board
from .pieces import BLACK, KING, SIDE

Answers = Collection[int]
"""The squares where a man other than the king in check ends one check."""


class MoveRestrictions(NamedTuple):
    """Restrictions on the moves of the side to move, so that moves need not be tried out.

    checks: its kings in check, with the answers to every attack.  total: the number of these
    attacks.  counts: how many of them a square answers.  answers: the squares that end all these
    checks; None without checks.  pins: the squares to which a man that shields a king is
    restricted; men that are not listed move freely.
    """

    checks: dict[int, list[Answers]]
    total: int
    counts: Mapping[int, int]
    answers: Answers | None
    pins: dict[int, Answers]

    def answers_others(self, king: int, end: int) -> bool:
        """Whether a king that goes to `end` answers all checks but its own. Counted instead of
        compared, so that the cost is linear in the number of kings in check."""
        own = self.checks.get(king, ())
        answered = self.counts.get(end, 0) - sum(end in answers for answers in own)
        return answered == self.total - len(own)


def attacked(board: Board, square: int, side: int) -> bool:
    """Whether the opponent of `side` attacks the square."""
    cells = board.cells
    threats = board.setup.geometry.threats[side]
    for step, near, far in threats.lines:
        at = square + step
        if man := cells[at]:
            if near[man]:
                return True
            continue
        at += step
        while not cells[at]:
            at += step
        if far[cells[at]]:
            return True
    groups = board.groups
    for group, steps, attackers in threats.leaps:
        if groups[group]:
            for step in steps:
                if attackers[cells[square + step]]:
                    return True
    if groups[threats.night]:
        for step, _, far in threats.night_lines:
            at = square + step
            while not cells[at]:
                at += step
            if far[cells[at]]:
                return True
    return False


def endangers(board: Board, square: int, side: int) -> bool:
    """Whether a king of that side is attacked because of the last change on the square: a man that
    left it opened a line, or a man that came to it attacks or is attacked.

    Looks along the lines through the square only, so that its cost does not grow with the number
    of kings.
    """
    cells, groups = board.cells, board.groups
    threats = board.setup.geometry.threats[side]
    king, man = KING + (BLACK if side else 0), cells[square]
    if man >> SIDE == side and man:
        return man == king and attacked(board, square, side)
    lines = threats.lines
    if groups[threats.night]:
        lines += threats.night_lines
    for step, near, far in lines:
        at = square - step
        while not cells[at]:
            at -= step
        if cells[at] != king:
            continue
        at += step
        if cells[at]:
            if near[cells[at]]:
                return True
            continue
        while not cells[at]:
            at += step
        if far[cells[at]]:
            return True
    return any(
        cells[square - step] == king
        for _, steps, attackers in threats.leaps
        if attackers[man]
        for step in steps
    )


def watch(board: Board) -> MoveRestrictions:
    """The restrictions on the side to move."""
    checks: dict[int, list[Answers]] = {}
    pins: dict[int, Answers] = {}
    for king in board.kings[board.turn]:
        found = _checks(board, king, pins)
        if found:
            checks[king] = found
    if not checks:
        return MoveRestrictions(checks, 0, {}, None, pins)
    total = sum(map(len, checks.values()))
    attacks = itertools.chain.from_iterable(checks.values())
    counts = Counter(itertools.chain.from_iterable(attacks))
    answers = {at for at, times in counts.items() if times == total}
    return MoveRestrictions(checks, total, counts, answers, pins)


def _checks(board: Board, king: int, pins: dict[int, Answers]) -> list[Answers]:
    """For every check on the king, the squares where it can be answered. Men that may not leave a
    line are added to `pins`."""
    cells, side, groups = board.cells, board.turn, board.groups
    threats = board.setup.geometry.threats[side]
    found: list[Answers] = []
    lines = threats.lines
    if groups[threats.night]:
        lines += threats.night_lines
    for step, near, far in lines:
        at = king + step
        man = cells[at]
        if man:
            if near[man]:
                found.append((at,))
                continue
        else:
            at += step
            while not cells[at]:
                at += step
            man = cells[at]
            if far[man]:
                found.append(range(king + step, at + step, step))
                continue
        if man >> SIDE == side:
            beyond = at + step
            while not cells[beyond]:
                beyond += step
            if far[cells[beyond]]:
                _pin(pins, at, range(king + step, beyond + step, step))
    for group, steps, attackers in threats.leaps:
        if groups[group]:
            found += [(king + step,) for step in steps if attackers[cells[king + step]]]
    return found


def _pin(pins: dict[int, Answers], at: int, line: range) -> None:
    """One man may shield two kings."""
    other = pins.get(at)
    pins[at] = line if other is None else [square for square in line if square in other]

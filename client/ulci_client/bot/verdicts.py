"""When a bot resigns, and when it offers or accepts a draw, by its engine's scores. Pure.

Scores are centipawns from the engine's own point of view, one a move of its own; None: it gave
none, which no count survives.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

# Own moves between two offers of a draw: who declined one need not be asked again at once.
OFFER_EVERY = 10


@dataclass(frozen=True, slots=True)
class VerdictRules:
    """resign: own moves in a row with a score of at most -`resign_score`; 0: never. draw: from
    `after` own moves on, if the last `moves` scores are within `score` of 0 (to accept: not above
    it). behind: accepts at any move if they are at most -`behind`."""

    resign: int = 0
    resign_score: int = 700
    accept: bool = True
    offer: bool = False
    after: int = 40
    moves: int = 8
    score: int = 10
    behind: int = 100


class Verdicts:
    """The scores of one game."""

    def __init__(self, rules: VerdictRules) -> None:
        self._rules = rules
        self._moves = 0
        self._offered = -OFFER_EVERY
        self._last: deque[int | None] = deque(maxlen=max(rules.moves, rules.resign))

    def moved(self, score: int | None) -> None:
        """It moved with this score."""
        self._moves += 1
        self._last.append(score)

    def resigns(self) -> bool:
        """Whether it resigns instead of the move that it found."""
        rules = self._rules
        return rules.resign > 0 and self._all(rules.resign, -rules.resign_score)

    def agrees_to_draw(self) -> bool:
        """Whether it accepts a draw."""
        rules = self._rules
        most = rules.score if self._moves >= rules.after else -rules.behind
        return rules.accept and self._all(rules.moves, most)

    def offers_draw(self) -> bool:
        """Whether it offers a draw with this move; then not again for some moves."""
        rules = self._rules
        level = self._all(rules.moves, rules.score, -rules.score)
        if not rules.offer or self._moves < rules.after or not level:
            return False
        if self._moves - self._offered < OFFER_EVERY:
            return False
        self._offered = self._moves
        return True

    def _all(self, count: int, most: int, least: int | None = None) -> bool:
        """Whether the last `count` scores are from `least` to `most`."""
        last: Iterable[int | None] = [*self._last][-count:]
        return len(self._last) >= count and all(
            score is not None and score <= most and (least is None or score >= least)
            for score in last
        )

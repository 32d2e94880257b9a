"""When a bot resigns, and when it offers or accepts a draw, by its engine's scores. Pure.

Scores are centipawns from the engine's own point of view, one for each of its moves; None, a move
without a score, restarts every count.
"""

from collections import deque
from collections.abc import Iterable

from .sections import Config

# Own moves between two offers of a draw: who declined one need not be asked again at once.
OFFER_EVERY = 10


class Verdicts:
    """The scores of one game; [resign] and [draw] say what follows from them."""

    def __init__(self, config: Config) -> None:
        self._resign, self._draw = config.resign, config.draw
        self._moves = 0
        self._offered = -OFFER_EVERY
        self._last: deque[int | None] = deque(maxlen=max(self._draw.moves, self._resign.moves))

    def moved(self, score: int | None) -> None:
        """Note the score of the engine's move."""
        self._moves += 1
        self._last.append(score)

    def resigns(self) -> bool:
        """Whether the bot resigns instead of making its move."""
        rules = self._resign
        return rules.moves > 0 and self._all(rules.moves, -rules.score)

    def agrees_to_draw(self) -> bool:
        """Whether the bot accepts a draw."""
        rules = self._draw
        most = rules.score if self._moves >= rules.after else -rules.behind
        return rules.accept and self._all(rules.moves, most)

    def offers_draw(self) -> bool:
        """Whether the bot offers a draw with this move; after an offer not again for some moves."""
        rules = self._draw
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

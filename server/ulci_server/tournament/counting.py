"""Counts games and pairs of games, of each entrant and of each two that have met.

A list has games by half points (lost, drawn, won), pairs by `Pentanomial`'s fields, and last the
half points of the other one: a game that both have lost is no mirror.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator

from ulci_server.statistics import Pentanomial, Tally, Trinomial

from .records import SCORES, Pairing, PairKey

_PAIRS = {(0, 0): 3, (0, 1): 4, (0, 2): 5, (1, 1): 6, (1, 2): 7, (2, 2): 8}
_THEIRS = 9

Counts = list[int]


def _none() -> Counts:
    return [0] * (_THEIRS + 1)


class Counting:
    """by_pairs: whether pairs are counted, those whose two games are decided."""

    def __init__(self, *, by_pairs: bool) -> None:
        self.finished = 0
        """Games that are decided, forfeits included, byes not."""
        self.halves: Counter[int] = Counter()
        """By entrant, byes included."""
        self._by_pairs = by_pairs
        self._of_entrant: defaultdict[int, Counts] = defaultdict(_none)
        self._of_two: defaultdict[tuple[int, int], Counts] = defaultdict(_none)
        self._pairs: dict[PairKey, dict[int, tuple[int, int]]] = {}
        self._tallies: dict[int, Tally] = {}  # made when they are asked for
        self._tallies_of_two: dict[tuple[int, int], Tally] = {}

    def add(self, pairing: Pairing, score: str) -> None:
        """The pairing is decided."""
        self._count(pairing, score, 1)

    def remove(self, pairing: Pairing, score: str) -> None:
        """The pairing does not count, or not so, after all."""
        self._count(pairing, score, -1)

    def tally(self, entrant: int) -> Tally:
        known = self._tallies.get(entrant)
        if known is None:
            known = self._tallies[entrant] = _tally(self._of_entrant.get(entrant))
        return known

    def tally_against(self, first: int, second: int) -> Tally:
        """As the first sees it."""
        if first > second:
            return self.tally_against(second, first).reversed
        known = self._tallies_of_two.get((first, second))
        if known is None:
            counts = self._of_two.get((first, second))
            known = self._tallies_of_two[first, second] = _tally(counts)
        return known

    def met(self) -> Iterator[tuple[int, int, int, int]]:
        """Each two that have met, the lower number first, with the half points of both."""
        for (first, second), counts in self._of_two.items():
            if counts[0] or counts[1] or counts[2]:
                yield first, second, counts[1] + 2 * counts[2], counts[_THEIRS]

    def _count(self, pairing: Pairing, score: str, by: int) -> None:
        white, black = pairing.white, pairing.black
        of_white, of_black = SCORES[score]
        self.halves[white] += by * of_white
        if black is None:
            return
        self.finished += by
        self.halves[black] += by * of_black
        if white > black:
            white, black, of_white, of_black = black, white, of_black, of_white
        of_both = self._of_two[white, black]
        of_both[of_white] += by
        of_both[_THEIRS] += by * of_black
        self._of_entrant[white][of_white] += by
        self._of_entrant[black][of_black] += by
        self._tallies.pop(white, None)
        self._tallies.pop(black, None)
        self._tallies_of_two.pop((white, black), None)
        if self._by_pairs:
            self._count_pair(pairing, (of_white, of_black), by)

    def _count_pair(self, pairing: Pairing, halves: tuple[int, int], by: int) -> None:
        """halves: of the lower number, and of the other one."""
        games = self._pairs.setdefault(pairing.key, {})
        self._add_pair(pairing.key, games, -1)
        if by > 0:
            games[pairing.number] = halves
        else:
            games.pop(pairing.number, None)
        self._add_pair(pairing.key, games, 1)

    def _add_pair(self, key: PairKey, games: dict[int, tuple[int, int]], by: int) -> None:
        if len(games) != 2:
            return
        one, two = games.values()
        first, second = key[2:]
        mine = _PAIRS[min(one[0], two[0]), max(one[0], two[0])]
        theirs = _PAIRS[min(one[1], two[1]), max(one[1], two[1])]
        self._of_two[first, second][mine] += by
        self._of_entrant[first][mine] += by
        self._of_entrant[second][theirs] += by


def _tally(counts: Counts | None) -> Tally:
    if counts is None:
        return Tally()
    losses, draws, wins, *pairs = counts[:_THEIRS]
    return Tally(Trinomial(wins, losses, draws), Pentanomial(*pairs))

"""What has happened in a tournament: who is in it, what is paired, and what is decided."""

from collections import Counter
from collections.abc import Iterable, Sequence

from ulci_server.statistics import Tally

from .counting import Counting
from .records import SCORES, Entrant, GameResult, Pairing, PairKey
from .settings import TournamentSettings

Meeting = tuple[int | None, int, int, bool]
"""An encounter as an entrant sees it: see `ties.encounters`."""


class State:
    """Built by the rows, in any order of entrants and pairings, and the results in theirs. What
    counts is counted as it happens: a game that ends costs the same after a year."""

    def __init__(self, settings: TournamentSettings, seed: int) -> None:
        self.settings = settings
        self.seed = seed
        self.entrants: dict[int, Entrant] = {}
        self.pairings: dict[int, Pairing] = {}
        self.results: dict[int, GameResult] = {}
        self.open: dict[int, Pairing] = {}
        """To be played, in order: not decided, not void, no byes."""
        self.of_entrant: dict[int, list[int]] = {}
        """The numbers of an entrant's pairings that are not void, byes included, in order."""
        self.pairs: dict[PairKey, list[int]] = {}
        """The numbers that are not void."""
        self.voids: dict[PairKey, list[int]] = {}
        self.last_round = 0
        self.last_number = 0
        self.version = 0
        self.entrants_version = 0
        """Changes whenever an entrant does."""
        self.counted = Counting(by_pairs=settings.by_pairs)
        self.whites: Counter[int] = Counter()
        """How often an entrant is paired with White."""
        self.ended: list[int] = []
        """The numbers of games that have a result, in the order of those."""
        self.corrections = 0
        """How often a row has come of which a game had a result that counted."""
        self.meetings: dict[int, dict[int, Meeting]] = {}
        """Kept by `ties.encounters` until one of the entrant's pairings changes."""
        self._scores: dict[int, str] = {}
        self._changed: set[int] = set()  # entrants whose figures are stale, for formats

    # What happens

    def put_entrant(self, entrant: Entrant) -> None:
        self.entrants[entrant.number] = entrant
        self.of_entrant.setdefault(entrant.number, [])
        self.version += 1
        self.entrants_version += 1

    def put_pairing(self, pairing: Pairing) -> None:
        """A new one, or a new row of one that is known."""
        before = self.pairings.get(pairing.number)
        if before is not None:
            self._take_out(before)
        self.pairings[pairing.number] = pairing
        self.last_round = max(self.last_round, pairing.round)
        self.last_number = max(self.last_number, pairing.number)
        if pairing.void:
            self.voids.setdefault(pairing.key, []).append(pairing.number)
        else:
            self.pairs.setdefault(pairing.key, []).append(pairing.number)
            for entrant in _both(pairing):
                _insert(self.of_entrant.setdefault(entrant, []), pairing.number)
            if pairing.black is not None:
                self.whites[pairing.white] += 1
        self._decide(pairing)

    def put_result(self, result: GameResult) -> None:
        """A game is over. Of several results of one pairing the first that is a score counts."""
        known = self.results.get(result.number)
        if known is not None and known.score in SCORES:
            return
        self.results[result.number] = result
        if result.score in SCORES:
            self.ended.append(result.number)
        if (pairing := self.pairings.get(result.number)) is not None:
            self._decide(pairing)

    def _take_out(self, pairing: Pairing) -> None:
        known = self.voids if pairing.void else self.pairs
        known[pairing.key].remove(pairing.number)
        if not pairing.void:
            for entrant in _both(pairing):
                self.of_entrant[entrant].remove(pairing.number)
            if pairing.black is not None:
                self.whites[pairing.white] -= 1
        if (score := self._scores.pop(pairing.number, None)) is not None:
            self.counted.remove(pairing, score)
            self.corrections += 1
        self.open.pop(pairing.number, None)
        self._touch(pairing)

    def _decide(self, pairing: Pairing) -> None:
        number = pairing.number
        score = pairing.score
        if score is None and (result := self.results.get(number)) is not None:
            score = result.score
        if not pairing.void and score in SCORES:
            if number not in self._scores:  # or else the row has the score, whatever the game had
                self._scores[number] = score
                self.counted.add(pairing, score)
            self.open.pop(number, None)
        elif not pairing.void and pairing.black is not None:
            self.open[number] = pairing
        self._touch(pairing)

    def _touch(self, pairing: Pairing) -> None:
        self.version += 1
        for entrant in _both(pairing):
            self.meetings.pop(entrant, None)
            self._changed.add(entrant)

    def take_changed(self) -> set[int]:
        """The entrants whose pairings have changed since this was asked."""
        changed, self._changed = self._changed, set()
        return changed

    # What is known

    def score(self, number: int) -> str | None:
        """How the pairing counts; None: it is not decided, or void."""
        return self._scores.get(number)

    def halves(self, number: int, entrant: int) -> int | None:
        """Half points that the entrant has from that pairing; None: it is not decided."""
        if (score := self._scores.get(number)) is None:
            return None
        return SCORES[score][self.pairings[number].white != entrant]

    def was_played(self, number: int) -> bool:
        """Whether a game decided it."""
        return self.pairings[number].black is not None and number in self.results

    def is_in(self, entrant: int) -> bool:
        """Whether it has entered and not left."""
        row = self.entrants.get(entrant)
        return row is not None and row.left is None

    def opponent(self, number: int, entrant: int) -> int | None:
        """None: it is a bye."""
        pairing = self.pairings[number]
        return pairing.black if pairing.white == entrant else pairing.white

    def decided(self, entrant: int) -> Iterable[int]:
        """The numbers of the entrant's decided pairings, byes included."""
        return (number for number in self.of_entrant.get(entrant, ()) if number in self._scores)

    def encounter(self, first: int, second: int, round_: int) -> list[int]:
        """The numbers of all that these two are paired for in that round."""
        return [
            number
            for number in self.of_entrant.get(first, ())
            if self.pairings[number].round == round_ and self.opponent(number, first) == second
        ]

    def tally(self, entrant: int) -> Tally:
        """All its decided games, forfeits included, byes not."""
        return self.counted.tally(entrant)

    def tally_against(self, first: int, second: int) -> Tally:
        """What these two have played, as the first sees it."""
        return self.counted.tally_against(first, second)

    def halves_of(self, entrant: int) -> int:
        """Half points of all that is decided, byes included."""
        return self.counted.halves[entrant]

    # What is due in any format

    def replays(self) -> list[Pairing]:
        """New pairings in place of void ones, of which nothing is left."""
        new: list[Pairing] = []
        for key, numbers in self.voids.items():
            if self.pairs.get(key):
                continue
            for number in sorted(numbers)[-self.settings.games :]:
                again = self.pairings[number]
                fresh = Pairing(
                    self.last_number + len(new) + 1,
                    *(again.round, again.white, again.black, again.opening),
                    by=again.by,
                )
                new.append(fresh)
        return new

    def games_of(
        self, first: int, second: int, round_: int, opening: int, after: Sequence[Pairing]
    ) -> list[Pairing]:
        """The games of an encounter, the first of which `first` has White in. `after`: new ones
        that get their numbers before."""
        number = self.last_number + len(after)
        both = first, second
        new = []
        for game in range(self.settings.games):
            white, black = both[::-1] if game % 2 and self.settings.swap else both
            new.append(Pairing(number + game + 1, round_, white, black, opening))
        return new


def _both(pairing: Pairing) -> tuple[int, ...]:
    return (pairing.white,) if pairing.black is None else (pairing.white, pairing.black)


def _insert(numbers: list[int], number: int) -> None:
    """Keep them in order; a new one is nearly always the last."""
    numbers.append(number)
    if len(numbers) > 1 and numbers[-2] > number:
        numbers.sort()

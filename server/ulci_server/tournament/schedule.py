"""The games of a round robin or gauntlet, each computed from its number.

    game          1   2   3   4   5   6   7   8  ...
    pair            1       2       3       4    ...     two games of one opening, colours swapped
    encounter      A-B     A-C     B-C     A-B   ...     of three engines
    round                   1               2    ...     each encounter once
    opening                 0               1    ...     as books count

The order is that of match runners. Pair n of every encounter has opening n, so that all engines
meet in the same openings, and the games of a pair never in different ones.
"""

import enum
from dataclasses import dataclass
from functools import lru_cache

Encounter = tuple[int, int]
"""Two engines, by their places in the list from 0; the first has White in a pair's first game."""


class ScheduleError(ValueError):
    """No such schedule; the text says why."""


class Format(enum.StrEnum):
    """Who meets whom."""

    ROUND_ROBIN = "roundrobin"
    """Each engine meets every other."""
    GAUNTLET = "gauntlet"
    """The first engines, the seeds, meet all others, and each other."""


@dataclass(frozen=True, slots=True)
class ScheduledGame:
    """A game to be played. Numbers begin with 1, but those of openings, as books count, and of
    engines, places in the list, with 0. `encounter` orders the two whatever colours they have."""

    number: int
    round: int
    pair: int
    opening: int
    encounter: Encounter
    white: int
    black: int


@dataclass(frozen=True, slots=True)
class Schedule:
    """All games of so many engines. `games` of an encounter in each round: two, or one. `swap`:
    colours are swapped from game to game of an encounter; `reverse`: the second engine begins with
    White.

    Raises:
        ScheduleError: these numbers give no games.
    """

    engines: int
    rounds: int
    games: int = 2
    format: Format = Format.ROUND_ROBIN
    seeds: int = 1
    swap: bool = True
    reverse: bool = False

    def __post_init__(self) -> None:
        if self.engines < 2:
            raise ScheduleError("at least two engines are needed")
        if self.rounds < 1 or self.seeds < 1:
            raise ScheduleError("the numbers of rounds and of seeds must be at least 1")
        if self.games not in (1, 2):
            raise ScheduleError("an opening is played once or twice")

    @property
    def encounters(self) -> tuple[Encounter, ...]:
        """Of one round, in order."""
        seeds = self.seeds if self.format is Format.GAUNTLET else self.engines
        return _encounters(self.engines, min(seeds, self.engines - 1))

    @property
    def total(self) -> int:
        """The number of all games."""
        return self.rounds * len(self.encounters) * self.games

    def pair_of(self, number: int) -> range:
        """The games of that game's pair, itself among them."""
        first = number - (number - 1) % self.games
        return range(first, first + self.games)

    def game(self, number: int) -> ScheduledGame:
        """The game of that number, from 1 to `total`.

        Raises:
            IndexError: there is none.
        """
        if not 1 <= number <= self.total:
            raise IndexError(f"the games are 1 to {self.total}, not {number}")
        pair, of_pair = divmod(number - 1, self.games)
        round_, place = divmod(pair, len(self.encounters))
        encounter = self.encounters[place]
        # A lone game is swapped from round to round, and from encounter to encounter.
        turn = of_pair if self.games == 2 else round_ + place
        swapped = (self.swap and turn % 2 == 1) is not self.reverse
        white, black = reversed(encounter) if swapped else encounter
        return ScheduledGame(number, round_ + 1, pair + 1, round_, encounter, white, black)


@lru_cache(maxsize=8)
def _encounters(engines: int, seeds: int) -> tuple[Encounter, ...]:
    return tuple((first, second) for first in range(seeds) for second in range(first + 1, engines))

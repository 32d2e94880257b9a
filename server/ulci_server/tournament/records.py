"""What the rows of a tournament say: its entrants, its pairings, and how games ended."""

from msgspec import Struct


class Entrant(Struct, frozen=True):
    """`number`: from 1, in the order in which they entered. `rating`: by which it is seeded; None:
    it has none. `boards`: at how many it plays at once. `joined`: the first round in which it is
    paired. `left`: the first round in which it is not paired any more; None: it is in. `why`: the
    reason, for people."""

    number: int
    name: str
    rating: float | None = None
    boards: int = 1
    joined: int = 1
    left: int | None = None
    why: str = ""

    def plays_in(self, round_: int) -> bool:
        """Whether it is paired in that round."""
        return self.joined <= round_ and (self.left is None or round_ < self.left)


class Pairing(Struct, frozen=True):
    """A game to be played. `number`: from 1, in the tournament. `white`, `black`: the numbers of
    the entrants; without Black it is a bye. `opening`: its number, from 0. `score`: how it counts
    if it was decided without its game, or corrected; None: as its game ends. `void`: it does not
    count, and is played again under another number. `by`: the director who has made or decided it.
    """

    number: int
    round: int
    white: int
    black: int | None
    opening: int = 0
    score: str | None = None
    why: str = ""
    void: bool = False
    by: str = ""

    @property
    def key(self) -> "PairKey":
        """What the games of a pair have in common."""
        both = (self.white, self.black or 0)
        return self.round, self.opening, min(both), max(both)


PairKey = tuple[int, int, int, int]
"""Round, opening, and the two entrants."""


class GameResult(Struct, frozen=True):
    """How the game of the pairing of that number ended. `score` ``*``: without a result. `moves`:
    White's and Black's own, without those of the opening. `berserk`: whether White and Black did
    without half of their time."""

    number: int
    score: str
    moves: tuple[int, int] = (0, 0)
    reason: str = ""
    berserk: tuple[bool, bool] = (False, False)


SCORES = {"1-0": (2, 0), "0-1": (0, 2), "1/2-1/2": (1, 1), "0-0": (0, 0)}
"""Half points of White and Black. Any other score is none."""

"""The recorded end of a game, beside what is known of the game before it."""

from dataclasses import dataclass

from ulci.rules import Outcome, Side
from ulci_server.game import Happened, MovePlayed, Seat

from .ledger import Ledger
from .progress import Progress
from .reference import Judgement


@dataclass(frozen=True, slots=True)
class Ended:
    """`outcome`, `detail` and `seats` as recorded; `before`: the last fact before the end, if the
    end is a fact itself."""

    outcome: Outcome
    detail: str
    seats: tuple[Seat, Seat]
    before: MovePlayed | Happened | None
    judged: Judgement
    ledger: Ledger
    progress: Progress

    @property
    def by_rules(self) -> Outcome | None:
        """The outcome by the rules in the last position."""
        return self.judged.outcome()

    @property
    def refereed(self) -> bool:
        """Whether its rules are unknown here."""
        return self.judged.refereed

    @property
    def turn(self) -> Side:
        return self.judged.turn

    @property
    def loser(self) -> Side:
        """The side that lost; in a draw, the side to move."""
        winner = self.outcome.winner
        return self.turn if winner is None else winner.other

    def who(self, side: Side) -> str:
        return f"{'White' if side is Side.WHITE else 'Black'} ({self.seats[side].name})"

    def says(self, start: str) -> str | None:
        """The fault if the evidence does not begin with `start`."""
        if self.detail.startswith(start):
            return None
        return f"the evidence is {self.detail!r} and not {start!r}"

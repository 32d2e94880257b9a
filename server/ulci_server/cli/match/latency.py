"""By how much the times that the clocks paid exceed those that engines say they took."""

from dataclasses import dataclass

from ulci_server.game import MovePlayed


def latency(move: MovePlayed) -> int | None:
    """ms of a move; None if its player did not say how long it took. Less than 0 where that rounds
    up."""
    if move.info is None or move.info.time is None:
        return None
    return move.spent - move.lag - move.stall - move.info.time


@dataclass(slots=True)
class Latency:
    """Of one engine. total, most: ms of `moves` moves."""

    moves: int = 0
    total: int = 0
    most: int = 0

    def add(self, late: int) -> None:
        """A move was so many ms late."""
        self.most = max(self.most, late) if self.moves else late
        self.moves += 1
        self.total += late

    @property
    def average(self) -> float:
        """ms; there must be moves."""
        return self.total / self.moves

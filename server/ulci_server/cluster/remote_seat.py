"""What the server of a player's connection knows of the player's seat at a table elsewhere."""

from dataclasses import dataclass, field
from math import inf

from ulci.protocol.messages import Position
from ulci_server.game import Away, Back, Commanded, Left, Spans

from . import messages as said


@dataclass(slots=True)
class OpenGo:
    """The last ``go`` of a player, from the owner with that epoch. reached_at: when (s) this
    connection was asked for the move first. attempt: as in `Ask`. thought: s for which the player
    had thought about the move before. answer: kept until the next ``go``, as the owner may have
    died before it was stored."""

    number: int
    position: Position
    asked_at: float
    reached_at: float
    epoch: int
    attempt: int = 0
    thought: float = 0.0
    answer: said.Answer | None = None

    def thinking(self, at: float) -> float:
        """Seconds that the player has thought about this move at `at`."""
        return self.thought + max(0.0, at - self.asked_at)


@dataclass(slots=True)
class RemoteSeat:
    """since: when (s) the player came to the table by its present connection; infinite: unknown.
    resigned, gone: what the player said or did last, said again to a new owner. held_up: when
    servers held the player up in this turn, as far as it is known here. unasked_since: when (s) the
    player was back, if it was not asked since. returning: it took its seat and is not back yet.
    introduced: its program was told of the game's options here."""

    since: float = inf
    question: OpenGo | None = None
    resigned: Commanded | None = None
    gone: Away | Left | None = None
    held_up: Spans = field(default_factory=Spans)
    unasked_since: float | None = None
    returning: bool = False
    introduced: bool = False
    info_sent_at: float = -inf

    def held_up_until(self, at: float) -> Spans:
        """When servers have held the player up until `at` (s): also since it was back, if it was
        not asked, as that word may be lost."""
        if self.unasked_since is not None:
            self.held_up.add(self.unasked_since, at)
            self.unasked_since = None
        return self.held_up

    def nothing_held_up(self) -> None:
        """The player is asked anew: of this turn nothing is known."""
        self.unasked_since, self.held_up = None, Spans()

    def is_back(self, event: Back) -> None:
        """The player is at its table."""
        self.held_up_until(event.at)
        for begin, end in event.delays:
            self.held_up.add(begin, end)
        if self.question is None:
            self.unasked_since = event.at
        self.since, self.returning = event.at, False

    @property
    def was_sent_away(self) -> bool:
        """Whether its server sent the player away."""
        return isinstance(self.gone, Away) and self.gone.cut_off_at is not None

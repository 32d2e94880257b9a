"""How an idle player of a bot finds a game: it seeks, or challenges somebody in the lobby."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from ulci.protocol.lobby.lines import (
    ChallengeDecline,
    ListedPlayer,
    Offer,
    OutgoingChallenge,
    PlayerList,
)
from ulci.protocol.messages import Challenge, FromClient, Terms, Unseek, Who
from ulci_client.bot.acceptance import BotState
from ulci_client.bot.matchmaking import Matchmaker
from ulci_client.bridge.seeking import CycleStage
from ulci_client.recent import MOST_LISTED

from .seat import Seat

# How often a free player looks at the hours, and whether it may seek.
TICK = 10.0

# `_to_come` until the server has told how long the list of players is.
UNKNOWN = -1


@dataclass(slots=True)
class OwnChallenge:
    """A challenge of our own: the opponent, until when (s), and its number once the server has sent
    it."""

    player: str
    kind: str
    until: float
    id: int | None = None


class GameSearch:
    """`on_due`: called when `due` has changed unasked. `asked`: our open challenge."""

    def __init__(self, seat: Seat) -> None:
        self.on_due: Callable[[], None] = lambda: None
        self._seat = seat
        self._matchmaker = Matchmaker(seat.bot.config, seat.bot.choose)
        self.asked: OwnChallenge | None = None
        self._to_come = 0  # players of the list that was asked for
        self._present: list[ListedPlayer] = []
        self._tick = math.inf
        seat.bot.on_changed.append(self.look_again)

    @property
    def due(self) -> float:
        """When to call `alarm`; inf: never."""
        return self._tick if self.asked is None else min(self._tick, self.asked.until)

    def alarm(self, at: float) -> list[FromClient]:
        """`due` has come: the messages to send."""
        said: list[FromClient] = []
        if (asked := self.asked) is not None and asked.until <= at:
            said += self.give_up(f"{asked.player} does not answer our challenge", at)
        if self._tick <= at:
            said += self._look(at)
            # A failed attempt is repeated, but not at once.
            next_look = self._matchmaker.due
            self._tick = next_look if at < next_look < at + TICK else at + TICK
        return said

    # Events

    def line_lost(self) -> None:
        """Our challenge ends with the connection."""
        self.busy()
        self._to_come = 0
        self._tick = math.inf

    def welcomed(self, at: float) -> None:
        self._tick = at

    def idle(self, at: float) -> None:
        """The player waits for challenges from now on."""
        self._matchmaker.idle(at)
        self._tick = at

    def busy(self) -> None:
        """A game begins, or the connection is lost."""
        self._matchmaker.busy()
        self.asked = None

    def look_again(self, at: float) -> None:
        """Another player of the bot has begun a game: seeks may have to change."""
        if self._tick < math.inf:
            self._tick = at
            self.on_due()

    # A seek

    @property
    def _free(self) -> bool:
        """Whether the player may look for a game: it waits, and its engine is ready."""
        seat = self._seat
        return (
            seat.seeking.stage is CycleStage.WAITING
            and seat.agreement.challenge is None
            and self.asked is None
            and not self._to_come
            and seat.running is not None
        )

    def _look(self, at: float) -> list[FromClient]:
        """Seek, ask for the players in the lobby, or rest."""
        seat = self._seat
        if seat.agreement.challenge is not None:
            return []
        self._to_come = 0  # what has not come by now does not come
        state, only_people = seat.state(), False
        if seat.bot.rules.may_look(state, seat.bot.now()):
            only_people = seat.bot.rules.only_people(state)
            stays = seat.seeking.sought.against == "human" or not only_people
        else:
            stays = False
        if seat.seeking.stage is CycleStage.SEEKING and not stays:
            return seat.seeking.rest()
        if not self._free or not (stays or only_people):
            return []
        if self._matchmaker.challenge_due <= at:
            self._matchmaker.tried(at)
            self._to_come = UNKNOWN
            return [Who()]
        if self._matchmaker.seek_due <= at:
            return self._seek(only_people=only_people)
        return []

    def _seek(self, *, only_people: bool) -> list[FromClient]:
        table = self._seat.bot.config.seek
        if only_people and table.against == "engine":
            return []
        if not self._seat.want_engine(table.game or ""):
            return []  # at the next tick
        return self._seat.seeking.seek("human" if only_people else table.against)

    # A challenge

    def list_begins(self, line: PlayerList, _: float) -> tuple[list[FromClient], bool]:
        """``lobby who``."""
        if self._to_come:
            self._to_come, self._present = min(line.count, MOST_LISTED), []
        return [], False

    def listed(self, line: ListedPlayer, at: float) -> tuple[list[FromClient], bool]:
        """``lobby player``."""
        if self._to_come <= 0:
            return [], False
        self._to_come -= 1
        self._present.append(line)
        said = [] if self._to_come else self._challenge(at)
        return said, False

    def _challenge(self, at: float) -> list[FromClient]:
        """Challenge somebody: the list of players is complete."""
        if not self._free:
            return []
        seat = self._seat
        terms = self._matchmaker.terms(seat.seeking.sought)
        state, now = seat.state(), seat.bot.now()
        fits = [one for one in self._present if self._plays(one, terms, state, now)]
        name = self._matchmaker.pick(fits, at)
        if name is None:
            return []
        kind = next(one.kind for one in fits if one.name == name)
        patience = seat.bot.config.matchmaking.answer
        self.asked = OwnChallenge(name, kind, at + patience)
        seat.console.note(f"nobody came: challenging {name}")
        seat.seeking.agreed = True
        return [Challenge(name, terms)]

    def _plays(self, one: ListedPlayer, terms: Terms, state: BotState, now: datetime) -> bool:
        """Whether the rules allow a game with this player."""
        bot = self._seat.bot
        if bot.ledger.is_ours(one.name):
            return False
        found = Offer(0, one.name, one.kind, terms.game or "", terms.time or "")
        return bot.rules.meets(found, state, now) is None

    def challenging(self, line: OutgoingChallenge, _: float) -> tuple[list[FromClient], bool]:
        """``lobby challenging``."""
        if self.asked is not None:
            self.asked.id = line.id
        return [], False

    def declined(self, line: ChallengeDecline, at: float) -> tuple[list[FromClient], bool]:
        """``lobby declined``."""
        if self.asked is None or self.asked.id != line.id:
            return [], False
        self.asked.id = None  # there is nothing to withdraw
        why = f": {line.text}" if line.text else ""
        return self.give_up(f"{line.by} declines our challenge{why}", at), True

    def give_up(self, why: str, at: float) -> list[FromClient]:
        """Give up our challenge."""
        self._seat.console.note(why)
        number = None if self.asked is None else self.asked.id
        self._seat.agreement.clear()
        self._seat.seeking.agreed = False
        self.asked = None
        self.idle(at)
        return [] if number is None else [Unseek(number)]

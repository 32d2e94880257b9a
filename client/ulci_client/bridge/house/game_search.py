"""What one player of a bot does when nobody comes: it seeks, or challenges somebody who is here."""

import math
from collections.abc import Callable

from ulci.protocol import FromClient, Terms
from ulci.protocol.lobby.lines import (
    ChallengeDecline,
    ListedPlayer,
    Offer,
    OutgoingChallenge,
    PlayerList,
)
from ulci_client.bot.matchmaking import Matchmaker
from ulci_client.bridge.seeking import SeekStage

from .own_challenges import OwnChallenge, OwnChallenges
from .seat import Seat

# How often a free player looks at the hours, and whether it may seek.
TICK = 10.0


class GameSearch:
    """`on_due`: called when `due` has changed unasked."""

    def __init__(self, seat: Seat) -> None:
        self.on_due: Callable[[], None] = lambda: None
        self._seat = seat
        self._matchmaker = Matchmaker(seat.bot.config, seat.bot.choose)
        self._own = OwnChallenges(self._matchmaker)
        self._tick = math.inf
        seat.bot.on_changed.append(self.look_again)

    @property
    def due(self) -> float:
        """When to call `alarm`; inf: never."""
        return min(self._tick, self._own.due)

    @property
    def asked(self) -> OwnChallenge | None:
        """Our open challenge."""
        return self._own.asked

    def alarm(self, at: float) -> list[FromClient]:
        """`due` has come: what to say."""
        said: list[FromClient] = []
        if (asked := self._own.asked) is not None and asked.until <= at:
            said += self.give_up(f"{asked.player} does not answer our challenge", at)
        if self._tick <= at:
            said += self._look(at)
            # What could not be done now is tried again, but not at once.
            next_look = self._matchmaker.due
            self._tick = next_look if at < next_look < at + TICK else at + TICK
        return said

    # What happens

    def line_lost(self) -> None:
        """Our challenge ends with the connection."""
        self.busy()
        self._own.forget_list()
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
        self._own.asked = None

    def look_again(self, at: float) -> None:
        """Another player of the bot has begun a game: seeks may have to change."""
        if self._tick < math.inf:
            self._tick = at
            self.on_due()

    # A seek

    @property
    def _free(self) -> bool:
        """Whether it may look for a game: it waits, and its engine is ready."""
        seat = self._seat
        return (
            seat.seeking.stage is SeekStage.WAITING
            and seat.agreement.challenge is None
            and self._own.asked is None
            and not self._own.lists
            and seat.running is not None
        )

    def _look(self, at: float) -> list[FromClient]:
        """Seek, ask who is here, or rest."""
        seat = self._seat
        if seat.agreement.challenge is not None:
            return []
        self._own.forget_list()
        state, only_people = seat.state(), False
        if seat.bot.rules.may_look(state, seat.bot.now()):
            only_people = seat.bot.rules.only_people(state)
            stays = seat.seeking.sought.against == "human" or not only_people
        else:
            stays = False
        if seat.seeking.stage is SeekStage.SEEKING and not stays:
            return seat.seeking.rest()
        if not self._free or not (stays or only_people):
            return []
        if self._matchmaker.challenge_due <= at:
            return self._own.look_around(at)
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
        self._own.list_begins(line.count)
        return [], False

    def listed(self, line: ListedPlayer, at: float) -> tuple[list[FromClient], bool]:
        """``lobby player``."""
        return (self._challenge(at) if self._own.list_goes_on(line) else []), False

    def _challenge(self, at: float) -> list[FromClient]:
        """All who are here are known."""
        if not self._free:
            return []
        seat = self._seat
        state, now, bot = seat.state(), seat.bot.now(), seat.bot

        def plays(one: ListedPlayer, terms: Terms) -> bool:
            if bot.ledger.is_ours(one.name):
                return False
            found = Offer(0, one.name, one.kind, terms.game or "", terms.time or "")
            return bot.rules.meets(found, state, now) is None

        said = self._own.challenge(plays, seat.seeking.sought, at)
        for challenge in said:
            seat.console.note(f"nobody came: challenging {challenge.name}")
            seat.seeking.agreed = True
        return [*said]

    def challenging(self, line: OutgoingChallenge, _: float) -> tuple[list[FromClient], bool]:
        """``lobby challenging``."""
        self._own.numbered(line.id)
        return [], False

    def declined(self, line: ChallengeDecline, at: float) -> tuple[list[FromClient], bool]:
        """``lobby declined``."""
        if not self._own.declined(line.id):
            return [], False
        why = f": {line.text}" if line.text else ""
        return self.give_up(f"{line.by} declines our challenge{why}", at), True

    def give_up(self, why: str, at: float) -> list[FromClient]:
        """No game comes of our challenge."""
        self._seat.console.note(why)
        said = self._own.give_up()
        self._seat.agreement.clear()
        self._seat.seeking.agreed = False
        self.idle(at)
        return said

"""Whom to ask for a game, and what the lobby's answers mean. Pure.

IDLE     nothing is wanted, or a game is on
ASKED    a challenge or a seek is open
PAUSED   refused for now: asked again at `due`
WAITS    accepted: the game begins when our colour has been said
CHOSEN   it has been said, or was settled before: the game begins
FAILED   refused for good; `failure` says why
"""

import enum
import math

from ulci.protocol import Challenge, ChooseColor, FromClient, Seek, Unseek
from ulci.protocol.lobby.lines import (
    ChallengeDecline,
    ErrorLine,
    Gone,
    Line,
    MatchGame,
    MatchOver,
    OutgoingChallenge,
)
from ulci.rules import Side
from ulci_client.reconnect import retry_after

from .settings import Settings

RETRY = 3.0
"""Least pause (s) before the same is asked again."""

PASSING = frozenset({"busy", "closed", "too-fast", "no-such-player", "too-many-challenges"})
"""Codes of refusals that another moment may change: the opponent plays, or has not come yet."""

GRACE = 1.0
"""Seconds from ``gone`` to the game that a challenge became; without one it was withdrawn because
the opponent left."""


class Stage(enum.Enum):
    IDLE = "idle"
    ASKED = "asked"
    PAUSED = "paused"
    WAITS = "waits"
    CHOSEN = "chosen"
    FAILED = "failed"


class Asking:
    """One player's way to a game. Methods return what to send now."""

    def __init__(self, settings: Settings) -> None:
        self.stage = Stage.IDLE
        self.due = math.inf
        self.failure = ""
        self.news = ""
        """What happened last, for people; whoever shows it clears it."""
        self.match: MatchGame | None = None
        self._settings = settings
        self._challenge: int | None = None
        self._clock = ""

    @property
    def found(self) -> bool:
        """Whether somebody has agreed to play."""
        return self.stage in (Stage.WAITS, Stage.CHOSEN)

    def ask(self, clock: str) -> list[FromClient]:
        """A game is wanted; `clock`: the GUI's time control, empty if unknown."""
        if self.stage not in (Stage.IDLE, Stage.PAUSED) or self._match_goes_on:
            return []
        self._clock = clock
        self.stage, self.due, self._challenge = Stage.ASKED, math.inf, None
        terms, name = self._settings.terms(clock), self._settings.opponent
        return [Challenge(name, terms) if name else Seek(terms)]

    @property
    def _match_goes_on(self) -> bool:
        return self.match is not None and self.match.number < self.match.games

    def choose(self, side: Side, start: str) -> list[FromClient]:
        """Say our colour and the start."""
        self.stage = Stage.CHOSEN
        return [ChooseColor("white" if side is Side.WHITE else "black", start)]

    def began(self) -> None:
        """A game is on."""
        self.stage, self.due, self.failure = Stage.IDLE, math.inf, ""

    def withdraw(self) -> list[FromClient]:
        """Nothing is wanted any more."""
        open_ = self.stage in (Stage.ASKED, Stage.WAITS, Stage.CHOSEN) or self.match is not None
        self.stage, self.due = Stage.IDLE, math.inf
        return [Unseek()] if open_ else []

    def line_lost(self) -> None:
        """What was open is gone with the connection, and so is a match between two games."""
        self.stage, self.due, self.match = Stage.IDLE, math.inf, None

    def new_game(self) -> None:
        """The GUI begins another game: what failed may be asked again."""
        if self.stage is Stage.FAILED:
            self.stage, self.failure = Stage.IDLE, ""

    def alarm(self, at: float) -> list[FromClient]:
        """`due` has come."""
        if at < self.due:
            return []
        self.due = math.inf
        if self.stage is Stage.ASKED:
            self.stage = Stage.PAUSED
        return self.ask(self._clock) if self.stage is Stage.PAUSED else []

    def hear(self, line: Line, name: str, at: float) -> list[FromClient]:
        """A line of the lobby; `name`: ours there."""
        match line:
            case OutgoingChallenge(number, player):
                self._challenge = number
                self.news = f"{player} is asked for a game"
            case ChallengeDecline(number, by, why) if number == self._challenge:
                self._fail(f"{by} declines the challenge" + (f": {why}" if why else ""))
            case Gone(number) if number == self._challenge and self.stage is Stage.ASKED:
                self.due = at + GRACE
            case MatchGame():
                self._matched(line, name)
            case MatchOver():
                self._match_ended(line, at)
            case ErrorLine(code, text):
                return self._refused(code, text, at)
        return []

    def _matched(self, line: MatchGame, name: str) -> None:
        self.match, self.due = line, math.inf
        ours = line.chooser == name
        self.stage = Stage.WAITS if ours else Stage.CHOSEN
        self.news = f"{line.player} plays: game {line.number} of {line.games}"

    def _match_ended(self, line: MatchOver, at: float) -> None:
        self.match = None
        if line.reason != "complete":
            self.news = f"the match is over after {line.played} games: {line.reason}"
        if self.found:
            self.stage, self.due = Stage.PAUSED, at + RETRY

    def _refused(self, code: str, text: str, at: float) -> list[FromClient]:
        if self.stage is Stage.CHOSEN:
            self._fail(text)
            return [Unseek()]  # the opponent must not wait for a game that does not begin
        if self.stage is Stage.ASKED and code in PASSING:
            self.stage, self.due = Stage.PAUSED, at + max(RETRY, retry_after(text))
            self.news = f"no opponent yet: {text}; asked again in {round(self.due - at)} s"
        elif self.stage is Stage.ASKED:
            self._fail(f"the server refuses such a game: {text}")
        return []

    def _fail(self, why: str) -> None:
        self.stage, self.due, self.failure = Stage.FAILED, math.inf, why

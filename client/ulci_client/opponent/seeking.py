"""Whom to ask for a game, and the meaning of the lobby's answers. Pure.

IDLE     nothing is wanted, or a game is on
ASKED    a challenge or a seek is open
PAUSED   refused for now: asked again at `due`
WAITS    accepted: the game begins when somebody chooses our colour
CHOSEN   our colour is chosen, or was agreed before: the game begins
OUTDATED withdrawn, because the GUI has set something else since: asked again when the server
         reports that nothing is open
FAILED   refused for good; `failure` says why
"""

import enum
import math

from ulci.protocol.lobby.lines import (
    ChallengeDecline,
    ErrorLine,
    Gone,
    IncomingChallenge,
    Line,
    MatchGame,
    MatchOver,
    OpenSeek,
    OutgoingChallenge,
)
from ulci.protocol.messages import Accept, Challenge, ChooseColor, Decline, FromClient, Seek, Unseek
from ulci.rules import Side
from ulci_client.reconnect import retry_after

from .settings import OpponentSettings

RETRY = 3.0
"""Least pause (s) before the same is asked again."""

PASSING = frozenset({
    "busy", "closed", "moving", "too-fast", "no-such-player", "no-such-seek", "too-many-challenges",
    "too-many-strangers",
})  # fmt: skip
"""Codes of refusals that another moment may change: the opponent plays, has not come yet, or has
withdrawn what we accept."""

NOTHING_OPEN = "no-such-seek"
"""Code of the answer to ``unseek`` where nothing is open."""

UNANSWERED = "no-such-challenge"
"""Code of the answer to a decline of what was withdrawn meanwhile."""

DECLINE_PAUSE = 1.0
"""Least seconds between two declines: a challenger who floods us must not use up the commands that
the server allows us."""

_UNSEEK_ALL = (Unseek(), Unseek())
"""The second one finds nothing open, and its answer is known: that of the first is the end of a
match, of a challenge or of a seek, or that there is none, as a game has begun instead."""

GRACE = 1.0
"""Seconds from ``gone`` to the game that a challenge became; without one it was withdrawn because
the opponent left."""


class SeekStage(enum.Enum):
    IDLE = "idle"
    ASKED = "asked"
    PAUSED = "paused"
    WAITS = "waits"
    CHOSEN = "chosen"
    OUTDATED = "outdated"
    FAILED = "failed"


class Seeking:
    """One player's way to a game. Methods return what to send now."""

    def __init__(self, settings: OpponentSettings) -> None:
        self.stage = SeekStage.IDLE
        self.due = math.inf
        self.failure = ""
        self.news = ""
        """What happened last, for people; the reader that shows it clears it."""
        self.match: MatchGame | None = None
        self._begun = 0  # games of those that were asked for, in which the GUI has asked for moves
        self._settings = settings
        self._asked: tuple[object, object] | None = None  # who asked, and for what
        self._challenge: int | None = None
        self._clock = ""
        self._declined = -math.inf  # when (s)

    @property
    def found(self) -> bool:
        """Whether somebody has agreed to play."""
        return self.stage in (SeekStage.WAITS, SeekStage.CHOSEN)

    @property
    def in_match(self) -> bool:
        """Whether the GUI has begun some games of the match that was asked for, and not others."""
        return 0 < self._begun < self._settings.games

    @property
    def outdated(self) -> bool:
        """Whether the GUI has set since the asking what makes it another game. In a match, whoever
        plays for the GUI may change."""
        if self._asked is None:
            return False
        identity, wish = self._asked
        return wish != self._settings.wish or (
            identity != self._settings.identity and not self.in_match
        )

    def ask(self, clock: str) -> list[FromClient]:
        """A game is wanted; `clock`: the GUI's time control, empty if unknown."""
        if self.stage not in (SeekStage.IDLE, SeekStage.PAUSED) or self._match_goes_on:
            return []
        self._clock = clock
        self.stage, self.due, self._challenge = SeekStage.ASKED, math.inf, None
        if self._begun >= self._settings.games:
            self._begun = 0
        self._remember()
        terms, name = self._settings.terms(clock, self._begun), self._settings.opponent
        return [Challenge(name, terms) if name else Seek(terms)]

    @property
    def _match_goes_on(self) -> bool:
        return self.match is not None and self.match.number < self.match.games

    def ask_anew(self) -> list[FromClient]:
        """What the GUI has set since the asking counts: withdraw what was asked for. A game that
        is about to begin begins, and is aborted then."""
        if not self.outdated or self.stage in (SeekStage.CHOSEN, SeekStage.OUTDATED):
            return []
        self._begun, self.due, self.failure = 0, math.inf, ""
        if self.match is None and self.stage not in (SeekStage.ASKED, SeekStage.WAITS):
            self.stage = SeekStage.IDLE
            return []
        self.stage = SeekStage.OUTDATED
        return [*_UNSEEK_ALL]

    def _remember(self) -> None:
        self._asked = self._settings.identity, self._settings.wish

    def choose(self, side: Side, start: str) -> list[FromClient]:
        """Say our colour and the start."""
        self.stage = SeekStage.CHOSEN
        return [ChooseColor("white" if side is Side.WHITE else "black", start)]

    def count_game(self) -> None:
        """The GUI asks for its first move in a game that has begun."""
        self._begun += 1

    def began(self) -> None:
        """A game has begun."""
        self.stage, self.due, self.failure = SeekStage.IDLE, math.inf, ""

    def withdraw(self) -> list[FromClient]:
        """Nothing is wanted any more."""
        open_ = (
            self.stage in (SeekStage.ASKED, SeekStage.WAITS, SeekStage.CHOSEN, SeekStage.OUTDATED)
            or self.match is not None
        )
        self.stage, self.due = SeekStage.IDLE, math.inf
        return [Unseek()] if open_ else []

    def line_lost(self) -> None:
        """What was open is gone with the connection. A match that goes on is announced again."""
        self.stage, self.due, self.match = SeekStage.IDLE, math.inf, None

    def new_game(self) -> None:
        """The GUI begins another game: what failed may be asked again."""
        if self.stage is SeekStage.FAILED:
            self.stage, self.failure = SeekStage.IDLE, ""

    def alarm(self, at: float) -> list[FromClient]:
        """`due` has come."""
        if at < self.due:
            return []
        self.due = math.inf
        if self.stage is SeekStage.OUTDATED:  # perhaps not heard
            return [*_UNSEEK_ALL]
        if self.stage is SeekStage.ASKED:
            self.stage = SeekStage.PAUSED
        return self.ask(self._clock) if self.stage is SeekStage.PAUSED else []

    def busy(self, at: float) -> None:
        """We are back, and neither free nor in a game: it is being cleared away."""
        if self.stage is SeekStage.IDLE and self.match is None:
            self.stage, self.due = SeekStage.PAUSED, at + RETRY

    def hear(self, line: Line, name: str, at: float, *, playing: bool) -> list[FromClient]:
        """A line of the lobby; `name`: ours there; `playing`: in a game that is on."""
        match line:
            case OutgoingChallenge(number, player):
                self._challenge = number
                self._is_open()
                self.news = f"{player} is asked for a game"
            case OpenSeek(player=player) if player == name:
                self._is_open()
            case ChallengeDecline(number) if self.stage is SeekStage.OUTDATED:
                pass  # it was withdrawn meanwhile
            case ChallengeDecline(number, by, why) if number == self._challenge:
                self.fail(f"{by} declines the challenge" + (f": {why}" if why else ""))
            case IncomingChallenge():
                return self._challenged(line, at)
            case Gone(number) if number == self._challenge and self.stage is SeekStage.ASKED:
                self.due = at + GRACE
            case MatchGame() if playing:  # the game's own match, told again
                self.match = line
            case MatchGame():
                self._matched(line, name)
            case MatchOver():
                self._match_ended(line, at)
            case ErrorLine(code, text) if code != UNANSWERED:
                return self._refused(code, text, at)
        return []

    def _is_open(self) -> None:
        """The lobby has what was asked for last, though it may have refused something before."""
        if self.stage is SeekStage.PAUSED:
            self.stage, self.due = SeekStage.ASKED, math.inf

    def _challenged(self, line: IncomingChallenge, at: float) -> list[FromClient]:
        """Somebody asks us. Nobody can answer, as a GUI has no word for it: what we want ourselves
        is accepted, and all others get the reason."""
        ours = self._settings.terms(self._clock, self._begun % self._settings.games)
        if ours.color == line.color == "later":
            why = "each of us would say its color later: give one side --color white or black"
            return self._decline(line, why, at)
        wanted = (
            self.stage in (SeekStage.ASKED, SeekStage.PAUSED)
            and self._settings.opponent in ("", line.player)
            and {ours.color, line.color} == {"white", "black"}
            and (line.game, line.games, line.start) == (self._settings.game, ours.games, None)
            and ours.time in (None, line.time)
            and ours.rated in (None, line.rated)
        )
        if not wanted:
            why = "I play in a GUI, which asks for its games itself: seek one, and I may find it"
            return self._decline(line, why, at)
        self.stage, self.due, self._challenge = SeekStage.ASKED, math.inf, None
        self._remember()
        return [Accept(line.id)]

    def _decline(self, line: IncomingChallenge, why: str, at: float) -> list[FromClient]:
        if at - self._declined < DECLINE_PAUSE:
            return []
        self._declined = at
        return [Decline(line.id, why)]

    def _matched(self, line: MatchGame, name: str) -> None:
        self.match = line
        if self.stage is SeekStage.OUTDATED:
            return  # accepted before it was withdrawn
        self.due = math.inf
        ours = line.chooser == name
        self.stage = SeekStage.WAITS if ours else SeekStage.CHOSEN
        self.news = f"{line.player} plays: game {line.number} of {line.games}"

    def _match_ended(self, line: MatchOver, at: float) -> None:
        self.match = None
        if line.reason != "complete":
            self.news = f"the match is over after {line.played} games: {line.reason}"
        if self.found:
            self.stage, self.due = SeekStage.PAUSED, at + RETRY

    def _refused(self, code: str, text: str, at: float) -> list[FromClient]:
        if self.stage is SeekStage.OUTDATED and code == NOTHING_OPEN:
            self.stage, self.due = SeekStage.IDLE, math.inf
        elif self.stage is SeekStage.OUTDATED:
            self.due = at + max(RETRY, retry_after(text))
        if self.stage is SeekStage.CHOSEN and code == "moving":  # perhaps not heard
            self._pause(text, at)
            return [Unseek()]
        if self.stage is SeekStage.CHOSEN:
            self.fail(text)
            return [Unseek()]  # the opponent must not wait for a game that does not begin
        if self.stage is SeekStage.ASKED and code in PASSING:
            self._pause(text, at)
        elif self.stage is SeekStage.ASKED:
            self.fail(f"the server refuses such a game: {text}")
        return []

    def _pause(self, text: str, at: float) -> None:
        self.stage, self.due = SeekStage.PAUSED, at + max(RETRY, retry_after(text))
        self.news = f"no opponent yet: {text}; asked again in {round(self.due - at)} s"

    def fail(self, why: str) -> None:
        """There will be no opponent."""
        if self._asked is None:
            self._remember()
        self.stage, self.due, self.failure = SeekStage.FAILED, math.inf, why

"""Why a server closed the connection, and whether and when to dial it again. Pure.

The rule of all clients; how long their pauses grow, each says itself:

* A server says why just before it closes: by ``info servererror``, ``info clienterror`` or
  ``lobby error`` followed by ``quit``, by the reason in a WebSocket's close frame, or by the body
  and the ``Retry-After`` of an HTTP answer.
* With ``retry-after N``, dial again after N s and no sooner.
* Without it, ``info clienterror`` followed by ``quit``, a WebSocket closed for a policy violation
  and HTTP 401 and 403 are a rejection: the next attempt would be refused too (wrong token, ban,
  nothing to play here, failed copy protection). Show the reason and exit with `REJECTED`.
* ``info clienterror`` without ``quit`` is a rejection only before the server has let us in.
  Afterwards it is a complaint, and the connection may break at any time for another reason.
* Anything else is a lost connection: dial again after a pause that grows.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from ulci.net import DialError, Heard
from ulci.protocol import Unread
from ulci.protocol.lobby.lines import ErrorLine, Welcome
from ulci.protocol.messages import Blame, Go, Lobby, Message, NewGame, Position, Quit, Report

REJECTED = 4
"""Exit code of a client that the server rejects."""

PROMPT = 3.0
"""Most seconds from a server's reason to its ``quit`` or the end of the connection: it lingers for
2 s at most. An earlier complaint does not explain the end."""

NOT_ALLOWED = (401, 403)
"""HTTP statuses of a missing, wrong or useless token (RFC 9110, 15.5.2 and 15.5.4)."""

# Least seconds before the first retry, and most before any: a restarted server is found soon, and
# one that is gone is not hammered.
FIRST = 1.0
LONGEST = 60.0

# At most six digits: nobody waits longer than eleven days.
_HINT = re.compile(r"[;,]?\s*\bretry-after ([0-9]{1,6})\b(?: s\b)?", re.IGNORECASE)
_FINAL_HINT = re.compile(f"{_HINT.pattern}$", re.IGNORECASE)

# As `ulci.net` puts it. 1008: "a message that violates its policy" (RFC 6455, 7.4.1).
_CLOSE_FRAME = re.compile(r"closed by the other side with code (?P<code>[0-9]+) (?P<reason>.+)")
_POLICY = "1008"


@dataclass(frozen=True, slots=True)
class CloseReason:
    """Why a connection ended. text: the reason for people. said: the server's own words in it,
    empty if none. retry_after: s that the server asks for; 0 if none. rejected: permanently."""

    text: str
    said: str = ""
    retry_after: float = 0.0
    rejected: bool = False


class LastWords:
    """What the server said last on one connection."""

    def __init__(self) -> None:
        self._text = ""
        self._at = 0.0
        self._accused = False
        self._meant = False  # followed by `quit`
        self._let_in = False

    def heard(self, heard: Heard) -> bool:
        """Note a message; whether it may be used: of what is truncated only a report may be, since
        half a secret would cost us our seat."""
        message, at = heard.message, heard.at
        match message:
            case Report(blame, text):
                # A truncated text may have ended with retry-after.
                self._say(text, at, accused=blame is Blame.CLIENT and not heard.cut)
            case Lobby(ErrorLine(_, text)):
                self._say(text, at)
            case Quit():
                self._meant = at - self._at <= PROMPT
            case _:
                self._let_in = self._let_in or _lets_in(message)
                self._say("", at)
        return not heard.cut or isinstance(message, Report)

    def closing(self, why: str, at: float) -> CloseReason:
        """Why it ended at `at` (s); `why`: the transport's reason."""
        if self._text and (self._meant or (at - self._at <= PROMPT and self._may_explain)):
            return _closing(self._text, self._text, rejected=self._accused)
        if (frame := _CLOSE_FRAME.fullmatch(why)) is not None:
            return _closing(why, frame["reason"], rejected=frame["code"] == _POLICY)
        return CloseReason(why)

    @property
    def _may_explain(self) -> bool:
        """Whether the last message may explain an end without `quit`."""
        return not self._accused or not self._let_in or retry_after(self._text) > 0

    def _say(self, text: str, at: float, *, accused: bool = False) -> None:
        self._text, self._at, self._accused, self._meant = text, at, accused, False


def dial_failed(error: DialError) -> CloseReason:
    """Why dialling failed."""
    text = str(error)
    if error.retry_after is not None:
        return CloseReason(text, text, float(error.retry_after))
    return CloseReason(text, rejected=error.status in NOT_ALLOWED)


def no_relay(where: str, why: str) -> str:
    """What to say of a connection that ended before the server's greeting."""
    return (
        f"{where} does not answer like a ULCI server: {why};"
        " check the port and the scheme (tcp, tls, ws, wss)"
    )


def retry_after(text: str) -> float:
    """The s in ``retry-after N`` in an error's text; 0 if it has none."""
    found = _HINT.search(text)
    return float(found[1]) if found else 0.0


def without_hint(text: str) -> str:
    """The text without ``; retry-after N``."""
    return _HINT.sub("", text)


def with_hint_in_words(text: str) -> str:
    """``TEXT; retry-after 3``, at its end, as ``TEXT; try again in 3 s``."""
    return _FINAL_HINT.sub(r"; try again in \1 s", text)


def _lets_in(message: Message | Unread) -> bool:
    """Whether a server sends this only to those it has let in."""
    match message:
        case Lobby(Welcome()) | NewGame() | Position() | Go():
            return True
        case _:
            return False


def _closing(text: str, said: str, *, rejected: bool) -> CloseReason:
    wait = retry_after(said)
    return CloseReason(text, said, wait, rejected=rejected and not wait)


class Backoff:
    """Exponential backoff with jitter. `chance` gives a number from 0 to 1: clients that lost the
    same server together must not all come back together."""

    def __init__(
        self, chance: Callable[[], float], *, first: float = FIRST, longest: float = LONGEST
    ) -> None:
        self._chance = chance
        self._first = first
        self._longest = longest
        self._failures = 0

    def next(self) -> float:
        """Seconds to wait now: half of the step to all of it; the first step is twice `first`."""
        self._failures += 1
        # The exponent is bounded because a float is: a server may be gone for weeks.
        step = min(self._longest, self._first * 2.0 ** min(self._failures, 32))
        return step * (0.5 + 0.5 * self._chance())

    def succeeded(self) -> None:
        """Start again with the shortest pause."""
        self._failures = 0


# A connection that lasted this long (s) was good: after it the pauses start small again.
GOOD_LINE = 60.0

# First and longest pause (s) during a game: a clock may be running.
GAME_PAUSE = 0.25
LONGEST_GAME_PAUSE = 2.0

# Seconds for which these pauses also hold after an open seek: its game may have started. Only once
# until a connection was good, to spare a server that crashes at every seek. Then the longest pause
# until the server answers: it keeps a seat for a limited time.
DOUBT = 60.0
LONGEST_DOUBTFUL_PAUSE = 10.0


@dataclass(frozen=True, slots=True)
class LostConnection:
    """A connection that ended `at` (s), or an attempt that failed.

    lived: s since dialling. greeted: whether a relay answered. in_game: whether a game is on.
    asked: whether a seek was open on the last connection.
    """

    at: float
    lived: float = 0.0
    greeted: bool = True
    in_game: bool = False
    asked: bool = False

    @property
    def was_good(self) -> bool:
        return self.greeted and self.lived >= GOOD_LINE


class RedialPolicy:
    """One player's pauses. `chance` is for `Backoff`."""

    def __init__(self, chance: Callable[[], float]) -> None:
        self._pauses = Backoff(chance)
        self._game_pauses = Backoff(chance, first=GAME_PAUSE, longest=LONGEST_GAME_PAUSE)
        self._doubt_ends = -math.inf
        self._doubted = False  # since a connection was good, or had a game

    def pause(self, lost: LostConnection) -> float:
        """Seconds until the next attempt."""
        good = lost.was_good
        if good:
            self._pauses.succeeded()
        if good or (lost.greeted and lost.in_game):
            self._game_pauses.succeeded()
            self._doubted = False
        if lost.greeted and lost.asked and not self._doubted:
            self._doubted, self._doubt_ends = True, lost.at + DOUBT
        return self._next(lost)

    def _next(self, lost: LostConnection) -> float:
        if lost.in_game or lost.at < self._doubt_ends:
            return self._game_pauses.next()
        pause = self._pauses.next()
        return min(pause, LONGEST_DOUBTFUL_PAUSE) if lost.asked and not lost.greeted else pause

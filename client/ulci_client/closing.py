"""Why did a server close the line, and is it to be dialled again? Pure.

The rule, the same for every client:

* A server says why it closes just before it does so: by ``info servererror``, ``info clienterror``
  or ``lobby error`` and ``quit`` behind it, by the reason in a WebSocket's close frame, or by the
  body and the ``Retry-After`` of an HTTP answer.
* With ``retry-after N`` in it, it is dialled again after N s and no sooner.
* Without that, ``info clienterror`` with ``quit`` behind it, a WebSocket closed for a violated
  policy and HTTP 401 and 403 are a rejection: the same call would be refused again (a wrong token,
  a ban, nothing to play here, a copy protection that failed). The program shows what was said and
  ends with `REJECTED`.
* Without ``quit``, ``info clienterror`` is one only to whom the server has not let in yet. To the
  others it is a complaint, behind which the line may break at any time. What a server of another
  make meant by it shows when it is called again: it lets us in, or it does not.
* Everything else is a lost line: it is dialled again after a pause that grows.
"""

import re
from dataclasses import dataclass

from ulci.net import DialError
from ulci.protocol import (
    Blame,
    Go,
    Lobby,
    Message,
    NewGame,
    Position,
    Quit,
    Report,
    Unread,
)

REJECTED = 4
"""Exit code of a client that the server does not want."""

PROMPT = 3.0
"""Seconds between a server's last words and its ``quit`` or the end of the line, at most: a server
waits no longer than 2 s until they are taken. What it complained of earlier has nothing to do with
the end."""

NOT_ALLOWED = (401, 403)
"""HTTP: the token is missing or wrong, or it would not help (RFC 9110, 15.5.2 and 15.5.4)."""

# Nobody waits for longer than eleven days.
_RETRY_AFTER = re.compile(r"\bretry-after ([0-9]{1,6})\b", re.IGNORECASE)
_HINT = re.compile(r"[;,]?\s*\bretry-after [0-9]{1,6}\b(?: s\b)?", re.IGNORECASE)

# As `ulci.net` puts it. 1008: "a message that violates its policy" (RFC 6455, 7.4.1).
_CLOSE_FRAME = re.compile(r"closed by the other side with code (?P<code>[0-9]+) (?P<reason>.+)")
_POLICY = "1008"


@dataclass(frozen=True, slots=True)
class Closing:
    """text: why, for people. said: the server's own words in it, empty if it said none.
    retry_after: s for which it asks; 0 if it does not. rejected: it will not have us, whenever we
    come."""

    text: str
    said: str = ""
    retry_after: float = 0.0
    rejected: bool = False


class LastWords:
    """What the server said last on one line."""

    def __init__(self) -> None:
        self._text = ""
        self._at = 0.0
        self._accused = False
        self._meant = False  # it said goodbye right after that
        self._let_in = False

    def heard(self, message: Message | Unread, at: float, *, cut: bool = False) -> None:
        """It said this at that moment (s); `cut`: perhaps not to the end."""
        match message:
            case Report(blame, text):
                # Half a sentence may be one that would have ended with retry-after.
                self._say(text, at, accused=blame is Blame.CLIENT and not cut)
            case Lobby(("error", _, *words)):
                self._say(" ".join(words), at)
            case Quit():
                self._meant = at - self._at <= PROMPT
            case _:
                self._let_in = self._let_in or _lets_in(message)
                self._say("", at)

    def closing(self, why: str, at: float) -> Closing:
        """The line ended at that moment (s), for this reason as far as the line itself knows."""
        if self._text and (self._meant or (at - self._at <= PROMPT and self._may_explain)):
            return _closing(self._text, self._text, rejected=self._accused)
        if (frame := _CLOSE_FRAME.fullmatch(why)) is not None:
            return _closing(why, frame["reason"], rejected=frame["code"] == _POLICY)
        return Closing(why)

    @property
    def _may_explain(self) -> bool:
        """Whether its last words may be the reason for an end that it did not announce."""
        return not self._accused or not self._let_in or retry_after(self._text) > 0

    def _say(self, text: str, at: float, *, accused: bool = False) -> None:
        self._text, self._at, self._accused, self._meant = text, at, accused, False


def not_reached(error: DialError) -> Closing:
    """There never was a line."""
    text = str(error)
    if error.retry_after is not None:
        return Closing(text, text, float(error.retry_after))
    return Closing(text, rejected=error.status in NOT_ALLOWED)


def retry_after(text: str) -> float:
    """The s for which a server asks in an error's text; 0 if it does not."""
    found = _RETRY_AFTER.search(text)
    return float(found[1]) if found else 0.0


def without_hint(text: str) -> str:
    """The text without ``; retry-after N``, for where people read anyway when it is tried again."""
    return _HINT.sub("", text)


def _lets_in(message: Message | Unread) -> bool:
    """Whether it is said only to whom a server has taken for a player."""
    match message:
        case Lobby(("welcome", *_)) | NewGame() | Position() | Go():
            return True
        case _:
            return False


def _closing(text: str, said: str, *, rejected: bool) -> Closing:
    wait = retry_after(said)
    return Closing(text, said, wait, rejected=rejected and not wait)

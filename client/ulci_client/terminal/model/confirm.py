"""Whether the server has processed a message, and refused it. Pure.

A lobby answers in order, but says nothing when a `tell` succeeds. So the client puts fences around
it: it declines challenges that nobody made. Their numbers come back in the refusals; a message
between two answered fences that was not refused has been processed.
"""

from collections.abc import Iterator

from ulci.protocol.lobby.lines import ErrorLine
from ulci.protocol.messages import Decline, Message, PlayerCommand

from .state import ClientState, Effect, News, Send

FENCES = 10**9
"""The first fence's number: no lobby's challenges get that far."""

_DIGITS = len(str(FENCES))

# The lobby's refusal of a fence, and of anything sent too fast.
_ANSWER, _TOO_FAST = "no-such-challenge", "too-fast"

# Its refusals of what we want confirmed.
_REFUSALS = frozenset({
    "no-such-player", "not-heard", "not-allowed", "ignored", "too-many-strangers",
})  # fmt: skip


def confirmed(state: ClientState, message: Message, *news: News) -> Iterator[Effect]:
    """Send it, and show the news once the server has processed it without refusing."""
    if state.unfenced:  # so that its refusal is not taken for this one's
        yield from fence(state)
    yield Send(message)
    yield from fence(state, *news)


def fence(state: ClientState, *news: News) -> Iterator[Effect]:
    """Make the server tell when it has processed everything sent so far."""
    number = FENCES + state.fences
    state.fences += 1
    state.unconfirmed[number] = [*news]
    yield Send(Decline(number))


def said(state: ClientState, message: Message) -> None:
    """Note what was sent last."""
    if isinstance(message, PlayerCommand):
        state.unfenced = not (isinstance(message, Decline) and message.id >= FENCES)


def answered(state: ClientState, error: ErrorLine) -> list[News] | None:
    """If this answers a fence, the news to show now; else None."""
    if error.code == _ANSWER and (number := _fence_in(error.text)) is not None:
        return _passed(state, number)
    if error.code == _TOO_FAST:
        state.too_fast, state.refused = True, False
    elif error.code in _REFUSALS:
        state.refused = True
    return None


def _fence_in(text: str) -> int | None:
    last = text.rpartition(" ")[2]
    fits = last.isascii() and last.isdecimal() and len(last) == _DIGITS
    return int(last) if fits else None


def _passed(state: ClientState, number: int) -> list[News]:
    """Older fences without an answer were themselves refused as too fast; whether what preceded
    them was processed is unknown. What preceded this one came after that refusal."""
    news = state.unconfirmed.pop(number, [])
    older = [one for one in state.unconfirmed if one < number]
    for one in older:
        del state.unconfirmed[one]
    refused = state.refused or (state.too_fast and not older)
    state.too_fast = state.refused = False
    return [] if refused else news

"""Has the server heard what was said, and did it refuse it? Pure.

A lobby answers in order, and says nothing to much of what it does: a `tell` is only refused. So it
stands between fences: challenges that nobody made are declined before and after it. Their numbers
come back in the refusals; what was not refused between two of them has been done.
"""

from collections.abc import Iterator

from ulci.protocol import Decline, LobbyWord, Message

from .announced import Words
from .state import Effect, News, Send, State

FENCES = 10**9
"""Fences are numbered from here on: no lobby counts its challenges so far."""

_DIGITS = len(str(FENCES))

# How a lobby refuses a fence, and how it refuses any word, a fence too.
_ANSWER, _TOO_FAST = "no-such-challenge", "too-fast"

# How it refuses what needs a confirmation.
_REFUSALS = frozenset({"no-such-player", "not-heard", "not-allowed"})


def confirmed(state: State, message: Message, *news: News) -> Iterator[Effect]:
    """Say it, and tell the news as soon as the server has heard it, unless it refuses it."""
    if state.unfenced:  # whatever is refused of that is no refusal of this
        yield from fence(state)
    yield Send(message)
    yield from fence(state, *news)


def fence(state: State, *news: News) -> Iterator[Effect]:
    """Have the server say when it has heard all that was said so far."""
    number = FENCES + state.fences
    state.fences += 1
    state.unconfirmed[number] = [*news]
    yield Send(Decline(number))


def said(state: State, message: Message) -> None:
    """This was sent last."""
    if isinstance(message, LobbyWord):
        state.unfenced = not (isinstance(message, Decline) and message.id >= FENCES)


def answered(state: State, words: Words) -> list[News] | None:
    """What may be told now, if ``lobby error`` with these words answers a fence; else None."""
    if words[0] == _ANSWER and (number := _fence_in(words)) is not None:
        return _passed(state, number)
    if words[0] == _TOO_FAST:
        state.too_fast, state.refused = True, False
    elif words[0] in _REFUSALS:
        state.refused = True
    return None


def _fence_in(words: Words) -> int | None:
    last = words[-1]
    fits = last.isascii() and last.isdecimal() and len(last) == _DIGITS
    return int(last) if fits else None


def _passed(state: State, number: int) -> list[News]:
    """Fences before this one that were not answered were refused themselves, as too fast; whether
    what stood before them was heard is not known. This one's word came after that refusal."""
    news = state.unconfirmed.pop(number, [])
    older = [one for one in state.unconfirmed if one < number]
    for one in older:
        del state.unconfirmed[one]
    refused = state.refused or (state.too_fast and not older)
    state.too_fast = state.refused = False
    return [] if refused else news

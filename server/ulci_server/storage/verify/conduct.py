"""Checks the conduct: did something happen, or end the game, that its players may not do?"""

from collections.abc import Callable, Mapping

from ulci.rules import Reason
from ulci_server.game import EventKind, Happened
from ulci_server.storage.errors import DisagreementError
from ulci_server.storage.records import GameRecord

from .evidence import FLAG
from .progress import Progress

KNOWN = frozenset({
    "no-abort", "no-takeback", "no-givetime", "no-rematch", "claims", "no-claims", "forfeit",
    "absent-clock", "berserk", "disconnections", "white-margin", "black-margin",
})  # fmt: skip

BY_ADMIN = ": "
"""Between the name of an administrator and the reason; a player's name has no blanks."""


def check_conduct(game: GameRecord, progress: Progress) -> None:
    """Raises `DisagreementError`."""
    words = {word.partition("=")[0] for word in game.conduct.split(",") if word}
    if unknown := words - KNOWN:
        raise DisagreementError(f"there is no conduct {min(unknown)}")
    for event in progress.events:
        for word in words & _FORBIDDEN.keys():
            if _FORBIDDEN[word](event):
                raise DisagreementError(
                    f"step {event.seq}: {event.what}, and its conduct is {word}"
                )
        if event.what is EventKind.BERSERK and "berserk" not in words:
            raise DisagreementError(f"step {event.seq}: berserk, and its conduct does not allow it")
    if game.outcome is not None and game.outcome.reason is Reason.ABORTED:
        _check_abort(game.detail, words, progress)


def _check_abort(detail: str, words: set[str], progress: Progress) -> None:
    if any(event.what is EventKind.RULED for event in progress.events):
        return
    if "no-abort" in words and " aborted it" in detail:
        raise DisagreementError(f"{detail!r}, and its conduct is no-abort")
    if "forfeit" in words and detail.startswith(FLAG):
        raise DisagreementError(f"{detail!r}, and its conduct is forfeit")


_FORBIDDEN: Mapping[str, Callable[[Happened], bool]] = {
    "no-takeback": lambda event: (
        event.side is not None and event.what in (EventKind.TAKEBACK_OFFERED, EventKind.TAKEN_BACK)
    ),
    "no-givetime": lambda event: event.what is EventKind.TIME_GIVEN and BY_ADMIN not in event.text,
}
"""Whether the event is what the word forbids."""

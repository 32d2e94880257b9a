"""What the players of a game may do, and what counts against them.

What each word means to people is in `ulci.conduct`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

MOST_DISCONNECTIONS = 100
"""Of a side, counted: more is no limit."""


class ConductError(ValueError):
    """The notation cannot be read; the text says what of it."""


@dataclass(frozen=True, slots=True)
class Conduct:
    """The default is a friendly game. abort, takeback, givetime, rematch: whether players may."""

    abort: bool = True
    """Until both have moved. Without it, a resignation before the first move loses."""
    takeback: bool = True
    givetime: bool = True
    rematch: bool = True
    claims: bool | None = None
    """Whether threefold repetition and fifty moves end the game only when claimed; None: as the
    server is set."""
    forfeit: bool = False
    """Whether a side that is not ready in time, leaves, stays away or oversteps the time before
    both have moved loses; otherwise that aborts the game."""
    absent_clock: bool = False
    """Whether the game begins without a side that is not ready in time, so that its clock runs."""
    disconnections: int | None = None
    """The disconnection by which a side loses: with 3, the third. To be absent when the game begins
    is one. None: only a long absence counts."""

    def __str__(self) -> str:
        """The notation: ``no-abort,no-takeback,disconnections=3``; empty for the default."""
        said = [word for word, (name, value) in _WORDS.items() if getattr(self, name) is value]
        if self.disconnections is not None:
            said.append(f"{_DISCONNECTIONS}{self.disconnections}")
        return ",".join(said)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises `ConductError`."""
        known: dict[str, bool | int] = {}
        for word in text.split(",") if text else ():
            name, value = _WORDS.get(word) or _counted(word)
            known[name] = value
        return cls(**known)  # type: ignore[arg-type]  # each value is of its field's type


DEFAULT_CONDUCT = Conduct()

_WORDS: Mapping[str, tuple[str, bool]] = {
    "no-abort": ("abort", False),
    "no-takeback": ("takeback", False),
    "no-givetime": ("givetime", False),
    "no-rematch": ("rematch", False),
    "claims": ("claims", True),
    "no-claims": ("claims", False),
    "forfeit": ("forfeit", True),
    "absent-clock": ("absent_clock", True),
}

_DISCONNECTIONS = "disconnections="
_COUNT = re.compile(rf"{_DISCONNECTIONS}([1-9][0-9]{{0,2}})")


def _counted(word: str) -> tuple[str, int]:
    found = _COUNT.fullmatch(word)
    if found is None or int(found[1]) > MOST_DISCONNECTIONS:
        raise ConductError(f"there is no conduct {word!r}")
    return "disconnections", int(found[1])

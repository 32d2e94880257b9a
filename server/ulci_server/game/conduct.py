"""What the players of a game may do, and what counts against them.

`ulci.conduct` explains each word to people.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

MOST_DISCONNECTIONS = 100
"""The largest limit of a side's disconnections: a larger one would limit nothing."""

MOST_MARGIN = 86_400_000
"""The largest margin of a clock in ms: a day."""


class ConductError(ValueError):
    """The notation cannot be read; the text names the wrong word."""


@dataclass(frozen=True, slots=True)
class Conduct:
    """The conduct of a game; the default is a friendly game. abort, takeback, givetime, rematch:
    whether players may do that."""

    abort: bool = True
    """Whether players may abort the game until both have moved. Without it, a resignation before
    the first move loses."""
    takeback: bool = True
    givetime: bool = True
    rematch: bool = True
    claims: bool | None = None
    """Whether threefold repetition and fifty moves end the game only when claimed; None: the
    server's setting applies."""
    forfeit: bool = False
    """Whether a side that is not ready in time, leaves, stays away or oversteps the time before
    both have moved loses; otherwise that aborts the game."""
    berserk: bool = False
    """Whether a player may halve its own time before its first move, as an arena counts that."""
    absent_clock: bool = False
    """Whether the game begins without a side that is not ready in time, so that its clock runs."""
    disconnections: int | None = None
    """The number of the disconnection by which a side loses: with 3, the third. Absence at the
    beginning of the game counts as one. None: only a long absence loses."""
    margins: tuple[int, int] = (0, 0)
    """ms by which White and Black may overstep their clocks. Then the clock shows its last
    millisecond, and the time that the move adds."""

    def __str__(self) -> str:
        """The notation: ``no-abort,no-takeback,disconnections=3``; empty for the default."""
        said = [word for word, (name, value) in _WORDS.items() if getattr(self, name) is value]
        if self.disconnections is not None:
            said.append(f"{_DISCONNECTIONS}{self.disconnections}")
        margins = zip(_MARGINS, self.margins, strict=True)
        said += [f"{word}={margin}" for word, margin in margins if margin]
        return ",".join(said)

    @classmethod
    def parse(cls, text: str) -> Self:
        """The conduct in that notation. Raises `ConductError`."""
        known: dict[str, bool | int] = {}
        margins = dict.fromkeys(_MARGINS, 0)
        for word in text.split(",") if text else ():
            name, value = _WORDS.get(word) or _counted(word)
            (margins if name in margins else known)[name] = value
        white, black = margins.values()
        return cls(**known, margins=(white, black))  # type: ignore[arg-type]  # as its fields


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
    "berserk": ("berserk", True),
}

_DISCONNECTIONS = "disconnections="
_MARGINS = "white-margin", "black-margin"
_COUNT = re.compile(r"([a-z-]+)=([1-9][0-9]{0,7})")
_MOST = {"disconnections": MOST_DISCONNECTIONS, **dict.fromkeys(_MARGINS, MOST_MARGIN)}


def _counted(word: str) -> tuple[str, int]:
    found = _COUNT.fullmatch(word)
    if found is None or int(found[2]) > _MOST.get(found[1], 0):
        raise ConductError(f"there is no conduct {word!r}")
    return found[1], int(found[2])

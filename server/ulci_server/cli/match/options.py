"""What an option of the command is: what follows it, what it fills, and what it is for."""

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ulci.rules import GAMES
from ulci.settings import nearest
from ulci_server.tournament import Format

from . import keys
from .draft import Draft, Fill, extend, joins, opens, reads, sets, split, spreads
from .values import MatchError, processors, whole

LONGEST_WAIT = 86_400_000
"""ms: a day, for all that waits."""


class Takes(enum.Enum):
    """What follows an option; the value is the complaint where something else does."""

    NOTHING = "does not accept parameters"
    ONE = "expects exactly one value"
    PAIRS = "expects key=value parameters"
    PAIRS_OR_NOTHING = ""
    ONE_OR_NOTHING = "expects one value or none"
    TEXT = "expects a text"

    def fits(self, count: int) -> bool:
        """Whether an option may have that many values."""
        match self:
            case Takes.NOTHING:
                return count == 0
            case Takes.ONE:
                return count == 1
            case Takes.ONE_OR_NOTHING:
                return count <= 1
            case Takes.PAIRS | Takes.TEXT:
                return count > 0
            case Takes.PAIRS_OR_NOTHING:
                return True


@dataclass(frozen=True, slots=True)
class Option:
    """usage: what follows it, about: what it is for, both for the help."""

    takes: Takes
    fill: Fill
    usage: str
    about: str


def flag(field: str, about: str) -> Option:
    """Switches something on."""
    return Option(Takes.NOTHING, sets(field), "", about)


def number(field: str, about: str, least: int, most: int) -> Option:
    """Takes a whole number within these bounds."""
    return Option(Takes.ONE, reads(field, whole(least, most)), "N", about)


def wait(field: str, about: str) -> Option:
    """Takes a time in ms."""
    return Option(Takes.ONE, reads(field, whole(0, LONGEST_WAIT)), "MS", about)


def text(field: str, about: str) -> Option:
    """Takes a text of one word or more."""
    return Option(Takes.TEXT, joins(field), "TEXT", about)


ALIASES: Mapping[str, str] = {
    "standard": "chess",
    "fischerandom": "chess960",
    "threecheck": "3check",
}
"""Names of games that testers know."""


def variant(text: str) -> str:
    """A game, by our name or by one that testers know."""
    game = ALIASES.get(text, text)
    if game not in GAMES:
        raise MatchError(f'Unknown variant: "{text}"; {nearest(text, {*GAMES, *ALIASES})}')
    return game


def tournament_format(text: str) -> Format:
    if text not in [each.value for each in Format]:
        raise MatchError(
            f'Unsupported tournament format: "{text}". There are roundrobin and gauntlet.'
        )
    return Format(text)


def repeat(draft: Draft, values: Sequence[str]) -> None:
    """Two games of each opening, or as many as it says."""
    draft.fields["games"] = whole(1)(values[0]) if values else 2


def affinity(draft: Draft, values: Sequence[str]) -> None:
    """On these processors, or on all."""
    draft.fields["affinity"] = processors(values[0]) if values else ()


def web(draft: Draft, values: Sequence[str]) -> None:
    """At this address, or at the usual one."""
    draft.fields["web"] = values[0] if values else ""


QUICK = -2
"""The concurrency of ``-quick``: all processors but two."""


def quick(draft: Draft, values: Sequence[str]) -> None:
    """Two engines, a book, and what most testers want besides."""
    pairs = split("quick", values)
    commands = [value for key, value in pairs if key == "cmd"]
    books = [value for key, value in pairs if key == "book"]
    if unknown := [key for key, _ in pairs if key not in ("cmd", "book")]:
        raise MatchError(f'Unrecognized quick option "{unknown[0]}"; there are: book, cmd')
    if len(commands) != 2:
        raise MatchError('Option "-quick" requires exactly two cmd entries.')
    if len(books) != 1:
        raise MatchError('Option "-quick" requires a book=FILE entry.')
    for command in commands:
        draft.engines.append({})
        extend(draft.engines[-1], "engine", [f"cmd={command}", "tc=10+0.1"])
    opens("openings", keys.OPENINGS)(draft, [f"file={books[0]}", "order=random"])
    opens("draw", keys.DRAW)(draft, ["movenumber=30", "movecount=8", "score=8"])
    spreads("output", keys.OUTPUT)(draft, ["format=cutechess"])
    draft.fields |= {"games": 2, "rounds": 25_000, "recover": True, "concurrency": QUICK}


def debug(_: Draft, __: Sequence[str]) -> None:
    """Other runners have had it."""
    raise MatchError(
        "There is no option -debug. -log file=F engine=true writes all that engines say and hear"
        " into a file."
    )

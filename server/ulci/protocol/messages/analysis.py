"""What an engine says of its search."""

import enum

from ulci.protocol.kinds import Tagged


class Bound(enum.StrEnum):
    """Whether a score is only a bound."""

    LOWER = "lowerbound"
    UPPER = "upperbound"


class Score(Tagged, frozen=True):
    """Exactly one of centipawns and moves to mate (negative: being mated), from the engine's
    view."""

    cp: int | None = None
    mate: int | None = None
    bound: Bound | None = None


class CurrLine(Tagged, frozen=True):
    """The line that one processor searches; `cpu` counts from 1 and is optional."""

    moves: tuple[str, ...]
    cpu: int | None = None


class Info(Tagged, frozen=True):
    """``info …``: an analysis, or a text for people. `time` in ms, `hashfull`/`cpuload` permille.

    ``pv`` is always written last and read as the rest of the line, ``string`` likewise; a message
    has at most one of `string`, and `pv` that is not empty.
    """

    depth: int | None = None
    seldepth: int | None = None
    multipv: int | None = None
    score: Score | None = None
    wdl: tuple[int, int, int] | None = None
    time: int | None = None
    nodes: int | None = None
    nps: int | None = None
    hashfull: int | None = None
    tbhits: int | None = None
    sbhits: int | None = None
    cpuload: int | None = None
    currmove: str | None = None
    currmovenumber: int | None = None
    currline: CurrLine | None = None
    refutation: tuple[str, ...] = ()
    pv: tuple[str, ...] = ()
    string: str | None = None

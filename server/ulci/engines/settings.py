"""How an engine is started, and the callbacks about it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ulci.net import ProcessPeer


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Which engine, its options and time limits in s.

    dialect: one of `DIALECTS`; ``uci`` becomes ULCI if the engine announces it. options:
    ``Name=Value`` as typed. start: until ``uciok``. ping: until ``readyok``, and for the answer to
    ``stop``. quit: from ``quit`` to being killed. environment: variables beside
    `clean_environment`. processors: the numbers of those that it may run on; empty: all.
    more_start, more_ping: how its user gives it more time, added to errors; empty: nothing is
    added.
    """

    argv: tuple[str, ...]
    cwd: Path | None = None
    options: tuple[str, ...] = ()
    ponder: bool = False
    start: float = 10.0
    ping: float = 15.0
    quit: float = 2.0
    dialect: str = "uci"
    environment: tuple[tuple[str, str], ...] = ()
    processors: tuple[int, ...] = ()
    more_start: str = ""
    more_ping: str = ""


@dataclass(frozen=True, slots=True)
class EngineListener:
    """Callbacks: `started` before the first line, `noticed` for what a person should read."""

    started: Callable[[ProcessPeer], object] = lambda _: None
    noticed: Callable[[str], None] = lambda _: None

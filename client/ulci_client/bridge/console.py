"""The output for people: a status line on a terminal, plain lines elsewhere."""

import enum
import math
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import TextIO

import trio

from ulci.net import TokenBucket
from ulci.protocol import Unread
from ulci.protocol.messages import Info
from ulci.rules import Side
from ulci_client.sanitize import clean

from .analysis import format_score

# Seconds between redraws.
REDRAW = 0.25

# Lines a second on average, and at once: a server that has nothing else to do fills no disk.
LINES_RATE = 10.0
LINES_BURST = 1000

# To the first column, then erase to the end of the line (ECMA-48, EL).
ERASE = "\r\x1b[K"

BETWEEN = " · "


class Level(enum.IntEnum):
    """How much the console shows."""

    WARNING = 0
    NOTE = 1
    DETAIL = 2


@dataclass(slots=True)
class Tally:
    """Games started and their results, of all engines of one bridge."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    undecided: int = 0

    def count(self, result: str, side: Side | None) -> None:
        """Count a result as the protocol spells it; `side` was ours."""
        if result == "1/2-1/2":
            self.draws += 1
        elif side is None or result not in ("1-0", "0-1"):
            self.undecided += 1
        elif (result == "1-0") is (side is Side.WHITE):
            self.wins += 1
        else:
            self.losses += 1

    def __str__(self) -> str:
        undecided = f", {self.undecided} undecided" if self.undecided else ""
        return f"won {self.wins}, drawn {self.draws}, lost {self.losses}{undecided}"


@dataclass(slots=True)
class Progress:
    """The shown state of one engine. Clocks in ms as they stood `at` (s). again_at: when the server
    is dialled again (s); None while connected."""

    name: str = "engine"
    doing: str = "starting"
    playing: bool = False
    side: Side | None = None
    opponent: str = ""
    game: int | None = None
    plies: int = 0
    clocks: tuple[int | None, int | None] = (None, None)
    ticking: Side | None = None
    at: float = 0.0
    analysis: Unread | Info | None = None
    again_at: float | None = None


class Console:
    """Writes to `out`, and fatal errors to `errors`. `live`: `out` is a terminal, where the status
    line can be rewritten. If `out` is closed, the games go on."""

    def __init__(
        self,
        out: TextIO,
        *,
        live: bool,
        level: Level = Level.NOTE,
        errors: TextIO | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.tally = Tally()
        self.progress: list[Progress] = []
        self._out = out
        self._errors = errors or out
        self._live = live and level > Level.WARNING
        self._level = level
        self._drawn = ""
        self._clock = clock
        self._lines = TokenBucket(LINES_RATE, LINES_BURST, clock())
        self._left_out = 0

    def fail(self, text: str) -> None:
        """A fatal error."""
        self.clear()
        _write_lines(self._errors, f"error: {text}")

    def warn(self, text: str) -> None:
        """Something that needs attention."""
        self._line(Level.WARNING, text)

    def note(self, text: str) -> None:
        """Something of interest."""
        self._line(Level.NOTE, text)

    def detail(self, text: str) -> None:
        """Shown with --verbose."""
        self._line(Level.DETAIL, text)

    def draw(self, now: float) -> None:
        """Bring the status line up to date; `now` in s."""
        if not self._live:
            return
        columns = shutil.get_terminal_size().columns
        text = clean(summary(self.progress, self.tally, now))[: columns - 1]
        if text != self._drawn:
            self._drawn = text
            _write(self._out, ERASE + text)

    def clear(self) -> None:
        """Erase the status line."""
        if self._drawn:
            _write(self._out, ERASE)
            self._drawn = ""

    async def run(self) -> None:
        """Keep the status line up to date until cancelled."""
        while self._live:
            self.draw(trio.current_time())
            await trio.sleep(REDRAW)

    def _line(self, level: Level, text: str) -> None:
        if level > self._level:
            return
        if self._lines.take(self._clock(), text.count("\n") + 1):
            self._left_out += 1
            return
        self.clear()
        if self._left_out:
            _write_lines(self._out, f"{self._left_out} lines were left out: too many at once")
            self._left_out = 0
        _write_lines(self._out, text)


def _write_lines(out: TextIO, text: str) -> None:
    # Names and errors come from outside: nothing in them may command the terminal.
    _write(out, "".join(f"{clean(line)}\n" for line in text.splitlines()))


def _write(out: TextIO, text: str) -> None:
    # A closed terminal or pipe is no reason to leave a game.
    with suppress(OSError):
        out.write(text)
        out.flush()


def summary(players: Sequence[Progress], tally: Tally, now: float) -> str:
    """The status of all engines in one line."""
    if len(players) == 1:
        parts = _one(players[0], now)
    else:
        playing = sum(each.playing for each in players)
        parts = [f"{len(players)} engines, {playing} playing"]
    if tally.games:
        parts += [f"{tally.games} {'game' if tally.games == 1 else 'games'}", str(tally)]
    return BETWEEN.join(parts)


def _one(player: Progress, now: float) -> list[str]:
    if player.again_at is not None:
        wait = max(0, math.ceil(player.again_at - now))
        on = ["a game is on"] if player.playing else []
        return [player.name, f"disconnected, trying again in {wait} s", *on]
    if not player.playing:
        return [player.name, player.doing]
    game = "game" if player.game is None else f"game {player.game}"
    parts = [f"{player.name} {player.doing} {player.opponent or 'somebody'}", game]
    parts.append(f"move {player.plies // 2 + 1}")
    if score := format_score(player.analysis):
        parts.append(score)
    if clocks := _clocks(player, now):
        parts.append(clocks)
    return parts


def _clocks(player: Progress, now: float) -> str:
    """White's and Black's time, now."""
    left = [
        time if time is None or side is not player.ticking else time - 1000 * (now - player.at)
        for side, time in zip(Side, player.clocks, strict=True)
    ]
    return " - ".join(format_time(time) for time in left if time is not None)


def format_time(ms: float) -> str:
    """``4:58``, ``1:04:58``; under ten seconds ``9.4``."""
    ms = max(0, ms)
    if ms < 10_000:
        return f"{ms / 1000:.1f}"
    minutes, seconds = divmod(round(ms / 1000), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"

"""What a person sees: one line that is kept up to date on a terminal, plain lines elsewhere."""

import enum
import math
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TextIO

import trio

from ulci.protocol import Info, Unread, read_info_untrusted
from ulci.rules import Side

# Seconds between two drawings: clocks are shown in whole seconds, scores faster than anyone reads.
REDRAW = 0.25

# Back to the first column, and erase from there to the end of the line (ECMA-48, EL).
ERASE = "\r\x1b[K"

BETWEEN = " · "


class Level(enum.IntEnum):
    """How much a person wants to read."""

    WARNING = 0
    NOTE = 1
    DETAIL = 2


@dataclass(slots=True)
class Tally:
    """Games begun and how they ended, of all engines of one bridge."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    undecided: int = 0

    def count(self, result: str, side: Side | None) -> None:
        """A result as the wire says it, of a game in which we were `side`."""
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
    """One engine, as far as a person wants to know. Clocks in ms as they stood `at` (s).
    again_at: when the server is dialled again (s); None while there is a line."""

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


class View:
    """Writes to `out`, and what ends it all to `errors`. `live`: `out` is a terminal on which a
    line can be written over. If nobody can read it any more, the games go on unseen."""

    def __init__(
        self,
        out: TextIO,
        *,
        live: bool,
        level: Level = Level.NOTE,
        tally: Tally | None = None,
        errors: TextIO | None = None,
    ) -> None:
        self.tally = tally or Tally()
        self.progress: list[Progress] = []
        self._out = out
        self._errors = errors or out
        self._live = live and level > Level.WARNING
        self._level = level
        self._drawn = ""

    def fail(self, text: str) -> None:
        """What cannot go on."""
        self.clear()
        _write_lines(self._errors, f"error: {text}")

    def warn(self, text: str) -> None:
        """Something that a person should do something about."""
        self._line(Level.WARNING, text)

    def note(self, text: str) -> None:
        """Something that a person likes to know."""
        self._line(Level.NOTE, text)

    def detail(self, text: str) -> None:
        """Something that only a curious person reads."""
        self._line(Level.DETAIL, text)

    def draw(self, now: float) -> None:
        """Bring the status line up to date; `now` in s."""
        if not self._live:
            return
        columns = shutil.get_terminal_size().columns
        text = printable(summary(self.progress, self.tally, now))[: columns - 1]
        if text != self._drawn:
            self._drawn = text
            _write(self._out, ERASE + text)

    def clear(self) -> None:
        """Nothing is left of the status line."""
        if self._drawn:
            _write(self._out, ERASE)
            self._drawn = ""

    async def run(self) -> None:
        """Keep the status line up to date until cancelled."""
        while self._live:
            self.draw(trio.current_time())
            await trio.sleep(REDRAW)

    def _line(self, level: Level, text: str) -> None:
        if level <= self._level:
            self.clear()
            _write_lines(self._out, text)


def _write_lines(out: TextIO, text: str) -> None:
    # Names and errors come from outside: nothing in them may command the terminal.
    _write(out, "".join(f"{printable(line)}\n" for line in text.splitlines()))


def _write(out: TextIO, text: str) -> None:
    # A terminal that was closed, a pipe that nobody reads: no reason to leave a game.
    with suppress(OSError):
        out.write(text)
        out.flush()


def printable(text: str) -> str:
    """The text without anything that a terminal would obey."""
    return "".join(char if char.isprintable() else " " for char in text)


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
        return [player.name, f"no line, trying again in {wait} s", *on]
    if not player.playing:
        return [player.name, player.doing]
    game = "game" if player.game is None else f"game {player.game}"
    parts = [f"{player.name} {player.doing} {player.opponent or 'somebody'}", game]
    parts.append(f"move {player.plies // 2 + 1}")
    if score := spelled_score(player.analysis):
        parts.append(score)
    if clocks := _clocks(player, now):
        parts.append(clocks)
    return parts


def is_best_line(analysis: Unread | Info) -> bool:
    """Has it a score, and that of what the engine would play? UCI, multipv: "best move/pv"."""
    if isinstance(analysis, Info):
        return analysis.score is not None and analysis.multipv in (None, 1)
    if " score " not in analysis.line:
        return False
    _, several, rest = analysis.line.partition(" multipv ")
    return not several or rest.split(maxsplit=1)[:1] == ["1"]


def spelled_score(analysis: Unread | Info | None) -> str:
    """``+0.35 depth 12``, ``#-3``; empty if there is none."""
    info = read_info_untrusted(analysis.line) if isinstance(analysis, Unread) else analysis
    if info is None or info.score is None:
        return ""
    cp, mate = info.score.cp, info.score.mate
    said = f"#{mate}" if mate is not None else f"{(cp or 0) / 100:+.2f}"
    return said if info.depth is None else f"{said} depth {info.depth}"


def _clocks(player: Progress, now: float) -> str:
    """White's and Black's time, of which one is running."""
    left = [
        time if time is None or side is not player.ticking else time - 1000 * (now - player.at)
        for side, time in zip(Side, player.clocks, strict=True)
    ]
    return " - ".join(spelled_time(time) for time in left if time is not None)


def spelled_time(ms: float) -> str:
    """``4:58``, ``1:04:58``; under ten seconds ``9.4``."""
    ms = max(0, ms)
    if ms < 10_000:
        return f"{ms / 1000:.1f}"
    minutes, seconds = divmod(round(ms / 1000), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"

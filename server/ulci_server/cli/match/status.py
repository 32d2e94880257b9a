"""One line about a match that runs, for people at a terminal."""

import math

from ulci_server.statistics import estimate
from ulci_server.tournament import Progress

from .report import fraction


def status(progress: Progress, seconds: float, before: int = 0) -> str:
    """How far a match is that has run for so many seconds, with `before` games from earlier runs.
    Of three engines or more, it shows only the games."""
    total = progress.schedule.total
    parts = [f"{progress.finished} of {total} games"]
    if progress.schedule.engines == 2:
        parts += _answer(progress)
    played = progress.finished - before
    if played > 0 and not progress.is_over:
        left = (total - progress.finished) * seconds / played
        most = "" if progress.sprt is None else "at most "
        parts.append(f"{most}{_time(left)} to go")
    return ", ".join(parts)


def _answer(progress: Progress) -> list[str]:
    counted = progress.tally(0, 1).counted(by_pairs=progress.by_pairs)
    if not counted.total:
        return []
    found, games = estimate(counted), progress.tally(0, 1).games
    parts = [f"+{games.wins} ={games.draws} -{games.losses}"]
    if math.isfinite(found.elo_error):  # not as long as one has won all
        parts.append(f"Elo {found.elo:.1f} +/- {found.elo_error:.1f}")
    if progress.sprt is not None:
        llr = progress.llr(0, 1)
        parts.append(f"LLR {llr:.2f} ({100 * fraction(progress.sprt, llr):.0f} %)")
    return parts


def _time(seconds: float) -> str:
    """``1:05`` in minutes and seconds, ``2:01:05`` with hours, ``3 days``."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 48:
        return f"{hours // 24} days"
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"

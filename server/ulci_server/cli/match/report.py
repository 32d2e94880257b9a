"""What is known so far, as other runners report it: for two engines, or as a table of ranks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ulci_server.statistics import (
    Estimate,
    Hypothesis,
    Pentanomial,
    Sprt,
    Tally,
    estimate,
    standings,
)

from .settings import Entrant
from .time_control import label

RULE = "-" * 50
"""Above and below a report."""

UNKNOWN = "NULL"
"""Of an engine that has no such option."""

LEAST_NAME = 25
"""Columns of names in a table, unless one is longer."""


@dataclass(frozen=True, slots=True)
class Setting:
    """With what an engine plays: its options ``Threads`` and ``Hash``, empty if it has none."""

    control: str
    threads: str = ""
    hash: str = ""

    @staticmethod
    def of(entrant: Entrant, options: Mapping[str, str]) -> "Setting":
        """options: all that the engine has, with their values."""
        return Setting(label(entrant.control), options.get("Threads", ""), options.get("Hash", ""))


def matchup(names: tuple[str, str], settings: tuple[Setting, Setting], book: Path | None) -> str:
    """The line above the figures of two engines."""
    first, second = settings
    parts = [
        _both(first.control, second.control),
        _both(_threads(first), _threads(second)),
        _both(_hash(first), _hash(second)),
        *([] if book is None else [book.name]),
    ]
    return f"Results of {names[0]} vs {names[1]} ({', '.join(parts)}):"


def figures(tally: Tally, *, by_pairs: bool) -> list[str]:
    """Of two engines, as the first sees them."""
    counted = tally.counted(by_pairs=by_pairs)
    found, games, pairs = estimate(counted), tally.games, tally.pairs
    los = f"LOS: {100 * found.los:.2f} %, DrawRatio: {100 * counted.draw_ratio:.2f} %"
    lines = [
        f"Elo: {_elo(found)}, nElo: {found.nelo:.2f} +/- {found.nelo_error:.2f}",
        los + (f", PairsRatio: {pairs.pairs_ratio:.2f}" if by_pairs else ""),
        f"Games: {games.total}, Wins: {games.wins}, Losses: {games.losses}, Draws: {games.draws},"
        f" Points: {games.points:.1f} ({100 * games.score:.2f} %)",
    ]
    if by_pairs:
        lines.append(f"Ptnml(0-2): {_penta(pairs)}, WL/DD Ratio: {pairs.wl_dd_ratio:.2f}")
    return lines


def ranks(tallies: Mapping[str, Tally], *, by_pairs: bool, penta: bool) -> list[str]:
    """The table of all engines; penta: with a column of pairs."""
    rows = standings(tallies, by_pairs=by_pairs)
    width = max(LEAST_NAME, *map(len, tallies))
    head = ["Elo", "+/-", "nElo", "+/-", "Games", "Score", "Draw"]
    lines = [f"{'Rank':<4} {'Name':<{width}} {_columns(head)}" + penta * f" {'Ptnml(0-2)':>20}"]
    for row in rows:
        found, games = row.estimate, row.tally.games
        counted = row.tally.counted(by_pairs=by_pairs)
        cells = [
            *(f"{each:.2f}" for each in (found.elo, found.elo_error)),
            *(f"{each:.2f}" for each in (found.nelo, found.nelo_error)),
            str(games.total),
            f"{100 * games.score:.1f}%",
            f"{100 * counted.draw_ratio:.1f}%",
        ]
        pairs = _penta(row.tally.pairs) if by_pairs else ""
        line = f"{row.rank:>4} {row.name:<{width}} {_columns(cells)}"
        lines.append(line + penta * f" {pairs:>20}")
    return lines


def test(sprt: Sprt, llr: float) -> str:
    """How far a test is."""
    bounds = f"({sprt.lower:.2f}, {sprt.upper:.2f})"
    return f"LLR: {llr:.2f} ({100 * fraction(sprt, llr):.1f}%) {bounds} {_hypotheses(sprt)}"


def decided(sprt: Sprt, accepted: Hypothesis) -> str:
    """The end of a test."""
    return f"SPRT ({_hypotheses(sprt)}) completed - {accepted} was accepted"


def fraction(sprt: Sprt, llr: float) -> float:
    """How far it is to a bound, from -1 to 1."""
    return llr / sprt.upper if llr >= 0 else -llr / sprt.lower


# As cutechess-cli has them


def cutechess_score(first: str, second: str, tally: Tally) -> str:
    games = tally.games
    return (
        f"Score of {first} vs {second}: {games.wins} - {games.losses} - {games.draws}"
        f"  [{games.score:.3f}] {games.total}"
    )


def cutechess_figures(tally: Tally) -> str:
    found = estimate(tally.games)
    return (
        f"Elo difference: {_elo(found)}, LOS: {100 * found.los:.2f} %, DrawRatio:"
        f" {100 * tally.games.draw_ratio:.2f} %"
    )


def cutechess_test(sprt: Sprt, llr: float) -> str:
    accepted = sprt.accepted(llr)
    return (
        f"SPRT: llr {llr:.2f} ({100 * abs(fraction(sprt, llr)):.1f}%), lbound {sprt.lower:.2f},"
        f" ubound {sprt.upper:.2f}" + (f" - {accepted} was accepted" if accepted else "")
    )


def _elo(found: Estimate) -> str:
    return f"{found.elo:.2f} +/- {found.elo_error:.2f}"


def _penta(pairs: Pentanomial) -> str:
    return str(list(pairs.counts))


def _hypotheses(sprt: Sprt) -> str:
    return f"[{sprt.elo0:.2f}, {sprt.elo1:.2f}]"


def _columns(cells: Sequence[str]) -> str:
    return " ".join(f"{cell:>10}" for cell in cells)


def _both(first: str, second: str) -> str:
    return first if first == second else f"{first} - {second}"


def _threads(setting: Setting) -> str:
    return f"{setting.threads}t" if setting.threads else UNKNOWN


def _hash(setting: Setting) -> str:
    return f"{setting.hash}MB" if setting.hash else UNKNOWN

"""Figures of ours beside those of the bare relay, and what bounds them."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

FULL = 0.9
"""Share of a processor from which it is what bounds a row."""

NAME = 36
FIGURE = 28


@dataclass(frozen=True, slots=True)
class Measured:
    """One row of one server: figures by column, and the share of a processor that the server and
    the players took."""

    figures: Mapping[str, float]
    server: float = 0.0
    players: float = 0.0


@dataclass(frozen=True, slots=True)
class Line:
    """A row: each round's, ours and the bare relay's. `paced`: the players think."""

    name: str
    ours: Sequence[Measured]
    bare: Sequence[Measured]
    paced: bool = False


def of_moves(
    moves: int, seconds: float, latencies: Sequence[float], server: float, players: float
) -> Measured:
    """Of a load. latencies, and what server and players worked: s.

    Raises:
        ValueError: too few moves for a percentile.
    """
    if moves < 2:
        raise ValueError(f"{moves} moves in {seconds:.1f} s: measure for longer")
    cuts = statistics.quantiles(latencies, n=100, method="inclusive")
    figures = {
        "moves/s": moves / seconds,
        "CPU µs a move": server / moves * 1e6,
        "p50 ms": 1000 * cuts[49],
        "p99 ms": 1000 * cuts[98],
    }
    return Measured(figures, server / seconds, players / seconds)


def median(rounds: Sequence[Measured]) -> Measured:
    """Of each figure by itself."""
    figures = {
        name: statistics.median(each.figures[name] for each in rounds) for name in rounds[0].figures
    }
    server = statistics.median(each.server for each in rounds)
    return Measured(figures, server, statistics.median(each.players for each in rounds))


def bound(seen: Measured, *, paced: bool) -> str:
    """What keeps ours from more, by what took a whole processor."""
    if not seen.server:
        return ""
    shares = f"server {seen.server:.0%}, players {seen.players:.0%}"
    if seen.server >= FULL:
        return f"the server's core ({shares})"
    if seen.players >= FULL:
        return f"the players' core ({shares})"
    return f"{'thinking times' if paced else 'waiting: disk, other load'} ({shares})"


def table(lines: Sequence[Line]) -> Iterator[str]:
    """A head wherever the columns change."""
    head: tuple[str, ...] = ()
    for line in lines:
        ours, bare = median(line.ours), median(line.bare)
        if head != (head := tuple(ours.figures)):
            yield (
                f"{'':{NAME}}"
                + "".join(f"{name:>{FIGURE}}" for name in head)
                + ("  bound by" if ours.server else "")
            )
            columns = f"{'ours':>11}{'bare':>9}{'ratio':>8}"
            yield f"{'':{NAME}}" + columns * len(head)
        cells = "".join(cell(value, bare.figures[name]) for name, value in ours.figures.items())
        yield f"{line.name:{NAME}}{cells}  {bound(ours, paced=line.paced)}".rstrip()


def cell(ours: float, bare: float) -> str:
    ratio = f"{ours / bare:8.2f}" if bare else f"{'-':>8}"
    return f"{_figure(ours):>11}{_figure(bare):>9}{ratio}"


def _figure(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.2f}"

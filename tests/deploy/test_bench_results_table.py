"""Figures stand beside those of the bare relay, with what bounds them."""

import pytest

from deploy.bench.results_table import Line, Measured, bound, median, of_moves, table


def test_a_load_becomes_figures_a_move() -> None:
    latencies = [at / 1000 for at in range(101)]
    seen = of_moves(100, 2.0, latencies, 0.5, 1.0)
    assert seen.figures == pytest.approx(
        {"moves/s": 50, "CPU µs a move": 5000, "p50 ms": 50, "p99 ms": 99}
    )
    assert (seen.server, seen.players) == (0.25, 0.5)


@pytest.mark.parametrize("moves", [0, 1])
def test_too_few_moves_have_no_figures(moves: int) -> None:
    with pytest.raises(ValueError, match="measure for longer"):
        of_moves(moves, 1.0, [0.1] * moves, 0.0, 0.0)


def test_of_several_rounds_the_median_of_each_figure_is_told() -> None:
    rounds = [Measured({"a": a, "b": b}, a / 10, b / 10) for a, b in ((1, 9), (2, 7), (3, 8))]
    assert median(rounds) == Measured({"a": 2, "b": 8}, 0.2, 0.8)


@pytest.mark.parametrize(
    ("server", "players", "paced", "what"),
    [
        (0.95, 0.95, False, "the server's core"),
        (0.5, 0.95, False, "the players' core"),
        (0.95, 0.1, True, "the server's core"),
        (0.5, 0.5, True, "thinking times"),
        (0.5, 0.5, False, "waiting: disk, other load"),
    ],
)
def test_a_row_is_bound_by_the_processor_that_has_no_time_left(
    server: float, players: float, paced: bool, what: str
) -> None:
    said = bound(Measured({}, server, players), paced=paced)
    assert said == f"{what} (server {server:.0%}, players {players:.0%})"


def test_a_row_without_shares_is_bound_by_nothing() -> None:
    assert bound(Measured({"kB a connection": 5.0}), paced=False) == ""


def test_rows_with_the_same_columns_share_a_head() -> None:
    games = [Measured({"moves/s": 4000.0, "p50 ms": 1.5}, 1.0, 0.5)]
    bare = [Measured({"moves/s": 40000.0, "p50 ms": 0.5}, 0.5, 1.0)]
    memory = ([Measured({"kB a connection": 8.0})], [Measured({"kB a connection": 0.0})])
    head, columns, one, other, last_head, _, last = table(
        [Line("one", games, bare), Line("other", games, bare), Line("memory", *memory)]
    )
    assert head.split("  ")[-1] == "bound by"
    assert columns.split() == ["ours", "bare", "ratio"] * 2
    assert one.split()[:7] == ["one", "4000", "40000", "0.10", "1.50", "0.50", "3.00"]
    assert one.endswith("  the server's core (server 100%, players 50%)")
    assert other.removeprefix("other") == one.removeprefix("one  ")
    assert last_head.strip() == "kB a connection"
    assert last.split() == ["memory", "8.00", "0.00", "-"]

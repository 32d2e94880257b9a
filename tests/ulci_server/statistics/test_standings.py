"""The rank table."""

from ulci_server.statistics import Pentanomial, Tally, Trinomial, estimate, standings

STRONG = Tally(Trinomial(3, 0, 1), Pentanomial(wd=1, ww=1))
EVEN = Tally(Trinomial(1, 1, 2), Pentanomial(wl=1, dd=1))


def test_the_strongest_is_first() -> None:
    rows = standings({"B": EVEN, "C": STRONG.reversed, "A": STRONG}, by_pairs=True)
    assert [(row.rank, row.name) for row in rows] == [(1, "A"), (2, "B"), (3, "C")]
    assert rows[0].tally == STRONG
    assert rows[0].estimate == estimate(STRONG.pairs)


def test_who_has_not_played_comes_last_in_the_order_given() -> None:
    rows = standings({"D": Tally(), "A": EVEN, "C": Tally()}, by_pairs=False)
    assert [row.name for row in rows] == ["A", "D", "C"]


def test_games_decide_where_they_are_not_paired() -> None:
    won, lost = Tally(Trinomial(wins=1)), Tally(Trinomial(losses=1))
    assert [row.name for row in standings({"B": lost, "A": won}, by_pairs=False)] == ["A", "B"]

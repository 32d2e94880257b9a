"""What a time control costs."""

import pytest

from ulci_client.time_cost import Cost, costs_untrusted


@pytest.mark.parametrize(
    ("text", "costs"),
    [
        ("300+3", [Cost("clock", 300, 3)]),
        ("0.5", [Cost("clock", 0.5)]),
        ("40/300+2", [Cost("clock", 300, 2)]),
        ("40/5400+30:900+60", [Cost("clock", 5400, 60)]),
        ("60d2", [Cost("clock", 60, 2)]),
        ("60b2.5", [Cost("clock", 60, 2.5)]),
        ("600/5x30", [Cost("clock", 600, 30)]),
        ("60h", [Cost("clock", 60)]),
        ("3days", [Cost("days")]),
        ("1day", [Cost("days")]),
        ("depth=8", [Cost("limit")]),
        ("movetime=100", [Cost("limit")]),
        ("inf", [Cost("unlimited")]),
        ("300+3|60", [Cost("clock", 300, 3), Cost("clock", 60)]),
        ("300+3|soon", []),
        ("", []),
        ("5 min", []),
    ],
)
def test_it_is_read_by_side(text: str, costs: list[Cost]) -> None:
    assert [*costs_untrusted(text)] == costs

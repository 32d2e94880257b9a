"""A fault of the clock is found in the record of what it showed."""

import ast
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.support.facts import finished, happened, played
from tests.support.games import keep, moves
from ulci.rules import Reason, Side
from ulci_server.game import Controls, EventKind, Happened, MovePlayed
from ulci_server.game.side_clock import StagedSideClock, side_clock
from ulci_server.storage import MemoryDatabase, verify
from ulci_server.storage.verify import DisagreementError, verify_game
from ulci_server.storage.verify.ledger import Ledger

RESIGNED = finished(1, Side.BLACK, Reason.RESIGNATION, "White (Ada) resigned")


SPENT = 1_957
"""ms that each of `moves` costs."""


def test_a_clock_that_adds_too_much_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The record agrees with the clock by which it was made."""
    pay = StagedSideClock.pay

    def pay_too_little(self: StagedSideClock, spent: int) -> None:
        pay(self, spent)
        self.give(1)

    monkeypatch.setattr(StagedSideClock, "pay", pay_too_little)
    (first,) = moves("e2e4")
    shown = 300_000 - SPENT + 3_000

    assert said_of(replace(first, left=shown + 1)) == (
        f"ply 1, e2e4: by its control and all that was spent the clock shows {shown} ms,"
        f" and {shown + 1} ms are recorded"
    )


def test_a_move_that_took_more_than_there_was_is_found() -> None:
    (first,) = moves("e2e4", spent=4_043)

    assert said_of(replace(first, left=1_000 - 4_000 + 9_000), control="1+9") == (
        "ply 1, e2e4: it took 4000 ms, and the clock had 1000 ms left"
    )


def test_a_clock_may_be_overstepped_by_its_margin_and_no_more() -> None:
    (first,) = moves("e2e4", spent=1_093)
    for conduct, left, had in (
        ("white-margin=40", 9_001, 1_040),
        ("black-margin=40", 8_950, 1_000),
    ):
        assert said_of(replace(first, left=left), control="1+9", conduct=conduct) == (
            f"ply 1, e2e4: it took 1050 ms, and the clock had {had} ms left"
        )


def test_a_time_for_a_move_may_be_overstepped_by_the_margin_in_the_record_and_no_more() -> None:
    (first,) = moves("e2e4", spent=10_043)
    assert said_of(
        replace(first, left=None), control="movetime=100", conduct="white-margin=50"
    ) == ("ply 1, e2e4: it took 10000 ms, and the clock had 150 ms left")


def berserk(amount: int) -> Happened:
    return happened(1, 1, EventKind.BERSERK, side=Side.WHITE, amount=amount)


def test_who_gave_up_half_of_its_time_has_that_and_no_increment() -> None:
    ledger = Ledger("2/60+5:30+5", undoes=True)
    ledger.enter(berserk(30_000))
    assert (ledger.allowed(Side.WHITE), ledger.allowed(Side.BLACK)) == (30_000, 60_000)
    for ply, left in ((1, 29_000), (3, 43_000)):
        ledger.enter(MovePlayed(1, ply, Side.WHITE, "a", 1_000, left, seq=ply + 1))


@pytest.mark.parametrize(
    ("control", "amount"), [("60", 30_001), ("60", -1), ("3days", 5), ("60h", 5), ("60/3x5", 5)]
)
def test_more_than_half_is_not_given_up_nor_where_there_is_no_bank(
    control: str, amount: int
) -> None:
    with pytest.raises(DisagreementError, match="ms are given up"):
        Ledger(control, undoes=True).enter(berserk(amount))


MOVE, GIFT, UNDONE = "move", "gift", "undone"

DEEDS = st.one_of(
    st.tuples(st.just(MOVE), st.integers(0, 60_000)),
    st.tuples(st.just(GIFT), st.integers(1, 20_000)),
    st.tuples(st.just(UNDONE), st.integers(1, 4)),
)
"""What happens to one side's clock: ms that a move took, ms that are given, moves taken back."""


@example(
    "60+3", [(MOVE, 51_058), (MOVE, 7_371), (UNDONE, 1), (GIFT, 15_000), (UNDONE, 1), (MOVE, 1)], 0
)
@given(
    st.sampled_from(["60+3", "5+10", "60d3", "60b3", "3/20+2", "1/20b5:2/30+1:40+3", "60/3x5"]),
    st.lists(DEEDS, max_size=30),
    st.sampled_from([0, 500]),
)
def test_the_ledger_has_what_the_clock_shows_after_moves_gifts_and_takebacks(
    control: str, deeds: list[tuple[str, int]], margin: int
) -> None:
    """Also where a takeback left more than the moves had, and earlier moves follow them."""
    clock = side_clock(Controls.parse(control)[Side.WHITE], lenient=margin)
    conduct = f"forfeit,white-margin={margin}" if margin else "black-margin=500"
    ledger = Ledger(control, undoes=True, conduct=conduct)
    ply = 0
    for seq, (what, amount) in enumerate(deeds):
        assert clock.allowed is not None
        if what is MOVE:
            clock.pay(spent := min(amount, clock.allowed))
            ply += 1
            ledger.enter(played(1, ply, "a1a2", side=Side.WHITE, spent=spent, left=clock.left))
        elif what is GIFT:
            clock.give(amount)
            given = {"side": Side.WHITE, "amount": amount}
            ledger.enter(happened(1, seq, EventKind.TIME_GIVEN, **given))
        elif undone := min(amount, ply):
            clock.take_back(undone)
            ply -= undone
            ledger.enter(happened(1, seq, EventKind.TAKEN_BACK, amount=undone))
        assert ledger.allowed(Side.WHITE) == clock.allowed


def said_of(*steps: MovePlayed, **start: Any) -> str:
    database = MemoryDatabase()
    keep(database, steps, RESIGNED, **start)
    (game,) = database.games.find()
    with pytest.raises(DisagreementError) as found:
        verify_game(database, game)
    return str(found.value)


def test_what_verifies_shares_no_code_with_what_it_verifies() -> None:
    """It knows the names of facts, and a rebuilt game where no other judge is known."""
    known = {"EventKind", "Fact", "Happened", "MovePlayed", "Rebuilt", "Seat"}
    for module in ("ledger", "progress", "reference", "ended", "result", "evidence", "times"):
        path = Path(verify.__file__).with_name(f"{module}.py")
        assert imported_from("ulci_server.game", path) <= known
        assert imported_from("ulci.rules.chess", path) == set()


def imported_from(package: str, path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(package):
            names |= {alias.name for alias in node.names}
    return names

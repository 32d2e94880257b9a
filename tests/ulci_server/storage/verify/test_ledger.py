"""A fault of the clock is found in the record of what it showed."""

import ast
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.support.facts import finished
from tests.support.games import keep, moves
from ulci.rules import Reason, Side
from ulci_server.game import MovePlayed
from ulci_server.game.side_clock import StagedSideClock
from ulci_server.storage import MemoryRepository, verify
from ulci_server.storage.verify import DisagreementError, verify_game

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


def said_of(*steps: MovePlayed, **start: Any) -> str:
    repository = MemoryRepository()
    keep(repository, steps, RESIGNED, **start)
    (game,) = repository.games()
    with pytest.raises(DisagreementError) as found:
        verify_game(repository, game)
    return str(found.value)


def test_what_verifies_shares_no_code_with_what_it_verifies() -> None:
    """It knows the names of facts, and a rebuilt game where no other judge is known."""
    known = {"EventKind", "Fact", "Happened", "MovePlayed", "Rebuilt", "Seat"}
    for module in ("ledger", "progress", "reference", "result", "evidence", "times"):
        path = Path(verify.__file__).with_name(f"{module}.py")
        assert imported_from("ulci_server.game", path) <= known
        assert imported_from("ulci.rules.chess", path) == set()


def imported_from(package: str, path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(package):
            names |= {alias.name for alias in node.names}
    return names

"""What players may not do is found in the record, and what they may lose by is no fault."""

import pytest

from tests.support.facts import finished
from tests.support.games import keep, moves
from tests.ulci_server.storage.verify.test_evidence import FIRST_FLAG, happening, verified
from ulci.rules import Reason, Side
from ulci_server.game import EventKind, GameFinished, Happened
from ulci_server.storage import Database
from ulci_server.storage.verify import DisagreementError

W, B = Side
LEFT = "White (Ada) left: quit"


def taken_back(side: Side | None, text: str) -> Happened:
    return happening(3, EventKind.TAKEN_BACK, side, amount=1, text=text)


def given(text: str) -> Happened:
    return happening(3, EventKind.TIME_GIVEN, W, amount=5_000, text=text)


@pytest.mark.parametrize(
    ("conduct", "event", "fault"),
    [
        (
            "no-takeback",
            taken_back(W, "by agreement"),
            "taken-back, and its conduct is no-takeback",
        ),
        ("no-takeback", taken_back(None, "root: a slip"), ""),
        ("forfeit", taken_back(W, "by agreement"), ""),
        ("no-givetime", given("Bob"), "time-given, and its conduct is no-givetime"),
        ("no-givetime", given("root: our fault"), ""),
        ("berserk", given("Bob"), "there is no conduct berserk"),
    ],
)
def test_what_players_may_not_do(
    database: Database, conduct: str, event: Happened, fault: str
) -> None:
    keep(database, [*moves("e2e4 e7e5"), event], conduct=conduct)
    found = ""
    try:
        verified(database)
    except DisagreementError as error:
        found = str(error)
    assert found.endswith(fault) if fault else not found


@pytest.mark.parametrize(
    ("conduct", "detail"),
    [("no-abort", "White (Ada) aborted it"), ("forfeit", f"{FIRST_FLAG}, and it had made no move")],
)
def test_a_game_that_may_not_be_aborted(database: Database, conduct: str, detail: str) -> None:
    end = finished(1, None, Reason.ABORTED, detail)
    keep(database, [], end, conduct=conduct, control="2+0")
    with pytest.raises(DisagreementError, match=f"and its conduct is {conduct}"):
        verified(database)


@pytest.mark.parametrize(
    ("end", "steps"),
    [
        (finished(1, B, Reason.TIME, FIRST_FLAG), []),
        (
            finished(1, B, Reason.DISCONNECT, LEFT),
            [happening(1, EventKind.LEFT, W, ply=0, text="quit")],
        ),
        (finished(1, B, Reason.RESIGNATION, "White (Ada) resigned"), []),
    ],
    ids=["the first flag", "left", "resigned"],
)
def test_a_game_that_is_lost_before_the_first_move_is_as_good_as_any(
    database: Database, end: GameFinished, steps: list[Happened]
) -> None:
    keep(database, steps, end, conduct="no-abort,forfeit", control="2+0")
    verified(database)

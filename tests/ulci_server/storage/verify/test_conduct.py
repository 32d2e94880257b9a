"""What players may not do is found in the record, and what they may lose by is no fault."""

import pytest

from tests.support.facts import finished, happened
from tests.support.games import keep, moves
from tests.ulci_server.storage.verify.test_evidence import FIRST_FLAG, happening, verified
from ulci.rules import Reason, Side
from ulci_server.game import EventKind, GameFinished, Happened
from ulci_server.storage import Database
from ulci_server.storage.verify import DisagreementError, verify_game

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
        ("no-chat", given("Bob"), "there is no conduct no-chat"),
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


def test_berserk_is_a_fault_where_the_conduct_does_not_allow_it(database: Database) -> None:
    for game, conduct in enumerate(("berserk", "forfeit"), 1):
        event = happened(game, 1, EventKind.BERSERK, ply=0, side=B, amount=5_000)
        keep(database, [event], game=game, conduct=conduct)
    refused, allowed = database.games.find()
    verify_game(database, allowed)
    with pytest.raises(DisagreementError, match="berserk, and its conduct does not allow it"):
        verify_game(database, refused)


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

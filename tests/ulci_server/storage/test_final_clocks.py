"""What both clocks showed when a game ended."""

from datetime import timedelta

import pytest

from tests.support.facts import NOON, happened, played, record_of, started
from ulci.protocol.messages import Clock
from ulci.rules import Outcome, Reason, Side
from ulci_server.game import EventKind, Fact
from ulci_server.storage import Noted
from ulci_server.storage.final_clocks import final_clocks

E4 = played(1, 1, "e2e4", side=Side.WHITE, spent=2000, left=301_000, seq=1)
E5 = played(1, 2, "e7e5", side=Side.BLACK, spent=1000, left=302_000, seq=2)


def clocks(
    reason: Reason, *facts: Fact, seconds: float, winner: Side | None = None, control: str = "300+3"
) -> tuple[int | None, int | None] | None:
    """Of a game with these facts, a second apart, that ended so many seconds after the last one."""
    history = [Noted(fact, NOON + timedelta(seconds=at)) for at, fact in enumerate(facts)]
    at = NOON + timedelta(seconds=len(facts) - 1 + seconds)
    end = happened(1, len(facts) + 1, EventKind.FINISHED, side=winner, text=str(reason))
    record = record_of(started(control=control))
    game = type(record)(
        **{name: getattr(record, name) for name in record.__struct_fields__}
        | {"outcome": Outcome(winner, reason), "finished_at": at}
    )
    shown = final_clocks(game, [*history, Noted(end, at)])
    assert isinstance(shown, Clock | None)
    return None if shown is None else (shown.wtime, shown.btime)


@pytest.mark.parametrize(
    ("reason", "winner"),
    [
        (Reason.RESIGNATION, Side.WHITE),
        (Reason.RESIGNATION, Side.BLACK),
        (Reason.AGREEMENT, None),
        (Reason.DISCONNECT, Side.BLACK),
        (Reason.ABORTED, None),
    ],
)
def test_the_side_to_move_has_used_the_time_since_the_last_move(reason, winner) -> None:
    assert clocks(reason, E4, E5, seconds=61.5, winner=winner) == (239_500, 302_000)
    assert clocks(reason, E4, seconds=10, winner=winner) == (301_000, 290_000)


def test_a_flag_that_fell_shows_nothing_left() -> None:
    shown = clocks(Reason.TIME, E4, E5, seconds=301.02, winner=Side.BLACK)
    assert shown == (0, 302_000)


def test_given_time_counts_and_so_does_what_is_not_charged() -> None:
    gift = happened(1, 3, EventKind.TIME_GIVEN, side=Side.WHITE, amount=15_000, text="Bob")
    away = happened(1, 4, EventKind.AWAY, side=Side.WHITE, amount=400)
    back = happened(1, 5, EventKind.BACK, side=Side.WHITE, amount=700)
    theirs = happened(1, 6, EventKind.AWAY, side=Side.BLACK, amount=50)
    shown = clocks(
        Reason.RESIGNATION, E4, E5, gift, away, back, theirs, seconds=1, winner=Side.WHITE
    )
    assert shown == (301_000 + 15_000 - 5000 + 700, 302_000)


def test_moves_that_were_taken_back_begin_another_turn() -> None:
    undone = happened(1, 3, EventKind.TAKEN_BACK, amount=1)
    shown = clocks(Reason.RESIGNATION, E4, E5, undone, seconds=4, winner=Side.WHITE)
    assert shown == (301_000, 295_000)


def test_of_a_turn_that_a_servers_end_interrupted_the_known_time_counts() -> None:
    paused = happened(1, 3, EventKind.PAUSED, side=Side.WHITE, amount=9000)
    resumed = happened(1, 4, EventKind.RESUMED, side=Side.WHITE, amount=9500, text="for 60 s")
    back = happened(1, 5, EventKind.BACK, side=Side.WHITE)
    shown = clocks(Reason.AGREEMENT, E4, E5, paused, resumed, back, seconds=50)
    assert shown == (291_500, 302_000)
    cut = happened(1, 3, EventKind.AWAY, side=Side.WHITE, amount=2000, text="its server ended")
    assert clocks(Reason.ABORTED, E4, E5, cut, seconds=50) == (299_000, 302_000)


def test_what_ended_with_a_move_or_before_one_and_games_without_a_clock_have_none() -> None:
    assert clocks(Reason.CHECKMATE, E4, E5, seconds=0, winner=Side.BLACK) is None
    assert clocks(Reason.ADJUDICATION, E4, E5, seconds=0, winner=Side.BLACK) is None
    joined = happened(1, 1, EventKind.BACK, side=Side.WHITE)
    assert clocks(Reason.ABORTED, joined, seconds=9) is None
    wrong = played(1, 2, "e7e5", side=Side.BLACK, spent=1000, left=7, seq=2)
    assert clocks(Reason.RESIGNATION, E4, wrong, seconds=1, winner=Side.WHITE) is None
    timeless = [played(1, 1, "e2e4", side=Side.WHITE, spent=9, left=None, seq=1)]
    shown = clocks(Reason.RESIGNATION, *timeless, seconds=1, winner=Side.WHITE, control="inf")
    assert shown == (None, None)

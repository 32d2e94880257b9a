"""Why games ended, in the words of match runners."""

import pytest

from ulci.rules import Outcome, Reason, Side
from ulci_server.cli.match import Fault, fault, reason
from ulci_server.cli.match.reasons import DRAWN, WON
from ulci_server.game.adjudication import Proved
from ulci_server.game.endings import Endings
from ulci_server.game.facts import Seat

ENDINGS = Endings((Seat("A", "engine"), Seat("B", "engine")))


def won(winner: Side, why: Reason, detail: str = "", overrun: int | None = None) -> str:
    return reason(Outcome(winner, why), detail, overrun)


def drawn(why: Reason, detail: str = "") -> str:
    return reason(Outcome(None, why), detail)


def test_reasons_are_those_that_frameworks_look_for() -> None:
    assert won(Side.WHITE, Reason.CHECKMATE) == "White mates"
    assert won(Side.WHITE, Reason.TIME, overrun=101) == "Black loses on time (101ms overrun)"
    assert won(Side.BLACK, Reason.TIME) == "White loses on time"
    assert won(Side.BLACK, Reason.ILLEGAL_MOVE) == "White makes an illegal move"
    assert won(Side.WHITE, Reason.DISCONNECT) == "Black disconnects"
    assert won(Side.WHITE, Reason.ADJUDICATION) == "White wins by adjudication"
    assert drawn(Reason.STALEMATE) == "Draw by stalemate"
    assert drawn(Reason.MATERIAL) == "Draw by insufficient mating material"
    assert drawn(Reason.REPETITION) == "Draw by 3-fold repetition"
    assert drawn(Reason.FIFTY_MOVES) == "Draw by fifty moves rule"
    assert drawn(Reason.ADJUDICATION) == "Draw by adjudication"
    assert drawn(Reason.ABORTED) == drawn(Reason.SERVER) == "Game interrupted"


def test_a_draw_on_time_is_found_as_a_loss_on_time_is() -> None:
    assert "on time" in drawn(Reason.TIME_INSUFFICIENT)


def test_tablebases_are_named() -> None:
    assert Proved(None)  # what the adjudicator writes of it:
    win = ENDINGS.adjudicated(
        Side.WHITE, "the tablebases have the position after ply 60 as won for White (A)"
    )
    draw = ENDINGS.adjudicated(None, "the tablebases have the position after ply 60 as a draw")
    assert reason(win.outcome, win.detail) == "White wins by adjudication: SyzygyTB"
    assert reason(draw.outcome, draw.detail) == "Draw by adjudication: SyzygyTB"


def test_who_is_there_and_says_nothing_stalls() -> None:
    silent = ENDINGS.gone(Side.BLACK, "not ready within 60 s")
    assert reason(silent.outcome, silent.detail) == "Black's connection stalls"
    crashed = ENDINGS.gone(Side.BLACK, "left: it ended")
    assert reason(crashed.outcome, crashed.detail) == "Black disconnects"


@pytest.mark.parametrize("why", Reason)
def test_every_reason_has_words_for_every_score_that_it_may_have(why: Reason) -> None:
    winners = {"1-0": Side.WHITE, "0-1": Side.BLACK}
    for score in why.scores:
        assert reason(Outcome(winners.get(score), why))
    assert (why in WON) is ("1-0" in why.scores)
    assert (why in DRAWN) is ("1/2-1/2" in why.scores)


def test_timeouts_and_crashes_are_the_losers() -> None:
    flag = ENDINGS.flag(Side.WHITE, 7, (500, 0))
    assert fault(flag.outcome, flag.detail) == (Side.WHITE, Fault.TIMEOUT)
    bare = ENDINGS.flag(Side.BLACK, 8, (500, 0), can_win=False)
    assert fault(bare.outcome, bare.detail) == (Side.BLACK, Fault.TIMEOUT)
    gone = ENDINGS.gone(Side.BLACK, "left: it ended")
    assert fault(gone.outcome, gone.detail) == (Side.BLACK, Fault.CRASH)
    for why in (Reason.CHECKMATE, Reason.ILLEGAL_MOVE, Reason.ADJUDICATION):
        assert fault(Outcome(Side.WHITE, why)) is None
    assert fault(Outcome(None, Reason.ABORTED)) is None
    assert fault(Outcome(None, Reason.TIME_INSUFFICIENT), "of an old record") is None

"""Who crashed, and who overstepped the time."""

from ulci.rules import Outcome, Reason, Side
from ulci_server.cli.match import Fault, fault
from ulci_server.game.endings import Endings
from ulci_server.game.facts import Seat

ENDINGS = Endings((Seat("A", "engine"), Seat("B", "engine")))


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

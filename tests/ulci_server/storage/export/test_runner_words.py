"""Why games ended, in the words of match runners."""

from ulci.rules import Outcome, Reason, Side
from ulci_server.game.endings import Endings
from ulci_server.game.facts import Seat
from ulci_server.storage.export import ended

ENDINGS = Endings((Seat("A", "engine"), Seat("B", "engine")))


def won(winner: Side, why: Reason, detail: str = "", overrun: int | None = None) -> str:
    return ended(Outcome(winner, why), detail, overrun)


def drawn(why: Reason, detail: str = "") -> str:
    return ended(Outcome(None, why), detail)


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
    win = ENDINGS.adjudicated(
        Side.WHITE, "the tablebases have the position after ply 60 as won for White (A)"
    )
    draw = ENDINGS.adjudicated(None, "the tablebases have the position after ply 60 as a draw")
    assert ended(win.outcome, win.detail) == "White wins by adjudication: SyzygyTB"
    assert ended(draw.outcome, draw.detail) == "Draw by adjudication: SyzygyTB"


def test_who_is_there_and_says_nothing_stalls() -> None:
    silent = ENDINGS.gone(Side.BLACK, "not ready within 60 s")
    assert ended(silent.outcome, silent.detail) == "Black's connection stalls"
    crashed = ENDINGS.gone(Side.BLACK, "left: it ended")
    assert ended(crashed.outcome, crashed.detail) == "Black disconnects"

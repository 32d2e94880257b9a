"""The words: key and value in turn, for people and programs."""

import math

import pytest

from ulci.protocol.messages import Blame, Info, Lobby, Report
from ulci.rules import Outcome, Reason, Side
from ulci_server.game import GameStarted, Seat, notices

ADA = Seat("Ada of  the Lake", "human")
BOB = Seat(" ", "engine")


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (
            notices.started(GameStarted(42, "chess", None, "300+3", (ADA, BOB), rated=True)),
            "game 42 start white Ada_of_the_Lake black _ game chess time 300+3 rated yes lag none",
        ),
        (
            notices.started(GameStarted(1, "ugi:my game", None, "inf", (BOB, ADA))),
            "game 1 start white _ black Ada_of_the_Lake game ugi:my_game time inf rated no"
            " lag none",
        ),
        (notices.offered(42, ADA), "game 42 offer draw from Ada_of_the_Lake"),
        (
            notices.offered(42, Seat("Ada of  the Lake", "human", handle="Ada_of_the_Lake-2")),
            "game 42 offer draw from Ada_of_the_Lake-2",
        ),
        (notices.declined(42, ADA), "game 42 decline draw from Ada_of_the_Lake"),
        (notices.takeback_offered(42, ADA, 2), "game 42 offer takeback 2 from Ada_of_the_Lake"),
        (notices.takeback_declined(42, ADA), "game 42 decline takeback from Ada_of_the_Lake"),
        (notices.taken_back(42, 2, 14), "game 42 takeback 2 ply 14"),
        (
            notices.time_given(42, 15_000, Side.BLACK, "Ada of the Lake"),
            "game 42 givetime 15000 to black from Ada_of_the_Lake",
        ),
        (notices.paused(42), "game 42 paused"),
        (notices.resumed(42, 12_300), "game 42 resumed downtime 12300"),
        (notices.resumed(42, None), "game 42 resumed"),
        (notices.away(42, 0.0), "game 42 opponent away claim-in 0"),
        (notices.away(42, 30.0), "game 42 opponent away claim-in 30000"),
        (notices.away(42, math.inf), "game 42 opponent away"),
        (notices.back(42), "game 42 opponent back"),
        (
            notices.over(42, Outcome(Side.WHITE, Reason.RESIGNATION)),
            "game 42 over result 1-0 reason resignation",
        ),
        (notices.DRAW_TOO_EARLY, "error draw-too-early the game has not begun"),
        (
            notices.DRAW_OFFERED,
            "error draw-offered your offer stands until your opponent moves or accepts",
        ),
        (
            notices.ABORT_TOO_LATE,
            "error abort-too-late both sides have moved: resign, or offer a draw",
        ),
    ],
)
def test_a_lobby_line_is_words(line: Lobby, text: str) -> None:
    assert " ".join(line.words) == text
    assert all(word.split() == [word] for word in line.words)


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (Outcome(Side.BLACK, Reason.CHECKMATE), "result 0-1 reason checkmate"),
        (Outcome(None, Reason.FIFTY_MOVES), "result 1/2-1/2 reason fifty-moves"),
        (Outcome(None, Reason.ABORTED), "result * reason aborted"),
    ],
)
def test_a_result_is_told_in_one_line(outcome: Outcome, text: str) -> None:
    assert notices.result(outcome) == Info(string=text)


def test_who_played_an_illegal_move_is_told_which_and_why() -> None:
    assert notices.illegal("e2e5", "no piece can go there") == Report(
        Blame.CLIENT, "illegal move 'e2e5': no piece can go there"
    )

"""A client whose line holds its moves back is told, and so are the operator and the record."""

import random
from collections.abc import Sequence

import pytest
import trio
from structlog.testing import capture_logs

from tests.faults.bullet import written_game
from tests.support.clients import Client
from ulci.net import Heard
from ulci.protocol.messages import BestMove, Go, Id, Info, Score
from ulci_server.game import WRITES_LATE, Reported
from ulci_server.hall.session.late_writes import ENOUGH, LEAST, MOST, MOVES, LateWrites

HELD = 0.04
"""s that Linux delays an acknowledgement."""

ANALYSIS = Info(depth=3, score=Score(cp=1))


def play(line: LateWrites, gaps: Sequence[float], began: float = 100.0) -> int:
    """How often it is said that the line holds writes back, in moves that came so many s after
    their analysis."""
    said, at = 0, began
    for gap in gaps:
        line.analysed(Heard(ANALYSIS, at))
        said += line.moved(Heard(BestMove("e2e4"), at + gap))
        at += 1.0
    return said


@pytest.mark.parametrize("gap", [LEAST + 0.001, HELD, MOST - 0.001])
def test_moves_that_keep_coming_a_delayed_acknowledgement_after_the_analysis_are_held_back(
    gap: float,
) -> None:
    assert play(LateWrites(), [gap] * (MOVES - 1)) == 0
    assert play(LateWrites(), [gap] * MOVES) == 1


def test_some_among_others_are_enough() -> None:
    assert play(LateWrites(), [0.001] * (MOVES - ENOUGH) + [HELD] * ENOUGH) == 1


@pytest.mark.parametrize("gap", [0.0, 0.001, LEAST - 0.001, MOST + 0.001, 0.5, 30.0])
def test_other_moves_are_not(gap: float) -> None:
    assert play(LateWrites(), [gap] * 5 * MOVES) == 0


def test_a_program_that_now_and_then_thinks_on_as_long_is_not_accused() -> None:
    some = [0.001] * (MOVES - ENOUGH + 1) + [HELD] * (ENOUGH - 1)
    assert play(LateWrites(), 5 * some) == 0


def test_a_program_that_moves_at_any_moment_after_its_last_iteration_is_not_accused() -> None:
    spread = random.Random(1)
    accused = sum(
        play(LateWrites(), [spread.uniform(0.0, 0.15) for _ in range(MOVES)]) for _ in range(1000)
    )
    assert accused < 10


def test_it_is_said_once_a_game() -> None:
    line = LateWrites()
    assert play(line, [HELD] * 5 * MOVES) == 1
    line.begin()
    assert play(line, [HELD] * 5 * MOVES, began=500.0) == 1


def test_moves_of_two_games_do_not_count_together() -> None:
    line = LateWrites()
    play(line, [HELD] * (MOVES - 1))
    line.begin()
    assert play(line, [HELD] * (MOVES - 1), began=500.0) == 0


def test_analysis_that_was_held_back_with_the_move_hides_nothing() -> None:
    line, said = LateWrites(), 0
    for move in range(MOVES):
        at = 100.0 + move
        line.analysed(Heard(ANALYSIS, at))
        line.analysed(Heard(ANALYSIS, at + HELD))
        line.analysed(Heard(ANALYSIS, at + HELD))
        said += line.moved(Heard(BestMove("e2e4"), at + HELD))
    assert said == 1


def test_moves_without_analysis_say_nothing() -> None:
    line = LateWrites()
    line.analysed(Heard(ANALYSIS, 100.0))
    line.moved(Heard(BestMove("e2e4"), 100.0))
    assert not any(
        line.moved(Heard(BestMove("e2e4"), 100.0 + move * HELD)) for move in range(5 * MOVES)
    )


def test_what_this_server_read_late_is_not_the_lines_fault() -> None:
    line, said = LateWrites(), 0
    for move in range(MOVES):
        at = 100.0 + move
        line.analysed(Heard(ANALYSIS, at))
        said += line.moved(Heard(BestMove("e2e4"), at + HELD, late=HELD - 0.001))
    assert said == 0


NOTE = Info(string=f"of your program: {WRITES_LATE}")


async def play_on(players: Sequence[Client], gaps: Sequence[float], plies: int) -> None:
    """Each side moves its gap in s after its analysis."""
    for ply, move in enumerate(written_game(1, plies)[:plies]):
        player = players[ply % 2]
        await player.hear(Go)
        player.say(ANALYSIS)
        await trio.sleep(gaps[ply % 2])
        player.say(BestMove(move))


async def test_the_operator_the_record_and_the_client_are_told_of_the_right_side(
    autojump_clock, server
):
    async with server() as h:
        white = await h.engine("Held", Id("version", "1"))
        black = await h.engine("Quick", Id("version", "1"))
        with capture_logs() as logs:
            await white.get_ready()
            await black.get_ready()
            await play_on((white, black), (HELD, 0.001), 2 * MOVES)
            await white.hear(Go)
        [report] = h.journal.kinds(Reported)
        assert (report.side.word, report.source, report.text) == ("white", "server", WRITES_LATE)
        assert "nodelay" in report.text
        [logged] = [line for line in logs if line["event"] == "client's moves come late"]
        assert (logged["client"], logged["why"]) == ("Held", WRITES_LATE)
        notes = [[m for m in player.heard if m == NOTE] for player in (white, black)]
        assert notes == [[NOTE], []]

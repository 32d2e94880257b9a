import pytest

from ulci.protocol import DIALECTS
from ulci.rules import Over
from ulci_client.doctor.checks import chess
from ulci_client.doctor.step_context import Start
from ulci_client.doctor.suites import SUITES

STARTS = [each for each in vars(chess).values() if isinstance(each, Start)]


def test_every_dialect_has_a_suite():
    assert [*SUITES] == ["uci", "ulci", "ugi", "uti"]
    assert {*SUITES} == {*DIALECTS}


@pytest.mark.parametrize("dialect", SUITES)
def test_steps_have_names_of_their_own_that_fit_a_line(dialect: str):
    names = [step.name for step in SUITES[dialect]]
    assert len(names) == len(set(names))
    assert max(map(len, names)) <= 40


@pytest.mark.parametrize("dialect", SUITES)
def test_an_engine_is_used_no_more_after_the_last_steps(dialect: str):
    last = [step.last for step in SUITES[dialect]]
    assert last == sorted(last)
    assert last[-1]


@pytest.mark.parametrize("start", STARTS, ids=str)
def test_the_positions_can_be_reached(start: Start):
    position = start.position()
    assert position is not None


def test_en_passant_is_the_only_move():
    position = chess.PASSING.position()
    assert position is not None
    assert position.legal_moves() == ["d5e6"]


def test_where_there_is_no_move_the_game_is_over():
    for start, reason in ((chess.MATED, "checkmate"), (chess.STALEMATED, "stalemate")):
        position = start.position()
        outcome = position.outcome() if position else None
        assert outcome is not None
        assert outcome.reason == reason


def test_castling_in_chess960_takes_the_own_rook():
    position = chess.CASTLES_FISCHER.position()
    assert position is not None
    assert "2kr1rk1" not in position.fen()
    assert position.fen().startswith("2kr2r1/")
    assert not isinstance(position.play_untrusted("a2a3"), Over)

import pytest

from tests.support.terminal import introduced, to_move
from ulci_client.terminal.ending import finish, result_said
from ulci_client.terminal.words import Result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("result 1-0 reason checkmate", Result("1-0", "checkmate")),
        ("result 1/2-1/2 reason fifty-moves", Result("1/2-1/2", "fifty-moves")),
        ("result *", Result("*", "unknown")),
        ("result 0-1  reason time and more", Result("0-1", "time")),
        ("the result 1-0", None),
        ("result 2-0", None),
        ("results 1-0", None),
    ],
)
def test_a_result_is_read_from_its_line(text: str, result: Result | None) -> None:
    assert result_said(text) == result


def test_without_a_game_nothing_ends() -> None:
    assert [*finish(introduced().state, Result("1-0", "time"), 0.0)] == []


def test_the_end_answers_open_questions() -> None:
    model = to_move()
    model.typed("resign", 0.0)
    assert model.state.question is not None
    assert len([*finish(model.state, Result("1-0", "time"), 0.0)]) == 2
    assert model.state.question is None
    assert model.state.last_rival == "Bob"

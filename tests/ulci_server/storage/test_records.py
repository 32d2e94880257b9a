"""What comes out of a database."""

import pytest

from tests.support.facts import ADA, BOB, NOON
from ulci.rules import Outcome, Reason, Side
from ulci_server.storage import GameRecord


@pytest.mark.parametrize(
    ("outcome", "running", "result"),
    [
        (None, True, "*"),
        (Outcome(None, Reason.SERVER), False, "*"),
        (Outcome(None, Reason.REPETITION), False, "1/2-1/2"),
        (Outcome(Side.BLACK, Reason.DISCONNECT), False, "0-1"),
    ],
)
def test_a_game_says_whether_it_runs_and_how_it_stands(
    outcome: Outcome | None, running: bool, result: str
) -> None:
    game = GameRecord(
        game=1,
        rules="chess",
        start=None,
        control="inf",
        seats=(ADA, BOB),
        players=(None, None),
        started_at=NOON,
        outcome=outcome,
    )

    assert (game.running, game.result) == (running, result)

"""Who reads the log can follow the games."""

import pytest
from structlog.testing import capture_logs

from tests.support.facts import finished, happened, played, reported, started
from ulci.rules import Side
from ulci_server.game import EventKind, Fact
from ulci_server.hall.table.game_log import log


@pytest.mark.parametrize(
    ("fact", "logged"),
    [
        (
            started(7),
            {
                "event": "game started",
                "log_level": "info",
                "game": 7,
                "white": "Ada",
                "black": "Bob",
                "rules": "chess",
                "time": "300+3",
                "start": "startpos",
            },
        ),
        (
            started(7, opening=("e2e4", "e7e5")),
            {
                "event": "game started",
                "log_level": "info",
                "game": 7,
                "white": "Ada",
                "black": "Bob",
                "rules": "chess",
                "time": "300+3",
                "start": "startpos moves e2e4 e7e5",
            },
        ),
        (
            played(7, 1, "e7e5", lag=20, stall=3),
            {
                "event": "move",
                "log_level": "debug",
                "game": 7,
                "ply": 1,
                "side": "black",
                "move": "e7e5",
                "spent": 1501,
                "lag": 20,
                "stall": 3,
                "left": 299_000,
            },
        ),
        (
            happened(7, 2, EventKind.AWAY, side=Side.WHITE),
            {
                "event": "in game",
                "log_level": "info",
                "game": 7,
                "ply": 2,
                "what": "away",
                "side": "white",
                "amount": 0,
                "text": "",
            },
        ),
        (
            happened(7, 3, EventKind.PAUSED, amount=1500, text="why"),
            {
                "event": "in game",
                "log_level": "info",
                "game": 7,
                "ply": 3,
                "what": "paused",
                "side": "",
                "amount": 1500,
                "text": "why",
            },
        ),
        (
            finished(7, detail="mate in one"),
            {
                "event": "game over",
                "log_level": "info",
                "game": 7,
                "result": "1-0",
                "reason": "checkmate",
                "detail": "mate in one",
            },
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_fact_of_a_game_is_one_line(fact: Fact, logged: dict[str, object]) -> None:
    with capture_logs() as logs:
        log(fact)
    assert logs == [logged]


def test_what_was_complained_of_is_not_said_twice() -> None:
    with capture_logs() as logs:
        log(reported(7, "I do not understand"))  # the session has logged it
    assert logs == []

"""A move for the next turn."""

import pytest

from tests.support.terminal import lobby, playing, sent, to_move, told
from ulci.protocol.messages import BestMove, Go, Info, Position
from ulci_client.terminal.shell.client import Client
from ulci_client.terminal.view.status_line import status

GO = Go(wtime=300_000, btime=300_000)


def waiting() -> Client:
    """Ada has played e4, and Bob is to move."""
    client = to_move()
    client.typed("e4", 0.0)
    client.hear(Position(None, ("e2e4",)), 0.0)
    return client


def turn(client: Client, *moves: str) -> tuple[list[str], list[object]]:
    """What is told and sent when our turn comes after these moves."""
    effects = [*client.hear(Position(None, moves), 1.0), *client.hear(GO, 1.0)]
    return told(effects), [*sent(effects)]


def test_it_is_made_as_soon_as_it_is_our_turn() -> None:
    client = waiting()
    assert told(client.typed("premove Nf3", 0.0)) == ["ok premove Nf3"]
    assert status(client.state, 0.0)[0] == "Waiting for Bob to move. Premove: Nf3."
    said, sent_then = turn(client, "e2e4", "e7e5")
    assert sent_then == [BestMove("g1f3")]
    assert said == ["move e7e5 (e5)", "move g1f3 (Nf3)", "ok premove made Nf3"]
    assert turn(client, "e2e4", "e7e5", "g1f3", "b8c6") == (["move b8c6 (Nc6)", "your move"], [])


def test_it_is_dropped_with_the_reason_if_it_is_not_legal_then() -> None:
    client = waiting()
    client.typed("premove exd5", 0.0)
    said, sent_then = turn(client, "e2e4", "e7e5")
    assert sent_then == []
    assert said[1:] == ["error your premove exd5 is not possible: no pawn of yours can go to d5",
                        "your move"]  # fmt: skip


def test_it_may_be_replaced_and_taken_back() -> None:
    client = waiting()
    client.typed("premove Nf3", 0.0)
    client.typed("premove d4", 0.0)
    assert status(client.state, 0.0)[0].endswith("Premove: d4.")
    assert told(client.typed("premove", 0.0)) == ["ok no premove d4"]
    assert turn(client, "e2e4", "e7e5")[1] == []


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("premove", "which move? write for example: premove Nf3"),
        ("premove hello", "hello is not a move; write for example: premove Nf3"),
        ("premove e5 now", "e5 now is not a move; write for example: premove Nf3"),
    ],
)
def test_what_is_no_move_is_refused_at_once(typed: str, why: str) -> None:
    assert told(waiting().typed(typed, 0.0)) == [f"error {why}"]


def test_one_that_comes_a_moment_too_late_is_made_at_once() -> None:
    effects = to_move().typed("premove e4", 0.0)
    assert sent(effects) == [BestMove("e2e4")]
    assert told(effects) == ["move e2e4 (e4)", "ok premove made e4"]


def test_one_that_comes_too_late_and_is_not_legal_leaves_the_turn_to_the_player() -> None:
    client = to_move()
    effects = client.typed("premove e5", 0.0)
    assert sent(effects) == []
    assert told(effects)[0].startswith("error your premove e5 is not possible: ")
    assert sent(client.typed("e4", 0.0)) == [BestMove("e2e4")]


def test_a_move_out_of_turn_is_no_premove_unless_one_says_so() -> None:
    client = waiting()
    assert told(client.typed("Nf3", 0.0)) == [
        "error it is not your turn; wait, or write: premove Nf3"
    ]
    assert turn(client, "e2e4", "e7e5")[1] == []


def test_it_is_forgotten_when_the_board_is_another_one() -> None:
    taken_back, lost, over = waiting(), waiting(), waiting()
    for client in (taken_back, lost, over):
        client.typed("premove d4", 0.0)
    lobby(taken_back, "game 42 takeback 1 ply 0")
    assert turn(taken_back) == (["your move"], [])
    lost.lost("cut", 1.0, 1.0)
    over.hear(Info(string="result 1-0 reason resignation"), 0.0)
    for client in (lost, over):
        assert client.state.game is not None
        assert client.state.game.premove == ""


def test_in_a_game_without_rules_here_it_is_sent_as_it_was_typed() -> None:
    client = playing("a1", game="unheard-of")
    assert told(client.typed("premove b7c9", 0.0)) == ["ok premove b7c9"]
    assert turn(client, "a1", "a2")[1] == [BestMove("b7c9")]

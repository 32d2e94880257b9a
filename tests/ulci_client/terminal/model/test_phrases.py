import re

import pytest

from ulci.rules import Reason, Side
from ulci_client.reconnect import with_hint_in_words
from ulci_client.terminal.model.phrases import (
    Result,
    joined,
    move_in_words,
    result_for,
    result_in_words,
)


@pytest.mark.parametrize(
    ("score", "reason", "words"),
    [
        ("1-0", "checkmate", "White wins by checkmate"),
        ("0-1", "time", "Black wins on time"),
        ("0-1", "resignation", "Black wins by resignation"),
        ("1-0", "disconnect", "White wins by abandonment"),
        ("0-1", "illegal-move", "Black wins as White made an illegal move"),
        ("1/2-1/2", "disconnect", "Draw by abandonment"),
        ("1/2-1/2", "agreement", "Draw by agreement"),
        ("*", "aborted", "No result as the game was aborted"),
        ("1-0", "new-reason", "White wins (new reason)"),
        ("1/2-1/2", "new-reason", "Draw (new reason)"),
        ("*", "new-reason", "No result (new reason)"),
    ],
)
def test_a_result_is_told_with_its_reason(score: str, reason: str, words: str) -> None:
    assert result_in_words(Result(score, reason)) == words


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_of_the_rules_makes_a_sentence(reason: Reason) -> None:
    for score in reason.scores:
        words = result_in_words(Result(score, reason.value))
        assert words.startswith(("White wins ", "Black wins ", "Draw ", "No result "))
        assert not re.search(r"[{}.]|  |is$", words)


def test_the_result_is_told_from_our_side() -> None:
    assert result_for(Result("1-0", "time"), Side.WHITE) == "You win."
    assert result_for(Result("1-0", "time"), Side.BLACK) == "You lose."
    assert result_for(Result("1/2-1/2", "agreement"), Side.BLACK) == ""
    assert result_for(Result("1-0", "time"), None) == ""


@pytest.mark.parametrize(
    ("san", "move", "words"),
    [
        ("e4", "e2e4", "pawn e2 to e4"),
        ("Nxf3+", "d4f3", "knight d4 takes f3, check"),
        ("Nbd2", "", "knight to d2"),
        ("exd8=Q#", "e7d8q", "pawn e7 takes d8, becomes a queen, checkmate"),
        ("O-O", "e1h1", "castles king side"),
        ("O-O-O+", "e1c1", "castles queen side, check"),
        ("j11k12", "j11k12", "j11k12"),
        ("b2", "b2", "b2"),
        ("N@f3+", "N@f3", "knight put on f3, check"),
        ("@e4", "P@e4", "pawn put on e4"),
        ("Zg10xe7+", "g10e7", "zebra g10 takes e7, check"),
        ("k12=A", "k11k12a", "pawn k11 to k12, becomes an archbishop"),
        ("Nxf3", "", "knight takes f3"),
        ("Nad5", "ab4ad5", "knight ab4 to ad5"),
        ("Naa2xac3", "aa2ac3", "knight aa2 takes ac3"),
        ("ad3", "ad2ad3", "pawn ad2 to ad3"),
    ],
)
def test_a_move_can_be_read_aloud(san: str, move: str, words: str) -> None:
    assert move_in_words(san, move) == words


def test_a_list_reads_as_a_sentence() -> None:
    assert joined([]) == ""
    assert joined(["a"]) == "a"
    assert joined(["a", "b", "c"]) == "a, b or c"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("you send too much; retry-after 60", "you send too much; try again in 60 s"),
        ("too much at once retry-after 3", "too much at once; try again in 3 s"),
        ("the table of retry-after 3 is full", "the table of retry-after 3 is full"),
        ("this server is full", "this server is full"),
    ],
)
def test_when_to_come_back_is_said_in_words(said: str, shown: str) -> None:
    assert with_hint_in_words(said) == shown

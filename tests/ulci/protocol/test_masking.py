"""No secret of a line is written anywhere."""

from time import thread_time

import pytest

from ulci.protocol.masking import masked


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("id token abc def", "id token (secret)"),
        ("  ID   Resume 0123", "  ID   Resume (secret)"),
        ("joho id token abc", "joho id token (secret)"),
        ("{'verb': 'id', 'token': 'abc'}", "{'verb': 'id', 'token': '(secret)"),
        (
            "lobby welcome name Ada account no resume 0123",
            "lobby welcome name Ada account no resume (secret)",
        ),
        (
            "lobby welcome name resume account no resume 0123",
            "lobby welcome name resume (secret) no resume (secret)",
        ),
        (
            "setoption name Token value abc value 4711",
            "setoption name Token value (secret)",
        ),
        (
            "setoption name Server Password value a b",
            "setoption name Server Password value (secret)",
        ),
        ("register name Ada code 4711 x", "register name Ada code (secret)"),
        ("redis://ulci:abc@host/1", "redis://ulci:***@host/1"),
        ("a@b redis://ulci:a@b:c@host/1 @", "a@b redis://ulci:***@host/1 @"),
    ],
)
def test_a_secret_is_hidden(line: str, shown: str) -> None:
    if line.startswith("{"):
        assert "abc" not in masked(line)
    else:
        assert masked(line) == shown


@pytest.mark.parametrize(
    "line",
    [
        "position startpos moves e2e4",
        "lobby game 17 resumed downtime 20",
        "lobby say Ada the token resume is no secret",
        "setoption name Hash value 16",
        "info string http://example.org/",
    ],
)
def test_what_is_no_secret_stands(line: str) -> None:
    assert masked(line) == line


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("id token abc " + "x" * 90, "id token (secret) … (91 more characters)"),
        ("say hello tcp://ada:secret@" + "x" * 73, "say hello … (91 more characters)"),
        ("tcp://ada:secret" + "x" * 84, " … (100 more characters)"),
        ("say a token " + "x" * 10, "say a token " + "x" * 10),
        ("position startpos moves " + "e2e4 " * 50, "position startpos moves " + "e2e4 " * 50),
    ],
)
def test_a_long_line_that_may_hold_secrets_is_cut_between_its_words(line: str, kept: str) -> None:
    assert masked(line, 24) == kept


SLOW = 0.5
"""Seconds of computing; with the interpreter held, nobody else has any meanwhile."""


@pytest.mark.parametrize(
    "words",
    [
        "id ",
        "lobby welcome ",
        "lobby welcome resume ",
        "setoption name ",
        "setoption name token ",
        "register ",
        "://:",
        "://:@ ",
    ],
)
def test_no_line_of_a_stranger_takes_long(words: str) -> None:
    line = words * (128_000 // len(words)) + " token"
    began = thread_time()
    masked(line)
    assert thread_time() - began < SLOW

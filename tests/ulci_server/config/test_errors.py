import pytest

from ulci_server.config import ConfigError, Fault, without_password
from ulci_server.config.errors import nearest, toml, toml_path


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (("pool", 1, "time"), "pool[1].time"),
        (("pool", 0, "starts", 2), "pool[0].starts[2]"),
        (("pool", 0, "starts_file", "line 3"), "pool[0].starts_file line 3"),
        ((), ""),
    ],
)
def test_places_are_spelled_as_toml_does(place: tuple[str | int, ...], path: str) -> None:
    assert toml_path(place) == path


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (3, "3"),
        (0.5, "0.5"),
        ("a", '"a"'),
        ("\x1b[2J", '"\\x1b[2J"'),
        ("x" * 70, f'"{"x" * 60}…"'),
        ([1], "a list"),
        ({}, "a table"),
    ],
)
def test_values_are_shown_as_toml_has_them(value: object, text: str) -> None:
    assert toml(value) == text


def test_the_nearest_word_is_proposed_else_all_there_are() -> None:
    assert nearest("handshak", ["handshake", "rest"]) == "did you mean handshake?"
    assert nearest("x", ["rest", "handshake"]) == "there are: handshake, rest"


def test_passwords_are_left_out() -> None:
    text = "bad: postgresql://me:p@ss:word@host/db or 'x://:y@z'"
    assert without_password(text) == "bad: postgresql://me:***@host/db or 'x://:***@z'"


def test_an_error_tells_all_faults_a_line_each() -> None:
    error = ConfigError("server.toml", [Fault("game.ready", "is late"), Fault("", "is odd")])
    assert str(error) == "server.toml has 2 faults:\n  game.ready: is late\n  is odd"
    assert str(ConfigError("it", [Fault("x", "y")])) == "it has 1 fault:\n  x: y"

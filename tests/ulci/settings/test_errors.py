import pytest

from ulci.settings import ConfigError, Fault, nearest, toml, toml_path, without_password


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
    assert str(error) == "server.toml has 2 errors:\n  game.ready: is late\n  is odd"
    assert str(ConfigError("it", [Fault("x", "y")])) == "it has 1 error:\n  x: y"
    error = ConfigError("it", [Fault("b", "y", 2), Fault("a", "x", 1)])
    assert str(error) == "it has 2 errors:\n  line 1: a: x\n  line 2: b: y"


def test_a_fault_has_the_line_of_its_setting_or_of_the_table_that_lacks_it() -> None:
    lines = {("pool",): 3, ("pool", 1): 7, ("pool", 1, "time"): 9}
    assert Fault.at(("pool", 1, "time"), "x", lines).line == 9
    assert Fault.at(("pool", 1, "game"), "x", lines).line == 7
    assert Fault.at(("pool", 5), "x", lines).line == 3
    assert str(Fault.at(("port",), "x", lines)) == "port: x"

"""Lines for scripts on standard output, and the one for people on standard error."""

import sys

import pytest

from ulci_server.cli.match.screen import ERASE, Screen


def on_terminal(monkeypatch: pytest.MonkeyPatch, *, shows: bool = True) -> Screen:
    """A screen where standard error is a terminal."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    return Screen(shows=shows)


def test_without_a_terminal_only_lines_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen()
    screen.show("1 of 2 games")
    screen.say("Started game 2 of 2 (B vs A)")
    assert capsys.readouterr() == ("Started game 2 of 2 (B vs A)\n", "")


def test_the_last_line_of_a_terminal_makes_room_for_others_and_comes_back(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    screen = on_terminal(monkeypatch)
    screen.show("1 of 2 games")
    assert capsys.readouterr() == ("", f"{ERASE}1 of 2 games")
    screen.say("Started game 2 of 2 (B vs A)")
    assert capsys.readouterr() == (
        "Started game 2 of 2 (B vs A)\n",
        f"{ERASE}{ERASE}1 of 2 games",
    )
    screen.show("")
    assert capsys.readouterr() == ("", ERASE)
    screen.say("Finished match")
    assert capsys.readouterr() == ("Finished match\n", ERASE * 2)


def test_a_test_environment_has_no_last_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    screen = on_terminal(monkeypatch, shows=False)
    screen.show("1 of 2 games")
    screen.say("Finished match")
    assert capsys.readouterr() == ("Finished match\n", "")

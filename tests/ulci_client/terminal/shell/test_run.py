"""Which shell suits, and how the program ends."""

import asyncio
import io
import os
import sys
from typing import NoReturn

import pytest

from ulci.net import Address, RemoteServer
from ulci.protocol.messages import Terms
from ulci_client.server_list import ServerList
from ulci_client.terminal.model.state import Exit, Leave
from ulci_client.terminal.shell import full_screen, run
from ulci_client.terminal.shell.client import Client
from ulci_client.terminal.shell.plain import Plain
from ulci_client.terminal.shell.run import INTERRUPTED, PlaySettings, run_play
from ulci_client.terminal.view.theme import ASCII, COLOR, Theme


class Stream(io.TextIOWrapper):
    """Standard input or output of a process; `isatty` as told."""

    def __init__(self, *, terminal: bool, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding)
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def fileno(self) -> int:
        return 0


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)


def sit_at(
    monkeypatch: pytest.MonkeyPatch,
    *,
    keyboard: bool = True,
    screen: bool = True,
    encoding: str = "utf-8",
) -> None:
    """Called by the test itself: between fixtures and test, pytest puts its own streams there."""
    monkeypatch.setattr(sys, "stdin", Stream(terminal=keyboard))
    monkeypatch.setattr(sys, "stdout", Stream(terminal=screen, encoding=encoding))


class FakeScreen:
    """Takes what the full screen takes, and is left at once."""

    made: list["FakeScreen"]

    def __init__(self, client: Client, servers: ServerList, theme: Theme) -> None:
        self.client, self.theme = client, theme
        self.made.append(self)

    async def run(self) -> Leave:
        await asyncio.sleep(0)
        return Leave(Exit.DONE)


@pytest.fixture
def screens(monkeypatch: pytest.MonkeyPatch) -> list[FakeScreen]:
    made: list[FakeScreen] = []
    monkeypatch.setattr(FakeScreen, "made", made, raising=False)
    monkeypatch.setattr(full_screen, "FullScreen", FakeScreen)
    return made


@pytest.fixture
def plains(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """What plain mode was asked for, instead of doing it."""
    made: list[dict[str, object]] = []

    class FakePlain(Plain):
        def __init__(
            self, client: Client, servers: ServerList, *_: object, **options: bool
        ) -> None:
            made.append({"shows_lists": client.state.shows_lists, **options})

        async def run(self) -> Leave:
            return Leave(Exit.MID_GAME)

    monkeypatch.setattr(run, "Plain", FakePlain)
    return made


def settings(*, plain: bool = False, ascii: bool = False) -> PlaySettings:  # noqa: A002
    server = RemoteServer(Address.parse("tcp://127.0.0.1:1"), token="t0ken")
    return PlaySettings((server,), "Ada", Terms(time="60+0"), plain=plain, ascii=ascii)


def test_at_a_terminal_there_is_a_screen(
    screens: list[FakeScreen], monkeypatch: pytest.MonkeyPatch
) -> None:
    sit_at(monkeypatch)
    assert run_play(settings()) == Exit.DONE
    [screen] = screens
    assert screen.theme is COLOR
    state = screen.client.state
    assert (state.name, state.token, state.wanted) == ("Ada", "t0ken", Terms(time="60+0"))
    assert state.program.startswith("ulci-play ")
    assert state.shows_lists


def test_ascii_is_for_who_wants_it_and_for_terminals_without_more(
    screens: list[FakeScreen], monkeypatch: pytest.MonkeyPatch
) -> None:
    sit_at(monkeypatch)
    run_play(settings(ascii=True))
    sit_at(monkeypatch, encoding="latin-1")
    run_play(settings())
    assert [screen.theme for screen in screens] == [ASCII, ASCII]


def test_plain_is_for_who_wants_it_and_for_pipes(
    plains: list[dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    sit_at(monkeypatch)
    assert run_play(settings(plain=True, ascii=True)) == Exit.MID_GAME
    sit_at(monkeypatch, keyboard=False)
    run_play(settings())
    sit_at(monkeypatch, screen=False)
    run_play(settings())
    assert plains == [
        {"shows_lists": False, "hold": False, "spoken": True},
        {"shows_lists": False, "hold": True, "spoken": False},
        {"shows_lists": False, "hold": False, "spoken": False},
    ]


@pytest.mark.parametrize("kind", ["dumb", "unknown", "", None])
def test_a_terminal_that_cannot_move_its_cursor_gets_lines(
    plains: list[dict[str, object]], monkeypatch: pytest.MonkeyPatch, kind: str | None
) -> None:
    if kind is None:
        monkeypatch.delenv("TERM")
    else:
        monkeypatch.setenv("TERM", kind)
    sit_at(monkeypatch)
    assert run_play(settings()) == Exit.MID_GAME
    assert plains == [{"shows_lists": False, "hold": False, "spoken": False}]


def test_the_error_is_printed_last(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sit_at(monkeypatch)
    assert run_play(settings(plain=True)) == Exit.NO_SERVER
    assert "cannot reach tcp://127.0.0.1:1" in capsys.readouterr().err


def test_ctrl_c_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: PlaySettings) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "_plain", interrupted)
    assert run_play(settings(plain=True)) == INTERRUPTED


def test_what_the_terminal_cannot_show_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Stream(terminal=False, encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    run._Writer()("say Bob ♞!")
    assert stream.buffer.getvalue() == b"say Bob ?!\n"  # type: ignore[attr-defined]


def test_a_closed_pipe_ends_the_program_without_an_error_at_exit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        with pytest.raises(BrokenPipeError):
            run._Writer()("nobody hears")
        stream.write("nor this, and it is no error")

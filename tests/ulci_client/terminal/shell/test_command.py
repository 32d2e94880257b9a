"""The command line: what becomes of it, and how its faults are told."""

import getpass
from typing import NoReturn

import pytest
from click.testing import CliRunner, Result

from ulci.net import DEFAULT_SERVER, TOKEN_VARIABLE
from ulci.protocol.messages import Terms
from ulci_client.terminal.model.state import Exit
from ulci_client.terminal.shell.command import command
from ulci_client.terminal.shell.run import PlaySettings


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[PlaySettings]:
    """The settings that a command line came to, instead of a game."""
    made: list[PlaySettings] = []

    def take(settings: PlaySettings) -> int:
        made.append(settings)
        return Exit.MID_GAME

    monkeypatch.setattr("ulci_client.terminal.shell.command.run_play", take)
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    return made


def run(*argv: str) -> Result:
    return CliRunner().invoke(command, argv, prog_name="ulci play")


def settings(asked: list[PlaySettings], *argv: str) -> PlaySettings:
    done = run(*argv)
    assert done.exit_code == Exit.MID_GAME, done.output
    return asked.pop()


def test_without_options_we_look_round_on_this_machine(
    asked: list[PlaySettings], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "ada")
    found = settings(asked)
    assert str(found.servers[0].address) == DEFAULT_SERVER
    assert (found.name, found.servers[0].token, found.terms) == ("ada", "", None)
    assert (found.plain, found.ascii) == (False, False)


def test_a_user_without_a_login_name_is_called_guest(
    asked: list[PlaySettings], monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody() -> NoReturn:
        raise KeyError("uid not found: 1000")

    monkeypatch.setattr(getpass, "getuser", nobody)
    assert settings(asked).name == "guest"


def test_what_is_said_of_a_game_is_sought(asked: list[PlaySettings]) -> None:
    found = settings(
        asked, "--game", "chess", "--time", "300+3", "--color", "black", "--against", "human"
    )
    assert found.terms == Terms(game="chess", time="300+3", color="black", against="human")
    fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    assert settings(asked, "--start", fen).terms == Terms(start=fen)
    assert settings(asked, "--level", "3").terms == Terms(level=3)


def test_a_name_is_one_line_of_printable_characters(asked: list[PlaySettings]) -> None:
    assert settings(asked, "--name", "  Ada \n Lovelace\x1b ").name == "Ada Lovelace�"


def test_how_it_is_to_look(asked: list[PlaySettings]) -> None:
    found = settings(asked, "--plain", "--ascii")
    assert (found.plain, found.ascii) == (True, True)


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (("--server", "chess.example"), "try tcp://chess.example"),
        (("--name", " "), "a name needs at least one character"),
        (("--time", "15 10"), "write 15m+10s for 15 minutes and 10 seconds a move, not 15 10"),
        (("--time", "10"), "10 may mean minutes or seconds: write 10m or 10s"),
        (("--game", ""), "--game is one word, not ''"),
        (("--start", "xyz"), "invalid start position: the FEN has 1 field"),
        (("--color", "green"), "'green' is not one of 'white', 'black', 'random'"),
        (("--cafile", "ca.pem"), "--cafile is for tls:// and wss://"),
        (("--server", "tls://x", "--cafile", "/nowhere/ca.pem"), "cannot read /nowhere/ca.pem"),
        (("--token-file", "/nowhere/token"), "cannot read /nowhere/token"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(
    asked: list[PlaySettings], argv: tuple[str, ...], why: str
) -> None:
    done = run(*argv)
    assert done.exit_code == 2
    assert why in " ".join(done.output.split())
    assert asked == []


def test_help_says_what_to_type_and_how_it_ends() -> None:
    told = " ".join(run("--help").output.split())
    assert "In a game type moves as e4, Nf3, e2e4, O-O or e8=Q" in told
    assert "Exit codes: 0 left between games" in told


def test_help_says_that_a_pool_may_be_asked_for() -> None:
    assert "a game, or the name of one of the server's pools" in " ".join(
        run("--help").output.split()
    )

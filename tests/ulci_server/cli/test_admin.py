"""``ulci-server admin``: what it says to a server, and what it makes of the answer."""

from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from tests.support.lobby import as_it_is
from tests.support.wires import serving
from ulci.net import Address, Peer, RemoteServer
from ulci.protocol import ULCI
from ulci.protocol.messages import (
    Blame,
    Hello,
    HelloOk,
    Id,
    IsReady,
    Message,
    Quit,
    ReadyOk,
    Report,
)
from ulci_server.cli.admin import ask
from ulci_server.cli.errors import Failure

HANG = 60


@asynccontextmanager
async def fake_server(*answers: Message):
    """Greets, and answers the first word behind the introduction; yields what it hears."""
    heard: list[object] = []
    async with serving("tcp://127.0.0.1:0") as (address, met), trio.open_nursery() as nursery:

        async def answer() -> None:
            peer: Peer = await met.receive()
            peer.connection.dialect = ULCI.with_lobby()
            peer.put(Hello())
            while (said := await peer.receive()) is not None:
                heard.append(said.message)
                match said.message:
                    case Id() | ReadyOk():
                        pass
                    case HelloOk():
                        peer.put(as_it_is("welcome name admin"), IsReady())
                    case Quit():
                        return
                    case _:
                        peer.put(*answers)

        nursery.start_soon(answer)
        with trio.fail_after(HANG):
            server = RemoteServer(Address.parse(f"tcp://127.0.0.1:{address.port}"), token="s3cret")
            yield server, heard
        nursery.cancel_scope.cancel()


LISTED = (
    as_it_is("note somebody came"),
    as_it_is("admin games 1"),
    as_it_is("admin game 42 white Ada"),
    as_it_is("admin done"),
)


async def test_it_introduces_itself_and_shows_the_answer_to_its_end() -> None:
    async with fake_server(*LISTED) as (server, heard):
        assert await ask(server, "root", ["games"]) == ["games 1", "game 42 white Ada"]
    said = [Id("username", "root"), Id("feature", "lobby admin"), Id("token", "s3cret")]
    assert heard[:3] == said


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (as_it_is("error no-game there is no game 7"), "there is no game 7"),
        (Report(Blame.CLIENT, "this token is not known"), "this token is not known"),
        (Quit(), "hung up without an answer"),
    ],
)
async def test_a_refusal_is_a_failure_in_the_servers_words(answer: Message, why: str) -> None:
    async with fake_server(answer) as (server, _):
        with pytest.raises(Failure, match=why):
            await ask(server, "root", ["abort", "7", "x"])


def test_wrong_words_are_refused_before_anybody_is_called(shell) -> None:
    assert shell.refused("admin", "abort", "x", "why", code=2) == (
        '"x" is not the number of a game; use: admin abort GAME WHY'
    )
    assert "the commands are: status games who" in shell.refused("admin", "fire", code=2)


def test_without_a_token_nobody_is_called(shell, tmp_path: Path) -> None:
    assert "an admin needs a token" in shell.refused("admin", "games", code=2)
    path = tmp_path / "token"
    path.write_text("two words")
    path.chmod(0o644)
    assert "chmod 600" in shell.refused("admin", "--token-file", str(path), "games", code=2)
    path.chmod(0o600)
    assert "nothing else" in shell.refused("admin", "--token-file", str(path), "games", code=2)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--server", "tcp://example.org"), "could read an admin's token; use tls://"),
        (("--server", "tcp://127.0.0.1", "--insecure"), "--insecure is for tls:// and wss://"),
        (("--server", "tls://h", "--insecure", "--cafile", "x"), "exclude each other"),
        (("--server", "tls://h", "--cafile", "/none"), "cannot read /none: No such file"),
        (("--server", "http://h"), "begins with http://"),
    ],
)
def test_options_that_do_not_fit_are_refused(shell, options: tuple[str, ...], why: str) -> None:
    result = shell.run("admin", *options, "games", ULCI_TOKEN="t")
    assert result.exit_code == 2
    assert why in result.stderr


def test_a_server_that_is_not_there_is_told(shell) -> None:
    result = shell.run("admin", "--server", "tcp://127.0.0.1:1", "games", ULCI_TOKEN="t")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: cannot reach tcp://127.0.0.1:1")


def test_the_help_names_every_word(shell) -> None:
    text = shell.run("admin", "--help").output
    assert "givetime GAME white|black SECONDS WHY" in text
    assert "--token-file" in text

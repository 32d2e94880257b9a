"""The whole server writes down what is said on real sockets."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients import Client
from tests.support.hosting import config, connection, hosting
from ulci.net import TEXT, Address, dial
from ulci.protocol.messages import Resign, Seek, Terms
from ulci.wire_log import WireLogError, conversation
from ulci_server.app import Shutdown, run_server
from ulci_server.app.wire_log import open_wire_log
from ulci_server.storage import StorageError

pytestmark = pytest.mark.system

LISTEN = [{"address": "tcp://127.0.0.1:0"}, {"address": "ws://127.0.0.1:0"}]
"""The clients of the second speak msgpack."""


def lines(path: Path, **asked: Any) -> list[str]:
    return [
        f"{who} {entry.event} {entry.text or entry.game}"
        for who, entry in conversation(path, **asked)
    ]


async def play(addresses: list[Address]) -> list[str]:
    """A game between two listeners; returns the secrets that were told."""
    async with dial(addresses[0], connection) as one, dial(addresses[1], connection) as other:
        ada, bob = Client(one), Client(other)
        secrets = [await ada.introduce_person("Ada"), await bob.introduce_person("Bob")]
        ada.say(Seek(Terms(color="white")))
        bob.say(Seek(Terms(color="black")))
        for client in (ada, bob):
            await client.get_ready()
        await ada.move("e2e4")
        await bob.move("e7e5")
        await ada.be_asked()
        ada.say(Resign())
        for client in (ada, bob):
            await client.hear_line("game 1 over")
            await client.get_ready()
    return secrets


async def test_a_game_stands_in_it_by_text_and_by_msgpack_without_secrets(tmp_path: Path) -> None:
    path = tmp_path / "wire.log"
    async with hosting(config(listen=LISTEN, wire_log={"file": str(path)})) as hosted:
        secrets = await play(hosted.addresses)
    told = lines(path, game=1)
    assert told[:2] == ["Ada game white", "Bob game black"]
    course = [
        "Ada said position startpos",
        "Ada heard bestmove e2e4",
        "Bob said position startpos moves e2e4",
        "Bob heard bestmove e7e5",
        "Ada said position startpos moves e2e4 e7e5",
        "Ada heard resign",
    ]
    assert [*dict.fromkeys(line for line in told if line in course)] == course
    assert told[-2:] == ["Ada over 1", "Bob over 1"]
    assert not any(secret in path.read_text() for secret in secrets)
    assert "Bob said lobby welcome name Bob account no resume (secret)" in lines(path)
    assert "Bob closed closed by the other side" in lines(path, client="Bob")
    assert path.stat().st_mode & 0o777 == 0o600


async def test_what_a_page_says_in_text_frames_stands_in_it(tmp_path: Path) -> None:
    path = tmp_path / "wire.log"
    async with (
        hosting(config(listen=LISTEN, wire_log={"file": str(path)})) as hosted,
        dial(hosted.addresses[1], connection, subprotocols=(TEXT,)) as peer,
    ):
        await Client(peer).introduce_person("Ada")
    told = lines(path, client="Ada")
    assert told.index("#1 said uci") < told.index("#1 heard id username Ada")
    assert "Ada said lobby welcome name Ada account no resume (secret)" in told


def test_it_is_bounded_as_the_configuration_says(tmp_path: Path) -> None:
    path = tmp_path / "wire.log"
    with ExitStack() as closing:
        settings = {"file": str(path), "size": 1, "files": 2}
        log = open_wire_log(config(wire_log=settings), closing)
        assert log is not None
        note = log.open("a client")
        for _ in range(300):
            note("heard", "x" * 10_000)
    assert {each.name for each in tmp_path.iterdir()} == {"wire.log", "wire.log.1"}
    assert all(each.stat().st_size <= 1_000_000 for each in tmp_path.iterdir())


async def test_a_server_that_cannot_write_it_does_not_start(tmp_path: Path) -> None:
    settings = {"file": str(tmp_path / "missing" / "wire.log")}
    with pytest.raises(WireLogError, match="No such file or directory"):
        await run_server(config(wire_log=settings), Shutdown())


async def test_a_second_server_of_its_database_does_not_touch_it(tmp_path: Path) -> None:
    path = tmp_path / "wire.log"
    database = {"url": f"sqlite:///{tmp_path}/games.db"}
    async with hosting(config(database=database)):
        with pytest.raises(StorageError):
            await run_server(config(database=database, wire_log={"file": str(path)}), Shutdown())
    assert not path.exists()


async def test_each_server_of_a_cluster_has_one_of_its_own(tmp_path: Path) -> None:
    settings = {"file": str(tmp_path / "wire-{name}.log")}
    async with hosting(config(cluster={"name": "north"}, wire_log=settings)):
        pass
    assert lines(tmp_path / "wire-north.log") == [" started ulci-server north"]

"""What a server reads again when it is asked, and that it goes on."""

import os
import signal
import ssl
import sys
from functools import partial
from pathlib import Path

import pytest
import trio
import trustme
from structlog.testing import capture_logs

from tests.support.hosting import config, hosting
from tests.support.servers import PATIENCE, Server, serving, until
from ulci_server.app import Reload
from ulci_server.config import load


@pytest.fixture
def hang_up():
    """What a hang-up does to this process is put back."""
    before = signal.getsignal(signal.SIGHUP)
    yield
    signal.signal(signal.SIGHUP, before)


async def test_a_hang_up_asks_as_often_as_it_comes_and_ends_nothing(hang_up) -> None:
    asked = trio.Semaphore(0)
    reload = Reload()
    reload.certificates.append(asked.release)
    async with trio.open_nursery() as nursery:
        await nursery.start(reload.ask_at_signals)
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGHUP)
            await asked.acquire()
        nursery.cancel_scope.cancel()


async def test_a_hang_up_that_is_to_be_ignored_is_ignored(hang_up) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    reload = Reload()
    async with trio.open_nursery() as nursery:
        await nursery.start(reload.ask_at_signals)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


@pytest.mark.system
async def test_a_listener_shows_its_new_certificate_at_once_when_asked(tmp_path) -> None:
    authority = trustme.CA()
    pem = tmp_path / "both.pem"

    def issue() -> str:
        made = authority.issue_cert("localhost")
        made.private_key_and_cert_chain_pem.write_to_path(pem)
        return made.cert_chain_pems[0].bytes().decode().strip()

    first = issue()
    listen = [{"address": "tls://127.0.0.1:0", "certificate": str(pem)}]
    async with hosting(config(listen=listen)) as hosted:
        [address] = hosted.addresses

        async def shown() -> str:
            where = address.host, address.port
            return (await trio.to_thread.run_sync(ssl.get_server_certificate, where)).strip()

        assert await shown() == first
        second = issue()
        with capture_logs() as logs:
            hosted.reload.ask()
        assert [entry["event"] for entry in logs] == ["asked to reload", "certificate"]
        assert await shown() == second != first


@pytest.mark.system
@pytest.mark.parametrize("prefix", [(), ("nohup",)], ids=["daemon", "nohup"])
async def test_a_server_goes_on_after_a_hang_up(tmp_path, prefix) -> None:
    argv = (*prefix, sys.executable, "-m", "ulci_server.cli", "serve")
    server = Server(tmp_path, "--listen", "tcp://127.0.0.1:0", program=argv)
    server.start()
    try:
        server.process.send_signal(signal.SIGHUP)
        if not prefix:
            await until(lambda: "asked to reload" in server.log.read_text(), "it has said so")
        stream = await trio.open_tcp_stream("127.0.0.1", server.port())
        with trio.fail_after(PATIENCE):
            assert (await stream.receive_some()).startswith(b"uci\n")
        await stream.aclose()
    finally:
        assert server.stop() == 0


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


async def test_what_can_be_applied_is_and_the_log_names_the_rest(tmp_path: Path) -> None:
    file = written(tmp_path / "server.toml", "")
    reload = Reload(load(file), partial(load, file))
    levels: list[str] = []
    reload.appliers["log.level"] = lambda config: levels.append(config.log.level)
    written(file, '[log]\nlevel = "debug"\n[shutdown]\ngrace = 5.0\n')
    for changed in (["log.level"], []):
        with capture_logs() as logs:
            await reload.read_settings()
        assert logs == [
            {
                "event": "settings reloaded",
                "log_level": "info",
                "changed": changed,
                "at_a_restart": ["shutdown.grace"],
            }
        ]
    assert levels == ["debug"]


async def test_a_configuration_with_an_error_changes_nothing(tmp_path: Path) -> None:
    file = written(tmp_path / "server.toml", "")
    reload = Reload(load(file), partial(load, file))
    reload.appliers["log.level"] = lambda _: pytest.fail("it is applied")
    written(file, '[log]\nlevel = "debug"\n[shutdown]\ngraec = 5.0\n')
    with capture_logs() as logs:
        await reload.read_settings()
    [entry] = logs
    assert entry["event"] == "settings not reloaded"
    assert "graec" in entry["why"]


@pytest.mark.system
async def test_a_running_server_applies_its_file_when_asked(tmp_path: Path) -> None:
    limits = '[[listen]]\naddress = "tcp://127.0.0.1:0"\n[limits]\nexempt = []\n'
    file = written(tmp_path / "server.toml", limits)
    with serving(tmp_path, "--config", str(file)) as server:

        async def answer_to_a_second() -> str:
            """What the second connection of one address hears first."""
            where = "127.0.0.1", server.port()
            async with await trio.open_tcp_stream(*where), await trio.open_tcp_stream(*where) as it:
                with trio.fail_after(PATIENCE):
                    return (await it.receive_some()).decode()

        assert await answer_to_a_second() == "uci\n"
        limits += 'address_connections = 1\nline = 4096\n[log]\nlevel = "debug"\n'
        written(file, limits)
        server.process.send_signal(signal.SIGHUP)
        await until(lambda: "settings reloaded" in server.log.read_text(), "it has said so")
        [line] = [each for each in server.log.read_text().splitlines() if "s reloaded" in each]
        assert "changed=['limits.address_connections', 'log.level']" in line
        assert "at_a_restart=['limits.line']" in line
        assert "your address already has 1 connection" in await answer_to_a_second()

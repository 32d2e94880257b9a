"""What a server reads again when it is asked, and that it goes on."""

import os
import signal
import ssl
import sys

import pytest
import trio
import trustme
from structlog.testing import capture_logs

from tests.support.hosting import config, hosting
from tests.support.servers import PATIENCE, Server, until
from ulci_server.app import Reload


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

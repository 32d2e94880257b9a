"""Redis for tests: the one that is named by the environment, and servers of a test's own."""

import os
import signal
import socket
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import hiredis
import pytest
import trustme

from tests.support.ports import free_port
from tests.support.servers import PATIENCE, program

REDIS = "ULCI_TEST_REDIS_URL"
"""Names a Redis server in which the tests may publish to channels of their own."""

RETRIES = 5
"""How often another program may take the port between our looking and Redis's listening."""


@pytest.fixture
def redis_url() -> str:
    url = os.environ.get(REDIS)
    if not url:
        pytest.skip(f"{REDIS} is not set, e.g. to redis://127.0.0.1:6379/0")
    return url


class RedisServer:
    """``redis-server`` on a port of its own, without a disk."""

    def __init__(self, folder: Path, *options: str, tls: bool = False) -> None:
        self.program = program("redis-server")
        self.folder = folder
        self.options = options
        self.port = 0
        self._tls = self._certificate() if tls else None
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        """For plain text, or for TLS with the test's own authority."""
        if self._tls:
            return f"rediss://localhost:{self.port}?ssl_ca_certs={self.folder}/ca.pem"
        return f"redis://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Return when it listens: at its last port, if it had one."""
        for _ in range(RETRIES):
            port = self.port or free_port()
            where = ["--port", "0", "--tls-port", str(port)] if self._tls else ["--port", str(port)]
            said = self._started([*where, *(self._tls or ())])
            if not said:
                self.port = port
                return
            if "already in use" not in said:
                break
        raise AssertionError(f"redis-server did not start: {said}")

    def kill(self) -> None:
        """As a power cut would."""
        self.signal(signal.SIGKILL)
        assert self._process is not None
        self._process.communicate(timeout=PATIENCE)

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def stop(self) -> None:
        """At the end of a test, whatever state it is in."""
        if self._process is not None and self._process.poll() is None:
            self.kill()

    def ask(self, *command: bytes | str) -> object:
        """The answer to one command, over a connection without TLS and password."""
        return ask_redis("127.0.0.1", self.port, *command)

    def _started(self, where: Sequence[str]) -> str:
        """What it said if it ended; nothing if it listens."""
        self._process = subprocess.Popen(
            [self.program, *where, "--bind", "127.0.0.1", "--save", "", *self.options],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        said = []
        for line in self._process.stdout:
            said.append(line)
            if "eady to accept connections" in line:
                return ""
        self._process.communicate(timeout=PATIENCE)
        return "".join(said)

    def _certificate(self) -> list[str]:
        authority = trustme.CA()
        certificate = authority.issue_cert("localhost")
        authority.cert_pem.write_to_path(self.folder / "ca.pem")
        certificate.cert_chain_pems[0].write_to_path(self.folder / "cert.pem")
        certificate.private_key_pem.write_to_path(self.folder / "key.pem")
        options = {"cert-file": "cert", "key-file": "key", "ca-cert-file": "ca"}
        files = [(f"--tls-{option}", f"{name}.pem") for option, name in options.items()]
        return [*(word for pair in files for word in pair), "--tls-auth-clients", "no"]


def ask_redis(host: str, port: int, *command: bytes | str) -> object:
    """The answer to one command."""
    reader = hiredis.Reader()
    with socket.create_connection((host, port), PATIENCE) as sock:
        sock.sendall(hiredis.pack_command(command))  # type: ignore[arg-type]
        while (answer := reader.gets()) is False:
            data = sock.recv(4096)
            assert data, "Redis closed the connection"
            reader.feed(data)
    return answer


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[RedisServer]:
    """Of the test's own: it may be killed."""
    server = RedisServer(tmp_path)
    server.start()
    yield server
    server.stop()

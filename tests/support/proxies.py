"""The reverse proxies of deploy/ as processes without privileges, and a server of ours to stand
behind one that shows what reached it."""

import getpass
import os
import re
import socket
import ssl
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import h11
import trio
import trustme

from tests.support.servers import PATIENCE, program

DEPLOY = Path(__file__).parents[2] / "deploy"
NGINX = DEPLOY / "nginx.conf"
CADDY = DEPLOY / "Caddyfile"

UPSTREAM = "127.0.0.1:25566"
"""Where both files expect the server."""

NGINX_AROUND = """
daemon off;
user {user};
worker_processes 1;
pid {folder}/nginx.pid;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    scgi_temp_path {folder}/scgi;
    uwsgi_temp_path {folder}/uwsgi;
    include {folder}/ulci.conf;
}}
"""
"""What Debian's nginx.conf has around a file in conf.d, with folders of the test's. Its worker
stays who we are, to reach them. (Without a master process nginx 1.22 crashes on sockets that it is
given.)"""

CADDY_AROUND = """
{{
	admin off
	auto_https off
}}
import {caddyfile}
"""

RETRIES = 5
"""Caddy cannot be given a socket, and a free port may be taken by the time that it starts."""


class Proxy:
    """A running proxy on this machine. `tls` trusts its certificate; None: it speaks plainly."""

    def __init__(self, port: int, plain_port: int, tls: ssl.SSLContext | None) -> None:
        self.port = port
        self.plain_port = plain_port
        self.tls = tls

    def url(self, path: str) -> str:
        return f"{'ws' if self.tls is None else 'wss'}://localhost:{self.port}{path}"

    async def connect(self, source: str = "127.0.0.1") -> trio.abc.Stream:
        """A connection from that address of this machine."""
        stream = await trio.open_tcp_stream("127.0.0.1", self.port, local_address=source)
        if self.tls is None:
            return stream
        encrypted = trio.SSLStream(stream, self.tls, server_hostname="localhost")
        await encrypted.do_handshake()
        return encrypted


class Reading:
    """The answer to one request: its head first, then its body piece by piece."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self._http = h11.Connection(h11.CLIENT)
        self.status = 0
        self.headers: dict[str, str] = {}

    async def ask(self, path: str, *headers: tuple[str, str]) -> "Reading":
        """Send a GET request and read the head of its answer."""
        host = [] if any(name == "Host" for name, _ in headers) else [("Host", "localhost")]
        all_headers = [*host, *headers]
        request = h11.Request(method="GET", target=path, headers=all_headers)
        for event in (request, h11.EndOfMessage()):
            await self._stream.send_all(self._http.send(event) or b"")
        head = await self._event()
        assert isinstance(head, h11.Response | h11.InformationalResponse), head
        self.status = head.status_code
        self.headers = {name.decode(): value.decode() for name, value in head.headers}
        return self

    async def piece(self) -> bytes:
        """The next piece of the body; empty at its end."""
        event = await self._event()
        return bytes(event.data) if isinstance(event, h11.Data) else b""

    async def text(self) -> str:
        body = b""
        while piece := await self.piece():
            body += piece
        return body.decode()

    async def _event(self) -> object:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            self._http.receive_data(await self._stream.receive_some())
        return event


class Upstream:
    """A server that notes the head of each request and lets the test answer it."""

    def __init__(self, answer: Callable[["Upstream", trio.SocketStream], Awaitable[None]]) -> None:
        self.heads: list[tuple[str, dict[str, str]]] = []
        self._answer = answer
        self.port = 0

    async def run(self, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED) -> None:
        [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.port = listener.socket.getsockname()[1]
        task_status.started(self.port)
        await trio.serve_listeners(self._serve, [listener])

    async def _serve(self, stream: trio.SocketStream) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            if not (data := await stream.receive_some()):
                return
            head += data
        first, *rest = head.partition(b"\r\n\r\n")[0].decode().split("\r\n")
        headers = {}
        for line in rest:
            name, _, value = line.partition(":")
            assert name.lower() not in headers, f"{name} twice"
            headers[name.lower()] = value.strip()
        self.heads.append((first.split()[1], headers))
        await self._answer(self, stream)
        await stream.aclose()


def _listening() -> socket.socket:
    sock = socket.create_server(("127.0.0.1", 0))
    sock.setblocking(False)
    return sock


def nginx_site(folder: Path, upstream: int, secure: int, plain: int) -> Path:
    """deploy/nginx.conf with other ports, a certificate of the test's and the name localhost, in a
    folder with all that nginx needs around it. Returns the file to start nginx with."""
    authority = trustme.CA()
    certificate = authority.issue_cert("localhost")
    certificate.cert_chain_pems[0].write_to_path(folder / "fullchain.pem")
    certificate.private_key_pem.write_to_path(folder / "privkey.pem")
    authority.cert_pem.write_to_path(folder / "authority.pem")
    site = NGINX.read_text(encoding="utf-8")
    site = re.sub(r"^ *listen \[::\].*\n", "", site, flags=re.MULTILINE)
    for old, new in (
        ("/etc/letsencrypt/live/chess.example", str(folder)),
        ("chess.example", "localhost"),
        ("listen 80;", f"listen 127.0.0.1:{plain};"),
        ("listen 443 ", f"listen 127.0.0.1:{secure} "),
        (UPSTREAM, f"127.0.0.1:{upstream}"),
    ):
        assert old in site
        site = site.replace(old, new)
    (folder / "ulci.conf").write_text(site, encoding="utf-8")
    around = folder / "nginx.conf"
    around.write_text(NGINX_AROUND.format(folder=folder, user=getpass.getuser()), encoding="utf-8")
    return around


@contextmanager
def nginx(folder: Path, upstream: int) -> Iterator[Proxy]:
    """nginx with deploy/nginx.conf. It gets its sockets from us, as from an nginx that it
    replaces, so that no port can be taken before it starts, and nothing must wait until it has."""
    path = program("nginx")
    log = folder / "nginx.log"
    with _listening() as secure, _listening() as plain, log.open("w") as stderr:
        ports = secure.getsockname()[1], plain.getsockname()[1]
        config = nginx_site(folder, upstream, *ports)
        fds = secure.fileno(), plain.fileno()
        process = subprocess.Popen(
            [path, "-p", str(folder), "-e", "stderr", "-c", str(config)],
            env={**os.environ, "NGINX": "".join(f"{fd};" for fd in fds)},
            pass_fds=fds,
            stderr=stderr,
        )
    tls = ssl.create_default_context(cafile=str(folder / "authority.pem"))
    try:
        yield Proxy(*ports, tls)
    finally:
        process.terminate()
        process.wait(PATIENCE)
    said = log.read_text()
    assert not re.search(r"\[(emerg|alert|crit)\]", said), said


@contextmanager
def caddy(folder: Path, upstream: int) -> Iterator[Proxy]:
    """Caddy with deploy/Caddyfile, without encryption: that is Caddy's own work."""
    path = program("caddy")
    around = folder / "Caddyfile"
    around.write_text(CADDY_AROUND.format(caddyfile=CADDY), encoding="utf-8")
    for _ in range(RETRIES):
        with _listening() as free:
            port = free.getsockname()[1]
        process = subprocess.Popen(
            [path, "run", "--adapter", "caddyfile", "--config", str(around)],
            env={
                **os.environ,
                "XDG_DATA_HOME": str(folder),
                "XDG_CONFIG_HOME": str(folder),
                "ULCI_SITE": f"http://localhost:{port}",
                "ULCI_UPSTREAM": f"127.0.0.1:{upstream}",
            },
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        said = []
        try:
            for line in process.stderr:
                said.append(line)
                if "serving initial configuration" in line:
                    yield Proxy(port, port, None)
                    return
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE)
        if not any("address already in use" in line for line in said):
            break
    raise AssertionError("".join(said))


PROXIES = {"nginx": nginx, "caddy": caddy}

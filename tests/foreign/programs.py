"""Engines as Debian has them, and the lines by which they come. Nothing of either is configured."""

import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import trustme

from tests.foreign import stopwatch
from tests.support.servers import PATIENCE, program, standing

ENGINES: Mapping[str, Sequence[str]] = {
    "stockfish": ("stockfish",),
    "glaurung": ("glaurung",),
    "toga2": ("toga2",),
    "ethereal": ("ethereal-chess",),
    "gnuchess": ("gnuchess", "--uci"),
    "fairy-stockfish": ("fairy-stockfish",),
    "sjaakii": ("sjaakii", "-uci"),
}
"""Those that speak UCI, by the names of their packages."""

VARIANTS = (
    *("chess960", "antichess", "crazyhouse", "giveaway", "horde", "kingofthehill", "racingkings"),
    *("suicide", "3check"),
)
"""What Debian's fairy-stockfish plays of the server's games. No engine of Debian plays atomic."""

RETRIES = 5
"""A port that was free may be taken by the time that a proxy takes it."""


def engine(name: str, log: Path | None = None) -> list[str]:
    """The command of an engine; with `log`, its thinking is timed there."""
    path, *more = ENGINES[name]
    argv = [program(path), *more]
    return argv if log is None else [sys.executable, stopwatch.__file__, str(log), *argv]


# How an engine is put on a line: a command, for the port that it calls


def by_socat(port: int, argv: Sequence[str], _: Path) -> list[str]:
    return [program("socat"), f"TCP:127.0.0.1:{port}", f"EXEC:{shlex.join(argv)}"]


def by_socat_with_tls(port: int, argv: Sequence[str], folder: Path) -> list[str]:
    way = f"OPENSSL:127.0.0.1:{port},cafile={folder}/authority.pem,commonname=localhost"
    return [program("socat"), way, f"EXEC:{shlex.join(argv)}"]


def by_netcat(port: int, argv: Sequence[str], folder: Path) -> list[str]:
    """The loop that is in every manual of netcat."""
    back = folder / f"back-{time.monotonic_ns()}"
    line = f"{program('nc')} 127.0.0.1 {port} <{back} | {shlex.join(argv)} >{back}"
    return [program("sh"), "-c", f"mkfifo {back} && {line}"]


def by_bridge(port: int, argv: Sequence[str], _: Path, *, scheme: str = "tcp") -> list[str]:
    server = f"{scheme}://127.0.0.1:{port}"
    name = f"bridged-{time.monotonic_ns() % 1_000_000}"  # a name never plays itself
    ours = [sys.executable, "-m", "ulci_client.cli", "bridge", "--server", server]
    return [*ours, "--name", name, "--", *argv]


def by_bridge_with_websocket(port: int, argv: Sequence[str], folder: Path) -> list[str]:
    return by_bridge(port, argv, folder, scheme="ws")


# What stands in front of the server: the port that players call then


@contextmanager
def nothing(_: Path, upstream: int) -> Iterator[int]:
    yield upstream


@contextmanager
def stunnel(folder: Path, upstream: int) -> Iterator[int]:
    """Encrypts for a server that does not."""
    write_certificate(folder)

    def configure(port: int) -> str:
        own = f"cert = {folder}/server.pem\n"
        return _STUNNEL.format(service=f"{own}accept = 127.0.0.1:{port}\nconnect = {upstream}")

    with _listening("stunnel", folder, configure, lambda path: [path]) as port:
        yield port


@contextmanager
def two_stunnels(folder: Path, upstream: int) -> Iterator[int]:
    """Two halves of a tunnel: what calls the near one need not know of it."""
    with stunnel(folder, upstream) as far:

        def configure(port: int) -> str:
            own = f"client = yes\naccept = 127.0.0.1:{port}\nconnect = 127.0.0.1:{far}"
            return _STUNNEL.format(service=own)

        (near := folder / "near").mkdir()
        with _listening("stunnel", near, configure, lambda path: [path]) as port:
            yield port


@contextmanager
def nginx(folder: Path, upstream: int) -> Iterator[int]:
    """Its stream module, with nothing but where to listen and where to pass."""

    def configure(port: int) -> str:
        return _NGINX.format(folder=folder, port=port, upstream=upstream)

    argv = ["-p", str(folder), "-e", "stderr", "-c"]
    with _listening("nginx", folder, configure, lambda path: [*argv, path]) as port:
        yield port


def haproxy(mode: str) -> Callable[[Path, int], AbstractContextManager[int]]:
    """With the defaults of Debian's own file, in either of its modes."""

    @contextmanager
    def standing(folder: Path, upstream: int) -> Iterator[int]:
        def configure(port: int) -> str:
            defaults = _defaults_of_debian().replace("mode\thttp", f"mode\t{mode}")
            return defaults + _HAPROXY.format(port=port, upstream=upstream)

        with _listening("haproxy", folder, configure, lambda path: ["-db", "-f", path]) as port:
            yield port

    return standing


_STUNNEL = "foreground = yes\npid =\n[ulci]\n{service}\n"

_NGINX = """
load_module /usr/lib/nginx/modules/ngx_stream_module.so;
daemon off;
pid {folder}/nginx.pid;
events {{ }}
stream {{ server {{ listen 127.0.0.1:{port}; proxy_pass 127.0.0.1:{upstream}; }} }}
"""

_HAPROXY = """
frontend players
    bind 127.0.0.1:{port}
    default_backend ulci
backend ulci
    server ulci 127.0.0.1:{upstream}
"""


def _defaults_of_debian() -> str:
    """The section of that name, without the log of a service and pages for browsers."""
    _, _, section = Path("/etc/haproxy/haproxy.cfg").read_text().partition("\ndefaults\n")
    kept = [line for line in section.splitlines() if "errorfile" not in line and "log" not in line]
    return "\n".join(["defaults", *kept, ""])


def write_certificate(folder: Path) -> None:
    authority = trustme.CA()
    certificate = authority.issue_cert("localhost", "127.0.0.1", common_name="localhost")
    certificate.private_key_and_cert_chain_pem.write_to_path(folder / "server.pem")
    authority.cert_pem.write_to_path(folder / "authority.pem")


@contextmanager
def _listening(
    name: str,
    folder: Path,
    configure: Callable[[int], str],
    arguments: Callable[[str], Sequence[str]],
) -> Iterator[int]:
    """A proxy at a free port, ended with the block."""
    path, config, log = program(name), folder / f"{name}.conf", folder / f"{name}.log"
    for _ in range(RETRIES):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        config.write_text(configure(port))
        argv = [path, *arguments(str(config))]
        with log.open("w") as said, standing(argv, said) as process:
            if _answers(process, port):
                yield port
                return
    raise AssertionError(f"{name} does not start: {log.read_text()}")


def _answers(process: subprocess.Popen[bytes], port: int) -> bool:
    """Whether it listens; False once it has ended instead."""
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.05)  # there is nothing to be told by
        else:
            return True
    return False


@dataclass(frozen=True)
class Way:
    """How engines come to the server. `call`: the command of one; `door`: what stands in front;
    `scheme`: what the server itself listens for."""

    call: Callable[[int, Sequence[str], Path], list[str]]
    door: Callable[[Path, int], AbstractContextManager[int]] = nothing
    scheme: str = "tcp"


PLAIN, BRIDGE = Way(by_socat), Way(by_bridge)

WAYS: Mapping[str, Way] = {
    "socat": PLAIN,
    "netcat": Way(by_netcat),
    "socat with TLS, stunnel in front": Way(by_socat_with_tls, stunnel),
    "socat through two stunnels": Way(by_socat, two_stunnels),
    "socat, nginx in front": Way(by_socat, nginx),
    "socat, haproxy in front": Way(by_socat, haproxy("tcp")),
    "bridge": BRIDGE,
    "bridge with WebSocket, haproxy in front": Way(
        by_bridge_with_websocket, haproxy("http"), scheme="ws"
    ),
}

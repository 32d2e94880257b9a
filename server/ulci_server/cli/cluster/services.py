"""A PostgreSQL and a Redis of a demonstration's own, in its folder, which end with it."""

import getpass
import os
import pwd
import shutil
import socket
from contextlib import ExitStack, suppress
from pathlib import Path
from random import SystemRandom
from typing import NamedTuple
from urllib.parse import quote

from ulci_server.cli.demo.programs import Programs, User, running
from ulci_server.cli.errors import Failure

DEBIAN = "usr/lib/postgresql/*/bin"
"""Below /: where Debian keeps what only a PostgreSQL server's administrator calls."""

UNPRIVILEGED = ("postgres", "nobody")
"""Users that may run PostgreSQL instead of root, for whom it refuses to start."""

INITDB = 60.0
"""Seconds to make an empty database; it takes one or two."""

INSTEAD = "or name running ones: --database postgresql://… --cluster redis://…"

PORTS = (20_000, 25_000)
"""Below the range from which Linux chooses ports, for listeners and for outgoing connections."""

READY = "ready to accept connections"
"""What both programs print when they are ready."""


class ServiceUrls(NamedTuple):
    """The URLs of the database and the bus."""

    database: str
    bus: str


def start_services(programs: Programs, stack: ExitStack) -> ServiceUrls:
    """Start both; they have ended when `stack` is closed.

    Raises:
        Failure: one of them is not installed, or does not start.
    """
    redis = _program("redis-server", "redis-server")
    initdb, postgres = _program("initdb", "postgresql"), _program("postgres", "postgresql")
    return ServiceUrls(
        _start_postgres(programs, stack, initdb, postgres), _start_redis(programs, stack, redis)
    )


def _program(name: str, package: str) -> str:
    newest_first = sorted(Path("/").glob(DEBIAN), key=_version, reverse=True)
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), *map(str, newest_first)])
    found = shutil.which(name, path=path)
    if found is None:
        raise Failure(f"{name} is not installed; install it (Debian: {package}), {INSTEAD}")
    return found


def _version(folder: Path) -> float:
    number = folder.parent.name
    return float(number) if number.replace(".", "", 1).isdigit() else 0


def _start_postgres(programs: Programs, stack: ExitStack, initdb: str, postgres: str) -> str:
    """It listens at a socket in the folder, which nobody else may open, and not at the network."""
    user = _unprivileged()
    data = programs.folder / "postgresql"
    data.mkdir()
    if user is not None:
        os.chown(programs.folder, *user)
        os.chown(data, *user)
    options = ["--username=ulci", "--auth=trust", "--locale=C.UTF-8", "--no-sync"]
    argv = [initdb, "--pgdata", str(data), *options]
    with running("initdb", argv, programs.folder / "initdb.log", user, data) as made:
        if not made.wait(INITDB):
            raise Failure(f"initdb did not end within {INITDB:g} s:\n{made.tail}")
        if made.code:
            raise Failure(f"initdb failed:\n{made.tail}")
    argv = [postgres, "-D", str(data), "-k", str(programs.folder), "-c", "listen_addresses="]
    program = programs.start("postgresql", argv, stack, user)
    programs.wait_for_line(program, lambda line: READY in line)
    return f"postgresql://ulci@/postgres?host={quote(str(programs.folder), safe='')}"


def _unprivileged() -> User | None:
    """The user that runs PostgreSQL; None: our own."""
    if os.geteuid() != 0:
        return None
    for name in UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return User(entry.pw_uid, entry.pw_gid)
    raise Failure(
        f"PostgreSQL does not run as {getpass.getuser()}, and there is no user"
        f" {' or '.join(UNPRIVILEGED)}; call this as another user, {INSTEAD}"
    )


def _start_redis(programs: Programs, stack: ExitStack, redis: str) -> str:
    port = _free_port()
    options = ["--bind", "127.0.0.1", "--save", "", "--dir", str(programs.folder)]
    program = programs.start("redis", [redis, "--port", str(port), *options], stack)
    programs.wait_for_line(program, lambda line: READY in line.lower())
    return f"redis://127.0.0.1:{port}"


def _free_port() -> int:
    """Redis cannot be asked to choose one. Nobody else gets one of these by chance meanwhile."""
    while True:
        port = SystemRandom().randrange(*PORTS)
        with socket.socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port

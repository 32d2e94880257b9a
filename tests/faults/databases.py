"""Where the games of a run are kept: a file, a schema, or a PostgreSQL that can be killed, stopped
and restarted."""

import os
import random
import shutil
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGCONT, SIGKILL, SIGSTOP

import sqlalchemy as sa

from tests.support.databases import POSTGRES
from tests.support.ports import free_port
from tests.support.processes import children, send
from ulci_server.storage import Database, open_database

PROGRAMS = Path("/usr/lib/postgresql")
"""Where Debian puts those of PostgreSQL, in a folder for each of its versions."""

TRIES = 50
"""How often a PostgreSQL that was killed is started."""

LONGEST_STOP = 3.0
"""s for which a PostgreSQL is stopped."""


@dataclass
class Store:
    """`mishaps`: what can be done to it, by the name of the fault; the chance says how."""

    kind: str
    url: str
    mishaps: dict[str, Callable[[random.Random], object]] = field(default_factory=dict)

    @contextmanager
    def reading(self) -> Iterator[Database]:
        database = open_database(self.url, writing=False)
        try:
            yield database
        finally:
            database.close()


@contextmanager
def store(kind: str, folder: Path) -> Iterator[Store]:
    """`kind`: sqlite, postgres (a schema at the server that the tests are given) or cluster (a
    PostgreSQL of our own)."""
    if kind == "sqlite":
        yield Store(kind, f"sqlite:///{folder}/ulci.db")
    elif kind == "postgres":
        with schema(os.environ[POSTGRES]) as url:
            yield Store(kind, url, {"database-cut": lambda _: terminate(url)})
    else:
        with cluster(folder) as ours, schema(ours.url) as url:
            mishaps = {
                "database-cut": lambda _: terminate(url),
                "database-restart": lambda _: ours.restart(),
                "database-kill": lambda _: ours.kill(),
                "database-stop": lambda chance: ours.stop(chance.uniform(0.2, LONGEST_STOP)),
            }
            yield Store(kind, url, mishaps)


@contextmanager
def schema(server: str) -> Iterator[str]:
    """An empty schema, dropped afterwards; whoever uses it has its name."""
    name = f"ulci_faults_{uuid.uuid4().hex[:12]}"
    url = sa.make_url(server).set(drivername="postgresql+psycopg")
    admin = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with admin.connect() as connection:
        connection.execute(sa.schema.CreateSchema(name))
    ours = url.update_query_dict({"options": f"-csearch_path={name}", "application_name": name})
    try:
        yield ours.render_as_string(hide_password=False)
    finally:
        with admin.connect() as connection:
            connection.execute(sa.schema.DropSchema(name, cascade=True))
        admin.dispose()


def terminate(url: str) -> None:
    """Cut all connections to that schema."""
    made = sa.make_url(url)
    name = made.query["application_name"]
    admin = sa.create_engine(made.difference_update_query(["application_name"]))
    query = sa.text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = :name"
    )
    with admin.begin() as connection:
        connection.execute(query, {"name": name})
    admin.dispose()


def programs() -> Path | None:
    """The folder with PostgreSQL's own programs, the newest; None where they are not installed."""
    found = sorted(PROGRAMS.glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    return found[-1].parent if found else None


class Cluster:
    """A PostgreSQL server of our own."""

    def __init__(self, folder: Path) -> None:
        found = programs()
        if found is None:
            raise FileNotFoundError(f"{PROGRAMS} has no programs of PostgreSQL")
        self._bin = found
        self._data = folder / "data"
        self.url = ""

    def _as_postgres(self, program: str, *argv: str) -> None:
        command = [str(self._bin / program), *argv]
        if os.geteuid() == 0:  # PostgreSQL refuses to be run by root
            command = ["runuser", "-u", "postgres", "--", *command]
        subprocess.run(
            command,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            timeout=120,
        )

    def _control(self, *argv: str) -> None:
        # Its log must not keep the pipe of whoever waits for pg_ctl.
        self._as_postgres("pg_ctl", "-D", str(self._data), "-l", f"{self._data}/log", "-w", *argv)

    def create(self) -> None:
        self._as_postgres(
            "initdb", "-D", str(self._data), "-A", "trust", "--no-sync", "-U", "postgres"
        )
        port = free_port()  # only now, as others look for ports, too
        self.url = f"postgresql+psycopg://postgres@127.0.0.1:{port}/postgres"
        (self._data / "postgresql.auto.conf").write_text(
            f"port = {port}\nlisten_addresses = '127.0.0.1'\n"
            f"unix_socket_directories = '{self._data}'\n"
            "fsync = off\n"  # the machine goes on, and its disk may be slow
        )
        self._control("start")

    def restart(self) -> None:
        """Its connections are cut, and it recovers from its log."""
        self._control("stop", "-m", "immediate")
        self._start_again()

    def kill(self) -> None:
        """kill -9 of the whole server, and a new start."""
        send(SIGKILL, self._pid())
        self._start_again()

    def _start_again(self) -> None:
        for left in reversed(range(TRIES)):
            try:
                self._control("start")
                return
            except subprocess.CalledProcessError:  # its children are not gone yet
                if not left:
                    raise
            time.sleep(0.1)

    def stop(self, seconds: float) -> None:
        """None of its processes runs for so long."""
        with self.paused():
            time.sleep(seconds)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """None of its processes runs."""
        pid = self._pid()
        send(SIGSTOP, pid)  # it begins no more of them
        stopped = [pid, *children(pid)]
        try:
            send(SIGSTOP, *stopped)
            yield
        finally:
            send(SIGCONT, *stopped)

    def _pid(self) -> int:
        return int((self._data / "postmaster.pid").read_text().split()[0])

    def destroy(self) -> None:
        with suppress(subprocess.CalledProcessError):  # it may be dead already
            self._control("stop", "-m", "immediate")


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """In a folder that the postgres user may look into."""
    place = Path(f"/tmp/ulci-cluster-{uuid.uuid4().hex[:8]}")
    place.mkdir(mode=0o755)
    if os.geteuid() == 0:
        shutil.chown(place, "postgres")
    ours = Cluster(place)
    try:
        ours.create()
        try:
            yield ours
        finally:
            ours.destroy()
    finally:
        shutil.rmtree(place)

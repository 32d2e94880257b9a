"""The server under test: a process that can be killed, frozen and starved, and comes back."""

import resource
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import trio

from tests.support.forks import Fork
from tests.support.ports import free_port
from tests.support.servers import PATIENCE, SERVE, Server
from ulci.net import Address, DialError, RemoteServer
from ulci_server.cli.admin import ask
from ulci_server.cli.errors import Failure
from ulci_server.storage.schema import METADATA, UtcTime

from .record import now

AWAY = 8.0
"""s for a player to come back: far beyond what one here needs, so that nobody may lose by it."""

STATUS = 5.0
"""s in which a server that nothing befalls says how it does."""

CONFIG = """
listen = [{{ address = "tcp://127.0.0.1:{port}" }}]
[database]
url = "{database}"
durability = "{durability}"
migrate = true
[play]
away = {away}
ready = {away}
[shutdown]
grace = {grace}
[log]
level = "{level}"
[[pool]]
name = "chess"
time = "{time}"
"""


@dataclass(frozen=True, slots=True)
class Means:
    """What a process has of the system: kB of memory, and numbers."""

    resident: int
    files: int
    """Not counting those of the database, which come and go with those who read it."""
    threads: int
    children: int


@dataclass(frozen=True, slots=True)
class Busy:
    """What a server says of itself: ``admin status``, and how many sockets it had meanwhile."""

    connections: int
    """Of those who are introduced, ours, by which it was asked, among them."""
    tasks: int
    sockets: int
    """The most that it had open, of clients that are not introduced yet, too."""


class House(Server):
    """`ulci-server serve` on one port for as often as it is started. Its log comes through a pipe,
    so that a full disk is the database's alone."""

    def __init__(self, folder: Path, database: str = "", time: str = "10+0.1") -> None:
        super().__init__(folder)
        self.database = database or self.database
        self.config = folder / "server.toml"
        # With "process", a PostgreSQL that is killed may have lost its last moments.
        self.durability = "process" if self.database.startswith("sqlite") else "power"
        self._time = time
        self._address_port = free_port()
        self.started_at = 0.0
        self.starts = 0
        self.serving = 0
        """The number of its process, once it listens."""
        self.grace = 0
        """Seconds for running games when it is asked to end."""
        self.extra = ""
        self.level = "warning"
        """The least of its log."""

    def join(self, bus: str, name: str) -> None:
        """Act as one with others from its next start on."""
        self.extra += f'[cluster]\nbus = "{bus}"\nname = "{name}"\n'

    def start(self) -> None:
        self.config.write_text(
            CONFIG.format(
                durability=self.durability,
                port=self._address_port,
                database=self.database,
                away=AWAY,
                grace=self.grace,
                time=self._time,
                level=self.level,
            )
            + self.extra
        )
        self.started_at = now()
        self.starts += 1
        self.process = Fork(
            [*SERVE, "--config", str(self.config)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        threading.Thread(target=self._keep_log, args=(self.process,), daemon=True).start()
        self.addresses = []
        for line in self.process.stdout:
            if line.split()[:1] and line.split()[0].startswith("tcp://"):
                self.addresses.append(line.split()[0])
            elif self.addresses:
                break
        else:
            self.process.wait(PATIENCE)
            self.process.stdout.close()
            time.sleep(0.2)  # the last of its log
            raise AssertionError(f"the server did not start: {self.log.read_text()[-3000:]}")
        self.serving = self.process.pid

    def _keep_log(self, process: Fork) -> None:
        with self.log.open("a") as log:
            for line in process.stderr:
                log.write(line)
                log.flush()
        process.stderr.close()

    def kill(self) -> None:
        super().kill()
        self.process.stdout.close()

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def shift_clock(self, days: int) -> None:
        """While it is down, the machine's clock is put back by so many days (forward, if they are
        negative): all that was noted is as much later than what the next server believes is now.
        """
        path = self.database.removeprefix("sqlite:///")
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            for table in METADATA.sorted_tables:
                for column in table.columns:
                    if isinstance(column.type, UtcTime):
                        text = (
                            f"strftime('%Y-%m-%dT%H:%M:%f000+00:00', {column.name}, '{days} days')"
                        )
                        other.execute(f"UPDATE {table.name} SET {column.name} = {text}")

    @contextmanager
    def full_disk(self) -> Iterator[None]:
        """No file grows any more."""
        before = resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (1, before[1]))
        try:
            yield
        finally:
            with suppress(ProcessLookupError):
                resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, before)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Somebody else writes to the file and does not come to an end."""
        path = self.database.removeprefix("sqlite:///")
        with closing(
            sqlite3.connect(path, isolation_level=None, timeout=20, check_same_thread=False)
        ) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
            other.execute("ROLLBACK")

    def files(self) -> list[str]:
        """What it has open."""
        folder = Path(f"/proc/{self.process.pid}/fd")
        found = []
        for link in folder.iterdir():
            with suppress(OSError):
                found.append(f"{link.name}={link.readlink()}")
        return sorted(found)

    async def busy(self, token: str, patience: float = STATUS) -> Busy | None:
        """By an administrator's token; None if it cannot say so within `patience` s."""
        if not self.addresses:  # it is just being started
            return None
        server = RemoteServer(Address.parse(self.addresses[0]), token=token)
        with suppress(Failure, DialError, OSError), trio.move_on_after(patience):
            before = self.sockets()
            [line] = await ask(server, "boss", ["status"])
            words = line.split()[1:]
            told = dict(zip(words[::2], words[1::2], strict=True))
            sockets = max(before, self.sockets())
            return Busy(int(told["connections"]), int(told["tasks"]), sockets)
        return None

    def sockets(self) -> int:
        """How many it has open. Raises `OSError`: it has just ended."""
        return sum("=socket:" in file for file in self.files())

    def means(self) -> Means:
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return Means(
            self.resident(),
            sum("ulci.db" not in file for file in self.files()),
            len([*Path(f"/proc/{pid}/task").iterdir()]),
            len(children),
        )

"""``ulci-server cluster up``: children that share a port, are started again, and end together."""

import os
import re
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes import argv, parent, send, with_word
from tests.support.servers import PATIENCE, until
from ulci_server.storage import Database, migrate

pytestmark = [pytest.mark.system, pytest.mark.slow]


class Up:
    """The command, with two servers; nobody wrote their secrets on its command line."""

    def __init__(self, folder: Path, url: str, redis: str) -> None:
        self.name = uuid.uuid4().hex[:8]
        self.database = Database(url)
        self.log = folder / "up.log"
        options = ["--nodes", "2", "--listen", "tcp://127.0.0.1:0", "--name", self.name]
        argv = [sys.executable, "-m", "ulci_server.cli", "cluster", "up", *options]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                argv, env={**os.environ, "ULCI_DATABASE": url, "ULCI_BUS": redis},
                stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip

    def runs(self) -> dict[str, int]:
        return {state.node: state.id for state in self.database.runs.living()}

    def is_up(self, *but: int) -> bool:
        """Whether both live, in other runs than these."""
        runs = self.runs().values()
        listening = re.findall(r"^(\S+) .* listens at$", self.log.read_text(), re.MULTILINE)
        return len(runs) == 2 == len({*listening}) and not {*runs} & {*but}

    def children(self) -> dict[str, int]:
        """Their processes by name; other users may not read the passwords there."""
        found: dict[int, str] = {}
        for pid in with_word(self.name):
            words = argv(pid)
            if {"serve", "--name"} <= {*words}:
                assert not [word for word in words if "://" in word and "tcp://" not in word]
                found[pid] = words[words.index("--name") + 1]
        # A program that a server is just starting is called as the server is until it is loaded.
        return {name: pid for pid, name in found.items() if parent(pid) not in found}


@pytest.fixture
def running(tmp_path: Path, postgres_url: str, redis_url: str) -> Iterator[Up]:
    migrate(postgres_url)
    one = Up(tmp_path, postgres_url, redis_url)
    yield one
    print(one.log.read_text())  # shown if the test failed
    one.process.kill()
    one.process.wait()
    send(signal.SIGKILL, *one.children().values())
    one.database.close()


async def test_they_share_a_port_and_are_started_again_and_end_together(running: Up) -> None:
    await until(running.is_up, "both live")
    [_] = {*re.findall(r"^\S+ +\|     (tcp://\S+)$", running.log.read_text(), re.MULTILINE)}

    before = running.runs()
    os.kill(running.children()[f"{running.name}-1"], signal.SIGKILL)
    await until(lambda: running.is_up(before[f"{running.name}-1"]), "the dead one is back")
    assert running.runs()[f"{running.name}-2"] == before[f"{running.name}-2"]

    before = running.runs()
    running.process.send_signal(signal.SIGHUP)
    await until(lambda: running.log.read_text().count("| is back\n") == 2, "all are restarted")
    assert running.is_up(*before.values())
    said = re.findall(r"-(\d) \| is (restarted|back)$", running.log.read_text(), re.MULTILINE)
    assert said == [("1", "restarted"), ("1", "back"), ("2", "restarted"), ("2", "back")]

    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(PATIENCE) == 0
    assert running.children() == running.runs() == {}


async def test_they_are_killed_when_it_is(running: Up) -> None:
    await until(running.is_up, "both live")
    running.process.kill()
    await until(lambda: not running.children(), "nothing runs any more")


def test_without_a_bus_it_says_what_to_name(shell, sqlite_url: str) -> None:
    said = shell.refused("cluster", "up", "--database", sqlite_url, code=2)
    assert said == "name the Redis over which they talk: --cluster redis://host, or ULCI_BUS"


def test_a_database_that_they_cannot_share_is_refused_once(shell, sqlite_url: str) -> None:
    migrate(sqlite_url)
    argv = ("--database", sqlite_url, "--cluster", "redis://127.0.0.1:1")
    said = shell.refused("cluster", "up", *argv)
    assert said.startswith("several servers can only share a PostgreSQL database, not sqlite://")

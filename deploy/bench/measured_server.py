"""A server on one processor, under an instrument that knows its longest step."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from processes import HERE, end, worked
from watched_server import LONGEST, TURN


class Step(NamedTuple):
    """A step of a task of the server: how long (ms), and whose. turn: the longest turn of the loop
    (ms)."""

    ms: float
    task: str
    turn: float


class Server:
    """One that has begun to listen; `ports` by transport."""

    def __init__(self, process: "subprocess.Popen[str]", log: Path) -> None:
        self._log = log
        self.process = process
        self.ports: dict[str, int] = {}
        assert process.stdout is not None
        for text in process.stdout:
            if found := re.search(r"(tcp|ws)://127\.0\.0\.1:(\d+)", text):
                self.ports[found[1]] = int(found[2])
                if len(self.ports) == 2:
                    return
        raise SystemExit(f"the server did not start: {log.read_text()}")

    def worked(self) -> float:
        """s of processor time, all threads."""
        return worked(self.process.pid)

    def longest_step(self) -> Step:
        """Since this was asked last."""
        before = self._log.read_text().count(LONGEST)
        self.process.send_signal(signal.SIGUSR1)
        while (text := self._log.read_text()).count(LONGEST) == before:
            time.sleep(0.01)
        found = re.match(rf" (\S+) ms, {TURN} (\S+) ms: (.*)", text.rpartition(LONGEST)[2])
        assert found is not None
        return Step(float(found[1]), found[3], float(found[2]))

    def said(self) -> list[str]:
        """The lines of its log, without what the instrument wrote."""
        lines = self._log.read_text().splitlines()
        return [line for line in lines if not line.startswith(LONGEST)]


@contextmanager
def served(
    config: str, cpu: int, prepare: Callable[[Path], None] = lambda _: None
) -> Iterator[Server]:
    """`config`: its text, in which ``{folder}`` is one for its files; `prepare` makes them."""
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        path, log = Path(folder) / "server.toml", Path(folder) / "log"
        path.write_text(config.replace("{folder}", folder))
        argv = [sys.executable, str(HERE / "watched_server.py"), "serve", "--config", str(path)]
        with log.open("w") as errors:
            process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=errors, text=True)
        try:
            os.sched_setaffinity(process.pid, {cpu})
            yield Server(process, log)
        finally:
            end(process)

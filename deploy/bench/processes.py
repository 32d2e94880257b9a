"""A server as a process on one processor, and what it takes."""

import os
import resource
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent

CLOCK_OF_PROCESS = 2
"""The scheduler's (clock_getcpuclockid(3)): Linux makes the clock's number of this and the id."""


@contextmanager
def server(argv: list[str], cpu: int) -> Iterator[tuple[int, int]]:
    """A server on one processor: its port, which it prints first, and its process id."""
    with listening(argv, cpu, 1) as ([port], pid):
        yield port, pid


@contextmanager
def listening(argv: list[str], cpu: int, number: int) -> Iterator[tuple[list[int], int]]:
    """The same of a server with so many listeners: their ports."""
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        os.sched_setaffinity(process.pid, {cpu})
        assert process.stdout is not None
        ports = []
        for line in process.stdout:
            digits = line.strip().rpartition(":")[2].partition(" ")[0].partition("/")[0]
            if digits.isdecimal():
                ports.append(int(digits))
            if len(ports) == number:
                yield ports, process.pid
                return
        raise SystemExit(f"{argv} said no port")
    finally:
        end(process)


def end(process: "subprocess.Popen[str]") -> None:
    """Ask it to end; kill it if it does not."""
    process.terminate()
    try:
        process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def worked(pid: int) -> float:
    """s of processor time, all threads: what /proc/PID/stat says, and not in steps of 10 ms."""
    return time.clock_gettime(~pid << 3 | CLOCK_OF_PROCESS)


def resident(pid: int) -> float:
    """kB of resident memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    return float(status.partition("VmRSS:")[2].split()[0])


def leave_to_server(cpu: int) -> None:
    """This process runs on the other processors, if there are any."""
    os.sched_setaffinity(0, os.sched_getaffinity(0) - {cpu} or {cpu})


def allow_connections() -> None:
    """As many files as the system allows this process and those that it starts: two thousand
    connections are more than the usual 1,024, at either end."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

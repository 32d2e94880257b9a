"""Requests to end a server."""

import signal
from collections.abc import Callable, Sequence
from functools import partial

import structlog
import trio

from ulci_server.hall.member import HostedMember
from ulci_server.lobby.terms import Refusal

LOG = structlog.get_logger("ulci_server.app")

SHUTDOWN = "the server is shutting down"


class UnsavedError(Exception):
    """The server ended while the database refused facts; the text says how many."""


class Shutdown:
    """A shutdown: the first request gives running games their grace, the second ends them at
    once."""

    def __init__(self) -> None:
        self.asked = trio.Event()
        self.grace = trio.CancelScope()

    def ask(self) -> None:
        if self.asked.is_set():
            self.grace.cancel()
        self.asked.set()

    def drain(self, by: str) -> None:
        """Ask for the end, for an administrator. Repeated requests do not shorten the grace."""
        if not self.asked.is_set():
            LOG.info("shutdown requested", by=by)
            self.asked.set()

    def drain_alone(
        self, name: str, by: HostedMember
    ) -> tuple[Sequence[str], Callable[[], object]]:
        """Ask for the end of a lone server: the `Drain` of its hall.

        Raises:
            Refusal: the command names another server.
        """
        if name:
            raise Refusal("no-such-server", "this server is alone, and has no name")
        return ("others", "0"), partial(self.drain, by.handle)

    async def ask_at_signals(self, *, task_status: trio.TaskStatus[None]) -> None:
        """Ask for the end at SIGTERM and SIGINT, for as long as the task lives."""
        with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            task_status.started()
            async for number in signals:
                LOG.info("shutdown requested", signal=signal.Signals(number).name)
                self.ask()

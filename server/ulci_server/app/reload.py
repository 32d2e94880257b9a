"""What a server reads again when its operator asks for it by SIGHUP, as daemons do."""

import signal
from collections.abc import Callable

import structlog
import trio

from ulci.signals import without_nohup

LOG = structlog.get_logger("ulci_server.app")


class Reload:
    """certificates: what reads the certificate of a listener again, and never raises."""

    def __init__(self) -> None:
        self.certificates: list[Callable[[], None]] = []

    def ask(self) -> None:
        """Read again what can be. The games go on."""
        LOG.info("asked to reload", certificates=len(self.certificates), settings="at a restart")
        for read in self.certificates:
            read()

    async def ask_at_signals(self, *, task_status: trio.TaskStatus[None]) -> None:
        """Let SIGHUP ask, for as long as the task lives, unless it is to be ignored (nohup). It
        comes also when a terminal is closed: the server goes on then, too."""
        heard = [*without_nohup(signal.SIGHUP)]
        if not heard:
            task_status.started()
            return
        with trio.open_signal_receiver(*heard) as signals:
            task_status.started()
            async for _ in signals:
                self.ask()

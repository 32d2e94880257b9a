"""Reads certificates and settings again when the operator sends SIGHUP, as daemons do.

The server always reads its certificates. It applies those settings that have an applier, a function
that changes one while games go on. The log names the settings that were changed, and those that
change only at a restart.
"""

import signal
from collections.abc import Callable

import structlog
import trio

from ulci.settings import ConfigError, SettingsTable
from ulci.signals import without_nohup
from ulci_server.config import Config

LOG = structlog.get_logger("ulci_server.app")

Apply = Callable[[Config], None]


class Reload:
    """certificates: what reads the certificate of a listener again, and never raises. appliers: by
    the name of a setting (``log.level``), what makes the value of a configuration the server's; it
    never raises either.

    config: the configuration that the server began with. read: reads it again, in a worker thread;
    without it there is no file.
    """

    def __init__(
        self, config: Config | None = None, read: Callable[[], Config] | None = None
    ) -> None:
        self.certificates: list[Callable[[], None]] = []
        self.appliers: dict[str, Apply] = {}
        self._read = read
        self._known = {} if config is None else _settings(config)

    def ask(self) -> None:
        """Read the certificates again. The games go on."""
        LOG.info("asked to reload", certificates=len(self.certificates))
        for read in self.certificates:
            read()

    async def read_settings(self) -> None:
        """Read the configuration again, and apply what can be applied."""
        if self._read is None:
            return
        try:
            config = await trio.to_thread.run_sync(self._read)
        except ConfigError as error:
            LOG.warning("settings not reloaded", why=str(error))
            return
        found = _settings(config)
        changed = [name for name, value in found.items() if value != self._known[name]]
        applied = [name for name in changed if name in self.appliers]
        for name in applied:
            self.appliers[name](config)
            self._known[name] = found[name]
        waiting = [name for name in changed if name not in self.appliers]
        LOG.info("settings reloaded", changed=applied, at_a_restart=waiting)

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
                await self.read_settings()


def _settings(config: Config) -> dict[str, object]:
    """Every setting by its name, such as ``log.level``; a list of tables, ``pool``, is one."""
    found: dict[str, object] = {}
    for name in type(config).model_fields:
        value = getattr(config, name)
        if isinstance(value, SettingsTable):
            found |= {f"{name}.{key}": getattr(value, key) for key in type(value).model_fields}
        else:
            found[name] = value
    return found

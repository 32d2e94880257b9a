"""The server's log of the wire, and the server's name in a cluster."""

import os
import socket
from contextlib import ExitStack
from pathlib import Path

import structlog

from ulci.wire_log import WireLog
from ulci_server.config import Config

LOG = structlog.get_logger("ulci_server.app")


def server_name(config: Config) -> str:
    """The name of this server in its cluster: its machine and process, if it was given none."""
    return config.cluster.name or f"{socket.gethostname()}-{os.getpid()}"


def open_wire_log(config: Config, closing: ExitStack) -> WireLog | None:
    """The log of the configuration, which `closing` ends; None if it has none. If the file cannot
    be written any more, the server's log reports it, and the games go on.

    Raises:
        WireLogError: it cannot be written.
    """
    if not config.wire_log.file:
        return None
    name = server_name(config)
    path = Path(config.wire_log.file.replace("{name}", name))

    def ended(why: str) -> None:
        LOG.error("wire log ended", file=str(path), why=why, advice="the games go on without it")

    log = WireLog(
        path,
        size=config.wire_log.size * 1_000_000,
        files=config.wire_log.files,
        program=f"ulci-server {name}",
        on_end=ended,
    )
    closing.callback(log.close)
    return log

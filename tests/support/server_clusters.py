"""Servers of one cluster, each a process."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.support.servers import Server
from ulci_server.storage import migrate


@contextmanager
def serving_together(
    folder: Path, database: str, redis: str, more: str = ""
) -> Iterator[list[Server]]:
    """Three servers, each with a port for lines and one for pages. The last plays no games. more:
    of their configuration. All are ended with the block."""
    migrate(database)
    with ExitStack() as stack:
        servers = []
        for name in "abc":
            own = folder / name
            own.mkdir()
            config = own / "server.toml"
            owns = str(name != "c").lower()
            config.write_text(f'[cluster]\nbus = "{redis}"\nname = "{name}"\nowns = {owns}\n{more}')
            listen = "--listen", "tcp://127.0.0.1:0", "--listen", "ws://127.0.0.1:0"
            server = Server(own, "--config", str(config), *listen)
            server.database = database
            server.start()
            stack.callback(server.stop)
            servers.append(server)
        yield servers

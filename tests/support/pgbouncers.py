"""PgBouncer in front of the PostgreSQL that the tests are given."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import sqlalchemy as sa

from tests.support.servers import program

NOBODY = "nobody"
"""It refuses to run as root."""

PORT = 6432
"""Of a socket in a folder of its own."""


@contextmanager
def pgbouncer(server: str, mode: str) -> Iterator[str]:
    """The address of that server through a pool of this mode."""
    command = program("pgbouncer")
    url = sa.make_url(server)
    with TemporaryDirectory() as name:
        folder = Path(name)
        ini, users = folder / "pgbouncer.ini", folder / "users.txt"
        users.write_text(f'"{url.username}" "{url.password}"\n')
        ini.write_text(
            f"""
[databases]
{url.database} = host={url.host} port={url.port or 5432} password={url.password}
[pgbouncer]
unix_socket_dir = {folder}
listen_port = {PORT}
auth_type = md5
auth_file = {users}
pool_mode = {mode}
"""
        )
        as_nobody = ["-u", NOBODY] if os.geteuid() == 0 else []
        if as_nobody:
            for path in (folder, ini, users):
                shutil.chown(path, NOBODY)
        with subprocess.Popen(
            [command, *as_nobody, str(ini)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        ) as process:
            try:
                _wait(process, f"{folder}/.s.PGSQL.{PORT}")
                ours = sa.URL.create("postgresql", url.username, url.password, None, None)
                ours = ours.set(database=url.database)
                where = {"host": str(folder), "port": str(PORT)}
                yield ours.update_query_dict(where).render_as_string(hide_password=False)
            finally:
                process.kill()


def _wait(process: subprocess.Popen[bytes], path: str) -> None:
    """Return when it listens."""
    while process.poll() is None:
        with socket.socket(socket.AF_UNIX) as sock:
            if sock.connect_ex(path) == 0:
                return
    assert process.stderr is not None
    raise AssertionError(f"pgbouncer ended: {process.stderr.read().decode()}")

"""``ulci-server migrate``: bring the tables of a database up to date."""

from typing import Any

import click

from ulci_server.storage import MEMORY, SchemaState, SchemaStatus, lock_database, schema_state
from ulci_server.storage import migrate as bring_up_to_date

from .errors import reporting_errors
from .options import database_from, database_options


@click.command()
@database_options
def migrate(**asked: Any) -> None:
    """Create the tables of a database, or bring those of an older version up to date.

    A server on SQLite does this by itself when it starts; on PostgreSQL it refuses to start until
    you did. Make a backup before, and end all servers that use the database.
    """
    with reporting_errors():
        url = database_from(asked)
        if url == MEMORY:
            raise click.UsageError(f"{MEMORY} has no tables; name a database: --database URL")
        before = _migrated(url)
    if before.standing is SchemaStatus.CURRENT:
        click.echo(f"nothing to do: the tables are at version {before.head}")
    elif before.revision is None:
        click.echo(f"created the tables, version {before.head}")
    else:
        click.echo(f"brought the tables from version {before.revision} to {before.head}")


def _migrated(url: str) -> SchemaState:
    """The state of the tables before. Those that a server uses are not changed."""
    if schema_state(url).standing is not SchemaStatus.BEHIND:
        return bring_up_to_date(url)
    with lock_database(url):
        return bring_up_to_date(url)

"""``ulci-server migrate``: bring the tables of a database up to date."""

from typing import Any

import click

from ulci_server.storage import MEMORY, SchemaStatus, migrate_unused

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
        before = migrate_unused(url)
    if before.standing is SchemaStatus.CURRENT:
        click.echo(f"nothing to do: the tables are at version {before.head}")
    elif before.revision is None:
        click.echo(f"created the tables, version {before.head}")
    else:
        click.echo(f"brought the tables from version {before.revision} to {before.head}")

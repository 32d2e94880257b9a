"""A database that was restored from a copy, as its administrator may do while servers run."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from ulci_server.storage import Database
from ulci_server.storage.schema import METADATA

Copy = Mapping[str, Sequence[Mapping[str, Any]]]


def copy_of(database: Database) -> Copy:
    """All rows of all tables."""

    def read(connection: sa.Connection) -> Copy:
        return {
            table.name: [row._asdict() for row in connection.execute(sa.select(table))]
            for table in METADATA.sorted_tables
        }

    return database.transactions.write(read)


def restore(database: Database, copy: Copy) -> None:
    """Make the database what it was when it was copied, at one blow."""

    def write(connection: sa.Connection) -> None:
        for table in reversed(METADATA.sorted_tables):
            connection.execute(sa.delete(table))
        for table in METADATA.sorted_tables:
            if rows := copy[table.name]:
                connection.execute(sa.insert(table), rows)

    database.transactions.write(write)

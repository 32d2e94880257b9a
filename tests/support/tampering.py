"""What nobody may do to a record: change it behind the program's back."""

from typing import Any

import sqlalchemy as sa

from ulci_server.storage import Database
from ulci_server.storage.schema import METADATA

Changes = dict[str, Any]


def tamper(database: Database, table: str, changes: Changes, seq: int | None = None) -> None:
    """Change the row of game 1, or its number `seq`; in SQLite, to what no row may be, too."""
    rows = METADATA.tables[table]
    which = rows.c.id == 1 if seq is None else sa.and_(rows.c.game_id == 1, rows.c.seq == seq)
    change = sa.update(rows).where(which).values(changes)

    def write(connection: sa.Connection) -> None:
        if connection.dialect.name != "sqlite":
            connection.execute(change)
            return
        connection.exec_driver_sql("PRAGMA ignore_check_constraints = ON")
        connection.execute(change)
        connection.exec_driver_sql("PRAGMA ignore_check_constraints = OFF")

    database.transactions.write(write)


def forget(database: Database, seq: int) -> None:
    """What happened in game 1 under that number is gone."""
    events = METADATA.tables["events"]
    gone = sa.delete(events).where(events.c.game_id == 1, events.c.seq == seq)
    database.transactions.write(lambda connection: connection.execute(gone))

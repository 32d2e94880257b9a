"""The database: all that is kept, in SQLite, PostgreSQL or memory."""

from collections.abc import Callable, Sequence
from datetime import datetime

from ulci_server.game import Fact

from .accounts import Accounts
from .careers import Careers
from .complaints import Complaints
from .database_url import MEMORY, parse_url
from .directory import Directory
from .errors import RefusedError, StorageError
from .fence import only_moves, require_released_last, save_alone, save_as
from .games import Games
from .migrations import migrate, require_current
from .ownership import Ownership
from .ratings import Ratings
from .rows.games import RELEASE
from .runs import Runs
from .schema import utc_text
from .sign_ins import SignIns
from .sql_engine import Durability
from .tournaments import Tournaments
from .transactions import Transactions
from .untrusted import LONGEST_PV
from .write import rows_of, write_rows


class Database:
    """Keeps facts, which `save` writes and `games` reads, and what operators decide, in a database
    whose tables exist already (see `open_database`). Synchronous; one thread writes while a few
    others read.

    Failures raise `StorageError`, with a text for people; trying again later may help.
    """

    def __init__(
        self,
        url: str,
        durability: Durability = "power",
        *,
        longest_pv: int = LONGEST_PV,
    ) -> None:
        """Does not connect yet. Of main variations `longest_pv` characters are kept. Raises
        `StorageError` if there can be no such database."""
        self.transactions = Transactions(url, durability)
        self.accounts = Accounts(self.transactions)
        self.sign_ins = SignIns(self.transactions)
        self.careers = Careers(self.transactions)
        self.games = Games(self.transactions)
        self.runs = Runs(self.transactions)
        self.tournaments = Tournaments(self.transactions, self.runs)
        self.ownership = Ownership(self.transactions, self.runs, self.games)
        self.directory = Directory(self.transactions, self.games)
        self.ratings = Ratings(self.transactions)
        self.complaints = Complaints(self.transactions, self.games)
        self._longest_pv = longest_pv
        self._stamp = _STAMPS[self.transactions.writer.dialect.name]

    def save(self, batch: Sequence[tuple[Fact, datetime]]) -> None:
        """Save the whole batch or, if it raises, nothing. Durable when it returns. The end of a
        game is stored twice: with the game, and as its last event.

        The same batch may be saved again: after a commit with unknown outcome, that is the only
        safe thing to do. A fact that is stored already counts as saved if it is equal; two equal
        reports of one moment are one.

        Raises:
            RefusedError: a fact contradicts the stored ones (the game was never begun, the ply was
                another move, the result another one) or itself. Trying again cannot help: find the
                culprit by saving parts, as the journal does. Of a member of a cluster (`join`): it
                is of a game that the run does not own, and is not stored already.
            FencedError: this run (`join`, `begin_alone`) may not write any more, now or later.
        """
        run, alone = self.runs.mine, self.runs.alone
        rows = rows_of(batch, self._stamp, self._longest_pv, run)
        if alone and RELEASE in rows:
            raise RefusedError("only the server of a cluster gives games away")
        if run is None:
            self.transactions.write_rows(lambda writer: write_rows(writer, rows))
            return
        if not alone:
            require_released_last(batch)
        moves = None if self.transactions.sqlite else only_moves(run, rows, alone=alone)
        if moves is not None and self.transactions.write_at_once(*moves):
            return
        save = save_alone if alone else save_as
        self.transactions.write_rows(lambda writer: save(run, writer, rows))

    def save_at_once(self, batch: Sequence[tuple[Fact, datetime]]) -> bool:
        """As `save`, in a thread that must not wait: if that is not possible now, or the batch is
        refused, nothing is saved. Whether it was. Of a lone server with a database that
        `never_waits`."""
        run = self.runs.mine
        try:
            rows = rows_of(batch, self._stamp, self._longest_pv, run)
        except RefusedError:
            return False
        write = self.transactions.write_rows_at_once
        if run is None:
            return write(lambda writer: write_rows(writer, rows))
        return write(lambda writer: save_alone(run, writer, rows))

    @property
    def never_waits(self) -> bool:
        """Whether a commit waits for no disk and no network."""
        return self.transactions.never_waits and self.runs.alone

    def close(self) -> None:
        """Close all connections. The database may not be used afterwards."""
        self.transactions.close()


class MemoryDatabase(Database):
    """A database that ends with the program: for tests, and for servers that need no record."""

    def __init__(self, longest_pv: int = LONGEST_PV) -> None:
        super().__init__(MEMORY, longest_pv=longest_pv)


_STAMPS: dict[str, Callable[[datetime], object]] = {
    "sqlite": utc_text,
    "postgresql": lambda at: at,
}


def open_database(
    url: str,
    durability: Durability = "power",
    *,
    migrating: bool | None = None,
    writing: bool = True,
    longest_pv: int = LONGEST_PV,
) -> Database:
    """Open the database at the URL: ``sqlite:///games.db``, ``postgresql://…``, or ``memory:``.

    migrating: bring the tables up to date first. None means yes on SQLite, where the file belongs
    to this program, and no on PostgreSQL, where the operator decides when, after a backup.
    writing: False only to read (``games``, ``export``): nothing is created or changed then.
    longest_pv: characters of a main variation that are kept with a move.

    Raises:
        SchemaError: the tables are not those of this program, and `migrating` does not help.
        StorageError: the address is wrong, or the database cannot be read or written.
    """
    if url == MEMORY:
        return MemoryDatabase(longest_pv)
    if migrating is None:
        migrating = parse_url(url).get_backend_name() == "sqlite"
    if migrating and writing:
        migrate(url)
    else:
        require_current(url)
    database = Database(url, durability, longest_pv=longest_pv)
    if writing:
        try:
            # Writes nothing, but fails now if it cannot write, not when a move waits for it.
            database.save([])
        except StorageError:
            database.close()
            raise
    return database

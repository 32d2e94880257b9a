"""How does one get a repository that is ready to work?"""

from .engines import BUSY_TIMEOUT, Durability, parse_url
from .errors import StorageError
from .memory import MemoryRepository
from .migrations import migrate, require_current
from .repository import Repository
from .rows import LONGEST_PV
from .sql import SqlRepository

MEMORY = "memory:"
"""The address of a repository that ends with the program."""


def check_url(url: str) -> None:
    """Connect to nothing. Raises `StorageError` if it names no place where games can be kept."""
    if url != MEMORY:
        parse_url(url)


def open_repository(
    url: str,
    durability: Durability = "power",
    *,
    migrating: bool | None = None,
    writing: bool = True,
    busy_timeout: float = BUSY_TIMEOUT,
    longest_pv: int = LONGEST_PV,
) -> Repository:
    """Open what the address names: ``sqlite:///games.db``, ``postgresql://…``, or ``memory:``.

    migrating: bring the tables up to date first. None means yes on SQLite, which is ours alone, and
    no on PostgreSQL, where somebody decides when and makes a backup before.
    writing: False only to read (``games``, ``export``): nothing is created or changed then.
    busy_timeout: seconds to wait for another program's lock.
    longest_pv: characters of a main variation that are kept with a move.

    Raises:
        SchemaError: the tables are not those of this program, and `migrating` does not help.
        StorageError: the address is wrong, or the database cannot be read or written.
    """
    if url == MEMORY:
        return MemoryRepository(longest_pv)
    if migrating is None:
        migrating = parse_url(url).get_backend_name() == "sqlite"
    if migrating and writing:
        migrate(url)
    else:
        require_current(url)
    repository = SqlRepository(url, durability, busy_timeout=busy_timeout, longest_pv=longest_pv)
    if writing:
        try:
            # Writes nothing, but shows that it could: now, not when a move waits for it.
            repository.save([])
        except StorageError:
            repository.close()
            raise
    return repository

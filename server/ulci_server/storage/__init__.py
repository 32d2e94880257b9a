"""What is remembered? SQL behind one writer; a memory twin that passes the same tests.

Facts (`ulci_server.game.facts`) are noted at once and made durable together: `Journal.note` never
waits, one task writes what has gathered in one transaction in a worker thread, and `when_durable`
calls back after the commit. The move list is the truth; PGN and JSON (`export`) derive from it.
"""

from .claim import claimed
from .engines import Durability
from .errors import RefusedError, SchemaError, StorageError
from .journal import Journal, JournalStatistics
from .memory import MemoryRepository
from .migrations import SchemaState, Standing, downgrade, migrate, schema_state
from .opening import MEMORY, check_url, open_repository
from .records import Filters, GameRecord, MoveRecord, Noted, ReportRecord
from .repository import Repository, each_game
from .sql import SqlRepository

__all__ = [
    "MEMORY",
    "Durability",
    "Filters",
    "GameRecord",
    "Journal",
    "JournalStatistics",
    "MemoryRepository",
    "MoveRecord",
    "Noted",
    "RefusedError",
    "ReportRecord",
    "Repository",
    "SchemaError",
    "SchemaState",
    "SqlRepository",
    "Standing",
    "StorageError",
    "check_url",
    "claimed",
    "downgrade",
    "each_game",
    "migrate",
    "open_repository",
    "schema_state",
]

"""What is remembered? SQL behind one writer; a memory twin that passes the same tests.

Facts (`ulci_server.game.facts`) are noted at once and made durable together: `Journal.note` never
waits, one task writes what has gathered in one transaction in a worker thread, and `when_durable`
calls back after the commit. What happened in a game is the truth, and nothing of it is ever
deleted: PGN and JSON (`export`) derive from it, a server plays on from it (`Repository.running`),
and `verify` says whether it agrees with itself. Accounts, their tokens and bans are rows of their
own (`Accounts`), which operators change while a server runs.
"""

from .accounts import (
    Account,
    Accounts,
    Ban,
    Banned,
    Player,
    Scope,
    Token,
    ban_value,
    fold,
    token_hash,
)
from .answers import NO_ANSWER, Askers, answered
from .claim import claimed
from .engines import Durability
from .errors import RefusedError, SchemaError, StorageError
from .journal import Journal, JournalStatistics
from .memory import MemoryRepository
from .migrations import SchemaState, Standing, downgrade, migrate, schema_state
from .opening import MEMORY, check_url, open_repository
from .records import (
    Filters,
    GameRecord,
    MoveRecord,
    Noted,
    ReportRecord,
    RunInfo,
    Unfinished,
)
from .repository import Repository, each_game
from .rows import LONGEST_PV
from .sql import SqlRepository
from .steady import SteadyClock

__all__ = [
    "LONGEST_PV",
    "MEMORY",
    "NO_ANSWER",
    "Account",
    "Accounts",
    "Askers",
    "Ban",
    "Banned",
    "Durability",
    "Filters",
    "GameRecord",
    "Journal",
    "JournalStatistics",
    "MemoryRepository",
    "MoveRecord",
    "Noted",
    "Player",
    "RefusedError",
    "ReportRecord",
    "Repository",
    "RunInfo",
    "SchemaError",
    "SchemaState",
    "Scope",
    "SqlRepository",
    "Standing",
    "SteadyClock",
    "StorageError",
    "Token",
    "Unfinished",
    "answered",
    "ban_value",
    "check_url",
    "claimed",
    "downgrade",
    "each_game",
    "fold",
    "migrate",
    "open_repository",
    "schema_state",
    "token_hash",
]

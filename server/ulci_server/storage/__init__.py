"""The record of games: SQL behind one writer.

Facts (`ulci_server.game.facts`) are noted at once and made durable together: `Journal.note` never
waits, one task writes the gathered facts in one transaction in a worker thread, and `when_durable`
calls back after the commit. The facts of a game are the source of truth, and none is ever deleted:
PGN and JSON (`export`) derive from them, a server resumes games from them (`Games.unfinished`), and
`verify` checks their consistency. Accounts, their tokens and bans are rows of their own
(`Accounts`), which operators change while a server runs.

Each start of a server is a run, and every transaction that writes facts begins with the fence: it
fails once another server has shut this one out (`FencedError`). Each running game belongs to one
run, and another takes it (`Ownership.claim`) when that was shut out or has ended. A lone server
(`Runs.begin_alone`) shuts out all others and takes all games when it begins; several servers may
share a database (`Runs.join`), where `membership` says which runs live, and which one stands still.

From the bottom:

* `schema`, `migrations`: the tables. `errors`: trouble, explained to the operator.
* `database_url`: the addresses of databases. `sql_engine`: opens SQLite or PostgreSQL.
  `transactions`: runs them, once more if the connection was dead; `database_threads`: bounds the
  wait for them; `database_lock`: keeps other servers out, except those of the same cluster;
  `pooler`: whether sessions are the server's own; `database_file`: whether the open file is still
  the named one, and whole; `database_log`: the end of its log.
* `statements`: the steps of the transaction that writes facts, SQL made from the tables. `rows`:
  which rows a fact is, and back to facts and `records`, a module for each kind; a new one goes
  there. `write`: batches by these. `history`: facts in order. `untrusted`: makes texts fit into
  columns. `fence`: guards what is written against a second server.
* `games`, `tournaments`, `accounts`, `sign_ins` (passwords, and what follows from one), `ratings`,
  `careers` (what a player has played), `complaints`, `runs`, `ownership` (of games), `directory`
  (of a cluster's lobby): each asks and changes its tables. `database` holds one of each and saves
  facts: the interface for other packages. A new one is an attribute there.
* `journal`: makes facts durable, with the times of a `wall_clock`; `journal_counts`: how many, and
  how long that took.
* `explain`: in words, how a game ended and whose clock paid for what. `final_clocks`: what both
  clocks showed then.
"""

from .accounts import (
    TICKET,
    TOKEN,
    Account,
    Accounts,
    Ban,
    Banned,
    Player,
    Scope,
    Token,
    ban_value,
    fold,
    secret_hash,
)
from .careers import Careers, Played, RatingPoint
from .complaints import Complaints
from .database import Database, MemoryDatabase, open_database
from .database_lock import DatabaseLock, lock_database
from .database_threads import NO_ANSWER, Askers, answered
from .database_url import MEMORY, check_url, parse_url
from .directory import Directory
from .errors import (
    FencedError,
    LobbyMovedError,
    LockRefusedError,
    RefusedError,
    SchemaError,
    StorageError,
    TakenOverError,
    TournamentChangedError,
    masked,
)
from .games import Games
from .journal import Journal
from .migrations import SchemaStatus, downgrade, migrate, migrate_unused, schema_state
from .ratings import Ratings
from .records import (
    Absences,
    Claimed,
    ClockReading,
    ComplaintRecord,
    EncounterRecord,
    EntrantRecord,
    Epoch,
    Filters,
    GameRecord,
    LobbyChanges,
    LobbyMatch,
    LobbyMember,
    LobbySeek,
    MoveRecord,
    Noted,
    PairingRecord,
    RatingChange,
    RatingRecord,
    ReportRecord,
    RunInfo,
    RunningGame,
    RunState,
    StoredLobby,
    StoredTournament,
    TournamentGame,
    TournamentOverview,
    TournamentRecord,
    TournamentState,
    Unfinished,
)
from .runs import Runs
from .sign_ins import Credentials, InviteError, Limit, SignIns, WebSession
from .sql_engine import Durability
from .tournaments import Tournaments
from .untrusted import LONGEST_PV
from .wall_clock import WallClock

__all__ = [
    "LONGEST_PV",
    "MEMORY",
    "NO_ANSWER",
    "TICKET",
    "TOKEN",
    "Absences",
    "Account",
    "Accounts",
    "Askers",
    "Ban",
    "Banned",
    "Careers",
    "Claimed",
    "ClockReading",
    "ComplaintRecord",
    "Complaints",
    "Credentials",
    "Database",
    "DatabaseLock",
    "Directory",
    "Durability",
    "EncounterRecord",
    "EntrantRecord",
    "Epoch",
    "FencedError",
    "Filters",
    "GameRecord",
    "Games",
    "InviteError",
    "Journal",
    "Limit",
    "LobbyChanges",
    "LobbyMatch",
    "LobbyMember",
    "LobbyMovedError",
    "LobbySeek",
    "LockRefusedError",
    "MemoryDatabase",
    "MoveRecord",
    "Noted",
    "PairingRecord",
    "Played",
    "Player",
    "RatingChange",
    "RatingPoint",
    "RatingRecord",
    "Ratings",
    "RefusedError",
    "ReportRecord",
    "RunInfo",
    "RunState",
    "RunningGame",
    "Runs",
    "SchemaError",
    "SchemaStatus",
    "Scope",
    "SignIns",
    "StorageError",
    "StoredLobby",
    "StoredTournament",
    "TakenOverError",
    "Token",
    "TournamentChangedError",
    "TournamentGame",
    "TournamentOverview",
    "TournamentRecord",
    "TournamentState",
    "Tournaments",
    "Unfinished",
    "WallClock",
    "WebSession",
    "answered",
    "ban_value",
    "check_url",
    "downgrade",
    "fold",
    "lock_database",
    "masked",
    "migrate",
    "migrate_unused",
    "open_database",
    "parse_url",
    "schema_state",
    "secret_hash",
]

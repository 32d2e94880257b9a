"""The tables. The database itself refuses impossible states.

New databases are made from them. The versions in `ulci_migrations` lead older ones here step by
step; a test compares the two.

A new column is also in the next version there, and in its module of `rows`, which writes it and
reads it; if it comes from a fact, in `ulci_server.game.facts`, else in its class of `records`; if
people shall see it, in `export.json_export`.
"""

import enum
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from ulci.protocol.messages import Bound
from ulci.rules import UNDECIDED, Reason
from ulci_server.game import EventKind

from .records import TournamentState

REASONS = [str(reason) for reason in Reason]
# The tables of all versions allow a reason that no server has ever stored.
REASONS.insert(REASONS.index(Reason.DISCONNECT), "stall")
NO_RESULT = [str(reason) for reason in Reason if reason.scores == UNDECIDED]

METADATA = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)


def utc_text(at: datetime) -> str:
    """A time for SQLite: it sorts as text, and SQLite's own functions can read it."""
    return (at if at.tzinfo is UTC else at.astimezone(UTC)).isoformat(timespec="microseconds")


class UtcTime(sa.TypeDecorator[datetime]):
    """An instant. SQLite has no type for it and stores `utc_text`."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[Any]:
        if dialect.name == "sqlite":
            return dialect.type_descriptor(sa.String(32))
        return dialect.type_descriptor(sa.DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> object:
        if value is None or dialect.name != "sqlite":
            return value
        return utc_text(value)

    def process_result_value(self, value: object, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002
        if isinstance(value, str):
            return datetime.fromisoformat(value)
        # PostgreSQL answers in the time zone of the session.
        return value.astimezone(UTC) if isinstance(value, datetime) else None


# SQLite numbers rows itself, and fast, only if the type is spelled INTEGER.
Big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _one_of(column: str, words: Iterable[str]) -> str:
    """SQL: the column holds one of the words (or NULL, which no CHECK refuses)."""
    listed = ", ".join(f"'{word}'" for word in words)
    return f"{column} IN ({listed})"


class GameStatus(enum.StrEnum):
    """Whether a game is still being played."""

    RUNNING = "running"
    FINISHED = "finished"


KINDS = ("human", "engine")
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
DECISIONS = ("1-0", "0-1", "1/2-1/2", "0-0")
SOURCES = ("player", "server")
SCOPES = ("play", "admin")
BANNED = ("account", "name", "address")

PLAYERS = sa.Table(
    "players",
    METADATA,
    sa.Column("id", Big, sa.Identity(), primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
    # The name in the form for comparison: lower() of SQLite knows ASCII only.
    sa.Column("folded", sa.Text, nullable=False),
    # What its program called itself at its last login. NULL: unknown.
    sa.Column("program", sa.Text),
    sa.UniqueConstraint("folded"),
    sa.CheckConstraint(_one_of("kind", KINDS), name="kind"),
)

TOKENS = sa.Table(
    "tokens",
    METADATA,
    sa.Column("id", Big, sa.Identity(), primary_key=True),
    sa.Column("player_id", Big, sa.ForeignKey(PLAYERS.c.id, ondelete="CASCADE"), nullable=False),
    # SHA-256 in hex: tokens are random, so a fast hash is enough.
    sa.Column("hash", sa.Text, nullable=False),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("label", sa.Text, nullable=False, server_default=""),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("revoked_at", UtcTime),
    sa.Column("last_used_at", UtcTime),
    sa.UniqueConstraint("hash"),
    sa.CheckConstraint(_one_of("scope", SCOPES), name="scope"),
    sa.Index(None, "player_id"),
)

PASSWORDS = sa.Table(
    "passwords",
    METADATA,
    # Of accounts that sign in on the page.
    sa.Column(
        "player_id",
        Big,
        sa.ForeignKey(PLAYERS.c.id, ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    # Argon2id with its parameters and salt (the PHC string format).
    sa.Column("hash", sa.Text, nullable=False),
    sa.Column("changed_at", UtcTime, nullable=False),
)

WEB_SESSIONS = sa.Table(
    "web_sessions",
    METADATA,
    # Browsers that have signed in.
    sa.Column("id", Big, sa.Identity(), primary_key=True),
    sa.Column("player_id", Big, sa.ForeignKey(PLAYERS.c.id, ondelete="CASCADE"), nullable=False),
    # SHA-256 in hex of what the cookie holds.
    sa.Column("hash", sa.Text, nullable=False),
    # The network from which it signed in.
    sa.Column("network", sa.Text, nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("expires_at", UtcTime, nullable=False),
    sa.UniqueConstraint("hash"),
    sa.Index(None, "player_id"),
    sa.Index(None, "expires_at"),
)

TICKETS = sa.Table(
    "tickets",
    METADATA,
    # Each lets a session's page log in once by its WebSocket. SHA-256 in hex.
    sa.Column("hash", sa.Text, primary_key=True),
    sa.Column(
        "session_id", Big, sa.ForeignKey(WEB_SESSIONS.c.id, ondelete="CASCADE"), nullable=False
    ),
    sa.Column("expires_at", UtcTime, nullable=False),
    sa.Index(None, "session_id"),
)

INVITES = sa.Table(
    "invites",
    METADATA,
    # Codes with which a person makes an account or, where one is named, gives it a password.
    # SHA-256 in hex. A used one is removed.
    sa.Column("hash", sa.Text, primary_key=True),
    sa.Column("player_id", Big, sa.ForeignKey(PLAYERS.c.id, ondelete="CASCADE")),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("expires_at", UtcTime, nullable=False),
    sa.Index(None, "player_id"),
)

ATTEMPTS = sa.Table(
    "attempts",
    METADATA,
    # How often somebody tried what is limited: to sign in with a wrong password, to sign up.
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("count", sa.Integer, nullable=False),
    sa.Column("last_at", UtcTime, nullable=False),
    sa.CheckConstraint("count > 0", name="count"),
    sa.Index(None, "last_at"),
)

BANS = sa.Table(
    "bans",
    METADATA,
    sa.Column("id", Big, sa.Identity(), primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("value", sa.Text, nullable=False),
    # NULL: permanent.
    sa.Column("until", UtcTime),
    sa.Column("by", sa.Text, nullable=False),
    sa.Column("why", sa.Text, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("lifted_at", UtcTime),
    sa.CheckConstraint(_one_of("kind", BANNED), name="kind"),
)

RUNS = sa.Table(
    "runs",
    METADATA,
    sa.Column("id", Big, sa.Identity(), primary_key=True),
    sa.Column("started_at", UtcTime, nullable=False),
    # Its last heartbeat.
    sa.Column("alive_at", UtcTime, nullable=False),
    # The longest time from noting a fact to reporting it, which no player's clock may be charged.
    sa.Column("slowest_ms", sa.BigInteger, nullable=False, server_default="0"),
    # NULL: it is running, or was killed.
    sa.Column("ended_at", UtcTime),
    # The name of the server in a cluster; empty: a lone server.
    sa.Column("node", sa.Text, nullable=False, server_default=""),
    # Rises with every commit of a cluster's server: the others see that it lives.
    sa.Column("beat", sa.BigInteger, nullable=False, server_default="0"),
    # From then on it may not write any more.
    sa.Column("fenced_at", UtcTime),
    # It gives its games away and takes no new ones.
    sa.Column("draining", sa.Boolean, nullable=False, server_default=sa.false()),
    # The version of what the servers of a cluster say to each other.
    sa.Column("speaks", sa.Integer, nullable=False, server_default="0"),
    # The version of its program; empty: unknown.
    sa.Column("version", sa.Text, nullable=False, server_default=""),
    # Whether it may be given games; otherwise it only has connections.
    sa.Column("owns", sa.Boolean, nullable=False, server_default=sa.true()),
    # Room in each page for the next versions of its few rows, which change with every commit.
    postgresql_with={"fillfactor": 10},
)


def _player_columns(side: str) -> list[sa.Column[Any]]:
    return [
        sa.Column(f"{side}_name", sa.Text, nullable=False),
        sa.Column(f"{side}_kind", sa.Text, nullable=False),
        sa.Column(f"{side}_author", sa.Text, nullable=False),
        sa.Column(f"{side}_rating", sa.Integer),
        sa.Column(f"{side}_title", sa.Text, nullable=False),
        sa.Column(f"{side}_id", Big, sa.ForeignKey(PLAYERS.c.id, ondelete="SET NULL")),
    ]


GAMES = sa.Table(
    "games",
    METADATA,
    sa.Column("id", Big, primary_key=True, autoincrement=False),
    sa.Column("rules", sa.Text, nullable=False),
    sa.Column("start", sa.Text),
    sa.Column("control", sa.Text, nullable=False),
    sa.Column("pool", sa.Text, nullable=False),
    sa.Column("rated", sa.Boolean, nullable=False),
    *_player_columns("white"),
    *_player_columns("black"),
    sa.Column("started_at", UtcTime, nullable=False),
    sa.Column("status", sa.Text, nullable=False, server_default=GameStatus.RUNNING.value),
    sa.Column("result", sa.Text),
    sa.Column("reason", sa.Text),
    sa.Column("detail", sa.Text, nullable=False, server_default=""),
    sa.Column("finished_at", UtcTime),
    # The rule by which time lost in the network is given back.
    sa.Column("lag", sa.Text, nullable=False, server_default="none"),
    sa.Column("white_handle", sa.Text, nullable=False, server_default=""),
    sa.Column("black_handle", sa.Text, nullable=False, server_default=""),
    # SHA-256 in hex of the secret with which the seat is taken back.
    sa.Column("white_key", sa.Text, nullable=False, server_default=""),
    sa.Column("black_key", sa.Text, nullable=False, server_default=""),
    # Whether threefold repetition and fifty moves had to be claimed. NULL: unknown (old games).
    sa.Column("claims", sa.Boolean),
    # The run that alone may write facts of the game. NULL: none.
    sa.Column("owner", Big, sa.ForeignKey(RUNS.c.id)),
    # How many owners it has had.
    sa.Column("epoch", sa.Integer, nullable=False, server_default="0"),
    # Whether a takeback undoes what the moves had added to the clocks. False: old games.
    sa.Column("undo_clocks", sa.Boolean, nullable=False, server_default=sa.false()),
    # What the players may do, and what counts, in its notation. NULL: the usual.
    sa.Column("conduct", sa.Text),
    # The words of the sides that caused an abort. NULL: it runs, or unknown (old games).
    sa.Column("fault", sa.Text),
    # The moves of a book with which it began, with blanks between. NULL: none.
    sa.Column("opening", sa.Text),
    # At which a program of the server played. NULL: without one.
    sa.Column("white_level", sa.SmallInteger),
    sa.Column("black_level", sa.SmallInteger),
    sa.CheckConstraint("id > 0", name="id"),
    sa.CheckConstraint(_one_of("white_kind", KINDS), name="white_kind"),
    sa.CheckConstraint(_one_of("black_kind", KINDS), name="black_kind"),
    sa.CheckConstraint(_one_of("result", RESULTS), name="result"),
    sa.CheckConstraint(_one_of("reason", REASONS), name="reason"),
    sa.CheckConstraint(
        "(status = 'running' AND result IS NULL AND reason IS NULL AND finished_at IS NULL)"
        " OR (status = 'finished' AND result IS NOT NULL AND reason IS NOT NULL"
        " AND finished_at IS NOT NULL)",
        name="status",
    ),
    sa.CheckConstraint(f"result <> '*' OR {_one_of('reason', NO_RESULT)}", name="no_result"),
    sa.Index(None, "white_name"),
    sa.Index(None, "black_name"),
    sa.Index(None, "started_at"),
    sa.Index(
        "ix_games_running",
        "id",
        sqlite_where=sa.text("status = 'running'"),
        postgresql_where=sa.text("status = 'running'"),
    ),
)


def _game_key() -> sa.Column[int]:
    """The game to which a row belongs, as the first column of its key."""
    return sa.Column(
        "game_id",
        sa.BigInteger,
        sa.ForeignKey(GAMES.c.id, ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    )


OWNERS = sa.Table(
    "owners",
    METADATA,
    _game_key(),
    sa.Column("epoch", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("run_id", sa.BigInteger, sa.ForeignKey(RUNS.c.id), nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    sa.CheckConstraint("epoch > 0", name="epoch"),
    sqlite_with_rowid=False,
)

MOVES = sa.Table(
    "moves",
    METADATA,
    _game_key(),
    # The place among all facts of the game. Nothing is deleted: a ply that was taken back stays,
    # and is played again under another number.
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("ply", sa.Integer, nullable=False),
    sa.Column("side", sa.SmallInteger, nullable=False),
    sa.Column("move", sa.Text, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("spent_ms", sa.BigInteger, nullable=False),
    sa.Column("left_ms", sa.BigInteger),
    # Given back of the time spent: for the network, and for the server's own delays.
    sa.Column("lag_ms", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("stall_ms", sa.BigInteger, nullable=False, server_default="0"),
    # Before the clock started: on neither clock.
    sa.Column("held_ms", sa.BigInteger, nullable=False, server_default="0"),
    # The last analysis of the mover's program, from its own point of view.
    sa.Column("score_cp", sa.Integer),
    sa.Column("score_mate", sa.Integer),
    sa.Column("score_bound", sa.Text),
    sa.Column("depth", sa.Integer),
    sa.Column("nodes", sa.BigInteger),
    sa.Column("time_ms", sa.BigInteger),
    sa.Column("pv", sa.Text),
    sa.CheckConstraint("seq >= 0 AND ply >= 0", name="ply"),
    sa.CheckConstraint("side IN (0, 1)", name="side"),
    sa.CheckConstraint("spent_ms >= 0 AND left_ms >= 0", name="clock"),
    sa.CheckConstraint("lag_ms >= 0 AND stall_ms >= 0 AND held_ms >= 0", name="credit"),
    sa.CheckConstraint("score_cp IS NULL OR score_mate IS NULL", name="one_score"),
    sa.CheckConstraint(_one_of("score_bound", Bound), name="score_bound"),
    sa.CheckConstraint(
        "score_bound IS NULL OR score_cp IS NOT NULL OR score_mate IS NOT NULL",
        name="bound_of_score",
    ),
    # One B-tree instead of two: the moves of a game are adjacent, and are written once.
    sqlite_with_rowid=False,
)

EVENTS = sa.Table(
    "events",
    METADATA,
    _game_key(),
    # Numbered together with the moves.
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("ply", sa.Integer, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("what", sa.Text, nullable=False),
    sa.Column("side", sa.SmallInteger),
    sa.Column("amount", sa.BigInteger, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.CheckConstraint("seq >= 0 AND ply >= 0", name="ply"),
    sa.CheckConstraint("side IN (0, 1)", name="side"),
    sa.CheckConstraint(_one_of("what", EventKind), name="what"),
    sqlite_with_rowid=False,
)

REPORTS = sa.Table(
    "reports",
    METADATA,
    sa.Column("id", Big, sa.Identity(), primary_key=True),
    sa.Column(
        "game_id", sa.BigInteger, sa.ForeignKey(GAMES.c.id, ondelete="CASCADE"), nullable=False
    ),
    sa.Column("ply", sa.Integer, nullable=False),
    sa.Column("side", sa.SmallInteger, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    sa.CheckConstraint("ply >= 0", name="ply"),
    sa.CheckConstraint("side IN (0, 1)", name="side"),
    sa.CheckConstraint(_one_of("source", SOURCES), name="source"),
    sa.Index("ix_reports_game_id", "game_id", "at"),
)

TOURNAMENTS = sa.Table(
    "tournaments",
    METADATA,
    sa.Column("id", Big, sa.Identity(), primary_key=True),
    # As it was asked for.
    sa.Column("settings", sa.Text, nullable=False),
    # Of all its chance, so that it goes on as it began.
    sa.Column("seed", sa.BigInteger, nullable=False),
    # Where its games begin in the files that they are written to, in bytes: JSON, by the names.
    sa.Column("files", sa.Text, nullable=False),
    sa.Column("started_at", UtcTime, nullable=False),
    # The digest of its book, by which a changed file is noticed. Empty: none, or unknown.
    sa.Column("book", sa.Text, nullable=False, server_default=""),
    # Its name in commands. Empty: a match of a command, which runs by itself.
    sa.Column("word", sa.Text, nullable=False, server_default=""),
    sa.Column("state", sa.Text, nullable=False, server_default=TournamentState.RUNNING.value),
    # The account that asked for it; empty: an operator.
    sa.Column("by", sa.Text, nullable=False, server_default=""),
    # When its first round was due. NULL: it has not begun.
    sa.Column("begun_at", UtcTime),
    # Rises with every change that its director did not make.
    sa.Column("changes", sa.BigInteger, nullable=False, server_default="0"),
    # The last round that may begin, if somebody begins each by hand.
    sa.Column("allowed_round", sa.Integer, nullable=False, server_default="1"),
    # Why its server has paused it, without folders. Empty: it is not paused, or was so by hand.
    sa.Column("why_paused", sa.Text, nullable=False, server_default=""),
    sa.CheckConstraint(_one_of("state", [*TournamentState]), name="state"),
    sa.Index(
        "ix_tournaments_word",
        "word",
        unique=True,
        sqlite_where=sa.text("word <> ''"),
        postgresql_where=sa.text("word <> ''"),
    ),
)

ENTRANTS = sa.Table(
    "entrants",
    METADATA,
    sa.Column(
        "tournament_id", Big, sa.ForeignKey(TOURNAMENTS.c.id), primary_key=True, autoincrement=False
    ),
    # From 1, in the order in which they entered.
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.Text, nullable=False),
    # One of these three says who it is: an account, an engine of the server, or a name that is
    # given at a listener of the tournament.
    sa.Column("player_id", Big, sa.ForeignKey(PLAYERS.c.id, ondelete="SET NULL")),
    sa.Column("engine", sa.Text, nullable=False),
    sa.Column("remote", sa.Text, nullable=False),
    sa.Column("rating", sa.Float),
    # At how many it plays at once.
    sa.Column("boards", sa.Integer, nullable=False),
    # The first round in which it is paired, and the first in which it is not any more.
    sa.Column("joined", sa.Integer, nullable=False),
    sa.Column("left", sa.Integer),
    sa.Column("why", sa.Text, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    sa.CheckConstraint("number > 0 AND boards > 0 AND joined > 0", name="number"),
    sqlite_with_rowid=False,
)

PAIRINGS = sa.Table(
    "pairings",
    METADATA,
    sa.Column(
        "tournament_id", Big, sa.ForeignKey(TOURNAMENTS.c.id), primary_key=True, autoincrement=False
    ),
    # Which of the tournament's games it is, from 1.
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("round", sa.Integer, nullable=False),
    # The numbers of the entrants. Without Black it is a bye.
    sa.Column("white", sa.Integer, nullable=False),
    sa.Column("black", sa.Integer),
    # The number of its opening, from 0.
    sa.Column("opening", sa.Integer, nullable=False),
    # How it counts, if it was decided without its game, or corrected. NULL: as its game ended.
    sa.Column("score", sa.Text),
    sa.Column("why", sa.Text, nullable=False),
    # It does not count, and is played again under another number.
    sa.Column("void", sa.Boolean, nullable=False),
    # The person who decided it; empty if the rules did.
    sa.Column("by", sa.Text, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    sa.ForeignKeyConstraint(
        ["tournament_id", "white"],
        ["entrants.tournament_id", "entrants.number"],
        name="fk_pairings_white",
    ),
    sa.ForeignKeyConstraint(
        ["tournament_id", "black"],
        ["entrants.tournament_id", "entrants.number"],
        name="fk_pairings_black",
    ),
    sa.CheckConstraint("number > 0 AND round > 0 AND opening >= 0", name="number"),
    sa.CheckConstraint(_one_of("score", DECISIONS), name="score"),
    sqlite_with_rowid=False,
)

ENCOUNTERS = sa.Table(
    "encounters",
    METADATA,
    _game_key(),
    sa.Column("tournament_id", Big, sa.ForeignKey(TOURNAMENTS.c.id), nullable=False),
    # Which of the tournament's games it is, from 1. One that was void is played again.
    sa.Column("number", sa.Integer, nullable=False),
    sa.CheckConstraint("number > 0", name="number"),
    sa.Index(None, "tournament_id", "number"),
)

RATINGS = sa.Table(
    "ratings",
    METADATA,
    # The result of the last change of an account's rating in a pool.
    sa.Column("pool", sa.Text, primary_key=True),
    sa.Column(
        "player_id",
        Big,
        sa.ForeignKey(PLAYERS.c.id, ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("rating", sa.Double, nullable=False),
    sa.Column("deviation", sa.Double, nullable=False),
    sa.Column("volatility", sa.Double, nullable=False),
    sa.Column("games", sa.Integer, nullable=False),
    # Those of games, and those by an operator.
    sa.Column("changes", sa.Integer, nullable=False),
    sa.Column("updated_at", UtcTime, nullable=False),
    # An operator has set it: games do not change it.
    sa.Column("anchored", sa.Boolean, nullable=False),
    sa.CheckConstraint("games >= 0 AND changes >= games", name="games"),
    sa.CheckConstraint("deviation > 0 AND volatility > 0", name="deviation"),
    sa.Index(None, "player_id"),
    sa.Index("ix_ratings_leaders", "pool", "rating"),
)

RATING_CHANGES = sa.Table(
    "rating_changes",
    METADATA,
    sa.Column("id", Big, sa.Identity(), primary_key=True),
    sa.Column("pool", sa.Text, nullable=False),
    sa.Column("player_id", Big, sa.ForeignKey(PLAYERS.c.id, ondelete="SET NULL")),
    # The place among all changes of this player's rating in the pool.
    sa.Column("seq", sa.Integer, nullable=False),
    # The game that changed it, and the player's side there. NULL: an operator anchored it, or
    # freed it again.
    sa.Column("game_id", sa.BigInteger, sa.ForeignKey(GAMES.c.id, ondelete="CASCADE")),
    sa.Column("side", sa.SmallInteger),
    sa.Column("opponent_id", Big, sa.ForeignKey(PLAYERS.c.id, ondelete="SET NULL")),
    # At the end of the game: the deviation has grown since the last change.
    sa.Column("rating_before", sa.Double, nullable=False),
    sa.Column("deviation_before", sa.Double, nullable=False),
    sa.Column("volatility_before", sa.Double, nullable=False),
    sa.Column("rating_after", sa.Double, nullable=False),
    sa.Column("deviation_after", sa.Double, nullable=False),
    sa.Column("volatility_after", sa.Double, nullable=False),
    # Whether it is anchored after this change.
    sa.Column("anchored", sa.Boolean, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    sa.UniqueConstraint("game_id", "side"),
    sa.UniqueConstraint("player_id", "pool", "seq"),
    sa.CheckConstraint("seq > 0", name="seq"),
    sa.CheckConstraint("side IN (0, 1)", name="side"),
    sa.CheckConstraint("(game_id IS NULL) = (side IS NULL)", name="side_of_game"),
    sa.Index("ix_rating_changes_opponents", "player_id", "opponent_id", "at"),
    sa.Index(None, "opponent_id"),
)

COMPLAINTS = sa.Table(
    "complaints",
    METADATA,
    # What players say about others, for administrators.
    sa.Column("id", Big, sa.Identity(), primary_key=True),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("by_name", sa.Text, nullable=False),
    sa.Column("by_id", Big, sa.ForeignKey(PLAYERS.c.id, ondelete="SET NULL")),
    sa.Column("about_name", sa.Text, nullable=False),
    sa.Column("about_id", Big, sa.ForeignKey(PLAYERS.c.id, ondelete="SET NULL")),
    sa.Column("text", sa.Text, nullable=False),
    # The last games of the two, with blanks between.
    sa.Column("games", sa.Text, nullable=False),
    # NULL: nobody has dealt with it.
    sa.Column("closed_at", UtcTime),
    sa.Column("closed_by", sa.Text, nullable=False, server_default=""),
)

INSTALLATION = sa.Table(
    "installation",
    METADATA,
    # One row, which is there from the first use on.
    sa.Column("id", sa.SmallInteger, primary_key=True, autoincrement=False),
    # A secret: by it servers know each other, and those of other databases apart, on a bus.
    sa.Column("key", sa.Text, nullable=False),
    # The highest number of a game that was given to a server of a cluster.
    sa.Column("last_game", sa.BigInteger, nullable=False, server_default="0"),
    # The run that hosts the lobby of a cluster, and alone may write the tables below. NULL: none.
    sa.Column("lobby_run", Big, sa.ForeignKey(RUNS.c.id)),
    # The highest number of a seek, challenge or match that it may give out.
    sa.Column("last_seek", sa.BigInteger, nullable=False, server_default="0"),
    sa.CheckConstraint("id = 1", name="id"),
)

LOBBY_MEMBERS = sa.Table(
    "lobby_members",
    METADATA,
    # Who is logged in at any server of a cluster, or may return to its game.
    sa.Column("handle", sa.Text, primary_key=True),
    # The server that has its connection. NULL: the connection is over.
    sa.Column("run_id", Big, sa.ForeignKey(RUNS.c.id)),
    # The number of the connection there.
    sa.Column("link", sa.BigInteger, nullable=False),
    # The address of its computer, without and with the port.
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("label", sa.Text, nullable=False),
    # SHA-256 in hex of the secrets with which it takes its seat back, with blanks between.
    sa.Column("keys", sa.Text, nullable=False),
    # What it declared about itself: JSON, without any secret.
    sa.Column("profile", sa.Text, nullable=False),
    # Its game and its side there. NULL: it plays none. The game may not be stored yet.
    sa.Column("game_id", sa.BigInteger),
    sa.Column("side", sa.SmallInteger, nullable=False),
    # When its login began. NULL: unknown.
    sa.Column("called_at", UtcTime),
    # Whether it has an opponent: its game or match is on, or about to begin.
    sa.Column("playing", sa.Boolean, nullable=False),
    sa.CheckConstraint("side IN (0, 1)", name="side"),
)

LOBBY_SEEKS = sa.Table(
    "lobby_seeks",
    METADATA,
    # Open seeks and challenges. Who is asked by a challenge is `asked`; NULL: it is a seek.
    sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("handle", sa.Text, nullable=False),
    sa.Column("asked", sa.Text),
    # JSON.
    sa.Column("terms", sa.Text, nullable=False),
)

LOBBY_MATCHES = sa.Table(
    "lobby_matches",
    METADATA,
    # Matches of several games, and games whose colors one player says later: JSON.
    sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("terms", sa.Text, nullable=False),
)

MISSED_RESULTS = sa.Table(
    "missed_results",
    METADATA,
    # Who returns with the secret of this SHA-256 is told how that game ended.
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("game_id", sa.BigInteger, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
)

"""Players, games, moves and reports."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True).with_variant(sa.String(32), "sqlite")


def upgrade() -> None:
    _create_players()
    _create_games()
    _create_moves()
    _create_reports()


def downgrade() -> None:
    for table in ("reports", "moves", "games", "players"):
        op.drop_table(table)


def _create_players() -> None:
    op.create_table(
        "players",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.Text()),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_players"),
        sa.UniqueConstraint("name", name="uq_players_name"),
        sa.UniqueConstraint("token_hash", name="uq_players_token_hash"),
        sa.CheckConstraint("kind IN ('human', 'engine')", name="ck_players_kind"),
    )


def _seat(word: str) -> list[sa.Column[object]]:
    return [
        sa.Column(f"{word}_name", sa.Text(), nullable=False),
        sa.Column(f"{word}_kind", sa.Text(), nullable=False),
        sa.Column(f"{word}_author", sa.Text(), nullable=False),
        sa.Column(f"{word}_rating", sa.Integer()),
        sa.Column(f"{word}_title", sa.Text(), nullable=False),
        sa.Column(f"{word}_id", BIG),
    ]


def _create_games() -> None:
    op.create_table(
        "games",
        sa.Column("id", BIG, autoincrement=False, nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.Column("start", sa.Text()),
        sa.Column("control", sa.Text(), nullable=False),
        sa.Column("pool", sa.Text(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        *_seat("white"),
        *_seat("black"),
        sa.Column("started_at", TIME, nullable=False),
        sa.Column("status", sa.Text(), server_default="running", nullable=False),
        sa.Column("result", sa.Text()),
        sa.Column("reason", sa.Text()),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.Column("finished_at", TIME),
        sa.PrimaryKeyConstraint("id", name="pk_games"),
        sa.ForeignKeyConstraint(
            ["white_id"], ["players.id"], name="fk_games_white_id", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["black_id"], ["players.id"], name="fk_games_black_id", ondelete="SET NULL"
        ),
        *(sa.CheckConstraint(rule, name=f"ck_games_{name}") for name, rule in _GAME_RULES.items()),
    )
    op.create_index("ix_games_white_name", "games", ["white_name"])
    op.create_index("ix_games_black_name", "games", ["black_name"])
    op.create_index("ix_games_started_at", "games", ["started_at"])
    running = sa.text("status = 'running'")
    op.create_index(
        "ix_games_running", "games", ["id"], sqlite_where=running, postgresql_where=running
    )


_GAME_RULES = {
    "id": "id > 0",
    "white_kind": "white_kind IN ('human', 'engine')",
    "black_kind": "black_kind IN ('human', 'engine')",
    "result": "result IN ('1-0', '0-1', '1/2-1/2', '*')",
    "reason": "reason IN ('checkmate', 'stalemate', 'elimination', 'material', 'repetition', "
    "'fifty-moves', 'game-rule', 'resignation', 'agreement', 'time', 'time-insufficient', "
    "'illegal-move', 'stall', 'disconnect', 'adjudication', 'aborted', 'server')",
    "status": "(status = 'running' AND result IS NULL AND reason IS NULL AND finished_at IS NULL)"
    " OR (status = 'finished' AND result IS NOT NULL AND reason IS NOT NULL"
    " AND finished_at IS NOT NULL)",
    "no_result": "result <> '*' OR reason IN ('aborted', 'server')",
}


def _create_moves() -> None:
    op.create_table(
        "moves",
        sa.Column("game_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("ply", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("side", sa.SmallInteger(), nullable=False),
        sa.Column("move", sa.Text(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("spent_ms", sa.BigInteger(), nullable=False),
        sa.Column("left_ms", sa.BigInteger()),
        sa.Column("lag_ms", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("stall_ms", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("score_cp", sa.Integer()),
        sa.Column("score_mate", sa.Integer()),
        sa.Column("score_bound", sa.Text()),
        sa.Column("depth", sa.Integer()),
        sa.Column("nodes", sa.BigInteger()),
        sa.Column("time_ms", sa.BigInteger()),
        sa.Column("pv", sa.Text()),
        sa.PrimaryKeyConstraint("game_id", "ply", name="pk_moves"),
        sa.ForeignKeyConstraint(
            ["game_id"], ["games.id"], name="fk_moves_game_id", ondelete="CASCADE"
        ),
        *(sa.CheckConstraint(rule, name=f"ck_moves_{name}") for name, rule in _MOVE_RULES.items()),
        sqlite_with_rowid=False,
    )


_MOVE_RULES = {
    "ply": "ply >= 0",
    "side": "side IN (0, 1)",
    "clock": "spent_ms >= 0 AND left_ms >= 0",
    "credit": "lag_ms >= 0 AND stall_ms >= 0",
    "one_score": "score_cp IS NULL OR score_mate IS NULL",
    "score_bound": "score_bound IN ('lowerbound', 'upperbound')",
    "bound_of_score": "score_bound IS NULL OR score_cp IS NOT NULL OR score_mate IS NOT NULL",
}


def _create_reports() -> None:
    op.create_table(
        "reports",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("game_id", sa.BigInteger(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("side", sa.SmallInteger(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_reports"),
        sa.ForeignKeyConstraint(
            ["game_id"], ["games.id"], name="fk_reports_game_id", ondelete="CASCADE"
        ),
        sa.CheckConstraint("ply >= 0", name="ck_reports_ply"),
        sa.CheckConstraint("side IN (0, 1)", name="ck_reports_side"),
        sa.CheckConstraint("source IN ('player', 'server')", name="ck_reports_source"),
    )
    op.create_index("ix_reports_game_id", "reports", ["game_id", "at"])

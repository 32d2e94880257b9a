"""Ratings, what each game changed in them, and complaints about players.

Of an account it is known by which name its program called itself last.
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    at = sa.String(32) if op.get_bind().dialect.name == "sqlite" else sa.DateTime(timezone=True)
    op.add_column("players", sa.Column("program", sa.Text()))
    op.create_table(
        "ratings",
        sa.Column("pool", sa.Text(), nullable=False),
        sa.Column("player_id", big, nullable=False, autoincrement=False),
        sa.Column("rating", sa.Double(), nullable=False),
        sa.Column("deviation", sa.Double(), nullable=False),
        sa.Column("volatility", sa.Double(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("changes", sa.Integer(), nullable=False),
        sa.Column("updated_at", at, nullable=False),
        sa.Column("anchored", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("pool", "player_id", name="pk_ratings"),
        sa.ForeignKeyConstraint(
            ["player_id"], ["players.id"], name="fk_ratings_player_id", ondelete="CASCADE"
        ),
        sa.CheckConstraint("games >= 0 AND changes >= games", name="ck_ratings_games"),
        sa.CheckConstraint("deviation > 0 AND volatility > 0", name="ck_ratings_deviation"),
    )
    op.create_index("ix_ratings_player_id", "ratings", ["player_id"])
    op.create_index("ix_ratings_leaders", "ratings", ["pool", "rating"])
    op.create_table(
        "rating_changes",
        sa.Column("id", big, sa.Identity(), nullable=False),
        sa.Column("pool", sa.Text(), nullable=False),
        sa.Column("player_id", big, nullable=True),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.BigInteger(), nullable=True),
        sa.Column("side", sa.SmallInteger(), nullable=True),
        sa.Column("opponent_id", big, nullable=True),
        sa.Column("rating_before", sa.Double(), nullable=False),
        sa.Column("deviation_before", sa.Double(), nullable=False),
        sa.Column("volatility_before", sa.Double(), nullable=False),
        sa.Column("rating_after", sa.Double(), nullable=False),
        sa.Column("deviation_after", sa.Double(), nullable=False),
        sa.Column("volatility_after", sa.Double(), nullable=False),
        sa.Column("anchored", sa.Boolean(), nullable=False),
        sa.Column("at", at, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_rating_changes"),
        sa.UniqueConstraint("game_id", "side", name="uq_rating_changes_game_id"),
        sa.UniqueConstraint("player_id", "pool", "seq", name="uq_rating_changes_player_id"),
        sa.ForeignKeyConstraint(
            ["player_id"], ["players.id"], name="fk_rating_changes_player_id", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["opponent_id"],
            ["players.id"],
            name="fk_rating_changes_opponent_id",
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["game_id"], ["games.id"], name="fk_rating_changes_game_id", ondelete="CASCADE"
        ),
        sa.CheckConstraint("seq > 0", name="ck_rating_changes_seq"),
        sa.CheckConstraint("side IN (0, 1)", name="ck_rating_changes_side"),
        sa.CheckConstraint(
            "(game_id IS NULL) = (side IS NULL)", name="ck_rating_changes_side_of_game"
        ),
    )
    op.create_index(
        "ix_rating_changes_opponents", "rating_changes", ["player_id", "opponent_id", "at"]
    )
    op.create_index("ix_rating_changes_opponent_id", "rating_changes", ["opponent_id"])
    op.create_table(
        "complaints",
        sa.Column("id", big, sa.Identity(), nullable=False),
        sa.Column("at", at, nullable=False),
        sa.Column("by_name", sa.Text(), nullable=False),
        sa.Column("by_id", big, nullable=True),
        sa.Column("about_name", sa.Text(), nullable=False),
        sa.Column("about_id", big, nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("games", sa.Text(), nullable=False),
        sa.Column("closed_at", at, nullable=True),
        sa.Column("closed_by", sa.Text(), nullable=False, server_default=""),
        sa.PrimaryKeyConstraint("id", name="pk_complaints"),
        sa.ForeignKeyConstraint(
            ["by_id"], ["players.id"], name="fk_complaints_by_id", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["about_id"], ["players.id"], name="fk_complaints_about_id", ondelete="SET NULL"
        ),
    )


def downgrade() -> None:
    for table in ("complaints", "rating_changes", "ratings"):
        op.drop_table(table)
    op.drop_column("players", "program")

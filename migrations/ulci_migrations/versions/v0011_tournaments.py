"""Matches are kept, and which of their games each game is."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    at = sa.String(32) if op.get_bind().dialect.name == "sqlite" else sa.DateTime(timezone=True)
    op.create_table(
        "tournaments",
        sa.Column("id", big, sa.Identity(), primary_key=True),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("files", sa.Text(), nullable=False),
        sa.Column("started_at", at, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tournaments"),
    )
    op.create_table(
        "encounters",
        sa.Column("game_id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("tournament_id", big, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("game_id", name="pk_encounters"),
        sa.ForeignKeyConstraint(
            ["game_id"], ["games.id"], name="fk_encounters_game_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name="fk_encounters_tournament_id"
        ),
        sa.CheckConstraint("number > 0", name="ck_encounters_number"),
    )
    op.create_index("ix_encounters_tournament_id", "encounters", ["tournament_id"])


def downgrade() -> None:
    op.drop_table("encounters")
    op.drop_table("tournaments")

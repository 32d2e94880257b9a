"""The lobby of a cluster is kept: its members, seeks, challenges, matches, and missed results.

Whether a server may be given games is known to all.
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    at = sa.String(32) if op.get_bind().dialect.name == "sqlite" else sa.DateTime(timezone=True)
    with op.batch_alter_table("installation") as installation:
        installation.add_column(sa.Column("lobby_run", big, nullable=True))
        installation.add_column(
            sa.Column("last_seek", sa.BigInteger(), server_default="0", nullable=False)
        )
        installation.create_foreign_key("fk_installation_lobby_run", "runs", ["lobby_run"], ["id"])
    op.add_column("runs", sa.Column("owns", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.create_table(
        "lobby_members",
        sa.Column("handle", sa.Text(), nullable=False),
        sa.Column("run_id", big, nullable=True),
        sa.Column("link", sa.BigInteger(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("keys", sa.Text(), nullable=False),
        sa.Column("profile", sa.Text(), nullable=False),
        sa.Column("game_id", sa.BigInteger(), nullable=True),
        sa.Column("side", sa.SmallInteger(), nullable=False),
        sa.Column("called_at", at, nullable=True),
        sa.Column("playing", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("handle", name="pk_lobby_members"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_lobby_members_run_id"),
        sa.CheckConstraint("side IN (0, 1)", name="ck_lobby_members_side"),
    )
    op.create_table(
        "lobby_seeks",
        sa.Column("id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("handle", sa.Text(), nullable=False),
        sa.Column("asked", sa.Text(), nullable=True),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_lobby_seeks"),
    )
    op.create_table(
        "lobby_matches",
        sa.Column("id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_lobby_matches"),
    )
    op.create_table(
        "missed_results",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("game_id", sa.BigInteger(), nullable=False),
        sa.Column("at", at, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_missed_results"),
    )


def downgrade() -> None:
    for table in ("missed_results", "lobby_matches", "lobby_seeks", "lobby_members"):
        op.drop_table(table)
    op.drop_column("runs", "owns")
    with op.batch_alter_table("installation") as installation:
        installation.drop_constraint("fk_installation_lobby_run", type_="foreignkey")
        installation.drop_column("last_seek")
        installation.drop_column("lobby_run")

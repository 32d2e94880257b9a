"""Several servers share the database: which one owns a game, and which one is shut out."""

import sqlalchemy as sa
from alembic import op
from alembic.operations import BatchOperations

revision = "0005"
down_revision = "0004"

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True).with_variant(sa.String(32), "sqlite")

OWNER = "fk_games_owner"

EMPTY = ("detail", "white_handle", "black_handle", "white_key", "black_key")
"""Columns of games whose default is an empty text, which Alembic takes for an expression when it
copies a table of SQLite."""


def upgrade() -> None:
    for column in _of_runs():
        op.add_column("runs", column)
    if _on_postgres():
        op.execute("ALTER TABLE runs SET (fillfactor = 10)")
    with op.batch_alter_table("games") as games:
        _keep_defaults(games)
        games.add_column(sa.Column("owner", BIG))
        games.add_column(sa.Column("epoch", sa.Integer(), server_default="0", nullable=False))
        games.create_foreign_key(OWNER, "runs", ["owner"], ["id"])
    _create_owners()
    _create_installation()


def downgrade() -> None:
    op.drop_table("installation")
    op.drop_table("owners")
    with op.batch_alter_table("games") as games:
        _keep_defaults(games)
        games.drop_constraint(OWNER, type_="foreignkey")
        games.drop_column("epoch")
        games.drop_column("owner")
    if _on_postgres():
        op.execute("ALTER TABLE runs RESET (fillfactor)")
    for column in _of_runs():
        op.drop_column("runs", column.name)


def _on_postgres() -> bool:
    return op.get_bind().dialect.name == "postgresql"


def _keep_defaults(games: BatchOperations) -> None:
    for name in EMPTY:
        games.alter_column(name, existing_type=sa.Text(), server_default="")


def _of_runs() -> list[sa.Column[object]]:
    return [
        sa.Column("node", sa.Text(), server_default="", nullable=False),
        sa.Column("beat", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("fenced_at", TIME),
        sa.Column("draining", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("speaks", sa.Integer(), server_default="0", nullable=False),
    ]


def _create_owners() -> None:
    op.create_table(
        "owners",
        sa.Column("game_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("epoch", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("game_id", "epoch", name="pk_owners"),
        sa.ForeignKeyConstraint(
            ["game_id"], ["games.id"], name="fk_owners_game_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_owners_run_id"),
        sa.CheckConstraint("epoch > 0", name="ck_owners_epoch"),
        sqlite_with_rowid=False,
    )


def _create_installation() -> None:
    op.create_table(
        "installation",
        sa.Column("id", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("last_game", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_installation"),
        sa.CheckConstraint("id = 1", name="ck_installation_id"),
    )

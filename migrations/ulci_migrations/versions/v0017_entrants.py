"""Tournaments that a server plays: their entrants and pairings are kept, and how far they are."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

STATES = "state IN ('created', 'running', 'paused', 'stopped', 'finished')"
SCORES = "score IN ('1-0', '0-1', '1/2-1/2', '0-0')"


def upgrade() -> None:
    big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    at = sa.String(32) if op.get_bind().dialect.name == "sqlite" else sa.DateTime(timezone=True)
    with op.batch_alter_table("tournaments") as tournaments:
        for name, default in (("word", ""), ("state", "running"), ("by", "")):
            tournaments.add_column(
                sa.Column(name, sa.Text(), server_default=default, nullable=False)
            )
        tournaments.add_column(sa.Column("begun_at", at, nullable=True))
        tournaments.add_column(
            sa.Column("changes", sa.BigInteger(), server_default="0", nullable=False)
        )
        tournaments.add_column(
            sa.Column("allowed_round", sa.Integer(), server_default="1", nullable=False)
        )
        tournaments.create_check_constraint("ck_tournaments_state", STATES)
        tournaments.alter_column("book", server_default="")  # SQLite's copy puts it in parentheses
    op.create_index(
        "ix_tournaments_word",
        "tournaments",
        ["word"],
        unique=True,
        sqlite_where=sa.text("word <> ''"),
        postgresql_where=sa.text("word <> ''"),
    )
    op.drop_index("ix_encounters_tournament_id", "encounters")
    op.create_index("ix_encounters_tournament_id", "encounters", ["tournament_id", "number"])
    op.create_table(
        "entrants",
        sa.Column("tournament_id", big, nullable=False, autoincrement=False),
        sa.Column("number", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("player_id", big, nullable=True),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("remote", sa.Text(), nullable=False),
        sa.Column("rating", sa.Float(), nullable=True),
        sa.Column("boards", sa.Integer(), nullable=False),
        sa.Column("joined", sa.Integer(), nullable=False),
        sa.Column("left", sa.Integer(), nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("at", at, nullable=False),
        sa.PrimaryKeyConstraint("tournament_id", "number", name="pk_entrants"),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name="fk_entrants_tournament_id"
        ),
        sa.ForeignKeyConstraint(
            ["player_id"], ["players.id"], name="fk_entrants_player_id", ondelete="SET NULL"
        ),
        sa.CheckConstraint("number > 0 AND boards > 0 AND joined > 0", name="ck_entrants_number"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "pairings",
        sa.Column("tournament_id", big, nullable=False, autoincrement=False),
        sa.Column("number", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("white", sa.Integer(), nullable=False),
        sa.Column("black", sa.Integer(), nullable=True),
        sa.Column("opening", sa.Integer(), nullable=False),
        sa.Column("score", sa.Text(), nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("void", sa.Boolean(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", at, nullable=False),
        sa.PrimaryKeyConstraint("tournament_id", "number", name="pk_pairings"),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name="fk_pairings_tournament_id"
        ),
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
        sa.CheckConstraint("number > 0 AND round > 0 AND opening >= 0", name="ck_pairings_number"),
        sa.CheckConstraint(SCORES, name="ck_pairings_score"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("pairings")
    op.drop_table("entrants")
    op.drop_index("ix_encounters_tournament_id", "encounters")
    op.create_index("ix_encounters_tournament_id", "encounters", ["tournament_id"])
    op.drop_index("ix_tournaments_word", "tournaments")
    with op.batch_alter_table("tournaments") as tournaments:
        tournaments.drop_constraint("ck_tournaments_state", type_="check")
        for name in ("allowed_round", "changes", "begun_at", "by", "state", "word"):
            tournaments.drop_column(name)

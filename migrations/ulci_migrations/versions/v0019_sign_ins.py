"""Accounts may have passwords, by which people sign in on the page.

With them come the sessions of browsers, their tickets for a WebSocket, invitations, and a count of
attempts.
"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    at = sa.String(32) if op.get_bind().dialect.name == "sqlite" else sa.DateTime(timezone=True)
    op.create_table(
        "passwords",
        sa.Column("player_id", big, nullable=False, autoincrement=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("changed_at", at, nullable=False),
        sa.PrimaryKeyConstraint("player_id", name="pk_passwords"),
        _of_player("passwords"),
    )
    op.create_table(
        "web_sessions",
        sa.Column("id", big, sa.Identity(), nullable=False),
        sa.Column("player_id", big, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("network", sa.Text(), nullable=False),
        sa.Column("created_at", at, nullable=False),
        sa.Column("expires_at", at, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_web_sessions"),
        sa.UniqueConstraint("hash", name="uq_web_sessions_hash"),
        _of_player("web_sessions"),
    )
    op.create_index("ix_web_sessions_player_id", "web_sessions", ["player_id"])
    op.create_index("ix_web_sessions_expires_at", "web_sessions", ["expires_at"])
    op.create_table(
        "tickets",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("session_id", big, nullable=False),
        sa.Column("expires_at", at, nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_tickets"),
        sa.ForeignKeyConstraint(
            ["session_id"], ["web_sessions.id"], name="fk_tickets_session_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_tickets_session_id", "tickets", ["session_id"])
    op.create_table(
        "invites",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("player_id", big, nullable=True),
        sa.Column("created_at", at, nullable=False),
        sa.Column("expires_at", at, nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_invites"),
        _of_player("invites"),
    )
    op.create_index("ix_invites_player_id", "invites", ["player_id"])
    op.create_table(
        "attempts",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("last_at", at, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_attempts"),
        sa.CheckConstraint("count > 0", name="ck_attempts_count"),
    )
    op.create_index("ix_attempts_last_at", "attempts", ["last_at"])


def _of_player(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["player_id"], ["players.id"], name=f"fk_{table}_player_id", ondelete="CASCADE"
    )


def downgrade() -> None:
    for table in ("attempts", "invites", "tickets", "web_sessions", "passwords"):
        op.drop_table(table)

"""The key of the database is a secret by which the servers of a cluster know each other."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

KEY_BYTES = 16


def upgrade() -> None:
    # The key of before was a part of names that all users of Redis and PostgreSQL could see.
    new = sa.text("UPDATE installation SET key = :key")
    op.get_bind().execute(new, {"key": secrets.token_hex(KEY_BYTES)})


def downgrade() -> None:
    """An older program knows the key of any length."""

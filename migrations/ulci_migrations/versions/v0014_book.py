"""A match records the digest of its book."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    # Empty: none, or unknown, as of all earlier matches.
    op.add_column("tournaments", sa.Column("book", sa.Text(), server_default="", nullable=False))


def downgrade() -> None:
    op.drop_column("tournaments", "book")

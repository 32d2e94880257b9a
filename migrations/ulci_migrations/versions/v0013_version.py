"""The servers of a cluster show which version of the program each runs."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    # Empty: unknown, as of all earlier runs.
    op.add_column("runs", sa.Column("version", sa.Text(), server_default="", nullable=False))


def downgrade() -> None:
    op.drop_column("runs", "version")

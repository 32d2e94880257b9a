"""The record says whose fault an abort was."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    # NULL: unknown, for a game that is running or ended before this version.
    op.add_column("games", sa.Column("fault", sa.Text()))


def downgrade() -> None:
    op.drop_column("games", "fault")

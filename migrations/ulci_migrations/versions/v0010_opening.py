"""The record says with which moves of a book a game began."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    # NULL: none. Games of before began at their start.
    op.add_column("games", sa.Column("opening", sa.Text()))


def downgrade() -> None:
    op.drop_column("games", "opening")

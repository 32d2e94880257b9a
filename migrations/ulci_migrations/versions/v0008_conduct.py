"""The record says what the players of a game may do, and what counts against them."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    # NULL is the usual conduct, which all games of before have.
    op.add_column("games", sa.Column("conduct", sa.Text()))


def downgrade() -> None:
    op.drop_column("games", "conduct")

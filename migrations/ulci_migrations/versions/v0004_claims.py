"""The record says whether a game's threefold repetition and fifty moves had to be claimed."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    # NULL: a game from before this version, of which nobody wrote it down.
    op.add_column("games", sa.Column("claims", sa.Boolean()))


def downgrade() -> None:
    op.drop_column("games", "claims")

"""The record says at which level of strength a program of the server played."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

COLUMNS = ("white_level", "black_level")


def upgrade() -> None:
    # NULL: without one, as in all earlier games.
    for column in COLUMNS:
        op.add_column("games", sa.Column(column, sa.SmallInteger()))


def downgrade() -> None:
    for column in COLUMNS:
        op.drop_column("games", column)

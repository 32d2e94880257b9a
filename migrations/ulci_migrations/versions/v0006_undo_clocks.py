"""The record says whether a takeback undid what the moves had added to the clocks."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    # Takebacks of games from before this version left increments and the count of a session.
    op.add_column(
        "games",
        sa.Column("undo_clocks", sa.Boolean(), nullable=False, server_default=sa.false()),
    )


def downgrade() -> None:
    op.drop_column("games", "undo_clocks")

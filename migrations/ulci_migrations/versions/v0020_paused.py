"""A tournament that its server has paused records the reason."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    # Empty: it is not paused, or somebody paused it by hand.
    why = sa.Column("why_paused", sa.Text(), server_default="", nullable=False)
    op.add_column("tournaments", why)


def downgrade() -> None:
    op.drop_column("tournaments", "why_paused")

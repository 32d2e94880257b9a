"""How a game ended, as the last of what happened in it."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_BEFORE = (
    *("away", "back", "left", "draw-offered", "draw-declined", "takeback-offered"),
    *("takeback-declined", "taken-back", "time-given", "paused", "resumed", "ruled"),
)


def upgrade() -> None:
    _allow((*_BEFORE, "finished"))


def downgrade() -> None:
    op.execute("DELETE FROM events WHERE what = 'finished'")
    _allow(_BEFORE)


def _allow(whats: tuple[str, ...]) -> None:
    listed = ", ".join(f"'{what}'" for what in whats)
    with op.batch_alter_table("events", table_kwargs={"sqlite_with_rowid": False}) as events:
        events.drop_constraint("ck_events_what", type_="check")
        events.create_check_constraint("ck_events_what", sa.text(f"what IN ({listed})"))

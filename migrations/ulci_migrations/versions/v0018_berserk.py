"""The record says which side of an arena's game plays with half its time."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"

TIME = sa.DateTime(timezone=True).with_variant(sa.String(32), "sqlite")

BEFORE = (
    *("away", "back", "sent-away", "left", "draw-offered", "draw-declined", "takeback-offered"),
    *("takeback-declined", "taken-back", "time-given"),
)
AFTER = ("again", "paused", "resumed", "ruled", "finished")
OLD = (*BEFORE, *AFTER)
NEW = (*BEFORE, "berserk", *AFTER)

RULE = "ck_events_what"

# More than the steps of any game, so that no number is taken while they are moved.
FAR = 1_000_000_000


def upgrade() -> None:
    _allow(OLD, NEW)


def downgrade() -> None:
    """The clocks of games in which a side went berserk show less than the older program counts."""
    _forget()
    _allow(NEW, OLD)


def _rule(kinds: tuple[str, ...]) -> str:
    return f"what IN ({', '.join(repr(kind) for kind in kinds)})"


def _allow(until_now: tuple[str, ...], from_now_on: tuple[str, ...]) -> None:
    with op.batch_alter_table("events", copy_from=_events(_rule(until_now))) as events:
        events.drop_constraint(RULE, type_="check")
        events.create_check_constraint(RULE, sa.text(_rule(from_now_on)))


def _events(rule: str) -> sa.Table:
    """SQLite changes no table but by a copy, and does not tell all that is to be in it."""
    return sa.Table(
        "events",
        sa.MetaData(),
        sa.Column("game_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("side", sa.SmallInteger()),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("game_id", "seq", name="pk_events"),
        sa.ForeignKeyConstraint(
            ["game_id"], ["games.id"], name="fk_events_game_id", ondelete="CASCADE"
        ),
        sa.CheckConstraint("seq >= 0 AND ply >= 0", name="ck_events_ply"),
        sa.CheckConstraint("side IN (0, 1)", name="ck_events_side"),
        sa.CheckConstraint(rule, name=RULE),
        sqlite_with_rowid=False,
    )


def _forget() -> None:
    """Without leaving a gap: the older program takes one for something that is missing."""
    connection = op.get_bind()
    query = "SELECT game_id, seq FROM events WHERE what = 'berserk' ORDER BY game_id, seq DESC"
    for game, seq in connection.execute(sa.text(query)).all():
        at = {"game": game, "seq": seq, "far": FAR}
        for statement in _CLOSE_THE_GAP:
            connection.execute(sa.text(statement), at)
    for statement in _FORGET_THE_CONDUCT:
        connection.execute(sa.text(statement))


# The older program cannot go on with a game whose conduct it cannot read.
_FORGET_THE_CONDUCT = (
    "UPDATE games SET conduct = NULL WHERE conduct = 'berserk'",
    "UPDATE games SET conduct = replace(conduct, ',berserk', '') WHERE conduct LIKE '%,berserk%'",
)

_CLOSE_THE_GAP = (
    "DELETE FROM events WHERE game_id = :game AND seq = :seq",
    "UPDATE events SET seq = seq + :far WHERE game_id = :game AND seq > :seq",
    "UPDATE events SET seq = seq - :far - 1 WHERE game_id = :game AND seq > :far",
    "UPDATE moves SET seq = seq + :far WHERE game_id = :game AND seq > :seq",
    "UPDATE moves SET seq = seq - :far - 1 WHERE game_id = :game AND seq > :far",
)

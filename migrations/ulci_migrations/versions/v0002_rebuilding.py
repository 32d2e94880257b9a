"""What a game rebuilds from, who may sit down with which token, who may not, and runs."""

import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True).with_variant(sa.String(32), "sqlite")


def upgrade() -> None:
    _create_tokens()
    _fold_names()
    _create_bans()
    _create_runs()
    for column in _seats_and_lag():
        op.add_column("games", column)
    _number_moves()
    _create_events()


def downgrade() -> None:
    _drop_what_was_taken_back()
    _count_moves_by_plies()
    for column in _seats_and_lag():
        op.drop_column("games", column.name)
    _unfold_names()
    for table in ("events", "runs", "bans", "tokens"):
        op.drop_table(table)


# Accounts


def _create_tokens() -> None:
    op.create_table(
        "tokens",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("player_id", BIG, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("revoked_at", TIME),
        sa.Column("last_used_at", TIME),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sa.ForeignKeyConstraint(
            ["player_id"], ["players.id"], name="fk_tokens_player_id", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("hash", name="uq_tokens_hash"),
        sa.CheckConstraint("scope IN ('play', 'admin')", name="ck_tokens_scope"),
    )
    op.create_index("ix_tokens_player_id", "tokens", ["player_id"])
    op.execute(
        "INSERT INTO tokens (player_id, hash, scope, created_at)"
        " SELECT id, token_hash, 'play', created_at FROM players WHERE token_hash IS NOT NULL"
    )


def _fold_names() -> None:
    op.add_column("players", sa.Column("folded", sa.Text()))
    connection = op.get_bind()
    for player, name in connection.execute(sa.text("SELECT id, name FROM players")).all():
        connection.execute(
            sa.text("UPDATE players SET folded = :folded WHERE id = :id"),
            {"id": player, "folded": unicodedata.normalize("NFKC", name).casefold()},
        )
    with op.batch_alter_table("players") as players:
        players.drop_constraint("uq_players_name", type_="unique")
        players.drop_constraint("uq_players_token_hash", type_="unique")
        players.drop_column("token_hash")
        players.alter_column("folded", existing_type=sa.Text(), nullable=False)
        players.create_unique_constraint("uq_players_folded", ["folded"])


def _unfold_names() -> None:
    op.add_column("players", sa.Column("token_hash", sa.Text()))
    op.execute(
        "UPDATE players SET token_hash = (SELECT hash FROM tokens WHERE id ="
        " (SELECT max(id) FROM tokens WHERE player_id = players.id AND scope = 'play'"
        " AND revoked_at IS NULL))"
    )
    with op.batch_alter_table(
        "players",
        partial_reordering=[("id", "name", "kind", "token_hash", "created_at")],
    ) as players:
        players.drop_constraint("uq_players_folded", type_="unique")
        players.drop_column("folded")
        players.create_unique_constraint("uq_players_name", ["name"])
        players.create_unique_constraint("uq_players_token_hash", ["token_hash"])


def _create_bans() -> None:
    op.create_table(
        "bans",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("until", TIME),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("lifted_at", TIME),
        sa.PrimaryKeyConstraint("id", name="pk_bans"),
        sa.CheckConstraint("kind IN ('account', 'name', 'address')", name="ck_bans_kind"),
    )


# Games


def _create_runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("started_at", TIME, nullable=False),
        sa.Column("alive_at", TIME, nullable=False),
        sa.Column("slowest_ms", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("ended_at", TIME),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
    )


def _seats_and_lag() -> list[sa.Column[str]]:
    seats = ("white_handle", "black_handle", "white_key", "black_key")
    return [
        sa.Column("lag", sa.Text(), server_default="none", nullable=False),
        *(sa.Column(name, sa.Text(), server_default="", nullable=False) for name in seats),
    ]


_BEFORE_SAID = ("side", "move", "at", "spent_ms", "left_ms", "lag_ms", "stall_ms")
_SAID = ("score_cp", "score_mate", "score_bound", "depth", "nodes", "time_ms", "pv")
_KEPT = ", ".join(("game_id", "ply", *_BEFORE_SAID, *_SAID))


def _number_moves() -> None:
    """The key of a move is its place among all that happened: a ply may be played twice."""
    _put_aside()
    _create_moves(
        [sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False)],
        [sa.Column("held_ms", sa.BigInteger(), server_default="0", nullable=False)],
        key="seq",
        rules={
            "ply": "seq >= 0 AND ply >= 0",
            "credit": "lag_ms >= 0 AND stall_ms >= 0 AND held_ms >= 0",
        },
    )
    op.execute(f"INSERT INTO moves (seq, {_KEPT}) SELECT ply, {_KEPT} FROM moves_before")  # noqa: S608
    op.drop_table("moves_before")


def _count_moves_by_plies() -> None:
    _put_aside()
    rules = {"ply": "ply >= 0", "credit": "lag_ms >= 0 AND stall_ms >= 0"}
    _create_moves([], [], key="ply", rules=rules)
    op.execute(f"INSERT INTO moves ({_KEPT}) SELECT {_KEPT} FROM moves_before")  # noqa: S608
    op.drop_table("moves_before")


def _put_aside() -> None:
    op.rename_table("moves", "moves_before")
    if op.get_bind().dialect.name == "postgresql":
        # An index keeps its name, and two of that name there cannot be.
        op.drop_constraint("pk_moves", "moves_before")


def _create_moves(
    first: list[sa.Column[int]], credit: list[sa.Column[int]], *, key: str, rules: dict[str, str]
) -> None:
    checks = (_MOVE_RULES | rules).items()
    op.create_table(
        "moves",
        sa.Column("game_id", sa.BigInteger(), autoincrement=False, nullable=False),
        *first,
        sa.Column("ply", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("side", sa.SmallInteger(), nullable=False),
        sa.Column("move", sa.Text(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("spent_ms", sa.BigInteger(), nullable=False),
        sa.Column("left_ms", sa.BigInteger()),
        sa.Column("lag_ms", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("stall_ms", sa.BigInteger(), server_default="0", nullable=False),
        *credit,
        sa.Column("score_cp", sa.Integer()),
        sa.Column("score_mate", sa.Integer()),
        sa.Column("score_bound", sa.Text()),
        sa.Column("depth", sa.Integer()),
        sa.Column("nodes", sa.BigInteger()),
        sa.Column("time_ms", sa.BigInteger()),
        sa.Column("pv", sa.Text()),
        sa.PrimaryKeyConstraint("game_id", key, name="pk_moves"),
        sa.ForeignKeyConstraint(
            ["game_id"], ["games.id"], name="fk_moves_game_id", ondelete="CASCADE"
        ),
        *(sa.CheckConstraint(rule, name=f"ck_moves_{name}") for name, rule in checks),
        sqlite_with_rowid=False,
    )


_MOVE_RULES = {
    "side": "side IN (0, 1)",
    "clock": "spent_ms >= 0 AND left_ms >= 0",
    "one_score": "score_cp IS NULL OR score_mate IS NULL",
    "score_bound": "score_bound IN ('lowerbound', 'upperbound')",
    "bound_of_score": "score_bound IS NULL OR score_cp IS NOT NULL OR score_mate IS NOT NULL",
}


def _create_events() -> None:
    op.create_table(
        "events",
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
        sa.CheckConstraint(
            "what IN ('away', 'back', 'sent-away', 'left', 'draw-offered', 'draw-declined',"
            " 'takeback-offered', 'takeback-declined', 'taken-back', 'time-given', 'paused',"
            " 'resumed', 'ruled', 'finished')",
            name="ck_events_what",
        ),
        sqlite_with_rowid=False,
    )


def _drop_what_was_taken_back() -> None:
    """The older program knows one move a ply: the one that stood in the end."""
    connection = op.get_bind()
    taken_back = connection.execute(
        sa.text(
            "SELECT game_id, seq, amount FROM events WHERE what = 'taken-back'"
            " ORDER BY game_id, seq"
        )
    )
    for game, seq, amount in taken_back.all():
        connection.execute(
            sa.text(
                "DELETE FROM moves WHERE game_id = :game AND seq IN (SELECT seq FROM moves"
                " WHERE game_id = :game AND seq < :seq ORDER BY seq DESC LIMIT :amount)"
            ),
            {"game": game, "seq": seq, "amount": amount},
        )

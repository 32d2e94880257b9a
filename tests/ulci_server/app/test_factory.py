"""What the configuration says becomes the objects that do it."""

import sys
from pathlib import Path

import pytest

from ulci.net import MSGPACK, TEXT
from ulci.protocol import MsgpackCodec, TextCodec
from ulci_server.app.factory import make_basics, make_connection, make_referees, make_secret, plays
from ulci_server.config import Config, load
from ulci_server.storage import MEMORY, MemoryDatabase, WallClock, lock_database

NIM = {"name": "nim", "referee": [sys.executable, "--ugi"], "second_opinion": True}


def config(**settings: object) -> Config:
    return load(None, {"listen": [{"address": "tcp://127.0.0.1:0"}], **settings})


def test_a_game_that_is_judged_by_an_engine_gets_its_referee() -> None:
    known = config(game=[NIM], pool=[{"name": "heaps", "game": "nim", "time": "60"}])
    [referee] = make_referees(known, known.games())
    assert (referee.rules.name, referee.second_opinion) == ("nim", True)


def test_a_pool_with_a_book_gets_its_openings(tmp_path: Path) -> None:
    (tmp_path / "book.epd").write_text("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\n")
    pools = [
        {"name": "plain"},
        {"name": "book", "openings": {"file": str(tmp_path / "book.epd")}},
    ]
    with lock_database(MEMORY) as lock:
        basics = make_basics(config(pool=pools), lock, MemoryDatabase(), None, WallClock())
    assert [*basics.openings] == ["book"]


def test_other_games_need_none() -> None:
    assert make_referees(config(), config().games()) == []


@pytest.mark.parametrize(("subprotocol", "codec"), [(TEXT, TextCodec), (MSGPACK, MsgpackCodec)])
def test_what_was_agreed_at_the_upgrade_is_spoken(subprotocol: str, codec: type) -> None:
    assert isinstance(make_connection(config(), "uci", subprotocol).codec, codec)


def test_the_dialect_is_that_of_the_listener() -> None:
    spoken = [make_connection(config(), name, TEXT).dialect for name in ("uci", "ugi", "uti")]
    assert [repr(dialect) for dialect in spoken] == ["ULCI", "UGI", "UTI"]


def test_who_speaks_ugi_plays_the_game_of_its_pool() -> None:
    known = config(pool=[{"name": "small", "game": "tictactoe", "time": "60"}])
    assert plays(known, "small", "ugi") == "tictactoe"
    assert plays(known, "small", "uci") == ""


def test_secrets_are_long_and_never_the_same() -> None:
    made = {make_secret() for _ in range(100)}
    assert len(made) == 100
    assert {len(secret) for secret in made} == {32}

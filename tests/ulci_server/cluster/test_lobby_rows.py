"""The rows of the lobby of all servers, and what is read from them."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import count
from types import SimpleNamespace

import msgspec
import pytest
import trio

from tests.support.facts import NOON
from ulci.protocol.messages import Challenge, Seek, Terms
from ulci.rules import GAMES, Outcome, Reason, Side
from ulci_server.cluster.lobby_rows import (
    LobbyRows,
    match_untrusted,
    profile_untrusted,
    seek_untrusted,
)
from ulci_server.cluster.remote_member import RemoteMember
from ulci_server.game import Controls, notices
from ulci_server.hall import LobbyHost
from ulci_server.lobby import KeptMatch, KeptSeek, Lobby, Pool, Profile, lobby_lines
from ulci_server.storage import secret_hash

OVER = notices.over(7, Outcome(Side.WHITE, Reason.RESIGNATION))
LOGGED_IN_AT = 10.0


class Field:
    """A lobby with Ada, and its rows."""

    def __init__(self) -> None:
        services = SimpleNamespace(alarms=None, begin_game=None, announce=lambda _: None)
        services.is_closing, services.start = lambda: False, None
        self.lobby = Lobby((Pool("chess", GAMES["chess"], Controls.parse("60+1"), (None,)),), int)
        numbers = count(1)
        self.host = LobbyHost(
            services,
            self.lobby,
            SimpleNamespace(ratings_of=None),
            number=partial(next, numbers),
            secret=lambda: "a secret",
            begin=lambda *_: None,
        )
        self.rows = LobbyRows(self.host, lambda: NOON)
        self.ada = self.member("Ada", 4)

    def member(self, name: str, link: int) -> RemoteMember:
        post = SimpleNamespace(send=lambda *_: None)
        member = RemoteMember(post, None, lambda _: None, 3, link, "192.0.2.1", "192.0.2.1:5000")
        profile = Profile(
            name,
            name,
            "human",
            features=frozenset({"lobby"}),
            resume="an old secret",
            token="a token",
            ignores=("Eve",),
        )
        member.give_secret("a secret")
        self.host.restore(member, profile, [member.key], playing=False)
        return member


@pytest.fixture
async def field() -> Field:
    return Field()


async def test_a_member_is_read_as_it_was_stored(field, mock_clock):
    field.ada.called_at = trio.current_time() - LOGGED_IN_AT
    row = field.rows.member_row("Ada")
    assert (row.handle, row.run, row.link) == ("Ada", 3, 4)
    assert (row.host, row.label) == ("192.0.2.1", "192.0.2.1:5000")
    assert row.keys == (secret_hash("a secret"),)
    assert (row.game, row.playing) == (None, False)
    assert row.called_at == NOON - timedelta(seconds=LOGGED_IN_AT)
    assert profile_untrusted(row.profile) == replace(field.ada.profile, resume="", token="")


async def test_no_secret_and_no_token_is_stored(field):
    row = str(field.rows.member_row("Ada"))
    assert not [told for told in ("a secret", "an old secret", "a token") if told in row]


async def test_one_that_is_away_has_no_connection_and_keeps_its_game(field):
    field.ada.gone, field.ada.plays, field.ada.side = True, 7, Side.BLACK
    row = field.rows.member_row("Ada")
    assert (row.run, row.game, row.side) == (None, 7, Side.BLACK)


async def test_whose_login_is_of_an_unknown_time_has_none(field):
    assert field.rows.member_row("Ada").called_at is None


async def test_who_has_an_opponent_is_stored_so_before_its_game_begins(field):
    field.member("Bob", 5)
    field.host.hear(field.ada, Challenge("Bob", Terms()))
    assert not field.rows.member_row("Ada").playing
    field.lobby.goes_on("Ada")
    assert field.rows.member_row("Ada").playing


async def test_who_has_left_has_no_row(field):
    field.host.remove(field.ada)
    assert field.rows.member_row("Ada") is None
    assert field.rows.member_row("Eve") is None


async def test_a_seek_is_read_as_it_was_stored(field):
    field.host.hear(field.ada, Seek(Terms(time="3+2", color="white")))
    row = field.rows.seek_row(1)
    assert (row.id, row.handle, row.asked) == (1, "Ada", None)
    _, _, kept = field.lobby.kept.seek(1)
    assert seek_untrusted(row.terms) == kept
    assert field.rows.seek_row(2) is None


async def test_a_challenge_has_the_name_of_who_is_asked(field):
    field.member("Bob", 5)
    field.host.hear(field.ada, Challenge("Bob", Terms()))
    assert field.rows.seek_row(1).asked == "Bob"


async def test_a_missed_result_is_stored_by_its_game(field):
    field.host.registry.miss("key", OVER)
    assert field.rows.missed_row("key") == (7, NOON)
    assert field.rows.missed_row("another key") is None


async def test_a_line_that_is_no_result_is_not_stored_as_one(field):
    field.host.registry.miss("key", lobby_lines.error("no-game", "it is over"))
    assert field.rows.missed_row("key") is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"name": 7}'])
@pytest.mark.parametrize("read", [profile_untrusted, seek_untrusted, match_untrusted])
def test_what_is_of_another_version_is_refused(read, text):
    with pytest.raises(msgspec.DecodeError):
        read(text)


def test_a_match_is_read_as_it_was_stored():
    seek = KeptSeek("chess", "60+1", "chess", games=3)
    match = KeptMatch(("Ada", "Bob"), (seek, seek), 1, "Ada", ("Bob",))
    assert match_untrusted(msgspec.json.encode(match).decode()) == match

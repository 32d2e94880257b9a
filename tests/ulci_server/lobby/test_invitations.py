"""Invitations: a game for the first who knows the token."""

import pytest

from tests.ulci_server.lobby.test_kept_lobby import Cluster, lines
from ulci.protocol.messages import Accept, Ignore, Invite, Join, Seek, Seeks, Terms, Unseek
from ulci_server.lobby import Hold, Pair, Profile, Release, TellAll, TellList
from ulci_server.lobby.invitations import MOST_ENDED, MOST_OPEN, OPEN_FOR, Invitations

TOKEN = "Q3vXb0kPZlJ7mTn2RyEwsA"
OTHER = "R3vXb0kPZlJ7mTn2RyEwsA"


@pytest.fixture
def cluster() -> Cluster:
    cluster = Cluster()
    for name in ("Cat", "Dan"):
        cluster.lobby.enter(Profile(name, name, "human", features=frozenset({"lobby"})))
    return cluster


@pytest.fixture
def lobby(cluster):
    return cluster.lobby


def test_whoever_has_the_token_plays_the_game_of_the_invitation(lobby):
    lobby.hear("Ada", Invite(TOKEN, Terms("chess", "300+3", color="black")))
    effects = lobby.hear("Bob", Join(TOKEN))
    [pair] = [effect for effect in effects if isinstance(effect, Pair)]
    assert (pair.white, pair.black) == ("Bob", "Ada")
    assert str(pair.agreement.control) == "300+3"
    assert lobby.state("Ada") == lobby.state("Bob") == "playing"


def test_nobody_but_its_maker_hears_of_an_invitation(lobby):
    effects = lobby.hear("Ada", Invite(TOKEN))
    assert lines(effects) == [f"Ada: inviting 1 token {TOKEN} within 86400000"]
    assert not any(isinstance(effect, TellAll) for effect in effects)
    assert isinstance(lobby.hear("Bob", Seeks())[0], TellList)
    assert lobby.listed("seeks")[0] == 0
    assert "no-such-seek" in lines(lobby.hear("Bob", Accept(1)))[0]


def test_a_seek_does_not_meet_an_invitation(lobby):
    lobby.hear("Ada", Invite(TOKEN))
    assert not any(isinstance(e, Pair) for e in lobby.hear("Bob", Seek(Terms())))


def test_the_second_who_takes_it_is_told_that_somebody_else_has(lobby):
    lobby.hear("Ada", Invite(TOKEN))
    lobby.hear("Bob", Join(TOKEN))
    [line] = lines(lobby.hear("Cat", Join(TOKEN)))
    assert line == "Cat: error invitation-over somebody else has taken this invitation already"


def test_who_takes_it_while_its_maker_is_away_may_take_it_later(lobby):
    lobby.hear("Ada", Invite(TOKEN))
    ada = Profile("Ada", "Ada", "human", features=frozenset({"lobby"}))
    lobby.leave("Ada")
    assert "error no-such-invitation" in lines(lobby.hear("Bob", Join(TOKEN)))[0]
    lobby.enter(ada)
    lobby.hear("Ada", Invite(TOKEN))
    assert any(isinstance(effect, Pair) for effect in lobby.hear("Bob", Join(TOKEN)))


@pytest.mark.parametrize("word", [Unseek(), Unseek(1)])
def test_an_invitation_that_is_withdrawn_is_no_more(lobby, word):
    lobby.hear("Ada", Invite(TOKEN))
    effects = lobby.hear("Ada", word)
    assert lines(effects) == ["Ada: gone 1"]
    assert Release(1) in effects
    assert (
        "error invitation-over this invitation was withdrawn"
        in lines(lobby.hear("Bob", Join(TOKEN)))[0]
    )


def test_an_invitation_ends_when_its_maker_plays_somebody_else(lobby):
    lobby.hear("Ada", Invite(TOKEN))
    lobby.hear("Ada", Seek(Terms("chess", "300+3")))
    lobby.hear("Cat", Seek(Terms("chess", "300+3")))
    assert "plays another game now" in lines(lobby.hear("Bob", Join(TOKEN)))[0]


def test_an_invitation_runs_out(lobby):
    assert Hold(1, OPEN_FOR) in lobby.hear("Ada", Invite(TOKEN))
    assert "Ada: gone 1" in lines(lobby.overdue(1))
    assert "has run out" in lines(lobby.hear("Bob", Join(TOKEN)))[0]


def test_invitations_of_a_player_are_bounded(lobby):
    for number in range(MOST_OPEN):
        lobby.hear("Ada", Invite(f"{TOKEN}{number}"))
    [line] = lines(lobby.hear("Ada", Invite(TOKEN)))
    assert "error too-many-invitations" in line


def test_who_says_an_invitation_again_has_one(lobby):
    for _ in range(2 * MOST_OPEN):
        effects = lobby.hear("Ada", Invite(TOKEN))
    assert f"token {TOKEN}" in lines(effects)[-1]


def test_what_is_remembered_of_ended_invitations_is_bounded():
    invitations = Invitations()
    seek = Cluster()
    seek.lobby.hear("Ada", Invite(TOKEN))
    [made] = seek.lobby._inviting.of("Ada", None)
    for _ in range(MOST_ENDED + 1):
        invitations.add(made)
        invitations.remove(made, "over")
    assert invitations.ended(made.invitation) == "over"
    assert len(invitations._ended) == 1


@pytest.mark.parametrize(
    ("who", "word", "code"),
    [
        ("Bob", Invite(TOKEN), "bad-invitation"),
        ("Bob", Invite("short"), "bad-invitation"),
        ("Bob", Invite("with blanks or ümlauts"), "bad-invitation"),
        ("Bob", Invite(OTHER, Terms(level=3)), "cannot-play"),
        ("Bob", Join(OTHER), "no-such-invitation"),
        ("Ada", Join(TOKEN), "own-invitation"),
        ("Dan", Join(TOKEN), "ignored"),
    ],
)
def test_what_is_refused(lobby, who, word, code):
    lobby.hear("Ada", Invite(TOKEN))
    lobby.hear("Ada", Ignore("Dan"))
    assert f"{who}: error {code} " in lines(lobby.hear(who, word))[0]


def test_who_plays_neither_invites_nor_joins(lobby):
    lobby.hear("Ada", Invite(TOKEN))
    lobby.hear("Bob", Invite(OTHER))
    lobby.hear("Cat", Join(OTHER))
    for word in (Invite(OTHER), Join(TOKEN)):
        assert lines(lobby.hear("Bob", word))[0].startswith("Bob: error busy")


def test_another_lobby_goes_on_with_an_invitation():
    before = Cluster()
    before.lobby.hear("Ada", Invite(TOKEN, Terms("chess", "300+3", color="white")))
    after, effects = before.go_on()
    assert effects == [Hold(1, OPEN_FOR)]
    effects = after.lobby.hear("Bob", Join(TOKEN))
    [pair] = [effect for effect in effects if isinstance(effect, Pair)]
    assert (pair.white, str(pair.agreement.control)) == ("Ada", "300+3")
    assert after.lobby.kept.open_seeks == []


def test_what_is_kept_of_an_invitation_has_not_its_token():
    cluster = Cluster()
    cluster.lobby.hear("Ada", Invite(TOKEN))
    assert TOKEN not in repr(cluster.lobby.kept.seek(1))

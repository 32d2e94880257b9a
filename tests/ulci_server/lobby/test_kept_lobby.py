"""A lobby that goes on with the seeks, challenges and matches of another one."""

import msgspec
import pytest

from tests.support.lobby import Kept
from ulci.protocol.lobby.lines import write
from ulci.protocol.messages import Accept, Challenge, ChooseColor, Ignore, Seek, Terms, Unseek
from ulci.rules import GAMES
from ulci_server.game import Controls
from ulci_server.lobby import (
    Hold,
    KeptMatch,
    KeptSeek,
    Lobby,
    LobbyEffect,
    Pair,
    Pool,
    Profile,
    ServerProgram,
    TellAll,
    TellOne,
    TellWhenKept,
)

BOOK = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"


class Cluster:
    """A lobby with Ada, Bob and an engine, and what is kept of it."""

    def __init__(self, kept: "Cluster | None" = None, **said) -> None:
        self.kept = Kept()
        pool = Pool("blitz", GAMES["chess"], Controls.parse("60+1"), (None, BOOK))
        first = 1 if kept is None else kept.kept.last + 1
        arguments = {"keeper": self.kept, "first_number": first} | said
        self.lobby = Lobby([pool], lambda _: 0, **arguments)
        for name in ("Ada", "Bob"):
            self.lobby.enter(Profile(name, name, "human", features=frozenset({"lobby"})))
        self.lobby.enter(Profile("Fish", "Fish"))

    def go_on(self, **said) -> tuple["Cluster", list[LobbyEffect]]:
        """The next lobby, with the same players, and what becomes of that."""
        other, effects = Cluster(self, **said), []
        for number in sorted(self.kept.seeks):
            if (found := self.lobby.kept.seek(number)) is not None:
                handle, asked, seek = found
                again = msgspec.json.decode(msgspec.json.encode(seek), type=KeptSeek)
                effects += other.lobby.kept.stand_again(number, handle, asked, again)
        for number in sorted(self.kept.matches):
            if (match := self.lobby.kept.match(number)) is not None:
                again = msgspec.json.decode(msgspec.json.encode(match), type=KeptMatch)
                effects += other.lobby.kept.play_again(number, again)
        return other, effects


def lines(effects: list[LobbyEffect]) -> list[str]:
    return [
        f"{e.handle}: {write(e.line.line)}"
        for e in effects
        if isinstance(e, TellOne | TellWhenKept)
    ]


def test_a_seek_keeps_its_number_and_its_terms() -> None:
    before = Cluster()
    terms = Terms("chess", "3+2", color="white", start=BOOK, rated=False)
    before.lobby.hear("Ada", Seek(terms))

    after, effects = before.go_on()

    assert effects == []
    assert after.lobby.kept.open_seeks == [1]
    assert [line.line for line in after.lobby.listed("seeks")[1]] == [
        line.line for line in before.lobby.listed("seeks")[1]
    ]
    [*_, pair] = after.lobby.hear("Bob", Accept(1))
    assert isinstance(pair, Pair)
    assert (pair.white, pair.black, pair.agreement.start) == ("Ada", "Bob", BOOK)


def test_a_number_is_not_given_twice() -> None:
    before = Cluster()
    before.lobby.hear("Ada", Seek(Terms()))
    before.lobby.hear("Ada", Unseek())
    after, _ = before.go_on()
    [told, *_] = after.lobby.hear("Ada", Seek(Terms()))
    assert isinstance(told, TellAll)
    assert write(told.line.line).startswith("seek 2 ")


def test_who_waits_in_a_pool_waits_there_with_all_its_starts() -> None:
    before = Cluster()
    before.lobby.wait("Fish", "blitz")
    after, _ = before.go_on()
    assert after.lobby.state("Fish") == "waiting"
    [*_, pair] = after.lobby.hear("Ada", Seek(Terms(start=BOOK, color="white")))
    assert isinstance(pair, Pair)
    assert (pair.black, pair.agreement.start) == ("Fish", BOOK)


def test_a_challenge_is_open_to_whom_it_was_sent_to() -> None:
    before = Cluster()
    before.lobby.hear("Ada", Challenge("Bob", Terms(color="black")))
    after, effects = before.go_on()
    assert effects == []
    assert after.lobby.kept.open_seeks == []
    [*_, pair] = after.lobby.hear("Bob", Accept(1))
    assert isinstance(pair, Pair)
    assert pair.white == "Bob"


def test_a_challenge_ends_with_who_left() -> None:
    before = Cluster()
    before.lobby.hear("Ada", Challenge("Bob", Terms()))
    found = before.lobby.kept.seek(1)
    assert found is not None
    after = Cluster()
    after.lobby.leave("Bob")
    assert lines(after.lobby.kept.stand_again(1, *found)) == ["Ada: gone 1"]
    assert after.kept.seeks == {1}, "its row is looked at again"
    assert after.lobby.kept.seek(1) is None


def test_a_seek_of_a_game_that_is_not_known_any_more_is_ended_with_a_word() -> None:
    before = Cluster()
    before.lobby.hear("Ada", Seek(Terms("atomic")))
    after, effects = before.go_on(games={"chess": GAMES["chess"]})
    assert lines(effects) == [
        "Ada: error no-such-game your seek of atomic has ended: it cannot be played here any more"
    ]
    assert after.lobby.kept.open_seeks == []


@pytest.mark.parametrize(
    "broken", [{"control": "soon"}, {"game": "atomic"}, {"pool": "?", "game": "?"}]
)
def test_a_seek_whose_terms_cannot_be_read_is_ended_with_a_word(broken) -> None:
    before = Cluster()
    before.lobby.hear("Ada", Seek(Terms()))
    found = before.lobby.kept.seek(1)
    assert found is not None
    seek = msgspec.structs.replace(found[2], **broken)
    [line] = lines(Cluster().lobby.kept.stand_again(1, "Ada", None, seek))
    assert "has ended" in line


def test_a_seek_of_who_left_or_plays_is_gone() -> None:
    before = Cluster()
    before.lobby.hear("Ada", Seek(Terms()))
    found = before.lobby.kept.seek(1)
    assert found is not None
    after = Cluster()
    after.lobby.goes_on("Ada")
    assert after.lobby.kept.stand_again(1, *found) == []
    assert after.lobby.kept.stand_again(1, "Nobody", None, found[2]) == []
    assert after.lobby.kept.open_seeks == []


def test_a_match_goes_on_after_its_game() -> None:
    before = Cluster()
    before.lobby.hear("Ada", Challenge("Bob", Terms(color="white", games=2)))
    before.lobby.hear("Bob", Accept(1))
    kept = before.lobby.kept.match(1)
    assert kept is not None
    assert (kept.played, kept.free) == (1, ())

    after, effects = before.go_on()

    assert effects == []
    assert after.lobby.kept.is_playing("Ada")
    after.lobby.free("Ada")
    [*_, pair] = after.lobby.free("Bob")
    assert isinstance(pair, Pair)
    assert pair.white == "Bob", "colors are swapped"
    assert lines(after.lobby.free("Ada")) == [
        "Ada: match 1 over played 2 reason complete",
        "Bob: match 1 over played 2 reason complete",
    ]


def test_a_game_of_a_match_that_began_as_the_lobby_ended_counts() -> None:
    before = Cluster()
    before.lobby.hear("Ada", Challenge("Bob", Terms(color="white", games=2)))
    before.lobby.hear("Bob", Accept(1))
    before.lobby.free("Ada")
    before.lobby.free("Bob")
    kept = before.lobby.kept.match(1)
    assert kept is not None
    kept = msgspec.structs.replace(kept, played=1, free=("Ada", "Bob"), white="Ada")
    after = Cluster()
    assert after.lobby.kept.play_again(1, kept, white="Bob") == []
    again = after.lobby.kept.match(1)
    assert again is not None
    assert (again.played, again.white, again.free) == (2, "Bob", ())


def test_a_match_that_waits_for_a_color_waits_again() -> None:
    before = Cluster()
    before.lobby.hear("Ada", Challenge("Bob", Terms(color="later")))
    before.lobby.hear("Bob", Accept(1))
    after, effects = before.go_on()
    assert [type(effect) for effect in effects] == [TellOne, TellOne, Hold]
    [*_, pair] = after.lobby.hear("Ada", ChooseColor("black"))
    assert isinstance(pair, Pair)
    assert pair.white == "Bob"


def test_a_match_ends_with_who_left() -> None:
    before = Cluster()
    before.lobby.hear("Ada", Challenge("Bob", Terms(games=2)))
    before.lobby.hear("Bob", Accept(1))
    kept = before.lobby.kept.match(1)
    assert kept is not None
    after = Cluster()
    after.lobby.leave("Bob")
    assert lines(after.lobby.kept.play_again(1, kept)) == [
        "Ada: match 1 over played 1 reason closed"
    ]
    assert not after.lobby.kept.is_playing("Ada")


def test_all_that_changes_is_noted() -> None:
    one = Cluster()
    one.lobby.hear("Ada", Seek(Terms()))
    assert one.kept.seeks == {1}
    one.kept.clear()
    one.lobby.hear("Ada", Unseek())
    assert one.kept.seeks == {1}
    assert one.lobby.kept.seek(1) is None
    one.lobby.hear("Ada", Ignore("Fish"))
    assert one.kept.members == {"Ada"}
    one.kept.clear()
    one.lobby.hear("Ada", Challenge("Bob", Terms(games=2)))
    one.lobby.hear("Bob", Accept(2))
    assert (one.kept.seeks, one.kept.matches, one.kept.members) == ({2}, {2}, {"Ada", "Bob"})
    one.kept.clear()
    one.lobby.leave("Bob")
    assert one.kept.matches == {2}
    one.lobby.free("Ada")
    assert "Ada" in one.kept.members
    assert not one.lobby.kept.is_playing("Ada")


def test_a_program_on_call_finds_the_seek_that_asked_for_it() -> None:
    before = Cluster()
    before.lobby.hear("Ada", Seek(Terms(against="engine")))
    after, _ = before.go_on()
    program = ServerProgram(meets=("human",))
    after.lobby.enter(Profile("House", "House", program=program))
    [*_, pair] = after.lobby.wait("House", "blitz")
    assert isinstance(pair, Pair)


def test_who_waited_in_a_pool_that_is_unknown_here_waits_in_the_first() -> None:
    one = Cluster()
    one.lobby.wait("Fish", "elsewhere")
    assert one.lobby.state("Fish") == "waiting"
    [*_, pair] = one.lobby.hear("Ada", Seek(Terms()))
    assert isinstance(pair, Pair)
    assert pair.agreement.pool == "blitz"

"""Start positions of pools: tens of thousands cost a seek as little as ten."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.effort import instructions
from ulci.protocol.messages import Challenge, Option, OptionType, Seek, Terms
from ulci.rules import GAMES, Needs
from ulci_server.game import Controls
from ulci_server.lobby import Lobby, Pool, Profile
from ulci_server.lobby.pairing import rematch_seek
from ulci_server.lobby.seeks import StandingSeek, incapable, pick_start
from ulci_server.lobby.starts import Library, StartList

BLITZ = Controls.parse("180+2")
MANY = 20_000


class Plain:
    """A game whose starts are any words; those with an x need a piece that not everybody knows."""

    name = "plain"
    starts = (None,)
    named: dict[str, str] = {}  # noqa: RUF012

    def needs(self, start: str | None) -> Needs:
        return Needs(pieces=frozenset("x" if start is not None and "x" in start else "k"))


PLAIN = Plain()


def lists(*starts) -> list[StartList]:
    pools = [Pool(f"p{at}", PLAIN, BLITZ, those) for at, those in enumerate(starts)]
    return [pool.starts for pool in Library(pools, {}).pools]


def seek(name: str, starts, pieces: str = "k") -> StandingSeek:
    return StandingSeek(1, Profile(name, name, pieces=frozenset(pieces)), PLAIN, BLITZ, starts, "p")


STARTS = st.lists(st.sampled_from([None, "a", "b", "c", "x", "xy"]), min_size=1, max_size=8)


@given(STARTS, STARTS, st.integers(0, 7))
def test_what_two_lists_have_in_common_can_be_drawn_each_and_nothing_else(one, other, chance):
    first, second = lists(tuple(one), tuple(other))
    assert [*first] == one
    common = first.common(second)
    assert sorted(map(str, common)) == sorted(
        str(start)
        for start in set(one) & set(other)
        for _ in range(min(one.count(start), other.count(start)))
    )
    assert all((start in first) == (start in one) for start in (None, "a", "b", "c", "x", "z"))
    a, b = seek("A", first), seek("B", second)
    able = {s for s in {*one} & {*other} if "x" not in (s or "")}
    assert (incapable(a, b) is None) == bool(able)
    if able:
        assert pick_start(a, b, lambda n: chance % n) in able


def test_of_two_lists_with_the_same_starts_the_first_ones_order_counts():
    one, other = lists(("a", "b", "c"), ("c", "b", "a"))
    drawn = [pick_start(seek("A", one), seek("B", other), lambda n, at=at: at) for at in range(3)]
    assert drawn == ["a", "b", "c"]


def test_pools_of_different_games_have_nothing_in_common():
    other = Plain()
    other.name = "other"
    pools = Library([Pool("p", PLAIN, BLITZ, ("a",)), Pool("q", other, BLITZ, ("a",))], {}).pools
    assert not pools[0].starts.common(pools[1].starts)


def book(begin: int, number: int) -> tuple[str, ...]:
    return tuple(f"start {at}" for at in range(begin, begin + number))


@pytest.mark.parametrize(
    ("second", "pieces"),
    [
        (0, "k"),  # the same starts
        (0.5, "k"),  # half of them
        (1, "k"),  # none in common
        (0.5, "x"),  # and one player who can play none
    ],
)
def test_a_start_of_two_long_lists_is_found_as_quickly_as_of_two_short_ones(second, pieces):
    def effort(number: int) -> int:
        one, other = lists(book(0, number), book(int(number * second), number))
        a, b = seek("A", one), seek("B", other, pieces)

        def meet() -> None:
            if incapable(a, b) is None:
                pick_start(a, b, lambda n: n - 1)

        return instructions(meet)

    assert effort(MANY) < effort(20) + 20_000


def test_whether_a_rematch_is_drawn_from_its_pool_is_one_question():
    pool = Library([Pool("p", PLAIN, BLITZ, book(0, MANY))], {}).pools[0]
    lobby = Lobby([Pool("chess", GAMES["chess"], BLITZ, (None,))], lambda n: 0)
    for name in ("Ada", "Bob"):
        lobby.enter(Profile(name, "", "human", features=frozenset({"lobby"})))
    lobby.hear("Ada", Seek())
    last = lobby.hear("Bob", Seek())[-1]
    last = replace(last, agreement=replace(last.agreement, game=PLAIN, start=f"start {MANY - 1}"))
    assert rematch_seek(1, Profile("Ada", "Ada"), last, pool).starts is pool.starts
    assert instructions(lambda: rematch_seek(1, Profile("Ada", "Ada"), last, pool)) < 1000


@pytest.mark.parametrize("known", [True, False])
def test_whether_an_engine_can_be_given_any_of_the_960_starts_is_one_question(known):
    options = {"uci_chess960": Option("UCI_Chess960", OptionType.CHECK)} if known else {}
    pool = Pool("chess960", GAMES["chess960"], BLITZ, GAMES["chess960"].starts)
    lobby = Lobby([pool], lambda n: 0)
    ada = Profile("Ada", "", "human", features=frozenset({"lobby"}), options={})
    lobby.enter(replace(ada, options={"uci_chess960": Option("UCI_Chess960", OptionType.CHECK)}))
    lobby.enter(Profile("Fish", "", options=options))
    told = []

    def come_and_challenge() -> None:
        told.extend(lobby.wait("Fish", "chess960"))
        told.extend(lobby.hear("Ada", Challenge("Fish", Terms(game="chess960"))))

    assert instructions(come_and_challenge) < 20_000
    assert ("cannot-play" in str(told)) != known

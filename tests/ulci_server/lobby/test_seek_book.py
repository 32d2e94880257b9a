"""Which of the open wishes is met, and which only shares a name."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.effort import instructions
from ulci.rules import GAMES
from ulci_server.game import Controls
from ulci_server.lobby import Pool, Profile, StandingSeek
from ulci_server.lobby.pairing import History
from ulci_server.lobby.seek_book import SeekBook
from ulci_server.lobby.seeks import incapable, unwilling
from ulci_server.lobby.starts import Library

CHESS, BLITZ = GAMES["chess"], Controls.parse("180+2")


def seek(number: int, name: str, handle: str = "") -> StandingSeek:
    return StandingSeek(number, Profile(name, handle or name), CHESS, BLITZ, (None,), "chess")


def test_the_longest_waiting_is_met_but_for_who_was_put_in_front():
    book = SeekBook(History())
    first, second, urgent = seek(1, "A"), seek(2, "B"), seek(3, "C")
    book.add(first)
    book.add(second)
    assert book.match(seek(9, "Z")) is first
    book.add(urgent, front=True)
    assert book.match(seek(9, "Z")) is urgent
    assert [*book] == [urgent, first, second]


def test_the_opponent_of_the_game_just_played_is_met_last():
    history = History()
    book = SeekBook(history)
    first, second = seek(1, "A"), seek(2, "B")
    history.met("A", "Z")
    book.add(first)
    assert book.match(seek(9, "Z")) is first
    book.add(second)
    assert book.match(seek(9, "Z")) is second


def test_of_several_who_are_second_choice_alike_the_longest_waiting_is_met():
    copies = [replace(seek(n, "Fish", f"Fish-{n}"), self_play=True) for n in range(1, 4)]
    book = SeekBook(History())
    for copy in copies:
        book.add(copy)
    assert book.match(replace(seek(9, "Fish", "Fish-9"), self_play=True)) is copies[0]

    history = History()
    history.met("Fish", "Z")
    book = SeekBook(history)
    for copy in copies:
        book.add(copy)
    assert book.match(seek(9, "Z")) is copies[0]


def test_a_namesake_is_met_before_the_opponent_of_the_game_just_played_is():
    history = History()
    history.met("Fish", "Z")
    book = SeekBook(history)
    first, copy = seek(1, "Fish"), replace(seek(2, "Z", "Z-2"), self_play=True)
    for order in ((first, copy), (copy, first)):
        book = SeekBook(history)
        for each in order:
            book.add(each)
        assert book.match(replace(seek(9, "Z"), self_play=True)) is copy


def test_what_is_removed_is_met_by_nobody():
    book = SeekBook(History())
    first, second = seek(1, "A"), seek(2, "A")
    book.add(first)
    book.add(second)
    book.remove(first)
    assert book.get(1) is None
    assert book.of("A") == [second]
    book.remove(second)
    assert (book.of("A"), len(book), book.match(seek(9, "Z"))) == ([], 0, None)


def test_a_namesake_wants_the_same_and_is_kept_away_only_by_the_name():
    book = SeekBook(History())
    book.add(seek(1, "Fish"))
    copy = seek(2, "Fish", "Fish-2")
    assert book.match(copy) is None
    assert book.namesake(copy) == Profile("Fish", "Fish")
    assert book.namesake(replace(copy, control=Controls.parse("60"))) is None
    assert book.namesake(seek(2, "Cod")) is None


def test_a_namesake_that_is_met_is_not_spoken_of():
    book = SeekBook(History())
    book.add(replace(seek(1, "Fish"), self_play=True))
    copy = replace(seek(2, "Fish", "Fish-2"), self_play=True)
    assert book.match(copy) is not None
    assert book.namesake(copy) is None


def test_a_namesake_that_wants_another_start_is_not_spoken_of():
    book = SeekBook(History())
    book.add(seek(1, "Fish"))
    ending = replace(seek(2, "Fish", "Fish-2"), starts=("4k3/8/8/8/8/8/8/4K3 w - - 0 1",))
    assert book.namesake(ending) is None


ENDINGS = [f"4k3/8/8/8/8/8/8/{file}K w - - 0 1" for file in range(1, 8)]

LIBRARY = Library(
    (
        Pool("usual", CHESS, BLITZ, (None, *ENDINGS[:2])),
        Pool("endings", CHESS, BLITZ, (*ENDINGS[1:5], ENDINGS[1])),
        Pool("others", CHESS, BLITZ, (*ENDINGS[5:], None)),
    ),
    {},
)

WISHES = st.builds(
    StandingSeek,
    id=st.just(0),
    who=st.builds(
        Profile,
        name=st.sampled_from("ABC"),
        handle=st.sampled_from("ABCDEF"),
        kind=st.sampled_from(["human", "engine"]),
        pieces=st.sampled_from([frozenset("kqrbnp"), frozenset("k")]),
    ),
    game=st.just(CHESS),
    control=st.sampled_from([BLITZ, Controls.parse("60")]),
    starts=st.sampled_from([*LIBRARY.lists, *((start,) for start in (None, *ENDINGS))]),
    pool=st.sampled_from(["usual", "endings", "others"]),
    color=st.sampled_from(["white", "random", "random"]),
    against=st.sampled_from(["any", "any", "human"]),
    rated=st.booleans(),
    self_play=st.booleans(),
)
SOUGHT = st.one_of(
    WISHES,
    st.builds(
        lambda seek, pool: replace(
            seek, starts=pool.starts, pool=pool.name, flexible=True, auto=True
        ),
        WISHES,
        st.sampled_from(LIBRARY.pools),
    ),
)


@given(st.lists(st.tuples(SOUGHT, st.booleans(), st.booleans()), max_size=12), SOUGHT)
def test_whoever_is_met_is_the_one_whom_a_look_at_all_would_find(waiting, seek):
    history = History()
    history.met("A", "B")
    book = SeekBook(history, LIBRARY.lists)
    for number, (other, front, gone) in enumerate(waiting, 1):
        book.add(replace(other, id=number), front=front)
        if gone:
            book.remove(book.get(number))
    order = [*book]
    able = [o for o in order if unwilling(o, seek) is None and incapable(o, seek) is None]
    ranks = {
        other.id: (
            history.just_met(other.who.name, seek.who.name),
            other.who.name == seek.who.name,
            order.index(other),
        )
        for other in able
    }
    best = min(able, key=lambda other: ranks[other.id], default=None)
    assert book.match(seek) is best


def crowded(number: int) -> SeekBook:
    """So many wait for White, each from another start and with another time."""
    book = SeekBook(History(), LIBRARY.lists)
    for at in range(number):
        control, start = Controls.parse(f"{at + 60}"), (f"start {at}",)
        book.add(replace(seek(2 * at, f"n{at}"), color="white", control=control))
        book.add(replace(seek(2 * at + 1, f"n{at}"), color="white", starts=start))
    return book


@pytest.mark.parametrize(
    "newcomer",
    [
        replace(seek(10**6, "Ada"), color="white"),
        replace(seek(10**6, "Ada"), starts=LIBRARY.pools[0].starts),
        replace(seek(10**6, "Ada"), control=Controls.parse("10+10")),
        replace(seek(10**6, "Ada"), flexible=True, color="white"),
    ],
)
def test_a_newcomer_costs_the_same_among_ten_and_among_thousands(newcomer):
    def come_and_go(book: SeekBook) -> None:
        assert book.match(newcomer) is None
        book.add(newcomer)
        book.remove(newcomer)

    few, many = (crowded(number) for number in (10, 3000))
    assert instructions(lambda: come_and_go(many)) < 1.2 * instructions(lambda: come_and_go(few))


def test_who_waits_behind_thousands_of_namesakes_does_not_hold_everybody():
    book = SeekBook(History())
    for number in range(5000):
        book.add(seek(number, "Fish", f"Fish-{number}"))
    copy = seek(10**6, "Fish", "Fish-x")
    assert book.match(copy) is None
    assert instructions(lambda: book.match(copy)) < 500_000

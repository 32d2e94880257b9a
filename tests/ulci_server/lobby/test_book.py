"""Which of the open wishes is met, and which only shares a name."""

from dataclasses import replace

from ulci.rules import GAMES
from ulci_server.game import Controls
from ulci_server.lobby import Profile, Wish
from ulci_server.lobby.book import Book
from ulci_server.lobby.history import History

CHESS, BLITZ = GAMES["chess"], Controls.parse("180+2")


def wish(number: int, name: str, handle: str = "") -> Wish:
    return Wish(number, Profile(name, handle or name), CHESS, BLITZ, (None,), "chess")


def test_the_longest_waiting_is_met_but_for_who_was_put_in_front():
    book = Book(History())
    first, second, urgent = wish(1, "A"), wish(2, "B"), wish(3, "C")
    book.add(first)
    book.add(second)
    assert book.match(wish(9, "Z")) is first
    book.add(urgent, front=True)
    assert book.match(wish(9, "Z")) is urgent
    assert [*book] == [urgent, first, second]


def test_the_opponent_of_the_game_just_played_is_met_last():
    history = History()
    book = Book(history)
    first, second = wish(1, "A"), wish(2, "B")
    history.met("A", "Z")
    book.add(first)
    assert book.match(wish(9, "Z")) is first
    book.add(second)
    assert book.match(wish(9, "Z")) is second


def test_what_is_removed_is_met_by_nobody():
    book = Book(History())
    first, second = wish(1, "A"), wish(2, "A")
    book.add(first)
    book.add(second)
    book.remove(first)
    assert book.get(1) is None
    assert book.of("A") == [second]
    book.remove(second)
    assert (book.of("A"), len(book), book.match(wish(9, "Z"))) == ([], 0, None)


def test_a_namesake_wants_the_same_and_is_kept_away_only_by_the_name():
    book = Book(History())
    book.add(wish(1, "Fish"))
    copy = wish(2, "Fish", "Fish-2")
    assert book.match(copy) is None
    assert book.namesake(copy) == Profile("Fish", "Fish")
    assert book.namesake(replace(copy, control=Controls.parse("60"))) is None
    assert book.namesake(wish(2, "Cod")) is None


def test_a_namesake_that_is_met_is_not_spoken_of():
    book = Book(History())
    book.add(replace(wish(1, "Fish"), self_play=True))
    copy = replace(wish(2, "Fish", "Fish-2"), self_play=True)
    assert book.match(copy) is not None
    assert book.namesake(copy) is None


def test_a_namesake_that_wants_another_start_is_not_spoken_of():
    book = Book(History())
    book.add(wish(1, "Fish"))
    ending = replace(wish(2, "Fish", "Fish-2"), starts=("4k3/8/8/8/8/8/8/4K3 w - - 0 1",))
    assert book.namesake(ending) is None

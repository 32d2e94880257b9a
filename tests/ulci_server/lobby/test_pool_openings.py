"""From which openings of a pool's book games begin."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import pytest

from tests.ulci_server.lobby.test_lobby import CHESS, challenged, engine, lobby, person
from ulci.protocol.messages import Accept, Challenge, Rematch, Seek, Terms
from ulci.rules import GAMES
from ulci_server.lobby import Agreement, Lobby, LobbyEffect, Pair, Pool
from ulci_server.lobby.pool_openings import MOST_TRIES

FEN = "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"


class Opening(NamedTuple):
    start: str | None = None
    moves: tuple[str, ...] = ()


def numbered() -> Iterator[Opening]:
    """Of which each is another one."""
    for number in range(1, 1000):
        yield Opening(f"{FEN[:-1]}{number}", ("e2e3",))


def with_book(pool: Pool = CHESS, *openings: Opening) -> Pool:
    """The pool with these openings, or with as many as are drawn."""
    drawn = chain(openings) if openings else numbered()
    return replace(pool, openings=lambda: next(drawn))


def begun(effects: list[LobbyEffect]) -> Pair:
    [pair] = [effect for effect in effects if isinstance(effect, Pair)]
    return pair


def opening(pair: Pair) -> tuple[str | None, tuple[str, ...]]:
    return pair.agreement.start, pair.agreement.opening


def meet(hall: Lobby, *handles: str, pool: str = "chess") -> Pair:
    """These wait in the pool, and are paired."""
    return begun([effect for handle in handles for effect in hall.wait(handle, pool)])


def again(hall: Lobby, *handles: str) -> Pair:
    """Their game is over, and they wait again."""
    for handle in handles:
        hall.free(handle)
    return meet(hall, *handles)


def entered(hall: Lobby, who: Callable[[str], object], *names: str) -> None:
    for name in names:
        hall.enter(who(name))


@pytest.fixture
def hall() -> Lobby:
    made = lobby(with_book())
    entered(made, engine, "A", "B", "C", "D")
    return made


def test_a_game_of_the_pool_begins_from_the_next_opening(hall: Lobby) -> None:
    assert opening(meet(hall, "A", "B")) == (f"{FEN[:-1]}1", ("e2e3",))
    assert opening(meet(hall, "C", "D")) == (f"{FEN[:-1]}2", ("e2e3",))


def test_two_who_meet_again_have_the_same_opening_with_colours_swapped_and_then_a_new_one(
    hall: Lobby,
) -> None:
    games = [meet(hall, "A", "B"), *(again(hall, "A", "B") for _ in range(5))]
    assert [opening(game)[0] for game in games] == [
        f"{FEN[:-1]}{number}" for number in (1, 1, 2, 2, 3, 3)
    ]
    whites = [game.white for game in games]
    assert whites[::2] == [white for white in whites[::2] if white == whites[0]]
    assert {*whites[1::2]} == {"A", "B"} - {whites[0]}


def test_others_in_between_do_not_part_a_pair_of_games(hall: Lobby) -> None:
    first = meet(hall, "A", "B")
    for handle in ("A", "B"):
        hall.free(handle)
    other = meet(hall, "A", "C")
    for handle in ("A", "C"):
        hall.free(handle)
    assert opening(other) != opening(first)
    assert opening(meet(hall, "A", "B")) == opening(first)


def test_who_seeks_with_a_start_of_its_own_plays_from_there() -> None:
    hall = lobby(with_book())
    entered(hall, person, "Ada", "Bob")
    hall.hear("Ada", Seek(Terms(start=FEN)))
    taken = hall.hear("Bob", Accept(1))
    assert opening(begun(taken)) == (FEN, ())


def test_a_seek_of_the_pool_and_a_challenge_leave_the_start_to_the_book() -> None:
    hall = lobby(with_book())
    entered(hall, person, "Ada", "Bob")
    hall.hear("Ada", Seek(Terms(time="60+1")))
    assert opening(begun(hall.hear("Bob", Accept(1))))[1] == ("e2e3",)
    for handle in ("Ada", "Bob"):
        hall.free(handle)
    number = challenged(hall.hear("Ada", Challenge("Bob", Terms())), "Bob")
    assert opening(begun(hall.hear("Bob", Accept(number))))[1] == ("e2e3",)


def test_a_pool_without_a_book_has_its_usual_starts() -> None:
    other = replace(CHESS, name="plain")
    hall = lobby(with_book(), other)
    entered(hall, engine, "A", "B")
    assert opening(meet(hall, "A", "B", pool="plain")) == (None, ())


def test_seeks_of_two_pools_do_not_begin_from_the_book_of_one() -> None:
    hall = lobby(with_book(), replace(CHESS, name="plain"))
    entered(hall, person, "Ada", "Bob")
    hall.hear("Ada", Seek(Terms(game="plain")))
    assert opening(begun(hall.hear("Bob", Seek(Terms(game="chess"))))) == (None, ())


@pytest.mark.parametrize("asked_first", ["Ada", "Bob"])
def test_a_rematch_has_the_same_opening_and_the_one_after_it_a_new_one(asked_first: str) -> None:
    hall = lobby(with_book())
    entered(hall, person, "Ada", "Bob")
    other = "Bob" if asked_first == "Ada" else "Ada"

    def rematch() -> Pair:
        for handle in ("Ada", "Bob"):
            hall.free(handle)
        hall.hear(asked_first, Rematch())
        return begun(hall.hear(other, Rematch()))

    hall.hear("Ada", Seek(Terms()))
    first = begun(hall.hear("Bob", Accept(1)))
    games = [first, rematch(), rematch(), rematch()]
    assert [opening(game)[0] for game in games] == [f"{FEN[:-1]}{n}" for n in (1, 1, 2, 2)]
    assert [game.white for game in games[::2]] == [first.white] * 2
    assert [game.white for game in games[1::2]] == [first.black] * 2


def test_the_games_of_a_match_are_pairs_too() -> None:
    hall = lobby(with_book())
    entered(hall, person, "Ada", "Bob")
    hall.hear("Ada", Seek(Terms(games=4)))
    games = [begun(hall.hear("Bob", Accept(1)))]
    for _ in range(3):
        hall.free("Ada")
        games.append(begun(hall.free("Bob")))
    assert [opening(game)[0] for game in games] == [f"{FEN[:-1]}{n}" for n in (1, 1, 2, 2)]


EASY, HARD = "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/C3K3 w - - 0 1"


def with_easy_one(*openings: Opening) -> Lobby:
    """Two engines in a pool with a book, one of which knows kings only."""
    pool = Pool("mixed", GAMES["liberty"], CHESS.control, (EASY,))
    hall = lobby(with_book(pool, *openings))
    for name, pieces in (("A", "kc"), ("B", "k")):
        hall.enter(replace(engine(name), pieces=frozenset(pieces), version=1))
    return hall


def test_an_opening_that_a_program_cannot_play_is_passed_over() -> None:
    hall = with_easy_one(Opening(HARD), Opening(EASY, ("e1e2",)))
    assert opening(meet(hall, "A", "B", pool="mixed")) == (EASY, ("e1e2",))


def test_without_an_opening_that_both_can_play_the_game_begins_from_a_start_of_the_pool() -> None:
    hall = with_easy_one(*[Opening(HARD)] * MOST_TRIES)
    assert opening(meet(hall, "A", "B", pool="mixed")) == (EASY, ())


def test_the_agreement_is_otherwise_that_of_the_pool(hall: Lobby) -> None:
    agreement = meet(hall, "A", "B").agreement
    expected = Agreement(CHESS.game, CHESS.control, None, rated=False, pool="chess")
    assert replace(agreement, start=None, opening=()) == expected

"""Games that begin with moves of a book."""

import pytest

from tests.support.driver import (
    B,
    Driver,
    W,
    both_moved,
    ended,
    facts,
    finished,
    lobby,
    playing,
    told,
)
from tests.support.effort import instructions
from tests.support.toy import ToyPosition
from ulci.protocol.messages import Abort, Go, Info, Position, Score, Takeback
from ulci.rules import Outcome, Reason
from ulci_server.game import (
    Clock,
    Commanded,
    ContradictionError,
    Controls,
    EventKind,
    GameStarted,
    Happened,
    MoveList,
    MovePlayed,
    Seat,
    TakebackRuled,
    rebuild,
)
from ulci_server.game.adjudication import Adjudication, DrawRule

BOOK = "a b c"
ENGINES = (Seat("Ash", "engine"), Seat("Birch", "engine"))
LEVEL = Info(score=Score(cp=0))


def test_the_players_take_over_after_the_opening_and_are_told_its_moves() -> None:
    driver = Driver(book=BOOK)
    begun, *_ = facts(driver.opening)
    assert isinstance(begun, GameStarted)
    assert begun.opening == ("a", "b", "c")
    effects = driver.play()
    assert Position(None, ("a", "b", "c")) in told(effects, B)
    assert any(isinstance(message, Go) for message in told(effects, B))
    assert not any(isinstance(message, Go) for message in told(effects, W))


def test_no_clock_pays_for_the_opening_and_its_plies_are_counted() -> None:
    driver = playing("40/60", book=BOOK)
    [move] = facts(driver.move("d", 2.0))
    assert move == MovePlayed(42, 4, B, "d", 2_000, 58_000, seq=1)
    assert driver.game.clocks(2.0).wtime == 60_000
    assert [*driver.game.moves] == ["a", "b", "c", "d"]


def test_the_lobby_says_how_many_plies_are_of_a_book() -> None:
    line = "game 42 start white Ada black Bob game toy time 300+3 rated no lag none book 3"
    announced = [effect.line for effect in Driver(book=BOOK).opening if hasattr(effect, "line")]
    assert announced == [lobby(line)]


def test_until_both_have_moved_after_the_opening_the_game_is_aborted() -> None:
    driver = playing(book=BOOK)
    driver.move("d", 1.0)
    text = "White (Ada) aborted it"
    assert finished(driver.happen(Commanded(W, 2.0, Abort()))) == ended(None, Reason.ABORTED, text)

    driver = playing(book=BOOK)
    driver.move("d", 1.0)
    driver.move("e", 2.0)
    assert finished(driver.happen(Commanded(W, 3.0, Abort()))) is None


def test_who_makes_no_move_after_the_opening_does_not_lose_on_time() -> None:
    driver = playing("5", book=BOOK)
    end = finished(driver.happen(Commanded(B, 6.0, Abort())))
    assert end is not None
    assert end.outcome.reason is Reason.ABORTED
    assert end.detail.startswith("the flag of Black (Bob) fell at ply 4,")


def test_no_takeback_reaches_the_opening() -> None:
    driver = both_moved(book=BOOK)  # plies 4 and 5, of Black and of White
    too_far = lobby("error no-takeback so many moves were not made")
    assert too_far in told(driver.happen(Commanded(W, 3.0, Takeback(3))), W)
    driver.happen(Commanded(W, 3.0, Takeback(2)))
    effects = driver.happen(Commanded(B, 3.0, Takeback()))
    assert Position(None, ("a", "b", "c")) in told(effects, B)
    nothing = lobby("error no-takeback there is no move of yours to take back")
    assert told(driver.happen(Commanded(W, 4.0, Takeback())), W) == [nothing]
    assert driver.happen(TakebackRuled(4.0, 9, "Cy: enough")) == []


def test_an_administrator_takes_back_all_but_the_opening() -> None:
    driver = both_moved(book=BOOK)
    [ruled] = facts(driver.happen(TakebackRuled(3.0, 9, "Cy: again")))
    assert ruled == Happened(42, 3, 5, EventKind.TAKEN_BACK, None, 2, "Cy: again")
    assert [*driver.game.moves] == ["a", "b", "c"]


def test_a_game_goes_on_from_its_opening_after_a_restart() -> None:
    before = both_moved(book=BOOK)
    known = [
        MovePlayed(42, 4, B, "d", 1_000, 302_000, seq=1),
        MovePlayed(42, 5, W, "e", 1_000, 302_000, seq=2),
    ]
    driver = Driver(book=BOOK, known=[*known], at=10.0)
    assert [*driver.game.moves] == ["a", "b", "c", "d", "e"]
    assert driver.game.turn_number == before.game.turn_number
    assert driver.game.mover is B
    with pytest.raises(ContradictionError, match="ply 4, d: 2 plies were made before it"):
        Driver(book="a b", known=[*known], at=10.0)


def test_a_record_that_takes_back_moves_of_the_opening_contradicts_itself() -> None:
    position = ToyPosition()
    for move in BOOK.split():
        position.play_untrusted(move)
    steps = [
        MovePlayed(42, 4, B, "d", 1_000, 59_000, seq=1),
        Happened(42, 2, 4, EventKind.TAKEN_BACK, B, 2),
    ]
    with pytest.raises(ContradictionError, match="2 plies were taken back when 1 were made"):
        rebuild(MoveList(position), Clock(Controls.parse("60")), steps)


def test_a_limit_of_moves_counts_those_of_the_players_and_a_draw_rule_all() -> None:
    """As fastchess counts them."""
    limited = playing(book="a b c d", adjudication=Adjudication(max_moves=2, people=True))
    for at, move in enumerate("efg", 1):
        assert finished(limited.move(move, float(at))) is None
    end = finished(limited.move("h", 4.0))
    assert end is not None
    assert end.detail == "a draw by adjudication: the game reached its limit of 2 moves"

    rule = Adjudication(draw=DrawRule(after=4, moves=1, score=10))
    drawn = playing(book="a b c d e f", seats=ENGINES, adjudication=rule)
    assert finished(drawn.move("g", 1.0, info=LEVEL)) is None
    end = finished(drawn.move("h", 2.0, info=LEVEL))
    assert end is not None
    assert end.outcome == Outcome(None, Reason.ADJUDICATION)


def test_the_path_of_a_move_costs_the_same_after_an_opening() -> None:
    def cost(book: str, move: str) -> int:
        driver = playing(book=book)
        driver.move("x", 1.0)
        return instructions(lambda: driver.answer(move, 2.0))

    without = cost("", "y")
    assert cost("a b c d e f g h i j k l m n o p", "y") <= without * 1.02

"""A game that a rule of its pool ends: what is noted and what the players read."""

import pytest

from tests.support.driver import B, Driver, W, facts, told
from ulci.protocol.messages import Info, Score
from ulci.rules import Outcome, Reason
from ulci_server.game import (
    Back,
    EventKind,
    GameFinished,
    Happened,
    MovePlayed,
    Seat,
    TakebackRuled,
    adjudication,
)
from ulci_server.game.adjudication import Adjudication, Proved, ResignRule
from ulci_server.game.events import Paused

ENGINES = (Seat("Ash", "engine"), Seat("Birch", "engine"))
LOSING = Info(score=Score(cp=-900))
RESIGN = Adjudication(resign=ResignRule(2, 600), tablebases=True)


def driver() -> Driver:
    driver = Driver(seats=ENGINES, adjudication=RESIGN)
    driver.play()
    return driver


def test_the_move_is_noted_then_the_rule_then_the_end() -> None:
    game = driver()
    game.move("a", 1.0, info=LOSING)
    game.move("b", 2.0)
    effects = game.move("c", 3.0, info=LOSING)
    why = (
        "Black (Birch) won by adjudication: resign rule (2 moves at -6.00):"
        " White (Ash) said -9.00 -9.00"
    )
    move, ruled, end = facts(effects)
    assert isinstance(move, MovePlayed)
    assert ruled == Happened(42, 4, 3, EventKind.RULED, B, text=why)
    assert end == GameFinished(42, Outcome(B, Reason.ADJUDICATION), why)
    assert told(effects, W)[-2:] == [
        Info(string="result 0-1 reason adjudication"),
        Info(string=why),
    ]


def test_the_last_ply_that_the_server_allows_is_noted_and_ends_the_game() -> None:
    game = Driver(most_plies=3)
    game.play()
    game.move("a", 1.0)
    game.move("b", 2.0)
    why = "a draw by adjudication: the game has 3 plies, as many as this server allows"
    move, ruled, end = facts(game.move("c", 3.0))
    assert isinstance(move, MovePlayed)
    assert ruled == Happened(42, 4, 3, EventKind.RULED, None, text=why)
    assert end == GameFinished(42, Outcome(None, Reason.ADJUDICATION), why)


def test_a_game_whose_moves_fill_a_line_is_a_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adjudication, "MOST_LETTERS", 6)
    game = Driver()
    game.play()
    game.move("a", 1.0)
    game.move("b", 2.0)
    game.hand_over(game.happen(TakebackRuled(2.5, 1, "a slip")), 2.5)
    game.move("c", 3.0)
    assert game.game.outcome is None
    _, _, end = facts(game.move("d", 4.0))
    why = "a draw by adjudication: its moves have 6 letters, as many as a client takes in one line"
    assert end == GameFinished(42, Outcome(None, Reason.ADJUDICATION), why)


def test_a_game_that_is_longer_than_a_later_server_allows_ends_with_its_next_move() -> None:
    game = Driver()
    game.play()
    known = [fact for n in range(4) for fact in facts(game.move("abcd"[n], n + 1.0))]
    again = Driver(most_plies=3, known=known, at=100.0)
    again.hand_over(again.happen(Back(W, 101.0), Back(B, 101.0)), 101.0)
    assert again.game.outcome is None
    again.move("e", 102.0)
    assert again.game.outcome == Outcome(None, Reason.ADJUDICATION)


def test_a_move_that_ends_the_game_by_the_rules_goes_before_the_servers_limit() -> None:
    game = Driver(most_plies=1)
    game.play()
    game.move("mate", 1.0)
    assert game.game.outcome == Outcome(W, Reason.CHECKMATE)


def test_who_takes_back_begins_anew() -> None:
    game = driver()
    game.move("a", 1.0, info=LOSING)
    game.hand_over(game.happen(TakebackRuled(1.5, 1, "a slip")), 1.5)
    game.move("a", 2.0, info=LOSING)
    assert game.game.outcome is None
    game.move("b", 3.0)
    game.move("c", 4.0, info=LOSING)
    assert game.game.outcome == Outcome(B, Reason.ADJUDICATION)


def test_what_the_tablebases_prove_ends_the_game() -> None:
    game = driver()
    game.move("a", 1.0, proved=Proved(None))
    assert game.game.outcome == Outcome(None, Reason.ADJUDICATION)


def test_what_was_said_before_a_restart_still_counts() -> None:
    game = driver()
    known = facts(game.move("a", 1.0, info=LOSING)) + facts(game.move("b", 2.0))
    known += facts(game.happen(Paused(2.5)))
    again = Driver(seats=ENGINES, adjudication=RESIGN, known=known, at=100.0)
    again.hand_over(again.happen(Back(W, 101.0), Back(B, 101.0)), 101.0)
    again.move("c", 102.0, info=LOSING)
    assert again.game.outcome == Outcome(B, Reason.ADJUDICATION)


def test_what_was_taken_back_before_a_restart_does_not() -> None:
    game = driver()
    known = facts(game.move("a", 1.0, info=LOSING))
    known += facts(game.happen(TakebackRuled(1.5, 1, "a slip"), Paused(1.6)))
    again = Driver(seats=ENGINES, adjudication=RESIGN, known=known, at=100.0)
    again.hand_over(again.happen(Back(W, 101.0), Back(B, 101.0)), 101.0)
    again.move("a", 102.0, info=LOSING)
    assert again.game.outcome is None

"""A game that a rule of its pool ends: what is noted and what the players read."""

from tests.support.driver import B, Driver, W, told
from ulci.protocol.messages import Info, Score
from ulci.rules.outcome import Outcome, Reason
from ulci_server.game import (
    GameFinished,
    Happened,
    MovePlayed,
    Note,
    Seat,
    TakebackRuled,
    What,
)
from ulci_server.game.adjudication import Adjudication, Proved, ResignRule

ENGINES = (Seat("Ash", "engine"), Seat("Birch", "engine"))
LOSING = Info(score=Score(cp=-900))
RESIGN = Adjudication(resign=ResignRule(2, 600), tablebases=True)


def driver() -> Driver:
    driver = Driver(seats=ENGINES, adjudication=RESIGN)
    driver.play()
    return driver


def noted(effects: list[object]) -> list[object]:
    return [effect.fact for effect in effects if isinstance(effect, Note)]


def test_the_move_is_noted_then_the_rule_then_the_end() -> None:
    game = driver()
    game.move("a", 1.0, info=LOSING)
    game.move("b", 2.0)
    effects = game.move("c", 3.0, info=LOSING)
    why = (
        "Black (Birch) won by adjudication: resign rule (2 moves at -6.00):"
        " White (Ash) said -9.00 -9.00"
    )
    move, ruled, end = noted(effects)
    assert isinstance(move, MovePlayed)
    assert ruled == Happened(42, 4, 3, What.RULED, text=why)
    assert end == GameFinished(42, Outcome(B, Reason.ADJUDICATION), why)
    assert told(effects, W)[-2:] == [
        Info(string="result 0-1 reason adjudication"),
        Info(string=why),
    ]


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

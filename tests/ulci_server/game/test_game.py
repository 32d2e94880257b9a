"""The life of a game: how it opens, who is asked what, and how it is closed."""

from tests.support.driver import ADA, BOB, B, Driver, W
from tests.support.lobby import lobby_line
from ulci.protocol.messages import (
    Clock,
    Go,
    Info,
    IsReady,
    Lobby,
    NewGame,
    Position,
    Resign,
    SetOption,
    Stop,
)
from ulci.rules import GAMES, Outcome, Reason
from ulci_server.game import (
    Answered,
    Commanded,
    Game,
    GameFinished,
    GameStarted,
    MovePlayed,
    Phase,
    Ready,
    TakebackRuled,
)
from ulci_server.game.events import (
    Announce,
    Cast,
    Dismiss,
    Note,
    Settle,
    Show,
    StartClock,
    Tell,
    Turn,
)


def lobby(text: str) -> Lobby:
    return lobby_line(text)


def test_both_are_prepared_and_the_lobby_hears_of_it() -> None:
    chess960 = SetOption("UCI_Chess960", "true")
    driver = Driver(setup=((), (chess960,)), rated=True)
    assert driver.opening == [
        Note(GameStarted(42, "toy", None, "300+3", (ADA, BOB), rated=True)),
        Tell(W, NewGame()),
        Tell(W, IsReady()),
        Tell(B, chess960),
        Tell(B, NewGame()),
        Tell(B, IsReady()),
        Announce(lobby("game 42 start white Ada black Bob game toy time 300+3 rated yes lag none")),
    ]
    assert driver.game.phase is Phase.PREPARING
    assert driver.game.deadline == 30.0


def test_the_first_move_is_asked_for_when_both_are_ready_and_the_start_is_durable() -> None:
    driver = Driver()
    assert driver.happen(Ready(B, 1.0)) == []
    assert driver.happen(Ready(W, 2.0)) == [
        Settle(),
        Tell(W, Position()),
        Tell(W, Go(wtime=300_000, btime=300_000, winc=3_000, binc=3_000)),
        Show(B, (Position(), Clock(300_000, 300_000, 3_000, 3_000))),
        Cast((Position(), Clock(300_000, 300_000, 3_000, 3_000))),
        StartClock(W),
    ]
    assert driver.game.phase is Phase.PLAYING
    assert driver.game.deadline == float("inf")  # nobody's clock runs before it was handed over


def test_a_move_is_noted_settled_and_only_then_told() -> None:
    driver = Driver()
    driver.play(at=10.0)
    assert driver.game.deadline == 310.0
    assert driver.answer("a", 12.5, info=Info(depth=7)) == [
        Note(MovePlayed(42, 1, W, "a", 2_500, 300_500, Info(depth=7), seq=1)),
        Settle(),
        Tell(B, Position(None, ("a",))),
        Tell(B, Go(wtime=300_500, btime=300_000, winc=3_000, binc=3_000)),
        Show(W, (Position(None, ("a",)), Clock(300_500, 300_000, 3_000, 3_000))),
        Cast((Position(None, ("a",)), Clock(300_500, 300_000, 3_000, 3_000))),
        StartClock(B),
    ]


def test_the_last_move_is_durable_before_anybody_hears_of_the_result() -> None:
    driver = Driver()
    driver.play()
    end = Outcome(W, Reason.CHECKMATE)
    final = Position(None, ("mate",))
    result = Info(string="result 1-0 reason checkmate")
    assert driver.answer("mate", 1.0) == [
        Note(MovePlayed(42, 1, W, "mate", 1_000, 302_000, seq=1)),
        Note(GameFinished(42, end)),
        Settle(),
        Tell(W, final),
        Tell(B, final),
        Cast((final,)),
        Tell(W, result),
        Tell(B, result),
        Cast((result,)),
        Announce(lobby("game 42 over result 1-0 reason checkmate")),
        Dismiss(None),
    ]
    assert driver.game.outcome == end
    assert driver.game.phase is Phase.OVER


def test_who_resigns_loses_though_not_both_have_moved() -> None:
    driver = Driver()
    driver.play()
    driver.happen(Commanded(W, 1.0, Resign()))
    assert driver.game.outcome == Outcome(B, Reason.RESIGNATION)


def test_who_is_searching_when_the_game_ends_is_stopped_before_the_final_position() -> None:
    driver = Driver()
    driver.play()
    result = Info(string="result 1-0 reason resignation")
    assert driver.happen(Commanded(B, 1.0, Resign())) == [
        Note(GameFinished(42, Outcome(W, Reason.RESIGNATION), "Black (Bob) resigned")),
        Settle(),
        Tell(W, Stop()),
        Tell(W, Position()),
        Tell(B, Position()),
        Cast((Position(),)),
        Tell(W, result),
        Tell(B, result),
        Cast((result,)),
        Announce(lobby("game 42 over result 1-0 reason resignation")),
        Dismiss(W),
    ]


def chess() -> Game:
    """White was asked for its first move."""
    game = Game(GameStarted(42, "chess", None, "300+3", (ADA, BOB)), GAMES["chess"].new())
    game.begin(0.0)
    game.handle(Ready(W, 0.0))
    game.handle(Ready(B, 0.0))
    game.handed_over(0.0)
    return game


def test_who_says_its_last_move_again_where_it_cannot_be_made_repeats_it() -> None:
    game = chess()
    assert not game.repeats(W, "e2e4")  # never said
    for side, move in ((W, "e2e4"), (B, "e7e5")):
        assert isinstance(game.move(Answered(side, move, 1.0)), Turn)
        game.handed_over(1.0)
    assert game.repeats(W, "e2e4")
    assert game.repeats(W, "E2E4")
    assert not game.repeats(W, "e7e5")  # the other's
    assert not game.repeats(W, "d2d5")  # illegal, but new
    assert game.moves == ["e2e4", "e7e5"]  # to know it makes no move
    game.handle(TakebackRuled(2.0, 2, "a slip"))
    assert not game.repeats(W, "e2e4")  # it may be made anew


def test_what_was_said_too_late_is_repeated_by_who_says_it_again() -> None:
    game = chess()
    assert not game.repeats(W, "d1f3")
    game.answered_late(W, "d1f3")
    assert game.repeats(W, "d1f3")
    assert not game.repeats(B, "d1f3")
    game.answered_late(W, "e2e4")
    assert not game.repeats(W, "e2e4")  # it is legal


def test_an_illegal_move_is_not_what_was_said_last() -> None:
    game = chess()
    game.move(Answered(W, "e2e5", 1.0))
    assert not game.repeats(W, "e2e5")

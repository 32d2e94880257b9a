from tests.support.terminal import introduced, lobby, playing, sent, to_move, told, welcomed
from ulci.protocol import (
    BestMove,
    Blame,
    Clock,
    Debug,
    Go,
    Hello,
    HelloOk,
    Id,
    Info,
    IsReady,
    NewGame,
    Option,
    OptionType,
    Position,
    Quit,
    ReadyOk,
    Report,
    Score,
    SetOption,
    Stop,
)
from ulci.rules import Side
from ulci_client.terminal.model import Model
from ulci_client.terminal.state import Line, News


def test_a_greeting_is_answered_with_who_we_are() -> None:
    model = Model("Ada", "tcp://here", program="ulci-play 1.2")
    model.connected(0.0)
    assert sent(model.hear(Hello(), 0.0)) == [
        Id("name", "ulci-play 1.2"),
        Id("username", "Ada"),
        Id("feature", "lobby"),
        Id("version", "1"),
        Id("pieces", "kmqcaehuriwbznxlop"),
        Option("UCI_Chess960", OptionType.CHECK, "false"),
        Option("UCI_Opponent", OptionType.STRING, ""),
        HelloOk(),
    ]
    assert model.state.line is Line.READY


def test_a_ping_is_answered() -> None:
    assert sent(introduced().hear(IsReady(), 0.0)) == [ReadyOk()]


def test_who_comes_back_shows_the_secret_of_the_last_welcome() -> None:
    model = welcomed()
    model.lost("cable cut", 1.0, 2.0)
    model.connected(3.0)
    assert Id("resume", "s3cret") in sent(model.hear(Hello(), 3.0))


def test_a_server_without_a_lobby_is_played_with_as_well() -> None:
    model = introduced()
    model.hear(SetOption("UCI_Opponent", "none none computer Shredder 5"), 0.0)
    model.hear(Position(None, ()), 0.0)
    effects = model.hear(Go(wtime=1000, btime=1000), 0.0)
    assert told(effects) == ["you are white against Shredder 5 (engine), chess", "your move"]
    assert sent(model.typed("e4", 0.1)) == [BestMove("e2e4")]
    effects = model.hear(Position(None, ("e2e4", "e7e5")), 1.0)
    assert told(effects) == ["move e7e5 (e5)"]


def test_without_a_lobby_who_is_shown_the_clock_is_not_to_move() -> None:
    model = introduced()
    model.hear(Position(None, ()), 0.0)
    effects = model.hear(Clock(wtime=1000, btime=1000), 0.0)
    assert told(effects) == ["you are black against somebody, chess"]


def test_without_a_lobby_the_board_tells_the_end() -> None:
    model = introduced()
    model.hear(Position(None, ()), 0.0)
    model.hear(Clock(), 0.0)
    mate = ("f2f3", "e7e5", "g2g4", "d8h4")
    assert told(model.hear(Position(None, mate), 0.0))[-1] == (
        "result 0-1 checkmate Black wins by checkmate"
    )
    assert told(model.hear(Info(string="result 0-1 reason checkmate"), 0.0)) == []


def test_after_the_end_another_position_is_another_game() -> None:
    model = introduced()
    model.hear(Position(None, ("e2e4",)), 0.0)
    model.hear(Info(string="result 1-0 reason resignation"), 0.0)
    model.hear(Position(None, ("e2e4", "e7e5")), 0.0)
    assert model.state.game is not None
    assert model.state.game.over
    model.hear(Position(None, ()), 0.0)
    assert not model.state.game.over


def test_moves_are_told_as_they_come() -> None:
    model = playing()
    assert told(model.hear(Position(None, ("e2e4",)), 0.0)) == ["move e2e4 (e4)"]
    assert told(model.hear(Position(None, ("e2e4",)), 0.0)) == []


def test_our_own_move_is_told_once() -> None:
    model = to_move()
    assert told(model.typed("Nf3", 0.0)) == ["move g1f3 (Nf3)"]
    assert told(model.hear(Position(None, ("g1f3",)), 0.1)) == []


def test_a_refused_move_is_taken_back_and_asked_for_again() -> None:
    model = to_move()
    model.typed("Nf3", 0.0)
    refusal = "illegal move 'g1f3': the arbiter says so"
    assert told(model.hear(Report(Blame.CLIENT, refusal), 0.1)) == [f"error {refusal}"]
    assert told(model.hear(Position(None, ()), 0.1)) == [
        "server Your move was not made; the board is as it was."
    ]
    assert told(model.hear(Go(wtime=299_000, btime=300_000), 0.1)) == ["your move"]
    assert sent(model.typed("e4", 0.2)) == [BestMove("e2e4")]


def test_a_board_that_was_set_back_is_told() -> None:
    model = playing("e2e4", "e7e5")
    assert told(model.hear(Position(None, ("e2e4",)), 0.0)) == [
        "server The server set the board back to move 1."
    ]


def test_the_clocks_are_those_of_the_arbiter() -> None:
    model = to_move()
    game = model.state.game
    assert game is not None
    assert game.clocks is not None
    assert game.clocks.running is Side.WHITE
    model.typed("e4", 10.0)
    assert game.clocks.running is Side.BLACK
    assert game.clocks.remaining(Side.WHITE, 11.0) == 293_000
    model.hear(Position(None, ("e2e4",)), 11.0)
    model.hear(Clock(wtime=292_500, btime=300_000), 11.0)
    assert game.clocks.remaining(Side.WHITE, 20.0) == 292_500
    assert game.clocks.remaining(Side.BLACK, 20.0) == 291_000


def test_a_game_without_clocks_has_none() -> None:
    model = playing()
    model.hear(Go(depth=8), 0.0)
    assert model.state.game is not None
    assert model.state.game.clocks is None


def test_the_result_is_told_once_however_often_it_is_said() -> None:
    model = to_move()
    effects = model.hear(Info(string="result 0-1 reason time"), 5.0)
    assert told(effects) == ["result 0-1 time Black wins on time"]
    assert told(lobby(model, "game 42 over result 0-1 reason time")) == []


def test_a_move_that_is_owed_at_the_end_is_paid() -> None:
    model = to_move()
    effects = model.hear(Info(string="result 0-1 reason time"), 5.0)
    assert sent(effects) == [BestMove("0000")]
    assert sent(model.hear(Stop(), 5.0)) == []


def test_who_is_stopped_answers_at_once() -> None:
    model = to_move()
    assert sent(model.hear(Stop(), 0.0)) == [BestMove("0000")]
    assert told(model.typed("e4", 0.0)) == [
        "error the server has not asked for your move yet; wait"
    ]


def test_other_words_of_the_server_are_shown() -> None:
    model = introduced()
    assert told(model.hear(Info(string="hello there"), 0.0)) == ["server hello there"]
    assert told(model.hear(Report(Blame.SERVER, "disk full"), 0.0)) == ["error disk full"]
    assert told(model.hear(Quit(), 0.0)) == ["server goodbye"]
    assert told(model.hear(Info(depth=3, score=Score(cp=10)), 0.0)) == []
    assert model.hear(Debug(on=True), 0.0) == []


def test_chess960_is_told_by_an_option() -> None:
    model = introduced()
    model.hear(SetOption("uci_chess960", "true"), 0.0)
    model.hear(Position("bqnb1rkr/pppppppp/3n4/8/8/3N4/PPPPPPPP/BQNB1RKR w HFhf - 0 1"), 0.0)
    assert model.state.game is not None
    assert model.state.game.rules == "chess960"


def nim() -> Model:
    """At the first position of a game that this client has no rules for."""
    model = welcomed()
    model.hear(NewGame(), 0.0)
    lobby(model, "game 7 start white Ada black Bob game nim time 60+0 rated no")
    model.hear(Position("1,3,5"), 0.0)
    return model


def test_an_unknown_game_is_played_blind() -> None:
    model = welcomed()
    model.hear(NewGame(), 0.0)
    lobby(model, "game 7 start white Ada black Bob game nim time 60+0 rated no")
    [line] = told(model.hear(Position("1,3,5"), 0.0))
    assert line.startswith(
        "error The board cannot be shown: this client does not know the game nim"
    )
    model.hear(Go(wtime=1000, btime=1000), 0.0)
    effects = model.typed("take2", 0.0)
    assert sent(effects) == [BestMove("take2")]
    assert told(effects) == ["move take2"]
    assert told(model.hear(Position("1,3,5", ("take2",)), 0.0)) == []
    assert told(model.hear(Clock(wtime=1000, btime=1000), 0.0)) == []
    effects = model.hear(Position("1,3,5", ("take2", "3-1")), 0.0)
    assert [e.text for e in effects if isinstance(e, News)] == ["Black: 3-1."]


def test_what_could_be_a_move_of_an_unknown_game_is_no_misspelt_command() -> None:
    model = nim()
    model.hear(Go(wtime=1000, btime=1000), 0.0)
    assert sent(model.typed("resing", 0.0)) == []
    assert sent(model.typed("pass", 0.0)) == [BestMove("pass")]


def test_a_move_of_an_unknown_game_may_come_back_in_another_spelling_or_not_at_all() -> None:
    model = nim()
    model.hear(Go(), 0.0)
    model.typed("B2", 0.0)
    assert told(model.hear(Position("1,3,5", ("b2",)), 0.0)) == []
    model.hear(Position("1,3,5", ("b2", "c1")), 0.0)
    model.hear(Go(), 0.0)
    model.typed("9", 0.0)
    [line] = told(model.hear(Position("1,3,5", ("b2", "c1")), 0.0))
    assert line.startswith("server Your move was not made")
    model.hear(Go(), 0.0)
    assert told(model.typed("moves", 0.0)) == ["Moves", "1. b2 c1"]
    [refusal] = told(model.typed("fen", 0.0))
    assert "there is no board" in refusal


def test_without_a_lobby_what_is_no_position_of_chess_may_be_one_of_liberty() -> None:
    model = introduced()
    model.hear(Position("qkbnr/ppppp/5/5/PPPPP/QKBNR w Kk - 0 1 1", ()), 0.0)
    assert model.state.game is not None
    assert model.state.game.rules == "liberty"
    model.hear(Go(), 0.0)
    assert sent(model.typed("b3", 0.0)) == [BestMove("b2b3")]


def test_a_clock_before_any_position_means_nothing() -> None:
    model = introduced()
    assert model.hear(Clock(wtime=1, btime=1), 0.0) == []


def test_the_clock_after_the_end_stands_still() -> None:
    model = to_move()
    model.hear(Info(string="result 0-1 reason time"), 5.0)
    model.hear(Clock(wtime=0, btime=4000), 5.0)
    game = model.state.game
    assert game is not None
    assert game.clocks is not None
    assert game.clocks.remaining(Side.BLACK, 99.0) == 4000


def test_a_new_game_empties_the_board_but_not_while_we_come_back() -> None:
    model = playing("e2e4")
    model.lost("cable cut", 1.0, 2.0)
    model.connected(3.0)
    model.hear(Hello(), 3.0)
    model.hear(NewGame(), 3.0)
    assert model.state.game is not None
    assert model.state.game.id == 42
    assert model.state.game.unsure
    model.hear(Position(None, ("e2e4", "e7e5")), 3.0)
    assert not model.state.game.unsure
    model.hear(NewGame(), 4.0)
    assert model.state.game.id is None


def test_a_takeback_is_followed_by_the_shorter_game() -> None:
    model = to_move("e2e4", "e7e5")
    assert told(lobby(model, "game 42 takeback 2 ply 0")) == ["takeback 2 ply 0"]
    assert told(model.hear(Position(None, ()), 0.0)) == []
    effects = model.hear(Go(wtime=300_000, btime=300_000), 1.0)
    assert told(effects) == ["your move"]
    # The go from before is answered, so that the next move counts for this one.
    assert sent(effects) == [BestMove("0000")]
    assert model.state.game is not None
    assert model.state.game.plies == []
    assert sent(model.typed("d4", 1.0)) == [BestMove("d2d4")]


def back_after_a_move_that_was_lost() -> Model:
    """Ada has typed e4, and is at the game again, where it has not been heard of."""
    model = to_move()
    model.typed("e4", 1.0)
    model.lost("cut", 1.0, 1.0)
    model.connected(2.0)
    model.hear(Hello(), 2.0)
    lobby(model, "welcome name Ada account no resume s3cret")
    lobby(model, "game 42 start white Ada black Bob game chess time 300+3 rated yes")
    return model


def test_a_move_that_got_lost_with_the_line_is_made_again_once_it_is_asked_for() -> None:
    model = back_after_a_move_that_was_lost()
    assert told(model.hear(Position(None, ()), 3.0)) == []
    effects = model.hear(Go(wtime=298_000, btime=300_000), 3.0)
    assert sent(effects) == [BestMove("e2e4")]
    assert told(effects) == [
        "server Your move got lost with the line; it is made again.",
        "move e2e4 (e4)",
    ]
    assert told(model.hear(Position(None, ("e2e4",)), 4.0)) == []
    assert sent(model.typed("d4", 5.0)) == []


def test_a_move_that_got_lost_twice_is_made_again_all_the_same() -> None:
    model = back_after_a_move_that_was_lost()
    model.hear(Position(None, ()), 3.0)
    model.lost("cut", 3.0, 1.0)
    model.connected(4.0)
    lobby(model, "game 42 start white Ada black Bob game chess time 300+3 rated yes")
    model.hear(Position(None, ()), 5.0)
    assert sent(model.hear(Go(wtime=296_000, btime=300_000), 5.0)) == [BestMove("e2e4")]


def test_a_move_that_got_through_although_the_line_was_lost_is_not_made_again() -> None:
    model = back_after_a_move_that_was_lost()
    assert told(model.hear(Position(None, ("e2e4", "e7e5")), 3.0)) == ["move e7e5 (e5)"]
    effects = model.hear(Go(wtime=298_000, btime=300_000), 3.0)
    assert told(effects) == ["your move"]
    assert sent(effects) == []


def test_a_move_that_is_refused_after_all_is_not_made_a_third_time() -> None:
    model = back_after_a_move_that_was_lost()
    for at in (3.0, 4.0):
        model.hear(Position(None, ()), at)
        effects = model.hear(Go(wtime=298_000, btime=300_000), at)
    assert sent(effects) == []
    assert told(effects) == ["your move"]


def test_a_server_without_a_lobby_asks_for_a_lost_move_again() -> None:
    model = to_move()
    model.typed("e4", 1.0)
    model.lost("cut", 1.0, 1.0)
    model.connected(2.0)
    assert told(model.hear(Position(None, ()), 3.0)) == [
        "server Your move got lost with the line; the board is as it was."
    ]

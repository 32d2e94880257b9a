from tests.support.terminal import introduced, lobby, playing, sent, to_move, told, welcomed
from ulci.protocol.messages import (
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
from ulci_client.terminal.model.state import ClientState, LinkState, News
from ulci_client.terminal.shell.client import Client


def test_a_greeting_is_answered_with_who_we_are() -> None:
    client = Client(ClientState("Ada", "tcp://here", program="ulci-play 1.2"))
    client.connected(0.0)
    assert sent(client.hear(Hello(), 0.0)) == [
        Id("name", "ulci-play 1.2"),
        Id("username", "Ada"),
        Id("feature", "lobby"),
        Id("version", "1"),
        Id("pieces", "kmqcaehuriwbznxlop"),
        Option("UCI_Chess960", OptionType.CHECK, "false"),
        Option("UCI_Opponent", OptionType.STRING, ""),
        HelloOk(),
    ]
    assert client.state.line is LinkState.READY


def test_a_ping_is_answered() -> None:
    assert sent(introduced().hear(IsReady(), 0.0)) == [ReadyOk()]


def test_a_reconnection_sends_the_secret_of_the_last_welcome() -> None:
    client = welcomed()
    client.lost("cable cut", 1.0, 2.0)
    client.connected(3.0)
    assert Id("resume", "s3cret") in sent(client.hear(Hello(), 3.0))


def test_a_server_without_a_lobby_is_played_with_as_well() -> None:
    client = introduced()
    client.hear(SetOption("UCI_Opponent", "none none computer Shredder 5"), 0.0)
    client.hear(Position(None, ()), 0.0)
    effects = client.hear(Go(wtime=1000, btime=1000), 0.0)
    assert told(effects) == ["you are white against Shredder 5 (engine), chess", "your move"]
    assert sent(client.typed("e4", 0.1)) == [BestMove("e2e4")]
    effects = client.hear(Position(None, ("e2e4", "e7e5")), 1.0)
    assert told(effects) == ["move e7e5 (e5)"]


def test_without_a_lobby_who_is_shown_the_clock_is_not_to_move() -> None:
    client = introduced()
    client.hear(Position(None, ()), 0.0)
    effects = client.hear(Clock(wtime=1000, btime=1000), 0.0)
    assert told(effects) == ["you are black against somebody, chess"]


def test_without_a_lobby_the_board_tells_the_end() -> None:
    client = introduced()
    client.hear(Position(None, ()), 0.0)
    client.hear(Clock(), 0.0)
    mate = ("f2f3", "e7e5", "g2g4", "d8h4")
    assert told(client.hear(Position(None, mate), 0.0))[-1] == (
        "result 0-1 checkmate Black wins by checkmate"
    )
    assert told(client.hear(Info(string="result 0-1 reason checkmate"), 0.0)) == []


def test_after_the_end_another_position_is_another_game() -> None:
    client = introduced()
    client.hear(Position(None, ("e2e4",)), 0.0)
    client.hear(Info(string="result 1-0 reason resignation"), 0.0)
    client.hear(Position(None, ("e2e4", "e7e5")), 0.0)
    assert client.state.game is not None
    assert client.state.game.over
    client.hear(Position(None, ()), 0.0)
    assert not client.state.game.over


def test_moves_are_told_as_they_come() -> None:
    client = playing()
    assert told(client.hear(Position(None, ("e2e4",)), 0.0)) == ["move e2e4 (e4)"]
    assert told(client.hear(Position(None, ("e2e4",)), 0.0)) == []


def test_our_own_move_is_told_once() -> None:
    client = to_move()
    assert told(client.typed("Nf3", 0.0)) == ["move g1f3 (Nf3)"]
    assert told(client.hear(Position(None, ("g1f3",)), 0.1)) == []


def test_a_refused_move_is_taken_back_and_asked_for_again() -> None:
    client = to_move()
    client.typed("Nf3", 0.0)
    refusal = "illegal move 'g1f3': the arbiter says so"
    assert told(client.hear(Report(Blame.CLIENT, refusal), 0.1)) == [f"error {refusal}"]
    assert told(client.hear(Position(None, ()), 0.1)) == [
        "server Your move was not made; the board is unchanged."
    ]
    assert told(client.hear(Go(wtime=299_000, btime=300_000), 0.1)) == ["your move"]
    assert sent(client.typed("e4", 0.2)) == [BestMove("e2e4")]


def test_a_board_that_was_set_back_is_told() -> None:
    client = playing("e2e4", "e7e5")
    assert told(client.hear(Position(None, ("e2e4",)), 0.0)) == [
        "server The server set the board back to move 1."
    ]


def test_the_clocks_are_those_of_the_arbiter() -> None:
    client = to_move()
    game = client.state.game
    assert game is not None
    assert game.clocks is not None
    assert game.clocks.running is Side.WHITE
    client.typed("e4", 10.0)
    assert game.clocks.running is Side.BLACK
    assert game.clocks.remaining(Side.WHITE, 11.0) == 293_000
    client.hear(Position(None, ("e2e4",)), 11.0)
    client.hear(Clock(wtime=292_500, btime=300_000), 11.0)
    assert game.clocks.remaining(Side.WHITE, 20.0) == 292_500
    assert game.clocks.remaining(Side.BLACK, 20.0) == 291_000


def test_the_clocks_of_a_game_that_is_over_are_shown_and_stand() -> None:
    client = to_move("e2e4")
    lobby(client, "game 42 over result 1-0 reason resignation", at=5.0)
    client.hear(Clock(wtime=280_000, btime=270_000), 6.0)
    clocks = client.state.game.clocks
    assert clocks is not None
    assert clocks.running is None
    for later in (6.0, 60.0):
        assert clocks.remaining(Side.WHITE, later) == 280_000
        assert clocks.remaining(Side.BLACK, later) == 270_000


def test_a_game_without_clocks_has_none() -> None:
    client = playing()
    client.hear(Go(depth=8), 0.0)
    assert client.state.game is not None
    assert client.state.game.clocks is None


def test_the_result_is_told_once_however_often_it_is_said() -> None:
    client = to_move()
    effects = client.hear(Info(string="result 0-1 reason time"), 5.0)
    assert told(effects) == ["result 0-1 time Black wins on time"]
    assert told(lobby(client, "game 42 over result 0-1 reason time")) == []


def test_a_go_that_is_open_at_the_end_of_the_game_is_answered() -> None:
    client = to_move()
    effects = client.hear(Info(string="result 0-1 reason time"), 5.0)
    assert sent(effects) == [BestMove("0000")]
    assert sent(client.hear(Stop(), 5.0)) == []


def test_a_stopped_search_answers_at_once() -> None:
    client = to_move()
    assert sent(client.hear(Stop(), 0.0)) == [BestMove("0000")]
    assert told(client.typed("e4", 0.0)) == [
        "error the server does not ask for your move yet; wait"
    ]


def test_other_words_of_the_server_are_shown() -> None:
    client = introduced()
    assert told(client.hear(Info(string="hello there"), 0.0)) == ["server hello there"]
    assert told(client.hear(Report(Blame.SERVER, "disk full"), 0.0)) == ["error disk full"]
    assert told(client.hear(Quit(), 0.0)) == ["server goodbye"]
    assert told(client.hear(Info(depth=3, score=Score(cp=10)), 0.0)) == []
    assert client.hear(Debug(on=True), 0.0) == []


def test_chess960_is_told_by_an_option() -> None:
    client = introduced()
    client.hear(SetOption("uci_chess960", "true"), 0.0)
    client.hear(Position("bqnb1rkr/pppppppp/3n4/8/8/3N4/PPPPPPPP/BQNB1RKR w HFhf - 0 1"), 0.0)
    assert client.state.game is not None
    assert client.state.game.rules == "chess960"


def nim() -> Client:
    """At the first position of a game that this client has no rules for."""
    client = welcomed()
    client.hear(NewGame(), 0.0)
    lobby(client, "game 7 start white Ada black Bob game nim time 60+0 rated no")
    client.hear(Position("1,3,5"), 0.0)
    return client


def test_an_unknown_game_is_played_blind() -> None:
    client = welcomed()
    client.hear(NewGame(), 0.0)
    lobby(client, "game 7 start white Ada black Bob game nim time 60+0 rated no")
    [line] = told(client.hear(Position("1,3,5"), 0.0))
    assert line.startswith(
        "error The board cannot be shown: this client does not know the game nim"
    )
    client.hear(Go(wtime=1000, btime=1000), 0.0)
    effects = client.typed("take2", 0.0)
    assert sent(effects) == [BestMove("take2")]
    assert told(effects) == ["move take2"]
    assert told(client.hear(Position("1,3,5", ("take2",)), 0.0)) == []
    assert told(client.hear(Clock(wtime=1000, btime=1000), 0.0)) == []
    effects = client.hear(Position("1,3,5", ("take2", "3-1")), 0.0)
    assert [e.text for e in effects if isinstance(e, News)] == ["Black: 3-1."]


def test_what_could_be_a_move_of_an_unknown_game_is_no_misspelt_command() -> None:
    client = nim()
    client.hear(Go(wtime=1000, btime=1000), 0.0)
    assert sent(client.typed("resing", 0.0)) == []
    assert sent(client.typed("pass", 0.0)) == [BestMove("pass")]


def test_a_move_of_an_unknown_game_may_come_back_in_another_spelling_or_not_at_all() -> None:
    client = nim()
    client.hear(Go(), 0.0)
    client.typed("B2", 0.0)
    assert told(client.hear(Position("1,3,5", ("b2",)), 0.0)) == []
    client.hear(Position("1,3,5", ("b2", "c1")), 0.0)
    client.hear(Go(), 0.0)
    client.typed("9", 0.0)
    [line] = told(client.hear(Position("1,3,5", ("b2", "c1")), 0.0))
    assert line.startswith("server Your move was not made")
    client.hear(Go(), 0.0)
    assert told(client.typed("moves", 0.0)) == ["Moves", "1. b2 c1"]
    [refusal] = told(client.typed("fen", 0.0))
    assert "there is no board" in refusal


def test_without_a_lobby_what_is_no_position_of_chess_may_be_one_of_liberty() -> None:
    client = introduced()
    client.hear(Position("qkbnr/ppppp/5/5/PPPPP/QKBNR w Kk - 0 1 1", ()), 0.0)
    assert client.state.game is not None
    assert client.state.game.rules == "liberty"
    client.hear(Go(), 0.0)
    assert sent(client.typed("b3", 0.0)) == [BestMove("b2b3")]


def test_a_clock_before_any_position_means_nothing() -> None:
    client = introduced()
    assert client.hear(Clock(wtime=1, btime=1), 0.0) == []


def test_the_clock_after_the_end_stands_still() -> None:
    client = to_move()
    client.hear(Info(string="result 0-1 reason time"), 5.0)
    client.hear(Clock(wtime=0, btime=4000), 5.0)
    game = client.state.game
    assert game is not None
    assert game.clocks is not None
    assert game.clocks.remaining(Side.BLACK, 99.0) == 4000


def test_a_new_game_empties_the_board_but_not_while_we_come_back() -> None:
    client = playing("e2e4")
    client.lost("cable cut", 1.0, 2.0)
    client.connected(3.0)
    client.hear(Hello(), 3.0)
    client.hear(NewGame(), 3.0)
    assert client.state.game is not None
    assert client.state.game.id == 42
    assert client.state.game.unsure
    client.hear(Position(None, ("e2e4", "e7e5")), 3.0)
    assert not client.state.game.unsure
    client.hear(NewGame(), 4.0)
    assert client.state.game.id is None


def test_a_takeback_is_followed_by_the_shorter_game() -> None:
    client = to_move("e2e4", "e7e5")
    assert told(lobby(client, "game 42 takeback 2 ply 0")) == ["takeback 2 ply 0"]
    assert told(client.hear(Position(None, ()), 0.0)) == []
    effects = client.hear(Go(wtime=300_000, btime=300_000), 1.0)
    assert told(effects) == ["your move"]
    # The go from before is answered, so that the next move counts for this one.
    assert sent(effects) == [BestMove("0000")]
    assert client.state.game is not None
    assert client.state.game.plies == []
    assert sent(client.typed("d4", 1.0)) == [BestMove("d2d4")]


def back_after_a_move_that_was_lost() -> Client:
    """Ada has typed e4, and is at the game again, where it has not been heard of."""
    client = to_move()
    client.typed("e4", 1.0)
    client.lost("cut", 1.0, 1.0)
    client.connected(2.0)
    client.hear(Hello(), 2.0)
    lobby(client, "welcome name Ada account no resume s3cret")
    lobby(client, "game 42 start white Ada black Bob game chess time 300+3 rated yes")
    return client


def test_a_move_lost_with_the_connection_is_sent_again_at_the_next_go() -> None:
    client = back_after_a_move_that_was_lost()
    assert told(client.hear(Position(None, ()), 3.0)) == []
    effects = client.hear(Go(wtime=298_000, btime=300_000), 3.0)
    assert sent(effects) == [BestMove("e2e4")]
    assert told(effects) == [
        "server Your move was lost with the connection; it is sent again.",
        "move e2e4 (e4)",
    ]
    assert told(client.hear(Position(None, ("e2e4",)), 4.0)) == []
    assert sent(client.typed("d4", 5.0)) == []


def test_a_move_lost_twice_is_sent_again() -> None:
    client = back_after_a_move_that_was_lost()
    client.hear(Position(None, ()), 3.0)
    client.lost("cut", 3.0, 1.0)
    client.connected(4.0)
    lobby(client, "game 42 start white Ada black Bob game chess time 300+3 rated yes")
    client.hear(Position(None, ()), 5.0)
    assert sent(client.hear(Go(wtime=296_000, btime=300_000), 5.0)) == [BestMove("e2e4")]


def test_a_move_that_arrived_before_the_disconnection_is_not_sent_again() -> None:
    client = back_after_a_move_that_was_lost()
    assert told(client.hear(Position(None, ("e2e4", "e7e5")), 3.0)) == ["move e7e5 (e5)"]
    effects = client.hear(Go(wtime=298_000, btime=300_000), 3.0)
    assert told(effects) == ["your move"]
    assert sent(effects) == []


def test_a_move_that_is_refused_after_all_is_not_made_a_third_time() -> None:
    client = back_after_a_move_that_was_lost()
    for at in (3.0, 4.0):
        client.hear(Position(None, ()), at)
        effects = client.hear(Go(wtime=298_000, btime=300_000), at)
    assert sent(effects) == []
    assert told(effects) == ["your move"]


def test_a_server_without_a_lobby_asks_for_a_lost_move_again() -> None:
    client = to_move()
    client.typed("e4", 1.0)
    client.lost("cut", 1.0, 1.0)
    client.connected(2.0)
    assert told(client.hear(Position(None, ()), 3.0)) == [
        "server Your move was lost with the connection; the board is unchanged."
    ]

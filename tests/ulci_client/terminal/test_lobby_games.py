import math

from tests.support.terminal import introduced, lobby, playing, told, welcomed
from ulci.protocol import Clock, Go, NewGame, Position, SetOption, Terms
from ulci.rules import Side
from ulci_client.terminal.words import Result

START = "game 42 start white Ada black Bob game chess time 300+3 rated yes"


def test_a_game_is_announced_with_both_names_and_our_side() -> None:
    model = welcomed(wanted=Terms(time="300+3"))
    assert told(lobby(model, START)) == ["you are white against Bob, chess 300+3, rated"]
    assert model.state.wanted is None


def test_the_kind_of_the_opponent_is_known_from_the_option_or_the_lists() -> None:
    model = welcomed()
    model.hear(SetOption("UCI_Opponent", "none 2800 human Bob"), 0.0)
    assert told(lobby(model, START)) == ["you are white against Bob (human), chess 300+3, rated"]
    model = welcomed()
    lobby(model, "seek 17 player Bob kind engine game chess time 300+3 color random rated yes")
    assert told(lobby(model, START)) == ["you are white against Bob (engine), chess 300+3, rated"]
    model = welcomed()
    lobby(model, "player Bob kind engine state idle")
    assert told(lobby(model, START)) == ["you are white against Bob (engine), chess 300+3, rated"]


def test_the_announcement_may_come_before_or_after_the_new_game() -> None:
    for announced_first in (True, False):
        model = welcomed()
        if announced_first:
            lobby(model, START)
        model.hear(NewGame(), 0.0)
        if not announced_first:
            lobby(model, START)
        model.hear(Position(None, ()), 0.0)
        game = model.state.game
        assert game is not None
        assert (game.id, game.mine, game.names) == (42, Side.WHITE, ["Ada", "Bob"])


def test_it_may_even_come_after_the_position() -> None:
    model = welcomed()
    model.hear(NewGame(), 0.0)
    model.hear(Position(None, ()), 0.0)
    lobby(model, START)
    assert model.state.game is not None
    assert model.state.game.position is not None


def test_a_name_with_blanks_is_one_word_here() -> None:
    model = introduced("Ada L")
    lobby(model, "welcome name Ada_L-2 account no resume x")
    line = "game 1 start white Bob black Ada_L game chess time 1+0 rated no"
    assert told(lobby(model, line)) == ["you are black against Bob, chess 1+0"]


def test_two_of_one_name_are_told_apart_by_who_is_asked() -> None:
    model = welcomed()
    assert told(lobby(model, "game 1 start white Ada black Ada game chess time 1+0 rated no")) == []
    model.hear(Position(None, ()), 0.0)
    assert told(model.hear(Clock(), 0.0)) == ["you are black against Ada, chess 1+0"]
    assert told(lobby(model, "game 1 offer draw from Ada")) == ["offer draw from Ada"]
    assert model.state.game is not None
    assert model.state.game.offers == {(Side.WHITE, "draw")}


def test_the_same_game_announced_again_is_no_new_game() -> None:
    model = playing("e2e4")
    assert told(lobby(model, START)) == ["back at game 42"]
    assert model.state.game is not None
    assert len(model.state.game.plies) == 1


def test_another_game_is_another_game() -> None:
    model = playing("e2e4")
    line = "game 43 start white Bob black Ada game chess960 time 1+0 rated no"
    assert told(lobby(model, line)) == ["you are black against Bob, chess960 1+0"]
    assert model.state.game is not None
    assert model.state.game.plies == []
    assert model.state.game.rules == "chess960"


def test_a_draw_is_offered_and_declined() -> None:
    model = playing()
    assert model.state.game is not None
    assert told(lobby(model, "game 42 offer draw from Bob")) == ["offer draw from Bob"]
    assert told(lobby(model, "game 42 offer draw from Bob")) == []
    assert model.state.game.offers == {(Side.BLACK, "draw")}
    assert told(lobby(model, "game 42 decline draw from Ada")) == []
    assert model.state.game.offers == set()


def test_our_own_offer_is_told_once() -> None:
    model = playing()
    assert told(model.typed("draw", 0.0)) == ["ok draw offered"]
    assert told(lobby(model, "game 42 offer draw from Ada")) == []
    assert told(lobby(model, "game 42 decline draw from Bob")) == ["decline draw from Bob"]


def test_an_offer_that_we_made_elsewhere_is_told() -> None:
    assert told(lobby(playing(), "game 42 offer draw from Ada")) == ["offer draw from Ada"]


def test_the_opponent_goes_away_and_comes_back() -> None:
    model = playing()
    assert model.state.game is not None
    assert told(lobby(model, "game 42 opponent away claim-in 30000", at=5.0)) == [
        "opponent away 0:30"
    ]
    assert model.state.game.away == 35.0
    assert told(lobby(model, "game 42 opponent back")) == ["opponent back"]
    assert model.state.game.away is None
    assert told(lobby(model, "game 42 opponent away")) == ["opponent away"]
    assert model.state.game.away == math.inf


def test_the_end_is_told() -> None:
    model = playing()
    assert told(lobby(model, "game 42 over result 1-0 reason resignation")) == [
        "result 1-0 resignation White wins: Black resigned"
    ]
    assert model.state.game is not None
    assert model.state.game.result == Result("1-0", "resignation")


def test_other_peoples_games_do_not_touch_ours() -> None:
    model = playing()
    lines = [
        "game 7 over result 1-0 reason resignation",
        "game 7 offer draw from Bob",
        "game 7 decline draw from Bob",
        "game 7 opponent away",
        "game 42 offer draw from Cid",
    ]
    assert told(lobby(model, *lines)) == []
    assert model.state.game is not None
    assert not model.state.game.over


def test_what_is_not_understood_of_a_game_is_shown() -> None:
    assert told(lobby(playing(), "game 42 moved to table 9")) == ["lobby game 42 moved to table 9"]


def test_a_question_is_void_when_a_game_begins() -> None:
    model = playing("e2e4")
    model.hear(Go(), 0.0)
    model.typed("resign", 0.0)
    lobby(model, "game 43 start white Bob black Ada game chess time 1+0 rated no")
    assert model.state.question is None


def test_a_game_that_is_announced_again_and_set_up_again_is_the_same() -> None:
    model = playing("e2e4")
    model.lost("cut", 1.0, 1.0)
    model.connected(2.0)
    lobby(model, START)
    model.hear(NewGame(), 2.0)
    model.hear(Position(None, ("e2e4", "e7e5")), 2.0)
    game = model.state.game
    assert game is not None
    assert (game.id, game.mine, len(game.plies)) == (42, Side.WHITE, 2)
    model.hear(NewGame(), 3.0)
    assert model.state.game is not game


def test_a_server_that_ends_stops_the_clocks() -> None:
    model = playing("e2e4")
    model.hear(Clock(wtime=300_000, btime=300_000), 0.0)
    assert told(lobby(model, "game 42 paused", at=5.0)) == ["server paused the game"]
    game = model.state.game
    assert game is not None
    assert game.clocks is not None
    assert game.clocks.remaining(Side.BLACK, 60.0) == 295_000


def test_the_rule_for_lag_is_told_with_the_game_and_before_it() -> None:
    model = welcomed()
    seek = "seek 17 player Bob kind human game chess time 60+0 color white rated no lag"
    assert told(lobby(model, f"{seek} none")) == [
        "seek 17 Bob human chess 60+0, no lag compensation white"
    ]
    assert told(lobby(model, f"{START} lag equalised")) == [
        "you are white against Bob (human), chess 300+3, rated, equalised lag compensation"
        " (a move at most by how much your line is slower than the opponent's)"
    ]


def test_time_given_to_who_thinks_leaves_the_question_as_it_is() -> None:
    model = playing("e2e4", white="Bob", black="Ada")
    model.hear(Go(wtime=300_000, btime=300_000), 0.0)
    model.hear(Clock(wtime=300_000, btime=315_000), 0.0)
    game = model.state.game
    assert game is not None
    assert game.asked
    assert game.told is Side.BLACK
    assert game.clocks is not None
    assert game.clocks.running is Side.BLACK

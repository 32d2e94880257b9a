import math

import pytest

from tests.support.terminal import introduced, lobby, playing, told, welcomed
from ulci.protocol.messages import Clock, Go, NewGame, Position, SetOption, Terms
from ulci.rules import Side
from ulci_client.terminal.model.phrases import Result

START = "game 42 start white Ada black Bob game chess time 300+3 rated yes"


def test_a_game_is_announced_with_both_names_and_our_side() -> None:
    client = welcomed(wanted=Terms(time="300+3"))
    assert told(lobby(client, START)) == ["you are white against Bob, chess 300+3, rated"]
    assert client.state.wanted is None


def test_the_kind_of_the_opponent_is_known_from_the_option_or_the_lists() -> None:
    client = welcomed()
    client.hear(SetOption("UCI_Opponent", "none 2800 human Bob"), 0.0)
    assert told(lobby(client, START)) == ["you are white against Bob (human), chess 300+3, rated"]
    client = welcomed()
    lobby(client, "seek 17 player Bob kind engine game chess time 300+3 color random rated yes")
    assert told(lobby(client, START)) == ["you are white against Bob (engine), chess 300+3, rated"]
    client = welcomed()
    lobby(client, "player Bob kind engine state idle")
    assert told(lobby(client, START)) == ["you are white against Bob (engine), chess 300+3, rated"]


def test_the_level_of_the_opponent_is_announced() -> None:
    client = welcomed()
    lobby(client, "player Bob kind engine state idle levels 8")
    line = f"{START.replace('rated yes', 'rated no')} black-level 3"
    said = "you are white against Bob (engine, level 3), chess 300+3"
    assert told(lobby(client, line)) == [said]


def test_the_announcement_may_come_before_or_after_the_new_game() -> None:
    for announced_first in (True, False):
        client = welcomed()
        if announced_first:
            lobby(client, START)
        client.hear(NewGame(), 0.0)
        if not announced_first:
            lobby(client, START)
        client.hear(Position(None, ()), 0.0)
        game = client.state.game
        assert game is not None
        assert (game.id, game.mine, game.names) == (42, Side.WHITE, ["Ada", "Bob"])


def test_it_may_even_come_after_the_position() -> None:
    client = welcomed()
    client.hear(NewGame(), 0.0)
    client.hear(Position(None, ()), 0.0)
    lobby(client, START)
    assert client.state.game is not None
    assert client.state.game.position is not None


def test_a_name_with_blanks_is_one_word_here() -> None:
    client = introduced("Ada L")
    lobby(client, "welcome name Ada_L-2 account no resume x")
    line = "game 1 start white Bob black Ada_L game chess time 1+0 rated no"
    assert told(lobby(client, line)) == ["you are black against Bob, chess 1+0"]


def test_two_of_one_name_are_told_apart_by_who_is_asked() -> None:
    client = welcomed()
    assert (
        told(lobby(client, "game 1 start white Ada black Ada game chess time 1+0 rated no")) == []
    )
    client.hear(Position(None, ()), 0.0)
    assert told(client.hear(Clock(), 0.0)) == ["you are black against Ada, chess 1+0"]
    assert told(lobby(client, "game 1 offer draw from Ada")) == ["offer draw from Ada"]
    assert client.state.game is not None
    assert client.state.game.offers == {(Side.WHITE, "draw")}


def test_the_same_game_announced_again_is_no_new_game() -> None:
    client = playing("e2e4")
    assert told(lobby(client, START)) == ["back at game 42"]
    assert client.state.game is not None
    assert len(client.state.game.plies) == 1


def test_another_game_is_another_game() -> None:
    client = playing("e2e4")
    line = "game 43 start white Bob black Ada game chess960 time 1+0 rated no"
    assert told(lobby(client, line)) == ["you are black against Bob, chess960 1+0"]
    assert client.state.game is not None
    assert client.state.game.plies == []
    assert client.state.game.rules == "chess960"


def test_a_draw_is_offered_and_declined() -> None:
    client = playing()
    assert client.state.game is not None
    assert told(lobby(client, "game 42 offer draw from Bob")) == ["offer draw from Bob"]
    assert told(lobby(client, "game 42 offer draw from Bob")) == []
    assert client.state.game.offers == {(Side.BLACK, "draw")}
    assert told(lobby(client, "game 42 decline draw from Ada")) == []
    assert client.state.game.offers == set()


@pytest.mark.parametrize(("declined", "stays"), [("draw", "takeback"), ("takeback", "draw")])
def test_who_declines_one_offer_has_not_declined_the_other(declined: str, stays: str) -> None:
    client = playing("e2e4")
    game = client.state.game
    assert game is not None
    client.typed("draw", 0.0)
    client.typed("takeback", 0.0)
    assert game.offers == {(Side.WHITE, "draw"), (Side.WHITE, "takeback")}
    line = f"game 42 decline {declined} from Bob"
    assert told(lobby(client, line)) == [f"decline {declined} from Bob"]
    assert game.offers == {(Side.WHITE, stays)}


def test_our_own_offer_is_told_once() -> None:
    client = playing()
    assert told(client.typed("draw", 0.0)) == ["ok draw offered"]
    assert told(lobby(client, "game 42 offer draw from Ada")) == []
    assert told(lobby(client, "game 42 decline draw from Bob")) == ["decline draw from Bob"]


def test_an_offer_that_we_made_elsewhere_is_told() -> None:
    assert told(lobby(playing(), "game 42 offer draw from Ada")) == ["offer draw from Ada"]


def test_the_opponent_goes_away_and_comes_back() -> None:
    client = playing()
    assert client.state.game is not None
    assert told(lobby(client, "game 42 opponent away claim-in 30000", at=5.0)) == [
        "opponent away 0:30"
    ]
    assert client.state.game.away == 35.0
    assert told(lobby(client, "game 42 opponent back")) == ["opponent back"]
    assert client.state.game.away is None
    assert told(lobby(client, "game 42 opponent away")) == ["opponent away"]
    assert client.state.game.away == math.inf


def test_the_end_is_told() -> None:
    client = playing()
    assert told(lobby(client, "game 42 over result 1-0 reason resignation")) == [
        "result 1-0 resignation White wins by resignation"
    ]
    assert client.state.game is not None
    assert client.state.game.result == Result("1-0", "resignation")


def test_other_peoples_games_do_not_touch_ours() -> None:
    client = playing()
    lines = [
        "game 7 over result 1-0 reason resignation",
        "game 7 offer draw from Bob",
        "game 7 decline draw from Bob",
        "game 7 opponent away",
        "game 42 offer draw from Cid",
    ]
    assert told(lobby(client, *lines)) == []
    assert client.state.game is not None
    assert not client.state.game.over


def test_what_is_not_understood_of_a_game_is_shown() -> None:
    assert told(lobby(playing(), "game 42 moved to table 9")) == ["lobby game 42 moved to table 9"]


def test_a_question_is_void_when_a_game_begins() -> None:
    client = playing("e2e4")
    client.hear(Go(), 0.0)
    client.typed("resign", 0.0)
    lobby(client, "game 43 start white Bob black Ada game chess time 1+0 rated no")
    assert client.state.question is None


def test_a_game_that_is_announced_again_and_set_up_again_is_the_same() -> None:
    client = playing("e2e4")
    client.lost("cut", 1.0, 1.0)
    client.connected(2.0)
    lobby(client, START)
    client.hear(NewGame(), 2.0)
    client.hear(Position(None, ("e2e4", "e7e5")), 2.0)
    game = client.state.game
    assert game is not None
    assert (game.id, game.mine, len(game.plies)) == (42, Side.WHITE, 2)
    client.hear(NewGame(), 3.0)
    assert client.state.game is not game


def test_a_server_that_ends_stops_the_clocks() -> None:
    client = playing("e2e4")
    client.hear(Clock(wtime=300_000, btime=300_000), 0.0)
    assert told(lobby(client, "game 42 paused", at=5.0)) == ["server paused the game"]
    game = client.state.game
    assert game is not None
    assert game.clocks is not None
    assert game.clocks.remaining(Side.BLACK, 60.0) == 295_000


def test_the_rule_for_lag_is_told_with_the_game_and_before_it() -> None:
    client = welcomed()
    seek = "seek 17 player Bob kind human game chess time 60+0 color white rated no lag"
    assert told(lobby(client, f"{seek} none")) == [
        "seek 17 Bob human chess 60+0, no lag compensation white"
    ]
    assert told(lobby(client, f"{START} lag equalised")) == [
        "you are white against Bob (human), chess 300+3, rated, equalised lag compensation"
        " (a move at most by how much your line is slower than the opponent's)"
    ]


def test_the_conduct_is_told_with_the_game_and_before_it() -> None:
    client = welcomed()
    seek = "seek 17 player Bob kind human game chess time 60+0 color white rated no lag none"
    assert told(lobby(client, f"{seek} conduct no-takeback,disconnections=3")) == [
        "seek 17 Bob human chess 60+0, no lag compensation, no takebacks, lost with disconnection 3"
        " white"
    ]
    [start] = told(lobby(client, f"{START} lag none conduct no-abort"))
    assert start.endswith(", no lag compensation, no aborting")


def test_with_how_many_moves_of_a_book_the_game_begins_is_told() -> None:
    client = welcomed()
    [start] = told(lobby(client, f"{START} lag none book 4"))
    assert start.endswith(", no lag compensation, begun with 4 half-moves of a book")


def test_time_given_to_who_thinks_leaves_the_question_as_it_is() -> None:
    client = playing("e2e4", white="Bob", black="Ada")
    client.hear(Go(wtime=300_000, btime=300_000), 0.0)
    client.hear(Clock(wtime=300_000, btime=315_000), 0.0)
    game = client.state.game
    assert game is not None
    assert game.asked
    assert game.told is Side.BLACK
    assert game.clocks is not None
    assert game.clocks.running is Side.BLACK

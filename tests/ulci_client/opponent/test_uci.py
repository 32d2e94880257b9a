"""What a GUI that speaks UCI hears of a player at the server."""

import pytest

from tests.support.opponents import Table
from ulci.protocol.messages import Info, Score
from ulci_client.opponent.pairing import FIND
from ulci_client.opponent.player import HURRY
from ulci_client.opponent.uci import UciFace


def table(**asked: object) -> Table:
    return Table(UciFace, **{"opponent": "Bob", **asked})


def test_everything_local_is_answered_at_once():
    gui = table()
    gui.gui("isready", "uci", "isready", "sing", "")
    told = gui.take()
    assert told[0] == "readyok"
    assert told[-2:] == ["uciok", "readyok"]
    for option in ("Server", "TokenFile", "Opponent", "Pool", "Time", "Rated", "Color", "Level"):
        assert any(line.startswith(f"option name {option} type ") for line in told)
    for button in ("Resign", "OfferDraw", "AcceptDraw", "ClaimWin"):
        assert f"option name {button} type button" in told
    assert not any("Ponder" in line for line in told)
    assert not gui.player.pairing.wants_line


def test_the_first_isready_of_a_game_waits_for_the_opponent():
    gui = table(games=3)
    gui.gui("uci", "setoption name UCI_Opponent value GM 2800 human Ada L", "ucinewgame", "isready")
    gui.take()
    gui.connect()
    said = gui.heard()
    assert said[0] == "id username Ada L"
    assert said[-1] == "uciok"
    gui.lobby("welcome name Ada_L account no resume s3cret")
    assert gui.heard() == ["challenge Bob game chess color later games 3"]
    assert gui.take() == []
    gui.lobby("match 1 game 1 of 3 player Bob chooser Ada_L within 180000")
    assert gui.take() == ["info string Bob plays: game 1 of 3", "readyok"]


def test_nobody_waits_for_an_opponent_longer_than_match_runners_allow():
    gui = table()
    gui.gui("uci", "ucinewgame", "isready")
    gui.take()
    gui.pass_time(FIND - 1)
    assert gui.take() == []
    gui.pass_time(1)
    assert gui.take() == ["info string no opponent: nobody has accepted within 12 s", "readyok"]


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["challenging 1 player Bob", "declined 1 by Bob"], "Bob declines the challenge"),
        (
            ["challenging 1 player Bob", "declined 1 by Bob I rest until 07:00"],
            "Bob declines the challenge: I rest until 07:00",
        ),
        (["error bad-time it is no time"], "the server refuses such a game: it is no time"),
    ],
)
def test_a_refusal_is_told_and_loses_no_time(lines, why):
    gui = table()
    gui.gui("uci", "ucinewgame", "isready")
    gui.connect()
    gui.lobby("welcome name Ada account no resume s3cret")
    gui.take()
    gui.lobby(*lines)
    assert gui.take()[-2:] == [f"info string no opponent: {why}", "readyok"]
    gui.gui("position startpos", "go wtime 1000 btime 1000")
    assert gui.take() == [f"info string no opponent: {why}", "bestmove (none)"]


@pytest.mark.parametrize(
    "line",
    [
        "error no-such-player Bob is not online",
        "error moving try again in a second",
        "error too-many-strangers Bob hears from too many strangers; retry-after 2",
    ],
)
def test_an_opponent_who_cannot_be_asked_yet_is_asked_again(line):
    gui = table()
    gui.gui("uci", "ucinewgame", "isready")
    gui.connect()
    gui.lobby("welcome name Ada account no resume s3cret")
    gui.heard()
    gui.lobby(line)
    gui.pass_time(3)
    assert gui.heard() == ["challenge Bob game chess color later"]


def test_the_color_is_said_at_the_first_go_and_only_what_is_new_is_sent():
    gui = table()
    gui.gui("uci", "ucinewgame", "isready")
    gui.connect()
    gui.lobby("welcome name Ada account no resume s3cret")
    gui.lobby("match 1 game 1 of 1 player Bob chooser Ada within 180000")
    gui.heard()
    gui.gui("position startpos moves e2e4", "go wtime 60000 btime 60000")
    usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert gui.heard() == [f"color white {usual}"]
    gui.begin()
    gui.heard()
    gui.position(go=True)
    assert gui.heard() == ["bestmove e2e4"]
    gui.take()
    gui.position("e2e4")
    assert gui.take() == []
    gui.position("e2e4", "e7e5", go=True)
    assert gui.take() == ["bestmove e7e5"]
    gui.gui("position startpos moves e2e4 e7e5 g1f3", "go")
    assert gui.heard() == ["bestmove g1f3"]


def test_a_color_that_is_refused_ends_the_match_for_which_the_opponent_waits():
    gui = table()
    gui.gui("uci", "ucinewgame", "isready")
    gui.connect()
    gui.lobby("welcome name Ada account no resume s3cret")
    gui.lobby("match 1 game 1 of 2 player Bob chooser Ada within 180000")
    gui.gui("position startpos", "go")
    gui.heard()
    gui.take()
    gui.lobby("error bad-start another start position was agreed on")
    told = "info string no opponent: another start position was agreed on"
    assert gui.take() == [told, "bestmove (none)"]
    assert gui.heard() == ["unseek"]
    gui.lobby("match 1 over played 0 reason ended")
    gui.gui("ucinewgame", "isready")
    assert gui.heard() == ["challenge Bob game chess color later"]


def test_a_color_that_a_moving_lobby_may_not_have_heard_costs_the_match_and_not_the_opponent():
    gui = table()
    gui.gui("uci", "ucinewgame", "isready")
    gui.connect()
    gui.lobby("welcome name Ada account no resume s3cret")
    gui.lobby("match 1 game 1 of 2 player Bob chooser Ada within 180000")
    gui.gui("position startpos", "go")
    gui.heard()
    gui.lobby("error moving try again in a second")
    assert gui.heard() == ["unseek"]
    gui.lobby("match 1 over played 0 reason ended")
    gui.pass_time(3)
    assert gui.heard() == ["challenge Bob game chess color later"]


def test_another_game_than_the_servers_is_no_move_there():
    gui = table()
    gui.seat()
    gui.position("d2d4", "d7d5", go=True)
    gui.heard()
    gui.take()
    gui.gui("position startpos moves e2e4 e7e5 g1f3", "go")
    told = "info string position differs at ply 1: here e2e4, server d2d4"
    assert gui.take() == [told, "bestmove (none)"]
    assert gui.heard() == []


def test_a_gui_that_moves_for_the_opponent_is_told_so():
    gui = table()
    gui.seat("black")
    gui.position()
    gui.heard()
    gui.take()
    gui.gui("position startpos moves e2e4", "go")
    told = "info string the GUI has made a move for the opponent's side"
    assert gui.take() == [told, "bestmove (none)"]
    assert gui.heard() == []


def test_a_gui_that_hurries_before_there_is_an_opponent_hears_no_word_of_a_game():
    gui = table()
    gui.gui("uci", "position startpos", "go movetime 100", "stop")
    gui.pass_time(HURRY)
    told = "a remote player cannot be hurried; the search for an opponent goes on"
    assert gui.take()[-2:] == [f"info string {told}", "bestmove (none)"]


def test_a_remote_player_cannot_be_hurried():
    gui = table()
    gui.seat("black")
    gui.position()
    gui.take()
    gui.gui("position startpos", "go movetime 100", "stop")
    assert gui.take() == []
    gui.pass_time(HURRY)
    assert gui.take()[-1] == "bestmove (none)"
    assert gui.player.playing
    # What came meanwhile is the answer to the next question.
    gui.position("e2e4", go=True)
    gui.gui("position startpos", "go movetime 100")
    assert gui.take() == ["bestmove e2e4"]


def test_analysis_ends_without_a_move_and_touches_no_game():
    gui = table()
    gui.gui("uci", "position startpos moves e2e4", "go infinite")
    gui.take()
    assert not gui.player.pairing.wants_line
    gui.gui("stop")
    assert gui.take() == ["info string a remote player does not analyse", "bestmove (none)"]


def test_the_opponents_thoughts_which_come_late_are_neither_asked_for_nor_shown():
    gui = table()
    gui.seat("black")
    assert gui.heard() == []
    gui.position()
    gui.take()
    gui.gui("position startpos", "go")
    gui.server(Info(depth=9, score=Score(cp=30), pv=("e2e4",)))
    assert gui.take() == []


def test_the_mating_move_comes_before_the_result():
    gui = table()
    gui.seat()
    line = ("f2f3", "e7e5", "g2g4")
    gui.position(*line[:2], go=True)
    gui.gui(f"position startpos moves {' '.join(line)}", "go")
    gui.take()
    gui.position(*line, "d8h4")
    gui.lobby("game 1 over result 0-1 reason checkmate")
    told = "info string result 0-1 reason checkmate: the opponent wins"
    assert gui.take() == ["bestmove d8h4", told]


def test_the_buttons_are_words_of_the_lobby():
    gui = table()
    gui.gui("uci", "setoption name Resign")
    assert gui.take()[-1] == "info string there is no game to resign"
    gui.seat()
    gui.heard()
    for button in ("OfferDraw", "AcceptDraw", "ClaimWin", "Resign"):
        gui.gui(f"setoption name {button}")
    assert gui.heard() == ["draw", "draw", "claim win", "resign"]


def test_a_lost_line_is_not_seen_and_the_move_is_said_again():
    gui = table()
    gui.seat()
    gui.position(go=True)
    gui.gui("position startpos moves e2e4", "go")
    gui.take()
    gui.cut()
    gui.connect()
    assert "id resume s3cret" in gui.heard()
    gui.lobby("welcome name Ada account no resume s3cr3t")
    assert gui.heard() == ["accept 0"]
    gui.lobby("error busy you are playing a game")
    gui.begin()
    gui.heard()
    gui.position(go=True)
    assert gui.heard() == ["bestmove e2e4"]
    assert gui.take() == []


def test_back_while_the_lobby_moves_it_asks_again_whether_the_game_is_still_on():
    gui = table()
    gui.seat()
    gui.position(go=True)
    gui.cut()
    gui.connect()
    gui.heard()
    gui.lobby("welcome name Ada account no resume s3cr3t", "error moving try again in a second")
    assert gui.heard() == ["accept 0"]
    gui.pass_time(3)
    assert gui.heard() == ["accept 0"]
    assert gui.player.playing


def test_a_game_that_ended_meanwhile_has_no_move():
    gui = table()
    gui.seat()
    gui.position("e2e4")
    gui.gui("position startpos moves e2e4", "go")
    gui.cut()
    gui.connect()
    gui.take()
    gui.lobby("welcome name Ada account no resume x", "error no-such-seek there is no seek 0")
    told = "info string result * reason unheard"
    assert gui.take()[-2:] == [told, "bestmove (none)"]


@pytest.mark.parametrize("resigns", [True, False])
def test_a_game_that_the_gui_leaves_is_resigned_or_left_to_the_rule_of_the_absent(resigns):
    gui = table(resign_on_quit=resigns)
    gui.seat()
    gui.heard()
    assert gui.gui("quit") is False
    gui.player.depart()
    assert gui.heard() == (["resign", "unseek", "quit"] if resigns else [])


def test_a_wrong_option_is_told_with_what_is_valid():
    gui = table()
    gui.gui("uci", "setoption name Color value pink", "setoption name Hash value 1")
    told = gui.take()
    assert "info string error: Color is 'pink', expected auto or white or black" in told
    assert any("there is no option 'Hash', only Server, " in line for line in told)


def test_a_match_that_was_lost_is_asked_for_with_the_games_that_are_left():
    gui = table(games=3, color="white")
    gui.gui("uci", "ucinewgame", "isready")
    gui.connect()
    gui.lobby("welcome name Ada account no resume s3cret")
    assert gui.heard()[-1] == "challenge Bob game chess color white games 3"
    gui.lobby("match 1 game 1 of 3 player Bob")
    gui.begin("white")
    gui.gui("position startpos moves e2e4", "go")
    gui.cut()
    gui.connect()
    gui.lobby("welcome name Ada account no resume s3cr3t", "error busy you are playing a game")
    gui.begin("white")  # the server was killed: no match is told again
    gui.lobby("game 1 over result 1-0 reason resignation")
    gui.heard()
    gui.gui("ucinewgame", "isready")
    assert gui.heard() == ["challenge Bob game chess color black games 2"]
    gui.lobby("match 2 game 1 of 2 player Bob")
    for number in (2, 3):
        gui.lobby(f"game {number} start white Bob black Ada game chess time 60+1 rated no")
        gui.gui("ucinewgame", "isready", "position startpos", "go")
        gui.lobby(f"game {number} over result 1-0 reason resignation")
    gui.lobby("match 2 over played 2 reason complete")
    gui.heard()
    gui.gui("ucinewgame", "isready")
    assert gui.heard() == ["challenge Bob game chess color white games 3"]


def test_a_match_goes_on_behind_a_lost_line():
    gui = table(games=2)
    gui.seat()
    gui.cut()
    gui.connect()
    gui.lobby("welcome name Ada account no resume s3cr3t", "match 1 game 1 of 2 player Bob")
    gui.lobby("error busy you are playing a game")
    gui.begin()
    gui.lobby("game 1 over result 1-0 reason resignation")
    gui.gui("ucinewgame", "isready")
    assert not any(line.startswith("challenge") for line in gui.heard())
    gui.take()
    # And it is lost again, between the games.
    gui.cut()
    gui.connect()
    gui.heard()
    gui.gui("position startpos", "go wtime 1000 btime 1000")
    waits = "match 1 game 2 of 2 player Bob chooser Ada"
    gui.lobby("welcome name Ada account no resume s3cr4t", waits)
    [asked, color] = gui.heard()
    assert asked == "accept 0"
    assert color.startswith("color black ")
    gui.lobby("error busy you are playing a game")
    assert gui.heard() == []
    gui.lobby("game 2 start white Bob black Ada game chess time 60+1 rated no")
    assert gui.heard() == []


@pytest.mark.parametrize("still", [True, False])
def test_who_is_back_between_two_games_asks_as_soon_as_it_may(still):
    gui = table()
    gui.gui("uci", "ucinewgame", "isready")
    gui.connect()
    gui.lobby("welcome name Ada account no resume s3cret")
    gui.cut()
    gui.connect()
    gui.heard()
    gui.lobby("welcome name Ada account no resume s3cr3t")
    assert gui.heard() == ["accept 0"]
    code = "busy" if still else "no-such-seek"
    gui.lobby(f"error {code} x")
    if still:
        assert gui.heard() == []
        gui.pass_time(3)
    assert gui.heard() == ["challenge Bob game chess color later"]


@pytest.mark.parametrize(
    ("color", "theirs", "why"),
    [
        ("auto", "later", "each of us would say its color later: give one side --color white"),
        ("white", "later", "I play in a GUI, which asks for its games itself"),
        ("auto", "random", "I play in a GUI, which asks for its games itself"),
    ],
)
def test_nobody_waits_for_an_answer_that_a_gui_cannot_give(color, theirs, why):
    gui = table(color=color)
    gui.gui("uci", "ucinewgame", "isready")
    gui.connect()
    gui.lobby("welcome name Ada account no resume s3cret")
    gui.heard()
    gui.lobby(
        f"challenge 7 player Eve kind human game chess time 60+1 color {theirs} rated no lag quota"
    )
    [said] = gui.heard()
    assert said.startswith(f"decline 7 {why}")


def test_a_challenge_to_the_game_that_is_wanted_is_accepted():
    gui = table(color="white", time="60+1", games=2)
    gui.gui("uci", "ucinewgame", "isready")
    gui.connect()
    gui.lobby("welcome name Ada account no resume s3cret", "error no-such-player Bob is not online")
    gui.heard()
    asked = "kind engine game chess time 60+1 color black rated no lag quota games"
    gui.lobby(f"challenge 7 player Bob {asked} 3")
    assert gui.heard()[0].startswith("decline 7 ")
    gui.lobby(f"challenge 8 player Eve {asked} 2")
    assert gui.heard() == []  # who floods hears nothing
    gui.lobby(f"challenge 9 player Bob {asked} 2")
    assert gui.heard() == ["accept 9"]
    gui.pass_time(3)
    assert gui.heard() == []


@pytest.mark.parametrize(
    "said",
    [
        "UCI_Opponent value none none human Eva",
        "Server value tcp://127.0.0.1:2",
    ],
)
def test_who_is_named_otherwise_before_a_game_is_introduced_again(said):
    gui = table()
    gui.gui("uci", "ucinewgame", "isready")
    gui.connect()
    gui.lobby("welcome name Ada account no resume s3cret")
    gui.lobby("error no-such-player Bob is not online")
    gui.gui(f"setoption name {said}", f"setoption name {said}", "ucinewgame", "isready")
    assert gui.ended == "the GUI has named another player or server"
    gui.cut()
    gui.connect()
    assert not any(line.startswith("id resume") for line in gui.heard())


@pytest.mark.parametrize("kind", ["human", "computer"])
def test_whoever_has_another_name_is_somebody_else(kind):
    gui = table(name="Ada", human=kind == "human")
    gui.gui("uci", "ucinewgame", "isready")
    gui.connect()
    gui.lobby("welcome name Ada account no resume s3cret")
    gui.lobby("error no-such-player Bob is not online")
    gui.gui(f"setoption name UCI_Opponent value none none {kind} Ada", "ucinewgame", "isready")
    assert gui.ended == ""
    gui.gui(f"setoption name UCI_Opponent value none none {kind} Eva", "ucinewgame", "isready")
    assert gui.ended == "the GUI has named another player or server"
    gui.cut()
    gui.connect()
    assert gui.heard()[0] == ("id username Eva" if kind == "human" else "id name Eva")


@pytest.mark.parametrize("before", ["human", "computer"])
def test_a_person_and_a_program_of_one_name_are_not_the_same(before):
    after = {"human": "computer", "computer": "human"}[before]
    gui = table(name="Ada", human=before == "human")
    gui.gui("uci", "ucinewgame", "isready")
    gui.connect()
    gui.lobby("welcome name Ada account no resume s3cret")
    gui.lobby("error no-such-player Bob is not online")
    gui.gui(f"setoption name UCI_Opponent value none none {after} Ada", "ucinewgame", "isready")
    assert gui.ended == "the GUI has named another player or server"


def test_a_gui_that_begins_again_without_a_word_gets_a_game_from_its_position():
    gui = table()
    gui.seat()
    gui.position("e2e4", "e7e5", "g1f3", go=True)
    gui.lobby("game 1 over result 1-0 reason resignation")
    gui.heard()
    gui.gui("position startpos moves d2d4", "go")
    assert gui.heard() == ["challenge Bob game chess color later"]
    gui.lobby("match 2 game 1 of 1 player Bob chooser Ada within 180000")
    assert gui.heard()[-1].startswith("color white ")


def test_a_search_that_the_gui_leaves_for_another_game_is_over():
    gui = table(resign_on_quit=True)
    gui.seat("black")
    gui.position()
    gui.heard()
    gui.gui("position startpos", "go")
    gui.take()
    gui.gui("ucinewgame", "isready")
    assert gui.take()[0] == "bestmove (none)"
    assert gui.heard() == ["resign"]
    gui.lobby("game 1 over result 1-0 reason resignation")
    assert gui.heard() == ["challenge Bob game chess color later"]
    gui.lobby("match 2 game 1 of 1 player Bob chooser Ada within 180000")
    assert gui.take()[-1] == "readyok"
    assert gui.heard() == []  # the GUI has not shown its colour yet


def test_a_challenge_that_was_withdrawn_meanwhile_does_not_end_a_match():
    gui = table()
    gui.gui("uci", "ucinewgame", "isready")
    gui.connect()
    gui.lobby("welcome name Ada account no resume s3cret")
    gui.lobby("match 1 game 1 of 1 player Bob chooser Ada within 180000")
    gui.gui("position startpos", "go")
    gui.lobby("error no-such-challenge nobody challenged you with 7")
    assert "unseek" not in gui.heard()
    gui.take()
    gui.begin("black")
    gui.position("e2e4", go=True)
    assert gui.take()[-1] == "bestmove e2e4"

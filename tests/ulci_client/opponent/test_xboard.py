"""What a GUI that speaks XBoard's protocol hears of a player at the server."""

import pytest

from tests.support.opponents import Table
from ulci.protocol.messages import Info, Score
from ulci_client.opponent.xboard import XboardFace


@pytest.fixture
def gui() -> Table:
    """The GUI has White and has played 1. e4, which Bob is to answer."""
    table = Table(XboardFace, opponent="Bob")
    table.gui("xboard", "protover 2", "new", "level 40 5 3", "post", "ping 1")
    table.connect()
    table.lobby("welcome name Ada account no resume s3cret")
    assert table.heard()[-1] == "challenge Bob game chess time 40/300+3 color later"
    table.lobby("match 1 game 1 of 1 player Bob chooser Ada within 180000")
    assert table.take()[-1] == "pong 1"
    table.gui("usermove e2e4")
    assert table.heard()[-1].startswith("color white rnbqkbnr/")
    table.begin()
    table.position(go=True)
    assert table.heard()[-1] == "bestmove e2e4"
    table.take()
    return table


def test_thoughts_which_come_late_are_not_shown_though_the_gui_wants_some(gui):
    gui.server(Info(depth=9, score=Score(cp=30), pv=("e7e5",)))
    assert gui.take() == []


def test_moves_go_both_ways(gui):
    gui.position("e2e4", "e7e5", go=True)
    assert gui.take() == ["move e7e5"]
    gui.gui("usermove e1e3", "usermove g1f3")
    assert gui.take() == ["Illegal move: e1e3"]
    assert gui.heard() == ["bestmove g1f3"]


@pytest.mark.parametrize(
    ("over", "told"),
    [
        ("1-0 reason resignation", "resign"),
        ("1-0 reason time", "1-0 {time at the server}"),
        ("0-1 reason time", "0-1 {time at the server}"),
        ("1/2-1/2 reason agreement", "1/2-1/2 {agreement at the server}"),
        (
            "* reason aborted",
            "tellusererror the game is over at the server without a result: aborted",
        ),
    ],
)
def test_results_are_told(gui, over, told):
    gui.lobby(f"game 1 over result {over}")
    assert gui.take() == [told]


def test_draws_are_offered_both_ways(gui):
    gui.lobby("game 1 offer draw from Bob")
    assert gui.take() == ["offer draw"]
    gui.gui("draw")
    assert gui.heard() == ["draw"]


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ("0-1 {White resigns}", ["resign"]),
        ("1/2-1/2 {Draw agreed}", ["draw"]),
        ("1-0 {Black forfeits on time}", []),
        ("*", []),
    ],
)
def test_the_guis_result_is_said_at_the_server_as_far_as_it_has_words(gui, result, said):
    gui.gui(f"result {result}")
    assert gui.heard() == said
    gui.lobby("game 1 over result 0-1 reason resignation")
    assert gui.take() == []


def test_castling_in_chess960_is_spelled_as_xboard_does():
    table = Table(XboardFace, opponent="Bob")
    table.gui("xboard", "protover 2", "new", "variant fischerandom")
    assert 'variants="normal,fischerandom,' in "".join(table.take())
    table.gui("setboard r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "ping 1")
    table.connect()
    table.lobby("welcome name Ada account no resume s3cret")
    assert table.heard()[-1] == "challenge Bob game chess960 color later"
    table.lobby("match 1 game 1 of 1 player Bob chooser Ada within 180000")
    table.take()
    table.gui("usermove O-O")
    start = "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1"
    assert table.heard()[-1] == f"color white {start}"


def test_what_cannot_be_done_is_an_error_in_the_protocols_words():
    table = Table(XboardFace)
    table.gui("xboard", "analyze", "variant shogi", "setboard 8/8 w - -", "?", "random")
    told = table.take()
    assert told[:2] == [
        "Error (unknown command): analyze",
        "Error (unknown variant): variant shogi",
    ]
    assert told[-1].startswith("tellusererror Illegal position: ")


@pytest.mark.parametrize("variant", ["crazyhouse", "fischerandom"])
def test_a_new_game_is_one_of_normal_chess_unless_the_gui_names_another(variant):
    """XBoard's protocol, new: "set the variant to normal chess"."""
    table = Table(XboardFace, opponent="Bob")
    table.gui("xboard", "protover 2", "new", f"variant {variant}")
    table.gui("setboard 4k3/8/8/8/8/8/8/4K2R w K - 0 1", "usermove e1g1", "new", "ping 1")
    table.connect()
    table.take()
    table.lobby("welcome name Ada account no resume s3cret")
    assert table.heard()[-1] == "challenge Bob game chess color later"
    table.lobby("match 1 game 1 of 1 player Bob chooser Ada within 180000")
    table.gui("usermove e2e4")  # on the usual board, the engine having Black
    usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert table.heard() == [f"color white {usual}"]
    assert not [line for line in table.take() if line.startswith(("Error", "Illegal"))]

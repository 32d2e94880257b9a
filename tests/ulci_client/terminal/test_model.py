import math

from tests.support.terminal import introduced, lobby, playing, sent, to_move, told, welcomed
from ulci.protocol import Info, Quit, Say, Seeks, Who
from ulci_client.terminal.model import LOOK_AGAIN, Model
from ulci_client.terminal.state import Exit, Leave, Line


def test_names_from_the_wire_cannot_steer_the_terminal() -> None:
    model = welcomed()
    [line] = told(lobby(model, "say B\x1b[31mob \x1b]0;owned\x07"))
    assert line == "say B�[31mob �]0;owned�"


def test_a_lost_line_is_told_with_the_reason_and_the_pause() -> None:
    model = to_move()
    assert told(model.lost("closed by the other side", 10.0, 2.4)) == [
        "lost closed by the other side, trying again in 3 s"
    ]
    assert model.state.line is Line.LOST
    assert not model.state.owed
    assert model.state.game is not None
    assert model.state.game.unsure
    assert model.state.news[-1].text.startswith("The line is lost")
    model.lost("refused", 13.0, 4.0)
    assert model.state.news[-1].text == "Still no line: refused."


def test_tries_that_fail_alike_are_told_each_but_shown_once() -> None:
    model = playing()
    model.lost("closed", 10.0, 2.0)
    model.lost("refused", 12.0, 4.0)
    shown = len(model.state.news)
    assert told(model.lost("refused", 16.0, 5.0)) == ["lost refused, trying again in 5 s"]
    assert len(model.state.news) == shown


def test_a_line_lost_in_the_lobby_leaves_nothing_in_doubt() -> None:
    model = introduced()
    model.lost("closed", 1.0, 1.0)
    assert model.state.game is None


def test_who_comes_back_is_told_so() -> None:
    model = playing()
    model.lost("closed", 1.0, 1.0)
    assert told(model.connected(2.0)) == ["connected tcp://127.0.0.1:25565"]
    assert model.state.retry_at is None


def test_nonsense_of_the_server_is_told_and_cleaned() -> None:
    assert told(introduced().complained("no such \x1bmove")) == [
        "error from the server: no such �move"
    ]


def test_news_is_kept_for_the_screen() -> None:
    model = welcomed()
    model.typed("xyzzy", 0.0)
    assert [news.kind.value for news in model.state.news] == ["connected", "welcome", "error"]


def test_the_lobby_screen_is_kept_fresh() -> None:
    model = welcomed(curious=True)
    assert model.next_change(0.0) == LOOK_AGAIN
    assert model.look_around(LOOK_AGAIN - 1) == []
    assert sent(model.look_around(LOOK_AGAIN)) == [Who(), Seeks()]
    assert model.look_around(LOOK_AGAIN + 1) == []


def test_nobody_looks_round_who_sees_no_lobby() -> None:
    assert welcomed().look_around(99.0) == []
    assert playing(curious=True).look_around(99.0) == []
    lost = welcomed(curious=True)
    lost.lost("closed", 1.0, 1.0)
    assert lost.look_around(99.0) == []


def test_the_screen_changes_with_clocks_and_countdowns_only() -> None:
    assert introduced().next_change(5.0) == math.inf
    model = to_move()
    assert 0.0 < model.next_change(0.0) < 0.1
    assert 1.0 < model.next_change(0.5) < 1.1
    model.hear(Info(string="result 0-1 reason time"), 1.0)
    assert model.next_change(1.0) == math.inf


def test_countdowns_go_by_seconds() -> None:
    model = welcomed()
    model.lost("closed", 10.0, 2.5)
    assert model.next_change(10.0) == 10.5
    assert model.next_change(10.5) == 11.5
    assert model.next_change(13.0) == math.inf
    model = playing()
    lobby(model, "game 42 opponent away claim-in 30000", at=10.0)
    assert model.next_change(10.0) == 11.0


def test_leaving_says_goodbye() -> None:
    assert welcomed().leave() == [*welcomed().typed("quit", 0.0)]
    effects = to_move().leave()
    assert sent(effects) == [Quit()]
    assert effects[-1] == Leave(Exit.MID_GAME)


def test_a_name_is_one_clean_line() -> None:
    assert Model("A\x1bda", "tcp://here").state.me == "A�da"
    assert sent(to_move().typed("say \x07", 0.0))[0] == Say("�")

import math

from tests.support.terminal import introduced, lobby, playing, sent, to_move, told, welcomed
from ulci.protocol.messages import Info, Quit, Say, Seeks, Who
from ulci_client.terminal.model.state import Exit, Leave, LinkState
from ulci_client.terminal.shell.client import LIST_AGE


def test_names_from_the_wire_cannot_steer_the_terminal() -> None:
    client = welcomed()
    [line] = told(lobby(client, "say B\x1b[31mob \x1b]0;owned\x07"))
    assert line == "say B�[31mob �]0;owned�"


def test_a_lost_connection_is_told_with_the_reason_and_the_pause() -> None:
    client = to_move()
    assert told(client.lost("closed by the other side", 10.0, 2.4)) == [
        "lost closed by the other side, trying again in 3 s"
    ]
    assert client.state.line is LinkState.LOST
    assert not client.state.owed
    assert client.state.game is not None
    assert client.state.game.unsure
    assert client.state.news[-1].text.startswith("Disconnected")
    client.lost("refused", 13.0, 4.0)
    assert client.state.news[-1].text == "Still disconnected: refused."


def test_repeated_failures_are_printed_each_time_but_shown_once() -> None:
    client = playing()
    client.lost("closed", 10.0, 2.0)
    client.lost("refused", 12.0, 4.0)
    shown = len(client.state.news)
    assert told(client.lost("refused", 16.0, 5.0)) == ["lost refused, trying again in 5 s"]
    assert len(client.state.news) == shown


def test_a_disconnection_in_the_lobby_is_not_treated_like_one_after_a_seek() -> None:
    client = introduced()
    client.lost("closed", 1.0, 1.0)
    assert client.state.game is None


def test_a_resumed_game_is_announced() -> None:
    client = playing()
    client.lost("closed", 1.0, 1.0)
    assert told(client.connected(2.0)) == ["connected tcp://127.0.0.1:25565"]
    assert client.state.retry_at is None


def test_nonsense_of_the_server_is_told_and_cleaned() -> None:
    assert told(introduced().complained("no such \x1bmove")) == [
        "error from the server: no such �move"
    ]


def test_news_is_kept_for_the_screen() -> None:
    client = welcomed()
    client.typed("xyzzy", 0.0)
    assert [news.kind.value for news in client.state.news] == ["connected", "welcome", "error"]


def test_the_lobby_screen_is_kept_fresh() -> None:
    client = welcomed(shows_lists=True)
    assert client.next_change(0.0) == LIST_AGE
    assert client.refresh_lists(LIST_AGE - 1) == []
    assert sent(client.refresh_lists(LIST_AGE)) == [Who(), Seeks()]
    assert client.refresh_lists(LIST_AGE + 1) == []


def test_the_lists_are_not_requested_unless_the_lobby_is_shown() -> None:
    assert welcomed().refresh_lists(99.0) == []
    assert playing(shows_lists=True).refresh_lists(99.0) == []
    lost = welcomed(shows_lists=True)
    lost.lost("closed", 1.0, 1.0)
    assert lost.refresh_lists(99.0) == []


def test_the_screen_changes_with_clocks_and_countdowns_only() -> None:
    assert introduced().next_change(5.0) == math.inf
    client = to_move()
    assert 0.0 < client.next_change(0.0) < 0.1
    assert 1.0 < client.next_change(0.5) < 1.1
    client.hear(Info(string="result 0-1 reason time"), 1.0)
    assert client.next_change(1.0) == math.inf


def test_countdowns_go_by_seconds() -> None:
    client = welcomed()
    client.lost("closed", 10.0, 2.5)
    assert client.next_change(10.0) == 10.5
    assert client.next_change(10.5) == 11.5
    assert client.next_change(13.0) == math.inf
    client = playing()
    lobby(client, "game 42 opponent away claim-in 30000", at=10.0)
    assert client.next_change(10.0) == 11.0


def test_leaving_says_goodbye() -> None:
    assert welcomed().leave() == [*welcomed().typed("quit", 0.0)]
    effects = to_move().leave()
    assert sent(effects) == [Quit()]
    assert effects[-1] == Leave(Exit.MID_GAME)


def test_what_is_typed_is_one_clean_line() -> None:
    assert sent(to_move().typed("say \x07", 0.0))[0] == Say("�")

"""What the lobby says to its members is held until their server follows it."""

from structlog.testing import capture_logs

from ulci_server.cluster import lobby_post
from ulci_server.cluster import messages as said
from ulci_server.cluster.lobby_post import LobbyPost

ALL = 0

ONE, TWO, THREE = (said.LoggedIn(link) for link in (1, 2, 3))


class Sent(list[tuple[int, said.AnyMessage]]):
    """Stands for the post."""

    def send(self, run: int, message: said.AnyMessage) -> None:
        self.append((run, message))

    def send_all(self, message: said.AnyMessage) -> None:
        self.append((ALL, message))


def test_what_is_said_before_a_server_follows_reaches_it_in_order_when_it_does() -> None:
    sent = Sent()
    post = LobbyPost(sent)
    post.send(2, ONE)
    post.send(2, TWO)
    assert sent == []
    post.follows(3)
    assert sent == []
    post.follows(2)
    post.send(2, THREE)
    assert sent == [(2, ONE), (2, TWO), (2, THREE)]
    post.follows(2)
    assert len(sent) == 3


def test_so_many_messages_are_held_and_no_more(monkeypatch) -> None:
    monkeypatch.setattr(lobby_post, "MOST_HELD", 2)
    sent = Sent()
    post = LobbyPost(sent)
    with capture_logs() as logs:
        for message in (ONE, TWO, THREE, THREE):
            post.send(2, message)
    assert [(log["run"], log["log_level"]) for log in logs] == [(2, "warning")]
    post.follows(2)
    assert sent == [(2, ONE), (2, TWO)]


def test_what_is_said_to_all_waits_for_each_server_that_does_not_follow_yet() -> None:
    sent = Sent()
    post = LobbyPost(sent)
    post.follows(2)
    post.send_all([2, 3], ONE)
    post.send(3, TWO)
    assert sent == [(2, ONE)]
    post.follows(3)
    post.send_all([2, 3], THREE)
    assert sent == [(2, ONE), (3, ONE), (3, TWO), (ALL, THREE)]


def test_a_server_that_has_died_is_sent_nothing_and_has_to_follow_anew() -> None:
    sent = Sent()
    post = LobbyPost(sent)
    post.send(2, ONE)
    post.follows(3)
    for run in (2, 3):
        post.lose(run)
    post.send(3, TWO)
    assert sent == []
    post.follows(2)
    post.follows(3)
    assert sent == [(3, TWO)]


def test_a_lobby_that_has_ended_says_nothing_more() -> None:
    sent = Sent()
    post = LobbyPost(sent)
    post.send(2, ONE)
    post.follows(3)
    post.end()
    post.follows(2)
    post.send(3, TWO)
    post.send_all([2, 3], THREE)
    assert sent == []

"""What is said again when messages between two servers were lost."""

from types import SimpleNamespace

import pytest
from structlog.testing import capture_logs

from tests.support.gradually import Hall
from ulci_server.cluster import messages as said
from ulci_server.cluster.gaps import Gaps


@pytest.fixture
def server():
    """That notes what its parts are asked to say again, by server."""
    again: list[tuple[str, int]] = []
    sent: list[tuple[int, said.AnyMessage]] = []

    def noting(what: str):
        return lambda run: iter([lambda: again.append((what, run))])

    hall = Hall()
    post = SimpleNamespace(
        is_new=lambda run: run == 2, send=lambda run, message: sent.append((run, message))
    )
    owner = SimpleNamespace(greet=noting("games here"))
    games = SimpleNamespace(rejoin=noting("games there"))
    election = SimpleNamespace(rejoin=lambda run: again.append(("lobby", run)))
    gaps = Gaps(hall, post, owner, games, election)
    return SimpleNamespace(gaps=gaps, again=again, sent=sent, hall=hall)


ALL = {"games here", "games there", "lobby"}


def said_again(server, run: int) -> set[str]:
    for piece in server.hall.pieces:
        piece()
    assert {other for _, other in server.again} == {run}
    return {what for what, _ in server.again}


def test_the_end_that_notices_a_gap_tells_the_other_one(server):
    server.gaps.lose_track(3)
    assert server.sent == [(3, said.Rejoin())]
    assert said_again(server, 3) == ALL


def test_the_other_end_says_all_again_and_answers_nothing(server):
    server.gaps.hear_rejoin(3, said.Rejoin())
    assert server.sent == []
    assert said_again(server, 3) == ALL


@pytest.mark.parametrize(("run", "level"), [(2, "debug"), (3, "warning")])
def test_a_gap_while_two_servers_get_to_know_each_other_is_no_warning(server, run, level):
    with capture_logs() as logs:
        server.gaps.lose_track(run)
    assert [log["log_level"] for log in logs] == [level]

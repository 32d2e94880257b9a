"""What is asked of the database beside the journal, while it answers and while it does not."""

import pytest
from structlog.testing import capture_logs

from ulci_server.cluster.database_queries import DatabaseQueries
from ulci_server.storage import StorageError

pytestmark = pytest.mark.usefixtures("no_threads")


def failing(times: int, why: str = "it is down"):
    """Fails so many times, then answers."""
    left = [why] * times

    def work() -> str:
        if left:
            raise StorageError(left.pop())
        return "answer"

    return work


async def test_a_failure_is_raised():
    with pytest.raises(StorageError, match="it is down"):
        await DatabaseQueries().ask(failing(1))


async def test_what_has_to_be_known_is_asked_until_there_is_an_answer(autojump_clock):
    with capture_logs() as logs:
        assert await DatabaseQueries().ask_for_ever(failing(3)) == "answer"
    assert [log["why"] for log in logs] == ["it is down"]


async def test_a_trouble_is_logged_once_until_the_database_answers():
    queries, down = DatabaseQueries(), StorageError("it is down")
    with capture_logs() as logs:
        queries.complain(down)
        queries.complain(down)
        queries.complain(StorageError("it is full"))
        await queries.ask(failing(0))
        queries.complain(down)
    assert [log["why"] for log in logs] == ["it is down", "it is full", "it is down"]

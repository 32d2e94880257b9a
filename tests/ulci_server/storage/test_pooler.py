"""A pooler that lends sessions by the transaction is refused: no lock and no setting would last."""

import pytest

from tests.support.pgbouncers import pgbouncer
from ulci_server.storage import StorageError, lock_database

pytestmark = pytest.mark.system


@pytest.mark.parametrize("shared", [False, True], ids=["alone", "in a cluster"])
@pytest.mark.parametrize("mode", ["transaction", "statement"])
def test_a_pooler_that_lends_sessions_by_the_transaction_is_refused_by_name(
    postgres_url: str, mode: str, shared: bool
) -> None:
    with (
        pgbouncer(postgres_url, mode) as url,
        pytest.raises(StorageError, match=r"connection pooler .*PgBouncer: pool_mode = trans"),
    ):
        lock_database(url, shared=shared).__enter__()


def test_a_pooler_that_lends_a_session_to_one_client_at_a_time_is_no_obstacle(
    postgres_url: str,
) -> None:
    with pgbouncer(postgres_url, "session") as url:
        with lock_database(url) as lock:
            lock.check()
            with pytest.raises(StorageError, match="another ulci-server keeps its games in"):
                lock_database(url).__enter__()
        with lock_database(url):
            pass

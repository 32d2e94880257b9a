"""A PostgreSQL that is stopped answers nobody, and answers everybody afterwards."""

import pytest
import sqlalchemy as sa
import trio

from tests.faults.databases import PROGRAMS, cluster, programs

pytestmark = [pytest.mark.faults, pytest.mark.system]

SECONDS = 0.5


async def test_a_question_to_a_stopped_postgres_waits_until_it_goes_on(tmp_path):
    if programs() is None:
        pytest.skip(f"PostgreSQL's programs are not installed: {PROGRAMS} has no initdb")
    answers: list[int] = []
    with cluster(tmp_path) as ours:
        engine = sa.create_engine(ours.url)
        with engine.connect() as connection:
            assert connection.scalar(sa.text("SELECT 1")) == 1

            async def ask() -> None:
                question = sa.text("SELECT 2")
                answers.append(await trio.to_thread.run_sync(connection.scalar, question))

            async with trio.open_nursery() as nursery:
                with ours.paused():
                    nursery.start_soon(ask)
                    await trio.sleep(SECONDS)
                    assert answers == []
        engine.dispose()
    assert answers == [2]

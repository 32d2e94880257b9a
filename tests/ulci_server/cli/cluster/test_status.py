"""``ulci-server cluster status``: what somebody sees of servers that live, stand still or drain."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.support.databases import Server, Start
from tests.support.facts import NOON, happened, line, noted
from tests.support.redis_servers import RedisServer
from ulci.rules import Side
from ulci_server.cli.cluster.status import LOOK_EVERY, LOOKS, watched
from ulci_server.game import EventKind
from ulci_server.storage.membership import STANDS
from ulci_server.storage.schema import RUNS

EVERY = LOOK_EVERY
TICKS = count(1)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ulci_server.cli.cluster.status.LOOK_EVERY", 0.001)


def beating(*servers: Server) -> Callable[[float], None]:
    """What happens between two looks."""

    def sleep(_: float) -> None:
        for server in servers:
            server.database.runs.beat(server.run, False, NOON + timedelta(seconds=next(TICKS)))

    return sleep


def test_one_that_beats_is_told_from_one_that_stands(start: Start) -> None:
    a, b = start("a"), start("b")
    seen = watched(a.database, beating(b))
    assert [(one.state.node, one.stands > 0) for one in seen] == [("a", True), ("b", False)]


def test_nobody_waits_longer_than_until_all_have_beaten(start: Start) -> None:
    a = start("a")
    naps = []

    def sleep(seconds: float) -> None:
        naps.append(seconds)
        beating(*[a] * (len(naps) > 1))(seconds)

    assert [one.stands for one in watched(a.database, sleep)] == [0]
    assert len(naps) == 2
    assert LOOKS * EVERY >= STANDS


def test_one_that_begins_meanwhile_is_watched_until_it_has_beaten(start: Start) -> None:
    a = start("a")
    members = [a]

    def sleep(seconds: float) -> None:
        beating(*members)(seconds)
        if len(members) == 1:
            members.append(start("b"))

    assert [(one.state.node, one.stands) for one in watched(a.database, sleep)] == [
        ("a", 0),
        ("b", 0),
    ]


def test_one_that_begins_meanwhile_does_not_stand(start: Start) -> None:
    a = start("a")
    begun = []

    def sleep(seconds: float) -> None:
        beating(a)(seconds)
        if not begun:
            begun.append(start("b"))

    assert [(one.state.node, one.stands) for one in watched(a.database, sleep)] == [
        ("a", 0),
        ("b", 0),
    ]


@pytest.mark.parametrize("ahead", [0.0, 7.5, -7.5])
def test_a_clock_is_compared_with_that_of_the_database(start: Start, ahead: float) -> None:
    a, b = start("a"), start("b")
    with a.database.transactions.writer.begin() as connection:
        connection.execute(sa.update(RUNS).values(alive_at=NOON - timedelta(days=10_000)))

    def sleep(_: float) -> None:
        now = datetime.now(UTC)
        a.database.runs.beat(a.run, False, now + timedelta(seconds=ahead))
        b.database.runs.beat(b.run, False, now)

    first, second = watched(a.database, sleep)
    assert first.ahead is not None
    assert second.ahead is not None
    # The database may be of another machine than the tests.
    assert first.ahead - second.ahead == pytest.approx(ahead, abs=0.001 + 2 * first.unsure)


def test_the_lobby_is_where_the_servers_themselves_see_it(start: Start) -> None:
    a, b = start("a"), start("b")
    a.database.runs.beat(a.run, True, NOON)
    seen = watched(b.database, beating(b))
    assert [(one.state.node, one.state.draining, one.hosts_lobby) for one in seen] == [
        ("a", True, False),
        ("b", False, True),
    ]


def test_servers_that_stand_still_are_shown_and_are_none_that_live(
    shell, start: Start, database_url: str
) -> None:
    a, b = start("a\x1b[2J"), start("b")
    a.database.save(noted(line(1, "e2e4")))
    b.database.save(noted(line(2, "e2e4")))
    b.database.runs.end(b.run, NOON)

    done = shell.run("cluster", "status", "--database", database_url)

    assert done.exit_code == 4
    assert done.stderr == "Error: no server of a cluster lives in this database\n"
    head, row, games = done.stdout.splitlines()
    assert head.split() == [
        *("name", "run", "since", "(UTC)", "games", "away", "beat", "clock", "state", "lobby"),
        *("speaks", "version"),
    ]
    assert re.fullmatch(
        r"a\?\[2J +1  2026-11-20 12:00 +1 +0  stands for \d\.\d s +\? +here +1  1\.2\?", row
    )
    assert games == "games without an owner: 1"


def test_programs_get_the_same_as_json(shell, start: Start, database_url: str) -> None:
    start("a")
    done = shell.run("cluster", "status", "--json", "--database", database_url)
    said = json.loads(done.stdout)
    [server] = said["servers"]
    assert server.pop("stands_ms") > 0
    assert server == {
        "name": "a",
        "run": 1,
        "since": NOON.isoformat(),
        "games": 0,
        "games_without_a_player": 0,
        "beat": 0,
        "beats": False,
        "clock_ahead_ms": None,
        "clock_unsure_ms": None,
        "draining": False,
        "lobby": True,
        "speaks": 1,
        "version": "1.2\x1b",
    }
    assert said == {
        "servers": [server],
        "lobby_host": "a",
        "games": 0,
        "games_without_owner": 0,
        "games_without_a_player": 0,
        "games_without_both_players": 0,
    }


def test_games_whose_players_are_away_are_counted(shell, start: Start, database_url: str) -> None:
    a = start("a")
    went = [
        happened(number, seq, EventKind.AWAY, side=side)
        for number, sides in {1: [Side.BLACK], 2: [*Side], 3: [Side.WHITE]}.items()
        for seq, side in enumerate(sides, 2)
    ]
    back = happened(3, 3, EventKind.BACK, side=Side.WHITE)
    a.database.save(noted([*line(1, "e2e4"), *line(2, "e2e4"), *line(3, "e2e4"), *went, back]))

    argv = ("cluster", "status", "--database", database_url)
    assert "games without a player: 2, without both: 1\n" in shell.run(*argv).stdout
    said = json.loads(shell.run(*argv, "--json").stdout)
    assert said["games"] == 3
    assert said["games_without_a_player"] == 2
    assert said["games_without_both_players"] == 1
    assert said["servers"][0]["games_without_a_player"] == 2


def test_a_database_without_a_cluster_says_so(shell, games_url: str) -> None:
    done = shell.run("cluster", "status", "--database", games_url)
    assert done.exit_code == 4
    assert done.stdout == "games without an owner: 1\n"
    assert "no server of a cluster lives" in done.stderr


def test_the_bus_is_measured(shell, games_url: str, redis_url: str) -> None:
    done = shell.run("cluster", "status", "--database", games_url, "--cluster", redis_url)
    assert re.search(r"^through the bus and back: \d+\.\d\d ms$", done.stdout, re.MULTILINE)


def test_the_bus_may_stand_in_the_environment(shell, games_url: str) -> None:
    argv = ("cluster", "status", "--database", games_url)
    done = shell.run(*argv, ULCI_BUS="redis://ulci:s3cret@127.0.0.1:1")
    assert "cannot reach Redis at 127.0.0.1:1" in done.stderr
    assert "s3cret" not in done.output

    done = shell.run(*argv, ULCI_BUS="redis://ulci:s3cret/@127.0.0.1:1")
    assert done.exit_code == 1
    assert "the URL of Redis has no valid host and port" in done.stderr
    assert "s3cret" not in done.output


def test_a_bus_that_cannot_be_used_does_not_hide_the_servers(shell, games_url: str) -> None:
    argv = ("--database", games_url, "--cluster", "redis://127.0.0.1:1")
    done = shell.run("cluster", "status", *argv)
    assert done.exit_code == 1
    assert done.stdout == "games without an owner: 1\n"
    assert "cannot reach Redis at 127.0.0.1:1" in done.stderr


def test_a_bus_where_we_may_not_publish_does_not_hide_the_servers_either(
    shell, games_url: str, tmp_path: Path
) -> None:
    redis = RedisServer(tmp_path)
    redis.start()
    try:
        redis.ask("ACL", "SETUSER", "ulci", "on", ">pw", "resetchannels", "&ulci:*", "+subscribe")
        bus = f"redis://ulci:pw@127.0.0.1:{redis.port}"
        done = shell.run("cluster", "status", "--database", games_url, "--cluster", bus)
    finally:
        redis.stop()
    assert done.exit_code == 1
    assert done.stdout == "games without an owner: 1\n"
    assert "it needs +publish, +subscribe" in done.stderr

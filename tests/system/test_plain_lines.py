"""An engine behind socat as Debian has it, without any option, does not pay for its line.

socat leaves Nagle's algorithm on. If the server's system then delayed its acknowledgement of an
``info``, the ``bestmove`` behind it would come 40 ms late, on the engine's clock.
"""

import statistics
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.foreign.programs import haproxy, nginx
from tests.support import two_writes
from tests.support.servers import program, running, serving, until
from ulci.net.empty_lines import COMPLAINTS

pytestmark = pytest.mark.system

Proxy = Callable[[Path, int], AbstractContextManager[int]]

MOVES = 60
"""Of each player."""

HELD = 30
"""ms. An acknowledgement is delayed by 40 ms or more (Linux, TCP_DELACK_MIN)."""


def spent(games: Sequence[dict[str, object]], name: str) -> list[int]:
    """ms from question to answer of the moves of that player."""
    found = []
    for game in games:
        side = "white" if game["white"]["name"] == name else "black"
        found += [move["spent_ms"] for move in game["moves"] if move["side"] == side]
    return found


async def test_an_engine_behind_socat_as_it_comes_pays_no_more_than_one_with_nodelay(
    tmp_path: Path,
) -> None:
    socat = program("socat")
    with serving(tmp_path, "--listen", "tcp://127.0.0.1:0", "--time", "60+1") as server:
        address = f"TCP:127.0.0.1:{server.port()}"
        engine = f"{sys.executable} {two_writes.__file__}"
        plain = (socat, address, f"EXEC:{engine} Plain")
        quick = (socat, f"{address},nodelay", f"EXEC:{engine} Quick")
        async with running(plain, quick):
            await until(
                lambda: len(spent(server.games(), "Plain")) >= MOVES, f"{MOVES} moves", every=0.5
            )
        games = server.games()
    hardly_any_are_held(games)


@pytest.mark.parametrize("proxy", [nginx, haproxy("tcp")], ids=["nginx", "haproxy"])
async def test_nor_does_one_with_a_proxy_before_the_server(tmp_path: Path, proxy: Proxy) -> None:
    socat = program("socat")
    with serving(tmp_path, "--listen", "tcp://127.0.0.1:0", "--time", "60+1") as server:
        engine = f"{sys.executable} {two_writes.__file__}"
        (folder := tmp_path / "proxy").mkdir()
        with proxy(folder, server.port()) as port:
            plain = (socat, f"TCP:127.0.0.1:{port}", f"EXEC:{engine} Plain")
            quick = (socat, f"TCP:127.0.0.1:{server.port()},nodelay", f"EXEC:{engine} Quick")
            async with running(plain, quick):
                await until(
                    lambda: len(spent(server.games(), "Plain")) >= MOVES,
                    f"{MOVES} moves",
                    every=0.5,
                )
        games = server.games()
    hardly_any_are_held(games)


async def test_who_complains_of_empty_lines_is_heard_and_plays_on(tmp_path: Path) -> None:
    """It thinks as long as an acknowledgement is delayed. So it is taken for one whose line holds
    moves back, and a thousand complaints would fit into every move."""
    socat, engine = program("socat"), f"{sys.executable} {two_writes.__file__}"
    logs = {name: tmp_path / name for name in ("One", "Other")}
    with serving(tmp_path, "--listen", "tcp://127.0.0.1:0", "--time", "60+1") as server:
        lines = [
            (socat, f"TCP:127.0.0.1:{server.port()}", f"EXEC:{engine} {name} 42 {log}")
            for name, log in logs.items()
        ]

        def has_played_on() -> bool:
            """After a complaint of each."""
            return all(log.exists() for log in logs.values()) and all(
                len(spent(server.games(), name)) >= MOVES for name in logs
            )

        async with running(*lines):
            await until(has_played_on, f"a complaint and {MOVES} moves of each", every=0.5)
            games = server.games()
    assert "disconnect" not in {game["reason"] for game in games}
    # Some empty lines are on their way while the first complaints come.
    assert all(len(log.read_text()) <= 2 * COMPLAINTS for log in logs.values())


def hardly_any_are_held(games: Sequence[dict[str, object]]) -> None:
    """Of the plain line's moves, no more than of the other's."""
    theirs = statistics.median(spent(games, "Quick"))
    held = {
        name: sum(ms >= theirs + HELD for ms in spent(games, name)[:MOVES])
        for name in ("Plain", "Quick")
    }
    # A busy machine may delay any move, of both alike; what is held back, it holds nearly always.
    assert held["Plain"] <= held["Quick"] + MOVES // 4, (held, theirs)

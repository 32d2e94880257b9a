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


def hardly_any_are_held(games: Sequence[dict[str, object]]) -> None:
    """Of the plain line's moves, no more than of the other's."""
    theirs = statistics.median(spent(games, "Quick"))
    held = {
        name: sum(ms >= theirs + HELD for ms in spent(games, name)[:MOVES])
        for name in ("Plain", "Quick")
    }
    # A busy machine may delay any move, of both alike; what is held back, it holds nearly always.
    assert held["Plain"] <= held["Quick"] + MOVES // 4, (held, theirs)

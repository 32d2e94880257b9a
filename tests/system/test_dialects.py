"""Every game in every dialect, and every dialect against every other, at one real server.

A table: each line is a game, and those who can play it.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import combinations
from pathlib import Path

import pytest

from tests.support.bridges import bridged
from tests.support.servers import PATIENCE, Server, complaints, serving
from ulci.rules import GAMES, Illegal

pytestmark = pytest.mark.system

# UGI as in its standard, whose engines offer no option that says what they play.
BARE = "bare ugi"

# A game, its time control and start, and the dialects that can say it. Where there is much to
# capture, a search of one ply takes up to ten times as long as one of 60 nodes.
TABLE: Mapping[str, tuple[str, str | None, Sequence[str]]] = {
    "chess": ("depth=1", None, ("ulci", "uci", "ugi")),
    "chess960": ("depth=1", "bbrnnkrq/pppppppp/8/8/8/8/PPPPPPPP/BBRNNKRQ w GCgc - 0 1",
                 ("ulci", "uci", "ugi")),
    "liberty": ("depth=1", "mini", ("ulci", "ugi")),
    "3check": ("depth=1", None, ("ulci", "uci", "ugi")),
    "antichess": ("depth=1", None, ("ulci", "uci", BARE)),
    "atomic": ("60+1", None, ("ulci", "uci", "ugi")),
    "crazyhouse": ("nodes=60", None, ("ulci", "uci", "ugi")),
    "giveaway": ("depth=1", None, ("ulci", "uci", "ugi")),
    "horde": ("nodes=60", None, ("ulci", "uci", "ugi")),
    "kingofthehill": ("depth=1", None, ("ulci", "uci", "ugi")),
    "racingkings": ("depth=1", None, ("ulci", "uci", "ugi")),
    "suicide": ("depth=1", None, ("ulci", "uci", "ugi")),
    "tictactoe": ("60+1", None, ("ulci", "uci", "ugi", "uti")),
    "mnk": ("depth=1", "4/4/4/4 x 3", ("ulci", "uci", "ugi", "uti")),
    "gomoku": ("depth=1", None, ("ulci", "uci", "ugi", "uti")),
}  # fmt: skip

assert TABLE.keys() == GAMES.keys()


def ways_to_meet(dialects: Sequence[str]) -> Iterator[tuple[tuple[str, str], ...]]:
    """As few pairs as there can be in which each of the dialects plays."""
    for pairs in combinations(combinations(dialects, 2), (len(dialects) + 1) // 2):
        if {each for pair in pairs for each in pair} == {*dialects}:
            yield pairs


def meetings() -> Iterator[tuple[str, str, str]]:
    """Every dialect plays every game that it can say; who meets whom changes from game to game."""
    met: Counter[tuple[str, str]] = Counter()
    for game, (_, _, dialects) in TABLE.items():
        pairs = min(ways_to_meet(dialects), key=lambda pairs: sorted(met[pair] for pair in pairs))
        met.update(pairs)
        for pair in pairs:
            yield game, *pair


PAIRS = [*meetings()]

# Games at the same time. Two of one kind would mix their players.
TABLES = 3


def pools() -> str:
    """The configuration, with a pool for each game."""
    text = ['listen = [{ address = "tcp://127.0.0.1:0" }]']
    for game, (time, start, _) in TABLE.items():
        text += ["[[pool]]", f'name = "{game}"', f'game = "{game}"', f'time = "{time}"']
        text += [f'start = "{start}"'] if start else []
    return "\n".join(text)


def name(game: str, one: str, other: str, dialect: str) -> str:
    return f"{dialect}-{game}-{one}-{other}".replace(" ", "_")


def engine(dialect: str, game: str) -> tuple[str, ...]:
    """The house engine as a command."""
    house = (sys.executable, "-m", "ulci_client.cli", "engine", "--dialect")
    if dialect != BARE:
        return (*house, dialect, "Depth=1", "Seed=3")
    script = '"$@" | grep --line-buffered -v ^option'
    options = ("Depth=1", "Seed=3", f"UCI_Variant={game}")
    return ("sh", "-c", script, "sh", *house, "ugi", *options)


def play(server: Server, game: str, one: str, other: str) -> str:
    """One game between the house engine and itself; what the bridges showed, if they failed."""
    with ExitStack() as stack:
        bridges = []
        for dialect in (one, other):
            called = name(game, one, other, dialect)
            url = ("--server", f"tcp://127.0.0.1:{server.port()}", "--name", called)
            asked = ("--dialect", dialect.split()[-1], "--game", game, "--games", "1")
            argv = (*url, *asked, "--", *engine(dialect, game))
            bridges.append(stack.enter_context(bridged(server.folder, called, *argv)))
        codes = [bridge.process.wait(PATIENCE) for bridge in bridges]
        left = [bridge.processes() for bridge in bridges]
        shown = "\n".join(bridge.shown for bridge in bridges)
    return "" if codes == [0, 0] and left == [[], []] else f"{codes} {left}\n{shown}"


def played(folder: Path) -> tuple[dict[tuple[str, ...], str], list[dict]]:
    """What went wrong, by pair, and what the database holds of all games."""
    Path(folder, "server.toml").write_text(pools())

    def play_all(game: str) -> dict[tuple[str, ...], str]:
        return {pair: play(server, *pair) for pair in PAIRS if pair[0] == game}

    with (
        serving(folder, "--config", str(folder / "server.toml")) as server,
        ThreadPoolExecutor(TABLES) as pool,
    ):
        failures = {pair: why for each in pool.map(play_all, TABLE) for pair, why in each.items()}
        return failures, server.games()


def replayed(game: dict) -> tuple[str, str]:
    """The result and its reason, by the rules alone."""
    position = GAMES[game["rules"]].new(game["start"])
    for move in game["moves"]:
        assert position.outcome() is None, move
        assert not isinstance(position.play_untrusted(move["move"]), Illegal), move
    outcome = position.outcome()
    assert outcome is not None, f"it is not over after {len(game['moves'])} moves"
    return outcome.score, str(outcome.reason)


def test_every_two_dialects_that_share_a_game_meet():
    wanted = {
        frozenset(pair) for _, _, dialects in TABLE.values() for pair in combinations(dialects, 2)
    }
    assert {frozenset((one, other)) for _, one, other in PAIRS} == wanted
    for game, (_, _, dialects) in TABLE.items():
        assert {each for pair in PAIRS if pair[0] == game for each in pair[1:]} == {*dialects}


@pytest.mark.slow
def test_dialects_play_every_game_to_its_end(tmp_path):
    failures, games = played(tmp_path)
    assert "\n".join(filter(None, failures.values())) == ""
    for game, one, other in PAIRS:
        names = {name(game, one, other, dialect) for dialect in (one, other)}
        [found] = [
            each for each in games if {each["white"]["name"], each["black"]["name"]} == names
        ]
        assert found["rules"] == found["pool"] == game
        assert (found["result"], found["reason"]) == replayed(found)
        assert complaints(found) == []
        assert all(move["score"] is not None for move in found["moves"])

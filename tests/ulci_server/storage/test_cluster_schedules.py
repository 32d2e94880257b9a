"""Several servers on one database, in any order of what they do: each may write what a model of a
few lines says, and nothing else."""

import tempfile
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.databases import owners_of
from tests.support.facts import NOON, noted, played, started
from ulci_server.game import Fact, Released
from ulci_server.storage import Database, FencedError, Noted, RefusedError, migrate

SERVERS, GAMES = range(3), range(1, 5)

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["save", "again", "release", "beat", "fence", "claim", "end", "start"]),
        st.sampled_from(SERVERS),
        st.sampled_from(GAMES),
    ),
    min_size=12,
    max_size=40,
)


@dataclass
class Model:
    """Which runs may write no more, whose the games are (nobody's: None) and were, who wrote the
    last fact of each, and how many moves each has."""

    dead: set[int] = field(default_factory=set)
    owners: dict[int, list[int]] = field(default_factory=dict)
    owner: dict[int, int | None] = field(default_factory=dict)
    wrote: dict[int, int] = field(default_factory=dict)
    moves: dict[int, int] = field(default_factory=dict)

    def free(self) -> list[int]:
        return [game for game in sorted(self.owner) if self.owner[game] in (None, *self.dead)]


class Cluster:
    """Servers on one file, each step held against the model."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.servers = [Database(url) for _ in SERVERS]
        self.runs = [self._join(server) for server in SERVERS]
        self.model = Model()
        self.now = NOON
        self.last: dict[int, list[Noted]] = {}

    def _join(self, server: int) -> int:
        run = self.servers[server].runs.begin(NOON, f"s{server}")
        self.servers[server].runs.join(run)
        return run

    def close(self) -> None:
        for one in self.servers:
            one.close()

    def step(self, what: str, server: int, game: int) -> None:
        self.now += timedelta(minutes=1)
        if self.runs[server] in self.model.dead and what not in ("fence", "end", "start"):
            with pytest.raises(FencedError):
                self._do(what, server, game)
        elif what in ("save", "release") and not self._may_write(server, game):
            with pytest.raises(RefusedError, match=f"game {game} belongs to "):
                self._do(what, server, game)
        else:
            self._do(what, server, game)

    def _may_write(self, server: int, game: int) -> bool:
        return self.model.owner.get(game, self.runs[server]) == self.runs[server]

    def _do(self, what: str, server: int, game: int) -> None:
        getattr(self, f"_{what}")(server, game)

    def _save(self, server: int, game: int, *more: Fact) -> None:
        ply = self.model.moves.get(game, 0)
        begun = [] if game in self.model.owners else [started(game)]
        move = played(game, ply, "e2e4", seq=ply + 1, left=None)
        batch = noted([*begun, move, *more], self.now)
        self.servers[server].save(batch)
        self.last[server] = batch
        self.model.wrote[game] = self.runs[server]
        self.model.moves[game] = ply + 1
        if begun:
            self.model.owners[game] = [self.runs[server]]
        self.model.owner[game] = None if more else self.runs[server]

    def _again(self, server: int, game: int) -> None:
        """The answer to the last commit was lost: what is stored is stored, and nothing changes."""
        self.servers[server].save(self.last.get(server, []))

    def _release(self, server: int, game: int) -> None:
        epoch = len(self.model.owners.get(game, [server]))
        self._save(server, game, Released(game, epoch))

    def _beat(self, server: int, game: int) -> None:
        states = self.servers[server].runs.beat(self.runs[server], False, NOON)
        assert {state.id for state in states} == {*self.runs} - self.model.dead
        owners = [*self.model.owner.values()]
        assert all(state.games == owners.count(state.id) for state in states)

    def _fence(self, server: int, game: int) -> None:
        """The game's number says whom, and whether its beat stood."""
        victim, stood = self.runs[game % len(SERVERS)], game != GAMES[-1]
        beats = {state.id: state.beat for state in self.servers[server].runs.living()}
        beat = beats.get(victim, 0) - (not stood)
        fenced = self.servers[server].runs.fence(victim, beat, NOON)
        assert fenced is (stood and victim not in self.model.dead)
        if fenced:
            self.model.dead.add(victim)

    def _claim(self, server: int, game: int) -> None:
        """At most as many as the game's number."""
        expected = self.model.free()[:game]
        claimed = self.servers[server].ownership.claim(self.now, game)
        assert [one.unfinished.started.game for one in claimed] == expected
        for one in claimed:
            number = one.unfinished.started.game
            assert one.before is not None
            assert one.before.id == self.model.wrote[number]
            assert len(one.unfinished.history) == self.model.moves[number]
            self.model.owners[number].append(self.runs[server])
            self.model.owner[number] = self.runs[server]
            assert one.epoch == len(self.model.owners[number])

    def _end(self, server: int, game: int) -> None:
        self.servers[server].runs.end(self.runs[server], NOON)
        self.model.dead.add(self.runs[server])

    def _start(self, server: int, game: int) -> None:
        """Another run, if this one may write no more."""
        if self.runs[server] in self.model.dead:
            self.servers[server].close()
            self.servers[server] = Database(self.url)
            self.runs[server] = self._join(server)
            self.last.pop(server, None)

    def check(self) -> None:
        one = self.servers[0]
        assert owners_of(one, GAMES) == {
            game: (owner, len(self.model.owners[game]))
            for game, owner in self.model.owner.items()
            if owner is not None
        }
        for game in GAMES:
            owners = [owner.run for owner in one.ownership.epochs(game)]
            assert owners == self.model.owners.get(game, [])
            assert len(one.games.moves(game)) == self.model.moves.get(game, 0)


@settings(max_examples=25)
@given(STEPS)
def test_in_any_order_nobody_writes_into_what_is_not_its_own(
    steps: list[tuple[str, int, int]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder, 'games.db')}"
        migrate(url)
        cluster = Cluster(url)
        try:
            for step in steps:
                cluster.step(*step)
            cluster.check()
        finally:
            cluster.close()

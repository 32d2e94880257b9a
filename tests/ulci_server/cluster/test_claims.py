"""Claimed is not yet played: what becomes of a claimed game, whatever is raised."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest
import trio

from tests.support.cluster import people
from tests.support.facts import NOON, started
from ulci.protocol.messages import BestMove
from ulci.rules import Outcome, Reason
from ulci_server.cluster.claims import CLAIM_AGAIN, CLAIM_EVERY, FAULT, Claims
from ulci_server.cluster.releases import Releases
from ulci_server.game import Released
from ulci_server.hall import Hall
from ulci_server.storage import Claimed, FencedError, StorageError, Unfinished


class Database:
    """Has games without an owner; or raises what it is told to. Answers at once."""

    def __init__(self) -> None:
        self.free: list[int] = []
        self.epochs: dict[int, int] = {}
        self.fails: Exception | None = None
        self.asked_at: list[float] = []

    async def ask(self, work: Callable[[], object]) -> object:
        await trio.lowlevel.checkpoint()
        return work()

    def complain(self, error: StorageError) -> None:
        self.complaint = error

    def claim(self, _: object, most: int) -> list[Claimed]:
        self.asked_at.append(trio.current_time())
        if self.fails is not None:
            raise self.fails
        games, self.free = self.free[:most], self.free[most:]
        for game in games:
            self.epochs[game] = self.epochs.get(game, 1) + 1
        return [
            Claimed(Unfinished(started(game), NOON, []), self.epochs[game], None) for game in games
        ]


class Journal:
    """Everything is durable at once."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, fact: Released) -> None:
        assert fact.epoch == self._database.epochs[fact.game]
        self._database.free.append(fact.game)

    def when_durable(self, _: object) -> bool:
        return True


class Owner:
    """Notes what others are told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, int]] = []
        self.fails: set[str] = set()

    def _act(self, what: str, game: int) -> None:
        if what in self.fails:
            raise RuntimeError("a bug")
        self.told.append((what, game))

    def own(self, game: int, _: int) -> None:
        self._act("own", game)

    def begin_release(self, game: int) -> None: ...

    def release(self, game: int, _: int) -> None:
        self._act("released", game)

    def end_unplayable(self, game: int, *_: object) -> None:
        self._act("over", game)


class Games:
    """A hall whose games can be resumed, but for some."""

    def __init__(self) -> None:
        self.tables: dict[int, SimpleNamespace] = {}
        self.unplayable: set[int] = set()
        self.given_up: dict[int, str] = {}
        self.fails: set[int] = set()
        self.resumed: Callable[[], object] = lambda: None

    def resume_game(self, unfinished: Unfinished, _: object) -> str:
        number = unfinished.started.game
        if number in self.fails:
            raise RuntimeError("a bug")
        if number in self.unplayable:
            self.give_up_game(number, "it cannot be played")
            return "it cannot be played"
        self.tables[number] = SimpleNamespace(players=())
        self.resumed()
        return ""

    def give_up_game(self, number: int, why: str) -> None:
        self.given_up[number] = why


@pytest.fixture
def server():
    """One that claims games."""
    hall, owner, database = Games(), Owner(), Database()
    journal = Journal(database)
    post = SimpleNamespace(owns=True, draining=False, is_cut_off=False, lobby=0)
    elsewhere = SimpleNamespace(tables={})
    fenced: list[bool] = []
    claims = Claims(
        hall,
        post,
        owner,
        elsewhere,
        Releases(hall, journal, owner, SimpleNamespace(), elsewhere),
        journal,
        database,
        database,
        now=lambda: NOON,
        be_fenced=lambda: fenced.append(True),
    )
    made = {"hall": hall, "owner": owner, "database": database, "post": post, "fenced": fenced}
    return SimpleNamespace(claims=claims, **made)


async def test_a_claimed_game_is_played(server):
    server.database.free = [7, 8]
    assert await server.claims.claim()
    assert {*server.hall.tables} == {7, 8}
    assert server.claims.claimed == 2
    assert not await server.claims.claim()
    assert server.claims.claimed == 2


async def test_one_that_cannot_be_played_is_over_and_told_to_be(server):
    server.database.free, server.hall.unplayable = [7], {7}
    await server.claims.claim()
    assert server.owner.told == [("own", 7), ("over", 7)]
    assert server.database.free == []


@pytest.mark.parametrize("where", ["taking it", "resuming it"])
async def test_one_that_fails_is_released_and_over_when_it_fails_again(
    server, errors_logged, where
):
    server.database.free = [7, 8]
    if where == "taking it":
        server.owner.fails = {"own"}
        server.database.free = [7]
    server.hall.fails = {7}
    await server.claims.claim()
    assert ("released", 7) in server.owner.told
    assert server.database.free == [7]
    assert server.hall.given_up == {}
    assert {*server.hall.tables} == ({8} if where == "resuming it" else set())
    await server.claims.claim()
    assert server.hall.given_up == {7: FAULT}
    assert ("over", 7) in server.owner.told
    assert server.database.free == []
    assert ["claimed game failed" in one for one in errors_logged.take()] == [True, True]


async def test_one_that_fails_once_is_played_the_next_time(server, errors_logged):
    server.database.free, server.hall.fails = [7], {7}
    await server.claims.claim()
    server.hall.fails = set()
    await server.claims.claim()
    assert {*server.hall.tables} == {7}
    errors_logged.take()
    del server.hall.tables[7]
    server.database.free, server.hall.fails = [7], {7}  # much later
    await server.claims.claim()
    assert server.database.free == [7]
    errors_logged.take()


async def test_one_whose_end_cannot_be_told_is_over_all_the_same(server, errors_logged):
    server.database.free, server.hall.unplayable = [7], {7}
    server.owner.fails = {"over"}
    await server.claims.claim()
    assert 7 in server.hall.given_up
    assert server.database.free == []
    assert "claimed game not told" in errors_logged.take()[0]


async def test_what_a_cancelled_claim_leaves_behind_is_released(server):
    server.database.free = [7, 8, 9]
    with trio.CancelScope() as scope:
        server.hall.resumed = scope.cancel
        await server.claims.claim()
    assert {*server.hall.tables} == {7}
    assert server.database.free == [8, 9]
    assert server.owner.told == [("own", 7), ("released", 8), ("released", 9)]


async def test_what_is_claimed_when_the_server_begins_to_drain_is_released(server):
    server.database.free = [7, 8]

    def drain() -> None:
        server.post.draining = True

    server.hall.resumed = drain
    await server.claims.claim()
    assert {*server.hall.tables} == {7}
    assert server.database.free == [8]
    assert ("released", 8) in server.owner.told


async def run_for(server, seconds: float) -> None:
    with trio.move_on_after(seconds):
        await server.claims.run()


async def test_nor_is_it_claimed_again_by_a_server_that_drains(server, autojump_clock):
    server.database.free = [7, 8]

    def drain() -> None:
        server.post.draining = True

    server.hall.resumed = drain
    await run_for(server, 3 * CLAIM_EVERY)
    assert len(server.database.asked_at) == 1


async def test_one_that_fails_is_left_to_others_for_a_moment(server, autojump_clock, errors_logged):
    server.database.free, server.hall.fails = [7], {7}
    await run_for(server, CLAIM_EVERY / 2)
    assert len(server.database.asked_at) == 1
    errors_logged.take()


@pytest.mark.parametrize("why", ["draining", "is_cut_off"])
async def test_a_server_that_others_do_not_hear_claims_nothing(server, autojump_clock, why):
    setattr(server.post, why, True)
    await run_for(server, 3 * CLAIM_EVERY)
    assert server.database.asked_at == []


async def test_games_are_looked_for_often_after_some_were_released(server, autojump_clock):
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.claims.run)
        await trio.sleep(1)
        server.claims.hear_released(2, None)
        await trio.sleep(1)
        nursery.cancel_scope.cancel()
    assert server.database.asked_at[:3] == [0.0, 1.0, 1.0 + CLAIM_AGAIN]


async def test_a_database_that_does_not_answer_is_asked_again(server, autojump_clock):
    server.database.fails = StorageError("it is down")
    await run_for(server, 2.2 * CLAIM_AGAIN)
    assert len(server.database.asked_at) == 3


async def test_a_run_that_was_fenced_ends(server, autojump_clock):
    server.database.fails = FencedError("it was fenced")
    await run_for(server, 1)
    assert server.fenced


async def test_games_that_cannot_be_read_do_not_end_the_server(
    server, autojump_clock, errors_logged
):
    server.database.fails = ValueError("of a later version")
    await run_for(server, 2.2 * CLAIM_EVERY)
    assert len(errors_logged.take()) == 3


# The same with whole servers


async def with_black_to_move(cluster):
    servers = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(*servers[1:])
    await ada.move("e2e4")
    await bob.be_asked()
    return *servers, bob


def fail_once(change) -> Callable[..., object]:
    """`change` raises the first time, at whichever server."""
    failed: list[bool] = []

    def failing(*args: object) -> object:
        if not failed:
            failed.append(True)
            raise RuntimeError("a bug")
        return change(*args)

    return failing


async def test_a_game_that_one_server_cannot_take_is_played_at_last(
    cluster, autojump_clock, errors_logged, monkeypatch
):
    a, b, c, bob = await with_black_to_move(cluster)
    resume = Hall.resume_game
    monkeypatch.setattr(Hall, "resume_game", fail_once(resume))
    b.kill()
    await trio.sleep(5)
    bob.say(BestMove("e7e5"))
    [table] = [*a.hall.tables.values(), *c.hall.tables.values()]
    await trio.sleep(1)
    assert [*table.game.moves] == ["e2e4", "e7e5"]
    [logged] = errors_logged.take()
    assert "claimed game failed" in logged


async def test_both_are_told_of_an_end_that_the_claiming_server_cannot_tell(
    cluster, autojump_clock, errors_logged, monkeypatch
):
    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    a, b = await cluster.start("a"), await cluster.start("b")
    c = await cluster.start("c")
    _, bob = await people(c, b)
    monkeypatch.setattr(Hall, "agreement_again", fail)
    for server in (a, b):
        monkeypatch.setattr(server.node.owner, "end_unplayable", fail)
    c.kill()
    assert await bob.hear_line("game 1 over") == "game 1 over result * reason server"
    outcome = a.database.games.outcomes([1])
    assert outcome == {1: Outcome(None, Reason.SERVER)}
    errors_logged.take()


@pytest.mark.parametrize("claimant", ["a", "c"])
async def test_a_run_that_is_fenced_between_a_claim_and_its_games_leaves_them_to_others(
    cluster, autojump_clock, monkeypatch, claimant
):
    """Bob is at c."""
    a, b, c, bob = await with_black_to_move(cluster)
    claimants = []

    def fence_first(server):
        claim = server.database.ownership.claim

        def claiming(*asked: object) -> list[Claimed]:
            if server.name != claimant and not claimants:
                return []
            games = claim(*asked)
            if games and not claimants:
                claimants.append(server.name)
                server.node.runs.be_fenced()
            return games

        return claiming

    for server in (a, c):
        monkeypatch.setattr(server.database.ownership, "claim", fence_first(server))
    b.kill()
    await trio.sleep(12)
    assert claimants
    bob.say(BestMove("e7e5"))
    await trio.sleep(1)
    [table] = [*a.hall.tables.values(), *c.hall.tables.values()]
    assert [*table.game.moves] == ["e2e4", "e7e5"]
    assert a.database.ownership.unowned() == 0

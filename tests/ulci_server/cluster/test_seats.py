"""Whose seat it is, what it owes, and who owns its game: by words between servers alone."""

import trio

from tests.support import cluster as support
from tests.support.cluster import accounts, people
from ulci.protocol.messages import BestMove, Clock, Id, IsReady, ReadyOk, Report, Watch
from ulci.rules import Side
from ulci_server.hall.login.registry import ALIVE_TIMEOUT
from ulci_server.storage import secret_hash

ADA = Id("token", "ada-token")


async def ada_plays(cluster, monkeypatch):
    """Ada, who has an account, and Bob: at other servers than the lobby."""
    known = accounts()
    known.add_token(known.add_player("Ada", "human").id, secret_hash("ada-token"), "play")
    monkeypatch.setattr(support, "accounts", lambda: known)
    _, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(_Proved(b), c)
    await ada.be_asked()
    return c, ada, bob


class _Proved:
    """A server where whoever comes shows Ada's token."""

    def __init__(self, server) -> None:
        self._server = server

    async def person(self, name: str):
        return await self._server.person(name, ADA)


async def answer_for_ever(client) -> None:
    while True:
        await client.hear(IsReady)
        client.say(ReadyOk())


async def test_who_answers_at_another_server_keeps_its_seat(cluster, autojump_clock, monkeypatch):
    c, ada, bob = await ada_plays(cluster, monkeypatch)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(answer_for_ever, ada)
        second = await c.person("Ada", ADA)
        told = await second.hear_line("note")
        nursery.cancel_scope.cancel()
    plays = "plays-elsewhere your other connection, Ada, is in game 1 and goes on with it"
    assert told == f"note {plays}"
    ada.say(BestMove("e2e4"))
    await bob.be_asked()


async def test_who_does_not_answer_there_loses_it_to_its_newer_line(
    cluster, autojump_clock, monkeypatch
):
    c, ada, bob = await ada_plays(cluster, monkeypatch)
    began = trio.current_time()
    second = await c.person("Ada", ADA)
    assert trio.current_time() >= began + ALIVE_TIMEOUT
    await second.get_ready()
    await second.move("e2e4")
    await bob.be_asked()
    await ada.hear_the_end()


async def test_whoever_says_its_last_move_again_is_told_so_and_may_move(cluster, autojump_clock):
    """It came back to another server than its game, and does not know that the move was heard."""
    _, b = await cluster.start("a"), await cluster.start("b", owns=False)
    ada, bob = await people(b, b)
    await ada.move("e2e4")
    await bob.move("e7e5")
    await ada.be_asked()
    await ada.peer.aclose()
    back = await b.person("Ada", Id("resume", ada.secret))
    await back.get_ready()
    await back.move("e2e4")
    again = await back.hear(Report)
    assert '"e2e4" was said before; go is still open' in again.text
    back.peer.connection.disown()  # so it knows that it has not answered
    back.say(BestMove("g1f3"))
    await bob.be_asked()
    await trio.sleep(1)
    [table] = tables_of(b)
    assert table.plies == 3


def tables_of(server):
    """Of games elsewhere."""
    return [*server.node.games_elsewhere.tables.values()]


async def test_a_game_that_its_server_gave_away_is_without_an_owner_until_it_is_claimed(
    cluster, autojump_clock
):
    a, b = await cluster.start("a"), await cluster.start("b")
    await people(b, a)
    await trio.sleep(1)
    watcher = await a.person("Cora")
    watcher.say(Watch(1))
    await watcher.hear(Clock)
    [table] = tables_of(a)
    assert table.state().running is Side.WHITE
    claim = a.database.ownership.claim
    a.database.ownership.claim = lambda *_: []

    await b.node.drain()
    await trio.sleep(0.5)

    assert a.node.games_without_owner == 1
    assert table.state().running is None
    a.database.ownership.claim = claim
    await trio.sleep(3)
    assert a.node.games_without_owner == 0
    assert 1 in a.hall.tables

"""A game has the opening that its lobby agreed on, whichever servers it is at."""

from dataclasses import replace

import pytest
import trio

from tests.support.cluster import people
from ulci.protocol.messages import BestMove, Position, Resign, Watch
from ulci_server.lobby import pairing, seeks

BOOK = ("e2e4", "c7c5", "g1f3")


@pytest.fixture
def book(monkeypatch: pytest.MonkeyPatch) -> None:
    """All players agree on it."""

    def agreed(*those):
        return replace(seeks.agreed(*those), opening=BOOK)

    monkeypatch.setattr(pairing, "agreed", agreed)


def positions(client) -> list[Position]:
    return [message for message in client.heard if isinstance(message, Position)]


async def test_the_opening_is_that_of_the_lobby_and_moves_with_the_game(
    cluster, autojump_clock, book
):
    servers = [await cluster.start(name) for name in "abcd"]
    *_, c, d = servers
    ada, bob = await people(c, d)
    await bob.be_asked()
    assert positions(bob)[-1] == Position(None, BOOK)
    bob.say(BestMove("d7d6"))
    await ada.be_asked()
    assert positions(ada)[-1] == Position(None, (*BOOK, "d7d6"))
    [owner] = [server for server in servers if server.hall.tables]
    [table] = owner.hall.tables.values()
    assert table.game.started.opening == BOOK
    owner.kill()
    await trio.sleep(10)
    [heir] = [server for server in servers if server is not owner and server.hall.tables]
    [table] = heir.hall.tables.values()
    assert [*table.game.moves] == [*BOOK, "d7d6"]
    survivor = bob if owner is c else ada
    survivor.say(Resign())
    await survivor.hear_line("game 1 over")


async def test_who_watches_at_another_server_is_told_of_the_book(cluster, autojump_clock, book):
    a, b = await cluster.start("a"), await cluster.start("b")
    _, bob = await people(a, b)
    await bob.be_asked()
    owner, other = (a, b) if a.hall.tables else (b, a)
    assert owner.hall.tables
    eve = await other.person("Eve")
    eve.say(Watch(1))
    assert (await eve.hear_line("watch 1")).endswith("ply 3 book 3")
    assert await eve.hear(Position) == Position(None, BOOK)
    game = (await other.site.ask("/api/games/1")).json
    assert (game["plies"], game["book"]) == (3, 3)
    assert [move["move"] for move in game["moves"]] == [*BOOK]

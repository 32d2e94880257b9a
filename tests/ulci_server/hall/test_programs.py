"""Programs of the server itself: members of its lobby that nobody asks who they are."""

from datetime import UTC, datetime
from functools import partial

import trio.testing
from msgspec.structs import replace

from ulci.protocol.messages import BestMove, Go, NewGame, Position
from ulci.rules import Outcome, Reason, Side
from ulci_server.game import EventKind, GameFinished, GameStarted, Happened
from ulci_server.hall import Authenticator
from ulci_server.storage import Noted, secret_hash


async def played(h, secret: str = ""):
    """A program of the server, White, has moved against an engine, and is asked again."""
    session, fish = await h.program("Fish", secret)
    fowl = await h.engine("Fowl")
    for client in (fish, fowl):
        await client.get_ready()
    await fish.move("e2e4")
    await fowl.move("e7e5")
    await fish.be_asked()
    return session, fish, fowl


def _with_keys(started: GameStarted) -> GameStarted:
    """As if both seats had one."""
    white, black = started.seats
    return replace(started, seats=(white, replace(black, key=secret_hash("fowl-secret"))))


def noted(h) -> list[EventKind]:
    return [fact.what for fact in h.journal.kinds(Happened)]


async def test_it_plays_without_a_token_where_guests_may_not_come_in(
    autojump_clock, server, accounts
):
    closed = Authenticator(accounts, guests=False, now=partial(datetime.now, UTC))
    async with server(authenticator=closed) as h:
        white, black = await h.program("Fish"), await h.program("Fowl")
        for _, client in (white, black):
            await client.get_ready()
        await white[1].move("e2e4")
        await black[1].be_asked()
        [started] = h.journal.kinds(GameStarted)
        assert [seat.handle for seat in started.seats] == ["Fish", "Fowl"]
        assert white[0].table is black[0].table is h.hall.tables[started.game]


async def test_a_game_goes_on_with_the_next_program_of_the_same_secret(autojump_clock, server):
    async with server() as h:
        session, fish, fowl = await played(h, "fish-secret")
        fish.peer.cut("killed by SIGSEGV")
        await trio.testing.wait_all_tasks_blocked()
        assert session.gone
        assert noted(h) == [EventKind.AWAY]
        again, fish = await h.program("Fish", "fish-secret")
        assert again.handle == "Fish"
        assert again.table is h.hall.tables[1]
        await fish.get_ready()
        assert (await fish.hear(Position)).moves == ("e2e4", "e7e5")
        await fish.move("g1f3")
        assert NewGame() not in fish.heard
        await fowl.move("b8c6")
        await fish.be_asked()
        assert noted(h) == [EventKind.AWAY, EventKind.BACK]


async def test_without_a_secret_the_game_of_a_program_ends_with_it(autojump_clock, server):
    async with server() as h:
        _, fish, _ = await played(h)
        fish.peer.cut("killed by SIGSEGV")
        await trio.testing.wait_all_tasks_blocked()
        [end] = h.journal.kinds(GameFinished)
        assert end.outcome == Outcome(Side.BLACK, Reason.DISCONNECT)


async def test_a_restarted_server_goes_on_with_the_game_by_the_key_in_its_record(
    autojump_clock, server, database
):
    async with server() as h:
        await played(h, "fish-secret")
        [started] = h.journal.kinds(GameStarted)
        assert started.seats[0].key == secret_hash("fish-secret")
        # The engine at the other board can come back, too.
        facts = [
            (Noted(_with_keys(fact), at) if isinstance(fact, GameStarted) else Noted(fact, at))
            for fact, at in h.journal.noted
        ]
        later = await h.resumed(noted=facts, database=database)
        assert later.resumes == 1
        again, fish = await later.program("Fish", "fish-secret")
        assert again.table is later.hall.tables[1]
        await fish.get_ready()
        assert (await fish.hear(Position)).moves == ("e2e4", "e7e5")
        assert isinstance(await fish.hear(Go), Go)
        fish.say(BestMove("g1f3"))
        await trio.testing.wait_all_tasks_blocked()
        assert len(later.hall.tables[1].game.moves) == 3


async def test_it_is_free_for_the_next_game_when_the_last_one_is_over(autojump_clock, server):
    async with server() as h:
        session, fish, fowl = await played(h, "fish-secret")
        fish.say(BestMove("e2e5"))
        for _ in range(2):  # after the game, and before the next
            await fish.get_ready()
            await fowl.get_ready()
        assert session.side is Side.BLACK
        await fowl.move("d2d4")
        await fish.be_asked()


async def test_a_banned_name_keeps_a_program_of_the_server_out(autojump_clock, server, accounts):
    accounts.add_ban("name", "Fish", by="Root", why="weak", until=None, at=datetime.now(UTC))
    authenticator = Authenticator(accounts, now=partial(datetime.now, UTC))
    async with server(authenticator=authenticator) as h:
        session, _ = await h.program("Fish")
        assert session.gone
        assert "you are banned here: weak" in session.why

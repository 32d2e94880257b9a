"""Who is here, whose seat a newcomer may take, and what is kept for who left."""

import trio
import trio.testing

from tests.support.effort import instructions
from tests.support.lobby import lobby_line
from ulci.protocol.messages import (
    BestMove,
    Id,
    IsReady,
    Lobby,
    NewGame,
    Position,
    ReadyOk,
    Resign,
    Seek,
    Terms,
    Who,
)
from ulci_server.game import EventKind, GameFinished, Happened, MovePlayed
from ulci_server.hall.login.registry import ALIVE_TIMEOUT, MAX_KEYS, MAX_MISSED, MemberRegistry
from ulci_server.lobby import Keeper, Profile
from ulci_server.storage import secret_hash

ADA = Id("token", "ada-token")
ROOT = Id("token", "root-token")
FISH = Id("token", "fish-token")


async def with_accounts(h):
    """Ada and Root at a table, both ready."""
    ada, root = await h.person("", ADA), await h.person("", ROOT)
    for person, color in ((ada, "white"), (root, "black")):
        person.say(Seek(Terms(color=color)))
        await trio.testing.wait_all_tasks_blocked()
    await ada.get_ready()
    await root.get_ready()
    return ada, root


def welcome(client) -> str:
    return next(" ".join(m.words) for m in client.heard if "welcome" in getattr(m, "words", ()))


async def test_a_second_login_does_not_take_the_game_of_a_line_that_answers(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        ada, root = await with_accounts(h)
        await ada.be_asked()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ada.get_ready)  # the proof that it is there
            second = await h.person("", ADA)
        assert "name Ada-2 account yes" in welcome(second)
        told = "plays-elsewhere your other connection, Ada, is in game 1 and goes on with it"
        assert await second.hear_line("note") == f"note {told}"
        ada.say(BestMove("e2e4"))
        await root.be_asked()


async def test_who_comes_in_a_second_time_is_told_under_which_name_they_are_here_already(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        ada = await h.person("", ADA)
        second = await h.person("", ADA)
        assert await second.hear_line("note") == "note here-already your other connection is Ada"
        engines = [await h.engine("Fish", FISH, Id("feature", "lobby")) for _ in range(2)]
        stranger = await h.person("Eve")
        for other in (ada, stranger, *engines):
            other.say(Who())
            await other.hear_line("who")  # whatever was said before it has been heard
            assert not any("note" in getattr(m, "words", ()) for m in other.heard)


async def test_a_second_login_takes_the_game_of_a_line_that_does_not_answer(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        ada, root = await with_accounts(h)
        await ada.be_asked()
        began = trio.current_time()
        second = await h.person("", ADA)
        assert trio.current_time() == began + ALIVE_TIMEOUT
        assert "name Ada account yes" in welcome(second)
        await ada.hear_the_end()
        assert ada.reports()[-1] == "you reconnected elsewhere; retry-after 5"
        await second.get_ready()
        await second.move("e2e4")
        await root.be_asked()
        assert h.journal.kinds(GameFinished) == []


async def test_a_second_login_takes_the_game_of_a_line_that_is_lost_at_once(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        ada, root = await with_accounts(h)
        await ada.be_asked()
        ada.peer.cut("the line is lost")
        await root.hear_line("game 1 opponent away")
        began = trio.current_time()
        second = await h.person("", ADA)
        assert trio.current_time() == began
        await second.get_ready()
        await root.hear_line("game 1 opponent back")
        await second.be_asked()


async def test_the_secret_of_a_line_that_was_replaced_takes_nothing_back(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        ada, root = await with_accounts(h)
        await ada.be_asked()
        second = await h.person("", ADA)  # the first does not answer in time
        await second.get_ready()
        await second.be_asked()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(second.get_ready)
            first_again = await h.person("", ADA, Id("resume", ada.secret))
        assert "name Ada-2" in welcome(first_again)
        second.say(BestMove("e2e4"))
        await root.be_asked()
        second.peer.cut("the line is lost")
        await root.hear_line("game 1 opponent away")


async def test_nobody_takes_a_game_with_the_token_of_somebody_else(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        ada, root = await with_accounts(h)
        await ada.be_asked()
        ada.peer.cut("the line is lost")
        await root.hear_line("game 1 opponent away")
        second = await h.person("Ada")
        assert "name Ada_(guest) account no" in welcome(second)
        assert h.hall.tables[1].seats[0].gone


async def test_the_old_line_ends_while_it_is_asked_whether_it_lives(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        ada, root = await with_accounts(h)
        await ada.be_asked()
        second = h.connect()
        await second.introduce(Id("feature", "lobby"), Id("username", "x"), ADA)
        await ada.hear(IsReady)
        ada.peer.cut("the line is lost")
        await second.hear_line("welcome name Ada account yes")
        await second.get_ready()
        await root.hear_line("game 1 opponent back")


async def test_the_game_ends_while_the_old_line_is_asked_whether_it_lives(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        ada, root = await with_accounts(h)
        await ada.be_asked()
        second = h.connect()
        await second.introduce(Id("feature", "lobby"), Id("username", "x"), ADA)
        await ada.hear(IsReady)
        root.say(Resign())
        await ada.hear_line("game 1 over")
        await second.hear_line("welcome name Ada-2 account yes")


async def test_two_second_logins_take_one_game_once(autojump_clock, server, authenticator):
    async with server(authenticator=authenticator) as h:
        ada, _ = await with_accounts(h)
        await ada.be_asked()
        clients = [h.connect() for _ in range(2)]
        for client in clients:
            await client.introduce(Id("feature", "lobby"), Id("username", "x"), ADA)
        names = sorted([(await client.hear_line("welcome")).split()[2] for client in clients])
        assert names == ["Ada", "Ada-2"]


async def test_an_engine_account_plays_on_as_many_connections_as_it_has(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        first = await h.engine("x", FISH)
        second = await h.engine("x", FISH)
        assert sorted(s.handle for s in h.hall.present) == ["Fish", "Fish-2"]
        others = [await h.engine("Other"), await h.engine("Another")]
        for client in (first, second, *others):
            await client.hear(NewGame)
        assert len(h.hall.tables) == 2
        third = await h.engine("x", FISH)
        await trio.testing.wait_all_tasks_blocked()
        assert not third.heard[1:]
        assert not any(s.gone for s in h.hall.present)


async def test_an_engine_account_whose_line_is_lost_comes_back_to_its_game(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        fish = await h.engine("x", FISH)
        other = await h.engine("Other")
        await fish.get_ready()
        await other.get_ready()
        await fish.move("e2e4")
        await other.move("e7e5")
        await fish.be_asked()
        fish.peer.cut("the line is lost")
        await trio.testing.wait_all_tasks_blocked()
        assert h.journal.kinds(Happened)[-1].what is EventKind.AWAY
        again = await h.engine("x", FISH)
        await again.get_ready()
        await again.be_asked()
        assert Position(None, ("e2e4", "e7e5")) in again.heard
        again.say(BestMove("g1f3"))
        await other.be_asked()
        assert len(h.journal.kinds(MovePlayed)) == 3


async def test_who_was_away_at_the_end_hears_how_it_ended_when_it_comes_back(
    autojump_clock, server
):
    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        bob.peer.cut("the line is lost")
        await ada.hear_line("game 1 opponent away")
        ada.say(Resign())
        await ada.hear_line("game 1 over")
        again = await h.back("Bob", bob.secret)
        assert "result 0-1 reason resignation" in await again.hear_line("game 1 over")
        once = await h.back("Bob", bob.secret)
        await trio.testing.wait_all_tasks_blocked()
        assert not any("over" in str(said) for said in once.heard)


async def test_who_did_not_read_the_end_on_a_dead_line_hears_it_on_a_new_one(
    autojump_clock, server
):
    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        ada.say(Resign())  # and Bob's line is dead, which nobody knows
        await ada.hear_line("game 1 over")
        again = await h.back("Bob", bob.secret)
        assert "result 0-1 reason resignation" in await again.hear_line("game 1 over")
        await again.hear(IsReady)
        again.say(ReadyOk())
        await trio.testing.wait_all_tasks_blocked()
        once = await h.back("Bob", bob.secret)
        await trio.testing.wait_all_tasks_blocked()
        assert not any("over" in str(said) for said in once.heard)


async def test_who_is_back_and_not_ready_yet_hears_the_end(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        bob.peer.cut("the line is lost")
        await ada.hear_line("game 1 opponent away")
        again = await h.back("Bob", bob.secret)
        await again.hear(IsReady)
        ada.say(Resign())
        assert "result 0-1 reason resignation" in await again.hear_line("game 1 over")
        again.say(ReadyOk())
        await again.get_ready()
        again.say(Seek())
        await ada.hear_line("seek")


class FakeSession:
    """Enough of a session to be here."""

    table = None

    def __init__(
        self,
        handle: str,
        key: str = "",
        missed: Lobby | None = None,
        kind: str = "human",
        token: str = "",
        account: int = 1,
    ) -> None:
        self.handle, self.key, self.missed = handle, key, missed
        number = account if token else None
        self.profile = Profile(handle, handle, kind, account=number, token=token)

    def is_same_account(self, profile: Profile) -> bool:
        return (self.profile.account, self.profile.kind) == (profile.account, profile.kind)


def test_who_was_replaced_is_not_here_and_its_secret_leads_nowhere() -> None:
    registry, secret, newer = MemberRegistry(Keeper()), "8f3a", "9b1c"
    old, new = FakeSession("Ada", secret_hash(secret)), FakeSession("Ada", secret_hash(newer))
    registry.enter(old)
    assert registry.of_secret(secret) is old
    registry.replace(old, new)
    assert (old in registry, new in registry) == (False, True)
    assert (registry.of_secret(secret), registry.of_secret(newer)) == (None, new)
    assert [*registry.all] == [new]


def test_an_engine_is_found_by_every_secret_of_its_seat() -> None:
    registry = MemberRegistry(Keeper())
    first = engine = FakeSession("E", secret_hash("0"), kind="engine")
    registry.enter(first)
    for number in range(1, 3 * MAX_KEYS):
        newer = FakeSession("E", secret_hash(f"{number}"), kind="engine")
        registry.replace(engine, newer)
        engine = newer
    found = [n for n in range(3 * MAX_KEYS) if registry.of_secret(f"{n}") is engine]
    assert found == [0, *range(2 * MAX_KEYS + 1, 3 * MAX_KEYS)]
    registry.leave(engine)
    assert not any(registry.of_secret(f"{n}") for n in found)


def test_who_proved_an_account_is_known_by_the_token() -> None:
    registry, ada = MemberRegistry(Keeper()), FakeSession("Ada", token="of Ada")
    registry.enter(ada)
    registry.enter(FakeSession("Bob"))
    assert registry.of_token("of Ada") is ada.profile
    assert registry.of_token("of nobody") is None
    assert registry.of_token("") is None


def test_who_left_or_was_replaced_proves_nothing_any_more() -> None:
    registry = MemberRegistry(Keeper())
    first, second = FakeSession("Ada", token="of Ada"), FakeSession("Ada-2", token="of Ada")
    registry.enter(first)
    registry.enter(second)
    registry.leave(first)
    assert registry.of_token("of Ada") is second.profile
    registry.replace(second, FakeSession("Ada-2", token="another"))
    assert registry.of_token("of Ada") is None
    assert registry.of_token("another") is not None


def test_who_comes_in_costs_the_same_whether_a_few_are_here_or_many() -> None:
    few, many = MemberRegistry(Keeper()), MemberRegistry(Keeper())
    for registry, number in ((few, 3), (many, 300)):
        for n in range(number):
            registry.enter(FakeSession(f"G-{n}", token=f"of {n}", account=n))
    profile = FakeSession("G-1-2", token="of 1", account=1).profile

    def effort(registry: MemberRegistry) -> int:
        def ask() -> None:
            assert registry.elsewhere(profile)
            assert registry.of_token("of 1") is not None

        return instructions(ask)

    assert effort(many) == effort(few)


def test_who_has_no_secret_is_found_by_none() -> None:
    registry, engine = MemberRegistry(Keeper()), FakeSession("A")
    registry.enter(engine)
    assert registry.of_secret("") is None
    engine.key = secret_hash("8f3a")
    registry.add_key(engine)
    assert registry.of_secret("8f3a") is engine
    registry.leave(engine)
    assert registry.of_secret("8f3a") is None
    assert registry.get("A") is None


def test_of_what_was_missed_the_oldest_is_forgotten_when_it_is_too_much() -> None:
    registry, over = MemberRegistry(Keeper()), lobby_line("game 1 over")
    for number in range(MAX_MISSED + 1):
        guest = FakeSession(f"A-{number}", secret_hash(str(number)), over)
        registry.enter(guest)
        registry.leave(guest)
    assert registry.take_missed("0") is None
    assert registry.take_missed("1") == over
    assert registry.take_missed("1") is None

"""Who may come in, and under which name."""

import threading
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
import structlog.testing
import trio
import trio.testing

from tests.support.clients import Client
from tests.support.facts import NOON
from tests.support.journal import now
from tests.ulci_server.hall.conftest import TOKENS
from ulci.protocol.messages import Id
from ulci_server.hall import Authenticator
from ulci_server.hall.login.authenticator import (
    LOOKUPS,
    AccountsUnavailableError,
    LoginRefusedError,
)
from ulci_server.hall.login.tokens import FREE_NAMES, RECORD_INTERVAL
from ulci_server.lobby import Profile, admin_commands
from ulci_server.storage import NO_ANSWER, Accounts, MemoryDatabase, StorageError, secret_hash

HERE = "192.0.2.7"

HANG = 60.0
"""Seconds; a hang guard that no test waits for."""


def named(name: str, token: str = "", kind: str = "human") -> Profile:
    return Profile(name, "", kind, token=token)


async def turned_away(authenticator: Authenticator, said: Profile, host: str = HERE) -> str:
    with pytest.raises(LoginRefusedError) as caught:
        await authenticator.authenticate(said, host)
    return str(caught.value)


# Names


async def test_where_nobody_has_an_account_everybody_is_who_they_say(mock_clock):
    said = named("Ada", "any")
    assert await Authenticator(now=now).authenticate(said, HERE) is said


async def test_the_account_of_an_engine_is_no_person(mock_clock, authenticator):
    for kind in ("human", "engine"):
        fish = await authenticator.authenticate(named("x", TOKENS["Fish"], kind), HERE)
        assert fish.kind == "engine"
        ada = await authenticator.authenticate(named("x", TOKENS["Ada"], kind), HERE)
        assert ada.kind == kind


async def test_a_token_gives_the_name_the_number_and_the_scope_of_its_account(
    mock_clock, accounts, authenticator
):
    ada = await authenticator.authenticate(named("whoever", TOKENS["Ada"]), HERE)
    assert (ada.name, ada.account, ada.admin) == ("Ada", accounts.find_player("Ada").id, False)
    root = await authenticator.authenticate(named("whoever", TOKENS["Root"]), HERE)
    assert (root.name, root.admin) == ("Root", True)


async def test_who_has_no_token_is_a_guest_of_the_name_that_was_said(mock_clock, authenticator):
    guest = await authenticator.authenticate(named("Bob"), HERE)
    assert (guest.name, guest.account, guest.admin) == ("Bob", None, False)


@pytest.mark.parametrize("name", ["Ada", "ADA", "ａｄａ"])
async def test_nobody_without_its_token_has_the_name_of_an_account(mock_clock, authenticator, name):
    assert (await authenticator.authenticate(named(name), HERE)).name == f"{name} (guest)"


async def test_a_name_that_only_looks_like_an_accounts_in_the_lobby_is_not_free_either(
    mock_clock, accounts, authenticator
):
    accounts.add_player("Ada_L", "human")
    assert (await authenticator.authenticate(named("Ada L"), HERE)).name == "Ada L (guest)"


@pytest.mark.parametrize(
    "name", ["0.0.0.0/0", "192.0.2.7", "::1", "\uff11.2.3.4", "10.0.0.0/255.0.0.0", "all", "A11"]
)
async def test_nobody_is_called_like_an_address_or_everybody(mock_clock, authenticator, name):
    assert (await authenticator.authenticate(named(name), HERE)).name == f"{name} (guest)"
    assert (await Authenticator(now=now).authenticate(named(name), HERE)).name == f"{name} (guest)"


async def test_guests_may_be_kept_out(mock_clock, accounts):
    authenticator = Authenticator(accounts, guests=False, now=now)
    assert "accounts only" in await turned_away(authenticator, named("Bob"))
    assert (await authenticator.authenticate(named("", TOKENS["Ada"]), HERE)).name == "Ada"


# Tokens


async def test_a_wrong_token_is_no_guest(mock_clock, authenticator):
    assert "your token is not valid" in await turned_away(authenticator, named("Ada", "guess"))


async def test_a_revoked_token_is_a_wrong_one(mock_clock, accounts, authenticator):
    accounts.revoke_all(accounts.find_player("Ada").id)
    assert "not valid" in await turned_away(authenticator, named("Ada", TOKENS["Ada"]))


async def test_wrong_tokens_are_counted_and_must_wait_longer_and_longer(mock_clock, authenticator):
    for _ in range(5):
        await turned_away(authenticator, named("Ada", "guess"))
    assert (await turned_away(authenticator, named("Ada", "guess"))).endswith("retry-after 1")
    mock_clock.jump(1.0)
    await turned_away(authenticator, named("Ada", "guess"))
    assert (await turned_away(authenticator, named("Ada", TOKENS["Ada"]))).endswith("retry-after 2")
    mock_clock.jump(2.0)
    await authenticator.authenticate(named("Ada", TOKENS["Ada"]), HERE)
    await turned_away(authenticator, named("Ada", "guess"))
    await authenticator.authenticate(
        named("Ada", TOKENS["Ada"]), HERE
    )  # what was before is forgiven


async def test_who_guesses_in_one_name_keeps_no_other_out(mock_clock, authenticator):
    for _ in range(9):
        await turned_away(authenticator, named("Ada", "guess"))
    assert (await authenticator.authenticate(named("Root", TOKENS["Root"]), HERE)).admin
    assert "retry-after" in await turned_away(authenticator, named("ADA", TOKENS["Ada"]))


async def test_nobody_guesses_under_ever_new_names(mock_clock, authenticator):
    for number in range(FREE_NAMES):
        assert "not valid" in await turned_away(authenticator, named(f"n{number}", "guess"))
    assert "retry-after" in await turned_away(authenticator, named("another", "guess"))
    assert "retry-after" in await turned_away(authenticator, named("Ada", TOKENS["Ada"]))
    assert (await authenticator.authenticate(named("Bob"), HERE)).name == "Bob"


async def test_elsewhere_and_without_a_token_nobody_waits_for_who_guesses(
    mock_clock, authenticator
):
    for _ in range(9):
        await turned_away(authenticator, named("Ada", "guess"))
    assert (
        await authenticator.authenticate(named("Ada", TOKENS["Ada"]), "198.51.100.1")
    ).name == "Ada"
    assert (await authenticator.authenticate(named("Bob"), HERE)).name == "Bob"


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
async def test_who_guesses_at_an_address_that_many_have_keeps_nobody_out(
    mock_clock, authenticator, host
):
    with structlog.testing.capture_logs() as logs:
        for number in range(2 * FREE_NAMES):
            await turned_away(authenticator, named("Ada", "guess"), host)
            await turned_away(authenticator, named(f"n{number}", "guess"), host)
        assert (await authenticator.authenticate(named("Ada", TOKENS["Ada"]), host)).name == "Ada"
        assert (await authenticator.authenticate(named("Root", TOKENS["Root"]), host)).admin
        assert not await authenticator.recheck_admin(named("Ada", "guess"), host)
        root = await authenticator.authenticate(named("Root", TOKENS["Root"]), host)
        assert await authenticator.recheck_admin(replace(root, token=TOKENS["Root"]), host)
    assert "retry-after" in await turned_away(authenticator, named("Ada", "guess"), host)
    assert sum(log["event"] == "wrong token" for log in logs) <= FREE_NAMES


async def test_that_a_token_was_used_is_kept_but_not_written_at_every_turn(
    mock_clock, accounts, authenticator
):
    ada = accounts.find_player("Ada").id
    mock_clock.jump(1.0)
    await authenticator.authenticate(named("", TOKENS["Ada"]), HERE)
    await trio.testing.wait_all_tasks_blocked()
    [first] = accounts.tokens(ada)
    mock_clock.jump(RECORD_INTERVAL - 1)
    await authenticator.authenticate(named("", TOKENS["Ada"]), HERE)
    assert accounts.tokens(ada) == [first]
    mock_clock.jump(1.0)
    await authenticator.authenticate(named("", TOKENS["Ada"]), HERE)
    await trio.testing.wait_all_tasks_blocked()
    [later] = accounts.tokens(ada)
    assert later.last_used_at - first.last_used_at == timedelta(seconds=RECORD_INTERVAL)


class Paused(Accounts):
    """Answers nobody until it is let."""

    def __init__(self) -> None:
        super().__init__(MemoryDatabase().transactions)
        self.goes_on = threading.Event()
        self.asked = threading.Event()

    def accounts_stamp(self) -> tuple[int, int, datetime | None]:
        self.asked.set()
        assert self.goes_on.wait(HANG)
        return super().accounts_stamp()


async def test_a_database_that_does_not_answer_turns_newcomers_away_in_time(mock_clock):
    accounts = Paused()
    accounts.goes_on.set()
    authenticator = Authenticator(accounts, now=now)
    accounts.goes_on.clear()
    accounts.asked.clear()
    why: list[str] = []

    async def come() -> None:
        why.append(await turned_away(authenticator, named("Bob")))

    with structlog.testing.capture_logs() as logged:
        async with trio.open_nursery() as nursery:
            # Also those for whom no thread is left.
            for _ in range(2 * LOOKUPS):
                nursery.start_soon(come)
            assert await trio.to_thread.run_sync(accounts.asked.wait, HANG)
            await trio.testing.wait_all_tasks_blocked()
            mock_clock.jump(NO_ANSWER)
    accounts.goes_on.set()
    assert why == ["the account database does not answer; retry-after 10"] * 2 * LOOKUPS
    assert {entry["event"] for entry in logged} == {"account lookup failed"}
    assert "the database has not answered for 6 s" in logged[0]["error"]


async def test_a_database_that_refuses_turns_newcomers_away_with_a_reason(
    mock_clock, accounts, authenticator, monkeypatch
):
    def refuse(*_: object) -> None:
        raise StorageError("the disk is full")

    monkeypatch.setattr(accounts, "find_token", refuse)
    with (
        structlog.testing.capture_logs() as logged,
        pytest.raises(AccountsUnavailableError) as caught,
    ):
        await authenticator.authenticate(named("Ada", TOKENS["Ada"]), HERE)
    assert str(caught.value).endswith("retry-after 10")
    assert "disk" not in str(caught.value)  # what is wrong with it is nobody's business but ours
    assert [event["error"] for event in logged] == ["the disk is full"]


class Locked(Accounts):
    """Can be read, and keeps whoever writes waiting until it is let."""

    def __init__(self) -> None:
        super().__init__(MemoryDatabase().transactions)
        self.goes_on = threading.Event()
        self.writes = 0

    def tokens_used(self, used: Mapping[int, datetime]) -> None:
        self.writes += 1
        assert self.goes_on.wait(HANG)
        super().tokens_used(used)


async def test_nobody_waits_until_the_database_can_be_written(mock_clock):
    accounts = Locked()
    people = [accounts.add_player(f"p{number}", "human").id for number in range(3 * LOOKUPS)]
    for person in people:
        accounts.add_token(person, secret_hash(f"token{person}"), "play")
    authenticator = Authenticator(accounts, now=lambda: NOON)
    with trio.fail_after(HANG):
        for person in people:
            await authenticator.authenticate(named("", f"token{person}"), HERE)
        accounts.goes_on.set()
        while not all(accounts.tokens(person)[0].last_used_at for person in people):
            await trio.lowlevel.checkpoint()
    assert accounts.writes == 2  # what gathers meanwhile is written together


# Bans


async def ban(
    authenticator: Authenticator, who: str, *, address: bool = False, seconds: int | None = None
) -> None:
    await authenticator.ban(
        admin_commands.Ban(who, address, seconds, "spam"), "Root", "203.0.113.1"
    )


@pytest.mark.parametrize("name", ["Bob", "BOB"])
async def test_a_banned_name_stays_outside(mock_clock, authenticator, name):
    await ban(authenticator, "bob")
    assert await turned_away(authenticator, named(name)) == "you are banned here: spam"
    assert (await authenticator.authenticate(named("Bobby"), HERE)).name == "Bobby"


async def test_who_is_banned_by_the_handle_of_the_lobby_is_banned_by_name(
    mock_clock, authenticator
):
    await ban(authenticator, "Ada_Lovelace")
    assert "banned" in await turned_away(authenticator, named("Ada Lovelace"))


async def test_a_ban_holds_whatever_other_bans_there_are(mock_clock, authenticator):
    for who in ("Eve", "Ada_Lovelace", "Gus"):
        await ban(authenticator, who)
    assert "banned" in await turned_away(authenticator, named("Ada Lovelace"))


async def test_a_guest_is_banned_by_the_name_that_it_has_here(mock_clock, authenticator):
    await ban(authenticator, "Ada_(guest)")
    assert "banned" in await turned_away(authenticator, named("Ada"))
    assert (await authenticator.authenticate(named("", TOKENS["Ada"]), HERE)).name == "Ada"


async def test_an_account_is_banned_under_whatever_name_it_comes(mock_clock, authenticator):
    await ban(authenticator, "Ada")
    assert "banned" in await turned_away(authenticator, named("Bob", TOKENS["Ada"]))


@pytest.mark.parametrize(
    ("who", "host", "outside"),
    [
        ("192.0.2.7", "192.0.2.7", True),
        ("192.0.2.7", "192.0.2.8", False),
        ("192.0.2.0/24", "192.0.2.8", True),
        ("192.0.2.0/24", "192.0.3.8", False),
        ("2001:db8::/32", "2001:db8::1", True),
        ("192.0.2.0/24", "2001:db8::1", False),
        ("192.0.2.0/24", "", False),
    ],
)
async def test_an_address_or_a_network_is_banned(mock_clock, authenticator, who, host, outside):
    await ban(authenticator, who, address=True)
    if outside:
        assert "banned" in await turned_away(authenticator, named("Bob"), host)
    else:
        assert (await authenticator.authenticate(named("Bob"), host)).name == "Bob"


async def test_a_ban_ends_at_its_time_and_says_when(mock_clock, authenticator):
    await ban(authenticator, "Bob", seconds=60)
    assert "until 2026-11-20 12:01 UTC" in await turned_away(authenticator, named("Bob"))
    mock_clock.jump(60.0)
    assert (await authenticator.authenticate(named("Bob"), HERE)).name == "Bob"


async def test_a_ban_is_kept_with_who_and_why_and_can_be_lifted(
    mock_clock, accounts, authenticator
):
    await ban(authenticator, "Bob")
    [kept] = accounts.bans()
    assert (kept.kind, kept.value, kept.by, kept.why) == ("name", "bob", "Root", "spam")
    assert await authenticator.unban(admin_commands.Unban("BOB", is_address=False))
    assert (await authenticator.authenticate(named("Bob"), HERE)).name == "Bob"
    assert not await authenticator.unban(admin_commands.Unban("Bob", is_address=False))


async def test_without_accounts_there_are_no_bans(mock_clock):
    authenticator = Authenticator(now=now)
    await ban(authenticator, "Bob")
    assert not await authenticator.unban(admin_commands.Unban("Bob", is_address=False))
    authenticator.check_bans(HERE, "Bob")


# Through the hall


async def test_a_wrong_token_is_told_and_cut_off(autojump_clock, server, authenticator):
    async with server(authenticator=authenticator) as h:
        client = h.connect()
        await client.introduce(Id("username", "Ada"), Id("token", "guess"))
        await client.hear_the_end()
        assert "your token is not valid" in client.reports()[-1]


async def welcomed(client: Client) -> str:
    return next(" ".join(m.words) for m in client.heard if getattr(m, "words", None))


@pytest.mark.parametrize("how", ["id token", "bearer"])
async def test_a_token_comes_in_the_introduction_or_in_the_header(
    autojump_clock, server, authenticator, how
):
    async with server(authenticator=authenticator) as h:
        said, bearer = ((Id("token", "ada-token"),), "") if how == "id token" else ((), "ada-token")
        ada = await h.person("somebody", *said, bearer=bearer)
        assert "name Ada account yes" in await welcomed(ada)


async def test_what_is_in_the_introduction_goes_before_the_header(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        client = await h.person("somebody", Id("token", "root-token"), bearer="ada-token")
        assert "name Root account yes" in await welcomed(client)


async def test_who_is_banned_in_mid_game_does_not_come_back_by_the_secret(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        ada, bob = await h.people()
        await ada.be_asked()
        bob.peer.cut("the line is lost")
        await ada.hear_line("game 1 opponent away")
        await ban(authenticator, "Bob")
        again = h.connect()
        await again.introduce(Id("username", "X"), Id("feature", "lobby"), Id("resume", bob.secret))
        await again.hear_the_end()
        assert "you are banned here: spam" in again.reports()[-1]


async def test_a_database_that_refuses_keeps_nobody_from_their_game(
    autojump_clock, server, accounts, authenticator, monkeypatch
):
    def refuse(*_: object) -> None:
        raise StorageError("the disk is full")

    async with server(authenticator=authenticator) as h:
        ada, bob = await h.people()
        await ada.be_asked()
        for name in ("find_token", "accounts_stamp", "bans_stamp"):
            monkeypatch.setattr(accounts, name, refuse)
        ada.peer.cut("the line is lost")
        again = await h.back("Ada", ada.secret)
        await again.get_ready()
        await again.move("e2e4")
        await bob.be_asked()


def test_what_is_kept_of_a_token_is_its_hash(accounts):
    assert accounts.find_token(secret_hash("ada-token")).name == "Ada"
    assert accounts.find_token("ada-token") is None


async def test_a_real_thread_looks_up(mock_clock):
    from ulci_server.storage import MemoryDatabase

    authenticator = Authenticator(MemoryDatabase().accounts, now=now)
    with trio.fail_after(60):
        assert (await authenticator.authenticate(named("Bob"), HERE)).name == "Bob"

"""Who is banned, asked of an index."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.support.effort import instructions
from tests.support.facts import NOON
from ulci_server.hall.login.bans import Bans
from ulci_server.storage import Accounts, Ban, Banned, MemoryDatabase, ban_value

MANY = 100


def ban(number: int, kind: Banned, value: str, until=None) -> Ban:
    return Ban(number, kind, ban_value(kind, value), until, "root", "spam", NOON)


def found(*bans: Ban, host: str = "", names: tuple[str, ...] = ()) -> int | None:
    found = Bans(bans).find(NOON, host, names)
    return None if found is None else found.id


@pytest.mark.parametrize(
    ("value", "host", "banned"),
    [
        ("192.0.2.7", "192.0.2.7", True),
        ("192.0.2.7", "192.0.2.8", False),
        ("192.0.2.7", "::ffff:192.0.2.7", True),
        ("::ffff:192.0.2.7", "192.0.2.7", True),
        ("192.0.2.0/24", "192.0.2.255", True),
        ("0.0.0.0/0", "198.51.100.1", True),
        ("0.0.0.0/0", "2001:db8::1", False),
        ("::/0", "192.0.2.7", False),
        ("2001:db8::/32", "2001:db8:ffff::1", True),
        ("fe80::1", "fe80::1%eth0", True),
        ("fe80::1", "fe80::2%eth0", False),
        ("192.0.2.0/24", "", False),
        ("192.0.2.0/24", "unix", False),
    ],
)
def test_an_address_is_banned_by_itself_or_by_a_network_that_it_is_in(value, host, banned):
    others = (ban(1, "address", "203.0.113.0/24"), ban(2, "name", "x"))
    assert (found(*others, ban(3, "address", value), host=host) == 3) is banned


@pytest.mark.parametrize("kind", ["name", "account"])
def test_a_name_is_banned_in_whatever_letters_and_as_a_word_of_the_lobby(kind):
    ada = ban(1, kind, "Ada_Lovelace")
    for name in ("ada lovelace", "\u0410da_Lovelace", "x"):
        assert (found(ada, names=(name,)) == 1) is (name != "x")


def test_of_several_bans_the_longest_is_told_and_none_that_is_over():
    over, short, long = (
        ban(1, "name", "Eve", NOON),
        ban(2, "name", "Eve", NOON + timedelta(hours=1)),
        ban(3, "address", "192.0.2.7"),
    )
    assert found(over, names=("Eve",)) is None
    assert found(over, short, names=("Eve",)) == 2
    assert found(long, over, short, host="192.0.2.7", names=("Eve",)) == 3


def crowd(number: int) -> Iterator[tuple[Banned, str]]:
    for each in range(0, number, 4):
        high, low = divmod(each, 256)
        yield "address", f"10.0.{high}.{low}"
        yield "address", f"11.{high}.{low}.0/24"
        yield "address", f"2001:db8:{each:x}::/48"
        yield "name", f"Rude {each}"


def test_a_newcomer_costs_the_same_whether_a_few_are_banned_or_many():
    many = Bans(ban(number, *each) for number, each in enumerate(crowd(10_000), 1))
    few = Bans(ban(number, *each) for number, each in enumerate(crowd(8), 1))

    def effort(bans: Bans, host: str) -> int:
        return instructions(lambda: bans.find(NOON, host, ["Ada Lovelace", "Ada"]))

    for host in ("198.51.100.1", "2001:db9::1"):
        effort(few, host)  # what a name looks like is found out once
        assert effort(many, host) <= effort(few, host)
    assert many.find(NOON, "10.0.0.8", []) is not None


class Counting(Accounts):
    """How many bans were read."""

    read = 0

    def bans(self, *, lifted: bool = False, after: int = 0) -> list[Ban]:
        found = super().bans(lifted=lifted, after=after)
        self.read += len(found)
        return found


def test_only_what_changed_is_read_again():
    accounts = Counting(MemoryDatabase().transactions)
    for kind, value in crowd(MANY):
        accounts.add_ban(kind, value, by="root")
    before = Bans().refreshed(accounts)
    assert accounts.read == MANY
    assert before.refreshed(accounts) is before

    eve = accounts.add_ban("name", "Eve", by="root")
    network = accounts.add_ban("address", "192.0.2.0/25", by="root")
    after = before.refreshed(accounts)
    assert accounts.read == MANY + 2
    assert after.find(NOON, "192.0.2.1", ()) == network
    assert before.find(NOON, "192.0.2.1", ()) is None

    accounts.lift_ban(network.id)
    last = after.refreshed(accounts)
    assert accounts.read == MANY + 2
    assert last.find(NOON, "192.0.2.1", ()) is None
    assert last.find(NOON, "", ["Eve"]) == eve
    assert after.find(NOON, "192.0.2.1", ()) == network


def test_a_database_that_was_put_back_is_read_anew():
    first, second = MemoryDatabase().accounts, MemoryDatabase().accounts
    for name in ("Eve", "Gus"):
        first.add_ban("name", name, by="root")
    second.add_ban("name", "Bob", by="root")
    bans = Bans().refreshed(first).refreshed(second)
    assert bans.find(NOON, "", ["Eve"]) is None
    assert bans.find(NOON, "", ["Bob"]) is not None


def test_a_ban_that_is_added_while_the_list_is_read_can_be_lifted():
    class Late(Accounts):
        """Says less in its stamp than is in its list: somebody added a ban between the two."""

        late = False

        def bans_stamp(self) -> tuple[int, int]:
            last, lifted = super().bans_stamp()
            return last - self.late, lifted

        def bans(self, *, lifted: bool = False, after: int = 0) -> list[Ban]:
            found = super().bans(lifted=lifted, after=after)
            return [replace(ban) for ban in found]  # as a database makes them anew

    accounts = Late(MemoryDatabase().transactions)
    accounts.add_ban("address", "203.0.113.7", by="root")
    network = accounts.add_ban("address", "192.0.2.0/25", by="root")
    accounts.late = True
    bans = Bans().refreshed(accounts)
    accounts.late = False
    bans = bans.refreshed(accounts)
    assert bans.find(NOON, "192.0.2.1", ()) == network
    accounts.lift_ban(network.id)
    assert bans.refreshed(accounts).find(NOON, "192.0.2.1", ()) is None

"""Which names are taken by accounts."""

from tests.support.databases import remove_player
from ulci_server.hall.login.reserved_names import ReservedNames
from ulci_server.storage import Accounts, MemoryDatabase


class Counting(Accounts):
    """How many names were read."""

    read = 0

    def account_names(self, *, after: int = 0) -> frozenset[str]:
        names = super().account_names(after=after)
        self.read += len(names)
        return names


def test_only_new_names_are_read_and_all_of_them_when_one_is_free_again() -> None:
    database = MemoryDatabase()
    accounts = Counting(database.transactions)
    players = [accounts.add_player(name, "human") for name in ("Ada", "Bill", "Cy")]
    taken = ReservedNames().refreshed(accounts)
    assert taken.covers("BiIl-2")
    assert not taken.covers("Dora")
    assert taken.refreshed(accounts) is taken
    assert accounts.read == 3

    accounts.add_player("Dora", "human")
    taken = taken.refreshed(accounts)
    assert (taken.covers("D0ra"), taken.covers("Ada")) == (True, True)
    assert accounts.read == 4

    remove_player(database, players[0].id)
    taken = taken.refreshed(accounts)
    assert (taken.covers("Ada"), taken.covers("Cy")) == (False, True)
    remove_player(database, players[1].id)
    accounts.add_player("Eve", "human")
    taken = taken.refreshed(accounts)
    assert (taken.covers("Bill"), taken.covers("Eve")) == (False, True)

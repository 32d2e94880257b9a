"""Which names are taken by accounts."""

from tests.support.databases import remove_player
from ulci_server.hall.login.reserved_names import ReservedNames
from ulci_server.storage import MemoryRepository


class Counting(MemoryRepository):
    """How many names were read."""

    read = 0

    def account_names(self, *, after: int = 0) -> frozenset[str]:
        names = super().account_names(after=after)
        self.read += len(names)
        return names


def test_only_new_names_are_read_and_all_of_them_when_one_is_free_again() -> None:
    repository = Counting()
    players = [repository.add_player(name, "human") for name in ("Ada", "Bill", "Cy")]
    taken = ReservedNames().refreshed(repository)
    assert taken.covers("BiIl-2")
    assert not taken.covers("Dora")
    assert taken.refreshed(repository) is taken
    assert repository.read == 3

    repository.add_player("Dora", "human")
    taken = taken.refreshed(repository)
    assert (taken.covers("D0ra"), taken.covers("Ada")) == (True, True)
    assert repository.read == 4

    remove_player(repository, players[0].id)
    taken = taken.refreshed(repository)
    assert (taken.covers("Ada"), taken.covers("Cy")) == (False, True)
    remove_player(repository, players[1].id)
    repository.add_player("Eve", "human")
    taken = taken.refreshed(repository)
    assert (taken.covers("Bill"), taken.covers("Eve")) == (False, True)

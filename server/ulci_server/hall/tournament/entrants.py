"""The entrants of a tournament, found by who they are."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from ulci_server.lobby import Profile
from ulci_server.storage import EntrantRecord

Identity = tuple[int | None, str, str]
"""An account, an engine of the server, or a name that is given at the tournament's listener."""


class Entrants:
    """Of the tournament with that name in commands. They are asked for with every game that ends on
    the server, so they are found without looking through thousands."""

    def __init__(self, word: str) -> None:
        self._word = word
        self._rows: dict[int, EntrantRecord] = {}
        self._of: dict[Identity, int] = {}
        self._named: dict[str, int] = {}
        self._withdrawals = Counter[int]()  # by entrant: how many are not stored yet
        self.present = 0
        """How many have not left."""

    @property
    def rows(self) -> Mapping[int, EntrantRecord]:
        """By their numbers."""
        return MappingProxyType(self._rows)

    def replace_all(self, rows: Iterable[EntrantRecord]) -> None:
        """These are all that there are."""
        self._rows.clear()
        self._of.clear()
        self._named.clear()
        self.present = 0
        for row in rows:
            self.put(row)

    def put(self, row: EntrantRecord) -> None:
        """A new one, or a change of one."""
        before = self._rows.get(row.number)
        self.present += (row.left is None) - (before is not None and before.left is None)
        self._rows[row.number] = row
        self._of[identity_of(row)] = row.number
        self._named.setdefault(row.name.casefold(), row.number)

    def begin_withdrawal(self, number: int) -> None:
        """The entrant withdraws; the database does not know it yet."""
        self._withdrawals[number] += 1

    def end_withdrawal(self, number: int) -> None:
        """A withdrawal of the entrant is stored, or was not needed: it had left before."""
        self._withdrawals[number] -= 1

    def plays_on(self, row: EntrantRecord) -> bool:
        """Whether that entrant has not left and does not withdraw."""
        return row.left is None and not self._withdrawals[row.number]

    def same(self, row: EntrantRecord) -> EntrantRecord | None:
        """The entrant with the identity of that row, whether it has left or not."""
        number = self._of.get(identity_of(row))
        return None if number is None else self._rows[number]

    def namesake(self, row: EntrantRecord) -> EntrantRecord | None:
        """Another entrant with the name of that row."""
        number = self._named.get(row.name.casefold())
        other = None if number is None else self._rows[number]
        return None if other is None or identity_of(other) == identity_of(row) else other

    def played_by(self, profile: Profile) -> EntrantRecord | None:
        """Whom a client with this profile plays for, unless that one has left."""
        for identity in self._identities(profile):
            row = self._rows.get(self._of.get(identity, 0))
            if row is not None and row.left is None:
                return row
        return None

    def _identities(self, profile: Profile) -> Iterator[Identity]:
        if profile.account is not None and self._word in profile.enters:
            yield profile.account, "", ""
        if profile.of_server:
            yield None, profile.name, ""
        if profile.tournament == self._word:
            yield None, "", profile.name


def identity_of(row: EntrantRecord) -> Identity:
    return row.account, row.engine, row.remote

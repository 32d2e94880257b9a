"""Games are given away: what is left of them is stored first, then the release, then it is told."""

from types import SimpleNamespace

import pytest

from tests.support.facts import played
from tests.support.gradually import Hall as Background
from ulci_server.cluster.releases import Releases
from ulci_server.game import Released


class Hall(Background):
    """Its tables leave one fact each."""

    def leave_game(self, table: SimpleNamespace, at: float):
        self.tables.pop(table.id)
        self.left_at = at
        return [played(table.id, 0, "e2e4")]


class Journal:
    def __init__(self) -> None:
        self.noted: list[object] = []
        self.waiting: list = []
        self.is_durable = True

    def note(self, fact: object) -> None:
        self.noted.append(fact)

    def when_durable(self, tell) -> bool:
        if not self.is_durable:
            self.waiting.append(tell)
        return self.is_durable


class Owner:
    """Of games in their third epoch; those with odd numbers cross servers."""

    def __init__(self) -> None:
        self.releasing: list[int] = []
        self.told: list[tuple[int, int]] = []
        self.begun_again = False

    def epoch(self, _: int) -> int:
        return 3

    def heard_until(self, _: object) -> float:
        return 7.5

    def crosses(self, table: SimpleNamespace) -> bool:
        return table.id % 2 == 1

    def forget(self, table: SimpleNamespace) -> None: ...

    def begin_release(self, game: int) -> None:
        self.releasing.append(game)

    def release(self, game: int, epoch: int) -> None:
        self.told.append((game, epoch))

    def begin_again(self) -> None:
        self.begun_again = True


@pytest.fixture
def server():
    """With three games."""
    hall, journal, owner = Hall(), Journal(), Owner()
    hall.tables = {number: SimpleNamespace(id=number) for number in (1, 2, 3)}
    adopted: list[tuple[int, int]] = []
    games = SimpleNamespace(adopt=lambda table, epoch: adopted.append((table.id, epoch)))
    sent_away: list[bool] = []
    link = SimpleNamespace(send_away=lambda: iter([lambda: sent_away.append(True)]))
    made = {"hall": hall, "journal": journal, "owner": owner}
    releases = Releases(hall, journal, owner, link, games)
    return SimpleNamespace(releases=releases, adopted=adopted, sent_away=sent_away, **made)


async def test_the_release_is_stored_behind_what_is_left_of_the_game(server):
    await server.releases.release([server.hall.tables[2]])
    assert server.journal.noted == [played(2, 0, "e2e4"), Released(2, 3)]
    assert server.owner.told == [(2, 3)]
    assert {*server.hall.tables} == {1, 3}
    assert server.adopted == [(2, 3)]
    assert server.hall.left_at == 7.5


async def test_it_is_told_only_when_it_is_stored(server):
    server.journal.is_durable = False
    await server.releases.release([server.hall.tables[2]])
    assert server.owner.releasing[-1] == 2
    assert server.owner.told == []
    for tell in server.journal.waiting:
        tell()
    assert server.owner.told == [(2, 3)]


async def test_a_game_that_ends_meanwhile_is_not_released(server):
    table = server.hall.tables.pop(2)
    await server.releases.release([table])
    assert (server.journal.noted, server.owner.told) == ([], [])


async def test_a_game_without_a_table_is_given_back_in_its_epoch(server):
    server.releases.give_back(9, 5)
    assert server.journal.noted == [Released(9, 5)]
    assert server.owner.told == [(9, 5)]


async def test_a_server_that_is_cut_off_keeps_the_games_that_are_its_own_alone(server):
    await server.releases.withdraw()
    assert {*server.hall.tables} == {2}
    for piece in server.hall.pieces:
        piece()
    assert server.sent_away == [True]


async def test_a_server_that_was_fenced_stores_and_tells_nothing(server):
    await server.releases.abandon()
    assert server.hall.tables == {}
    assert server.journal.noted == []
    assert server.owner.told == []
    assert server.adopted == [(1, 3), (2, 3), (3, 3)]
    assert server.owner.begun_again

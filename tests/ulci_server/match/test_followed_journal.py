"""Who follows a match's journal sees its moves, and the record has them all the same."""

from tests.support.facts import NOON, analysed, line, played
from ulci_server.match import FollowedJournal
from ulci_server.storage import MemoryDatabase


async def test_moves_are_seen_whole_as_they_are_noted() -> None:
    database = MemoryDatabase()
    journal = FollowedJournal(database, now=lambda: NOON)
    seen: list[object] = []
    journal.played = seen.append
    [start, first] = line(1, "e2e4")
    journal.note(start)
    journal.note(first)
    second = played(1, 1, "e7e5", info=analysed(seldepth=20, hashfull=7))
    journal.save_now(second)
    assert seen == [first, second]
    assert journal.pending == 3


async def test_nobody_need_follow() -> None:
    journal = FollowedJournal(MemoryDatabase(), now=lambda: NOON)
    for fact in line(1, "e2e4"):
        journal.note(fact)
    assert journal.pending == 2

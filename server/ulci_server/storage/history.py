"""Puts facts of games that were read in order."""

from collections import defaultdict, deque
from collections.abc import Iterable

from ulci_server.game import Happened, MovePlayed

from .records import MoveRecord, Noted


def in_order(history: Iterable[Noted]) -> list[Noted]:
    """The facts of one game, by `seq`."""
    return sorted(history, key=_seq)


def _seq(noted: Noted) -> int:
    assert isinstance(noted.fact, MovePlayed | Happened)
    return noted.fact.seq


def by_game(history: Iterable[Noted]) -> dict[int, list[Noted]]:
    """The facts of many games, by game."""
    games: defaultdict[int, list[Noted]] = defaultdict(list)
    for noted in history:
        assert isinstance(noted.fact, MovePlayed | Happened)
        games[noted.fact.game].append(noted)
    return games


def standing(moves: Iterable[MoveRecord], taken_back: Iterable[Noted]) -> list[MoveRecord]:
    """The moves that were not taken back; both arguments in order."""
    later, line = deque(moves), list[MoveRecord]()
    for fact, _ in taken_back:
        assert isinstance(fact, Happened)
        while later and later[0].seq < fact.seq:
            line.append(later.popleft())
        del line[max(0, len(line) - fact.amount) :]
    return [*line, *later]

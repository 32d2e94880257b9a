"""The game as the database has it: what is seen here is safe."""

import time
from collections.abc import Callable, Iterator, Sequence

from ulci_server.storage import GameRecord, MoveRecord, Repository

LOOK = 0.1
"""Seconds between two looks: twice as often as a person notices."""

Scene = tuple[GameRecord, Sequence[MoveRecord]]


def next_game(repository: Repository, after: int, check: Callable[[], None]) -> int:
    """Wait for a game with a higher number than `after`. `check` is called at every look, and
    raises when there is nothing more to wait for."""
    while (number := repository.last_game_id()) <= after:
        check()
        time.sleep(LOOK)
    return number


def played(repository: Repository, number: int, check: Callable[[], None]) -> Iterator[Scene]:
    """The game whenever it has changed, until it is over."""
    seen = -1
    while True:
        (game,) = repository.games(ids=[number])
        moves = repository.moves(number)
        if len(moves) != seen or not game.running:
            seen = len(moves)
            yield game, moves
        if not game.running:
            return
        check()
        time.sleep(LOOK)

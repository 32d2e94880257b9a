"""Does the record agree with itself, as ``ulci-server verify`` finds out?"""

from collections.abc import Iterator

from ulci_server.storage import Repository, each_game
from ulci_server.storage.verify import DisagreementError, verify_game

from .chronicle import Violation


def disagreements(repository: Repository) -> Iterator[Violation]:
    """Of every game in it."""
    for game in each_game(repository):
        try:
            verify_game(repository, game)
        except DisagreementError as error:
            yield Violation("record disagrees", game.id, "", str(error))

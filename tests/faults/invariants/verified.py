"""Does the record agree with itself, as ``ulci-server verify`` finds out?"""

from collections.abc import Iterator

from ulci_server.storage import Database
from ulci_server.storage.verify import DisagreementError, verify_game

from .chronicle import Violation


def disagreements(database: Database) -> Iterator[Violation]:
    """Of every game in it."""
    for game in database.games.each():
        try:
            verify_game(database, game)
        except DisagreementError as error:
            yield Violation("record disagrees", game.id, "", str(error))

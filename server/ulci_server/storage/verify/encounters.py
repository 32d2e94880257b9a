"""Checks which games of a match the games are."""

from ulci_server.storage.database import Database
from ulci_server.storage.errors import DisagreementError


def check_encounters(database: Database) -> None:
    """Check that each game of a match is in the record, and that none has two results. A game that
    was void is played again, under the same number.

    Raises:
        DisagreementError: the record contradicts itself.
        StorageError: it cannot be read.
    """
    if lost := database.tournaments.lost():
        raise DisagreementError(f"game {lost[0]} belongs to a match and is not in the record")
    for tournament in database.tournaments.all():
        counted: dict[int, int] = {}
        for number, game in database.tournaments.games(tournament.id):
            if game.outcome is None or game.outcome.score == "*":
                continue
            if (other := counted.setdefault(number, game.id)) != game.id:
                raise DisagreementError(
                    f"games {other} and {game.id} are both game {number} of match {tournament.id},"
                    " and both have a result"
                )

"""Checks that the games of a tournament are those that were paired."""

from collections.abc import Mapping

from ulci_server.storage.database import Database
from ulci_server.storage.errors import DisagreementError
from ulci_server.storage.records import (
    EncounterRecord,
    EntrantRecord,
    GameRecord,
    PairingRecord,
    StoredTournament,
    TournamentState,
)
from ulci_server.tournament import TournamentFormat, parse_tournament


def check_tournaments(database: Database) -> None:
    """Check for each tournament that no pairing or game is missing, that games were played by those
    who were paired, with their colours, and that all encounters of an opening began alike.

    Raises:
        DisagreementError: the record contradicts itself.
        StorageError: it cannot be read.
    """
    for record in database.tournaments.all():
        if record.word and (stored := database.tournaments.stored(record.id)) is not None:
            games = database.tournaments.games(record.id)
            _check(stored, games)


def _check(stored: StoredTournament, games: list[EncounterRecord]) -> None:
    word = stored.record.word
    entrants = {row.number: row for row in stored.entrants}
    pairings = {row.number: row for row in stored.pairings}
    for number in range(1, len(pairings) + 1):
        if number not in pairings:
            raise DisagreementError(f"pairing {number} of tournament {word} is missing")
    for pairing in pairings.values():
        if pairing.score is not None and not pairing.why:
            raise DisagreementError(
                f"pairing {pairing.number} of tournament {word} counts as {pairing.score}, and"
                " nobody says why"
            )
    begun: dict[int, tuple[str | None, tuple[str, ...]]] = {}
    for number, game in games:
        paired = pairings.get(number)
        if paired is None or paired.black is None:
            raise DisagreementError(
                f"game {game.id} is game {number} of tournament {word}, which paired nobody for it"
            )
        _check_players(word, paired, game, entrants)
        start = game.start, game.opening
        if begun.setdefault(paired.opening, start) != start:
            raise DisagreementError(
                f"game {game.id} of tournament {word} begins otherwise than another game of"
                f" opening {paired.opening}"
            )
    if stored.record.state is TournamentState.FINISHED and not _ends_early(stored):
        _check_complete(word, pairings, games)


def _ends_early(stored: StoredTournament) -> bool:
    """A test is over before all that was paired is played."""
    return parse_tournament(stored.record.settings).format is TournamentFormat.SPRT


def _check_players(
    word: str, pairing: PairingRecord, game: GameRecord, entrants: Mapping[int, EntrantRecord]
) -> None:
    for side, number in (("white", pairing.white), ("black", pairing.black)):
        assert number is not None
        row, seat = entrants[number], game.seats[side == "black"]
        account = game.players[side == "black"]
        if not (row.account or row.engine or row.remote):
            continue  # the account was deleted
        if row.account is not None:
            is_it = account == row.account
        else:
            is_it = seat.name == (row.engine or row.remote)
        if not is_it:
            raise DisagreementError(
                f"game {game.id} of tournament {word} was played by {seat.name} as {side}, and"
                f" {row.name} was paired for it"
            )


def _check_complete(
    word: str, pairings: Mapping[int, PairingRecord], games: list[EncounterRecord]
) -> None:
    scores = {number: game.result for number, game in games}
    for pairing in pairings.values():
        decided = pairing.score or pairing.void or pairing.black is None
        if not decided and scores.get(pairing.number, "*") == "*":
            raise DisagreementError(
                f"tournament {word} is finished, and its game {pairing.number} has no result"
            )

"""What is stored of a tournament, as the pure room has it, and back."""

from ulci_server.storage import (
    EntrantRecord,
    PairingRecord,
    StoredTournament,
    TournamentGame,
    TournamentState,
)
from ulci_server.tournament import Entrant, GameResult, Pairing, Tournament, parse_tournament


def entrant_of(row: EntrantRecord) -> Entrant:
    return Entrant(row.number, row.name, row.rating, row.boards, row.joined, row.left, row.why)


def pairing_of(row: PairingRecord) -> Pairing:
    return Pairing(
        row.number,
        row.round,
        row.white,
        row.black,
        row.opening,
        row.score,
        row.why,
        row.void,
        row.by,
    )


def row_of_pairing(pairing: Pairing) -> PairingRecord:
    return PairingRecord(
        pairing.number,
        pairing.round,
        pairing.white,
        pairing.black,
        pairing.opening,
        pairing.score,
        pairing.why,
        pairing.void,
        pairing.by,
    )


def result_of(game: TournamentGame) -> GameResult:
    """Of a game that is over."""
    return GameResult(game.number, game.score or "*", game.moves, game.reason, game.berserk)


def rebuilt(stored: StoredTournament) -> Tournament:
    """The tournament as it is. Raises `TournamentErrors` if its settings cannot be read here."""
    tournament = Tournament(
        parse_tournament(stored.record.settings),
        stored.record.seed,
        map(entrant_of, stored.entrants),
        map(pairing_of, stored.pairings),
        [result_of(game) for game in stored.games if game.score is not None],
    )
    if stored.record.state in (TournamentState.STOPPED, TournamentState.FINISHED):
        tournament.close()
    return tournament

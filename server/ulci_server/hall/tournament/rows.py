"""What is stored of a tournament, as the pure room has it, and back."""

from ulci_server.storage import EntrantRecord, PairingRecord, TournamentGame
from ulci_server.tournament import Entrant, GameResult, Pairing


def entrant_of(row: EntrantRecord) -> Entrant:
    return Entrant(row.number, row.name, row.rating, row.boards, row.joined, row.left, row.why)


def row_of_entrant(entrant: Entrant, before: EntrantRecord) -> EntrantRecord:
    """The row of the entrant, who is the same account, engine or name as in the row before."""
    return before._replace(
        boards=entrant.boards,
        joined=entrant.joined,
        left=entrant.left,
        rating=entrant.rating,
        why=entrant.why,
    )


def pairing_of(row: PairingRecord) -> Pairing:
    return Pairing(
        row.number, row.round, row.white, row.black, row.opening, row.score, row.why, row.void
    )


def row_of_pairing(pairing: Pairing, by: str = "") -> PairingRecord:
    return PairingRecord(
        pairing.number,
        pairing.round,
        pairing.white,
        pairing.black,
        pairing.opening,
        pairing.score,
        pairing.why,
        pairing.void,
        by,
    )


def result_of(game: TournamentGame) -> GameResult:
    """Of a game that is over."""
    return GameResult(game.number, game.score or "*", game.plies, game.reason)

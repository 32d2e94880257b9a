"""The last position of a game, as a line of EPD or of the game's own notation."""

from collections.abc import Sequence

from ulci.rules import GAMES, Illegal, StartError
from ulci.rules.pgn import ExportError, plain
from ulci.rules.starts import opened
from ulci_server.game import MovePlayed
from ulci_server.storage.records import GameRecord

_FIELDS = 6
"""Of a FEN; EPD has no place for more, as in three-check."""


def final_epd(game: GameRecord, moves: Sequence[MovePlayed]) -> str:
    """The position after the last move: ``… w KQkq - hmvc 2; fmvn 3;``, without a newline. Replays
    the game.

    Raises:
        ExportError: the game has no rules here, or its start or a move contradicts them.
    """
    if (rules := GAMES.get(game.rules)) is None:
        raise ExportError(f"only a referee knows the positions of {plain(game.rules)}")
    try:
        position = opened(rules, game.start, game.opening, claims=True)
    except StartError as error:
        raise ExportError(f"{game.rules} cannot be played from there ({error})") from error
    for move in moves:
        if isinstance(verdict := position.play_untrusted(move.move), Illegal):
            raise ExportError(f"ply {move.ply}, {plain(move.move)}: {verdict.why}")
    return _epd(position.fen())


def _epd(fen: str) -> str:
    """A FEN of six fields as EPD; any other notation as it is."""
    fields = fen.split()
    if len(fields) != _FIELDS:
        return fen
    *board, half_moves, full_moves = fields
    return f"{' '.join(board)} hmvc {half_moves}; fmvn {full_moves};"

"""Names of sides in sentences about chess; those of pieces are `chess.piece_name`."""

import chess


def side(color: chess.Color) -> str:
    """``White`` or ``Black``."""
    return "White" if color else "Black"

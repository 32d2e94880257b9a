"""Names of sides and pieces in sentences about chess."""

import chess


def side(color: chess.Color) -> str:
    """``White`` or ``Black``."""
    return "White" if color else "Black"


def piece(kind: chess.PieceType) -> str:
    """``pawn`` … ``king``."""
    return chess.piece_name(kind)

"""How the sentences about chess speak of sides, pieces and what somebody wrote."""

import chess

QUOTED_MAX = 40  # characters of a stranger's text that a sentence repeats; FEN fields fit


def side(color: chess.Color) -> str:
    """``White`` or ``Black``."""
    return "White" if color else "Black"


def piece(kind: chess.PieceType) -> str:
    """``pawn`` … ``king``."""
    return chess.piece_name(kind)


def count(number: int, noun: str) -> str:
    """``1 king``, ``2 kings``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def quoted(text: str) -> str:
    """What was written, in quotes, printable and short."""
    return ascii(text if len(text) <= QUOTED_MAX else text[: QUOTED_MAX - 1] + "~")

"""Names of sides and pieces in sentences about Liberty Chess."""

from .pieces import kind_of


def side(number: int) -> str:
    """``White`` or ``Black``."""
    return ("White", "Black")[number]


def piece(code: int) -> str:
    """``pawn`` … ``king``."""
    return kind_of(code).name


def article(code: int) -> str:
    """``a pawn`` … ``an elephant``."""
    name = piece(code)
    return f"an {name}" if name[0] in "aeo" else f"a {name}"

"""What differs between the dialects of the UCI family: words, and what there is no word for."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Spelling:
    """The words of one dialect."""

    name: str
    hello: str
    hello_ok: str
    new_game: str
    clock_keys: Mapping[str, str] = field(compare=False)
    """The words for the clocks, in the order they are written, and the fields they stand for."""
    says: frozenset[type]
    """What a client that speaks it may be sent."""
    lacks: frozenset[str] = frozenset()
    """Words of ``go`` that it does not have, and ``bestmove ponder`` if the move stands alone."""
    opaque: bool = False
    """Positions and moves are any words: nothing of them is counted or mended."""
    lobby: bool = False

"""How a game stands, for those who watch it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ulci.protocol.messages import Clock
from ulci.rules import Side


@dataclass(frozen=True, slots=True)
class TableState:
    """A game at this moment, but for its moves. running: the side whose clock runs. presence: of
    each side ``here``, ``away`` or, of a program that is to move, ``hung``. detail: why it is over,
    for people; empty during the game."""

    clocks: Clock
    running: Side | None
    presence: Mapping[str, str]
    detail: str = ""


class LatestMove(NamedTuple):
    """The last move that spectators know; the first of a game is number 1."""

    ply: int
    side: Side
    move: str

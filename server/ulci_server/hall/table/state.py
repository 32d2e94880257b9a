"""How a game stands, for those who watch it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ulci.protocol.messages import Clock, Position
from ulci.rules import Side
from ulci_server.game import Game


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


def state_of(game: Game, at: float, hung: Side | None) -> TableState:
    """A game of this server at `at` (s). hung: the side whose program hangs."""
    presence = {side.word: "here" for side in Side}
    presence |= {side.word: "away" for side in game.absent}
    if hung is not None and game.searching is hung:
        presence[hung.word] = "hung"
    detail = "" if game.ending is None else game.ending.detail
    return TableState(game.clocks(at), game.searching, presence, detail)


def latest_move(game: Game, position: Position | None) -> LatestMove | None:
    """The last move of a position that spectators know; None: there is none."""
    if position is None or not (plies := len(position.moves)):
        return None
    mover = game.mover.other if len(game.moves) == plies else game.mover
    return LatestMove(plies, mover, position.moves[plies - 1])

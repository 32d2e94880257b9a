"""What all PGN has in common: tags above lines of moves, and which number and side a ply has."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from ulci.rules import GAMES, Side, StartError
from ulci.rules.pgn import ExportError, string
from ulci.rules.refereed import RefereedRules
from ulci.rules.starts import movers
from ulci_server.game import GameStarted, MovePlayed

WIDTH = 79
"""PGN 4.3: lines have fewer than 80 characters. Only a comment, which is kept whole, and the tag
with the start of a large board may be longer."""

BOOK = "{book}"
"""The comment of a move of the opening, as match runners write it."""

Move = TypeVar("Move", bound=MovePlayed)


class Ply(NamedTuple, Generic[Move]):
    """A ply in a text. number: of the move, as in ``12.`` and ``12...``. before: the side that made
    the last ply. move: None for a ply of the opening, of which nothing more is recorded."""

    number: int
    side: Side
    before: Side | None
    move: Move | None


def plies(game: GameStarted, moves: Sequence[Move], number: int) -> Iterator[Ply[Move]]:
    """All plies of a game, the first with this number.

    Raises:
        ExportError: the opening contradicts the rules of the game.
    """
    before = None
    for side, move in _movers(game, moves):
        # Where a side moves twice, the second move has a number of its own.
        if before is not None and (side is Side.WHITE or side is before):
            number += 1
        yield Ply(number, side, before, move)
        before = side


def _movers(game: GameStarted, moves: Sequence[Move]) -> Iterator[tuple[Side, Move | None]]:
    if game.opening:
        rules = GAMES.get(game.rules) or RefereedRules(game.rules)
        try:
            sides = movers(rules, game.start, game.opening)
        except StartError as error:
            raise ExportError(str(error)) from error
        for side in sides:
            yield side, None
    for move in moves:
        yield move.side, move


def berserk_comment(berserk: Collection[Side]) -> Iterator[str]:
    """The comment before the first move, if a side went berserk: the clocks tell it nowhere."""
    if berserk:
        yield f"{{ {' and '.join(side.name.title() for side in sorted(berserk))} went berserk }}"


def headed(tags: Iterable[tuple[str, str]], tokens: Iterable[str]) -> str:
    """A game of PGN, without an empty line after it."""
    lines = [f"[{name} {string(value)}]" for name, value in tags]
    return "\n".join([*lines, "", *_filled(tokens)])


def _filled(tokens: Iterable[str]) -> list[str]:
    lines: list[str] = []
    for token in tokens:
        if lines and len(lines[-1]) + 1 + len(token) <= WIDTH:
            lines[-1] += f" {token}"
        else:
            lines.append(token)
    return lines

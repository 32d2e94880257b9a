"""A game as PGN in the form of match runners, for scripts and programs that read theirs.

It differs from `pgn` in tags and comments, and in that Black's moves have no number after White's;
readers of PGN take both.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ulci.rules import Side
from ulci.rules.pgn import (
    NULL_MOVE,
    Movetext,
    Notation,
    Played,
    movetext,
    plain,
    quoted,
    start_tags,
)
from ulci_server.game import MovePlayed
from ulci_server.storage.records import GameRecord

from .layout import BOOK, Ply, berserk_comment, headed, plies
from .runner_comments import Detail, comments
from .runner_tags import Header, first_tags, last_tags
from .runner_words import ended, illegal_move

QuotedLines = Mapping[int, Sequence[str]]
"""Lines that an engine said, by the ply of its move, as in the record."""


@dataclass(frozen=True, slots=True)
class RunnerStyle:
    """How the games of a match are written. minimal: without comments and without the tags that
    say how it was played."""

    notation: Notation = Notation.SAN
    details: frozenset[Detail] = field(default=frozenset())
    minimal: bool = False


def runner_pgn(
    game: GameRecord,
    moves: Sequence[MovePlayed],
    style: RunnerStyle,
    header: Header | None = None,
    lines: QuotedLines | None = None,
    berserk: Collection[Side] = (),
) -> str:
    """The PGN of a game; of a running one, its moves so far. `moves`: of the record, or as they
    were played, with all that their players said. Replays the game.

    Raises:
        ExportError: the start or a move contradicts the rules of the game, or cannot be written.
    """
    reason = None if game.outcome is None else game.outcome.reason
    line = [*game.opening, *(move.move for move in moves)]
    text = movetext(Played(game.rules, game.start, line, reason), style.notation)
    tags = [*first_tags(game, header or Header()), *start_tags(game.rules, text)]
    if not style.minimal:
        tags += last_tags(game, len(line))
    first = () if style.minimal else berserk_comment(berserk)
    return headed(tags, [*first, *_tokens(_Writing(game, moves, text, style, lines or {}))])


@dataclass(frozen=True, slots=True)
class _Writing:
    game: GameRecord
    moves: Sequence[MovePlayed]
    text: Movetext
    style: RunnerStyle
    lines: QuotedLines

    def comment(self, move: MovePlayed | None, symbol: str, ending: str) -> str:
        """With a blank before it; empty if there is none."""
        if self.style.minimal:
            return ""
        if move is None:
            return f" {BOOK}"
        parts = [f"[%move {quoted(move.move)}]"] if symbol == NULL_MOVE else []
        parts += comments(move, self.style.details)
        parts += [f'line="{plain(line)}"' for line in self.lines.get(move.ply, ())]
        parts += [ending] if ending else []
        return f" {{{', '.join(parts).translate(_BRACES)}}}"


_BRACES = str.maketrans("{}", "()")
"""A brace would end the comment."""


def _tokens(what: _Writing) -> Iterator[str]:
    """Each move with its number and comment is one, which no line's end divides."""
    ending = "" if what.game.running else _ending(what.game)
    if ending and not what.moves and not what.style.minimal:
        yield f"{{{ending}}}"
    numbered = plies(what.game, what.moves, what.text.number)
    for ply, symbol in zip(numbered, what.text.moves, strict=True):
        is_last = ply.move is not None and ply.move is what.moves[-1]
        yield _number(ply) + symbol + what.comment(ply.move, symbol, ending if is_last else "")
    yield what.game.result


def _number(ply: Ply[MovePlayed]) -> str:
    """With a blank after it; Black's move after White's has none."""
    if ply.side is Side.WHITE:
        return f"{ply.number}. "
    return "" if ply.before is Side.WHITE else f"{ply.number}... "


def _ending(game: GameRecord) -> str:
    how, illegal = ended(game.outcome, game.detail), illegal_move(game)
    return how if illegal is None else f"{how}: {illegal}"

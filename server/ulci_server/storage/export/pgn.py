"""A game as PGN, with clocks, evaluations and times in the comments of its moves."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from ulci.protocol.messages import Info, Score
from ulci.rules import Side
from ulci.rules.pgn import (
    NULL_MOVE,
    ExportError,
    Movetext,
    Notation,
    Played,
    movetext,
    plain,
    quoted,
    start_tags,
)
from ulci_server.storage.database import Database
from ulci_server.storage.records import GameRecord, MoveRecord

from .layout import BOOK, berserk_comment, headed, plies
from .tags import UNKNOWN, tags

Skipped = Callable[[GameRecord, str], object]

Write = Callable[[GameRecord, Sequence[MoveRecord], Collection[Side]], str]
"""One game as text, with its moves and the sides that went berserk. Raises ExportError."""

LONGEST = 99_999
"""Depths and distances to mate have at most five digits in the comments that programs read."""


def export_texts(
    database: Database, games: Iterable[GameRecord], write: Write, skipped: Skipped
) -> Iterator[str]:
    """The text of each game. One that cannot be written is left out, and `skipped` is called with
    it and the reason."""
    for game in games:
        try:
            yield write(game, database.games.moves(game.id), database.games.berserk(game))
        except ExportError as error:
            skipped(game, str(error))


def pgn(
    game: GameRecord,
    moves: Sequence[MoveRecord],
    berserk: Collection[Side] = (),
    *,
    site: str = UNKNOWN,
    notation: Notation = Notation.SAN,
) -> str:
    """The PGN of a game; of a running one, its moves so far with the result ``*``. `berserk`: the
    sides that play with half the time. `site` is the server's name or address.

    Replays the game: on the largest boards that takes seconds.

    Raises:
        ExportError: the start or a move contradicts the rules of the game, or cannot be written.
    """
    reason = None if game.outcome is None else game.outcome.reason
    line = [*game.opening, *(move.move for move in moves)]
    text = movetext(Played(game.rules, game.start, line, reason), notation)
    head = [*tags(game, len(line), site), *start_tags(game.rules, text)]
    return headed(head, [*berserk_comment(berserk), *_tokens(game, moves, text)])


def _tokens(game: GameRecord, moves: Sequence[MoveRecord], text: Movetext) -> Iterator[str]:
    """Every move has its number, because a comment precedes it (PGN 8.2.2.2)."""
    ending = _ending(game)
    if ending and not moves:
        yield f"{{ {ending} }}"
    for ply, symbol in zip(plies(game, moves, text.number), text.moves, strict=True):
        yield f"{ply.number}." if ply.side is Side.WHITE else f"{ply.number}..."
        yield symbol
        if (move := ply.move) is None:
            yield BOOK
            continue
        comments = [*_comments(move, symbol), *([ending] if ending and move is moves[-1] else [])]
        yield f"{{ {' '.join(comments)} }}"
    yield game.result


def _comments(move: MoveRecord, symbol: str) -> Iterator[str]:
    if symbol == NULL_MOVE:
        yield f"[%move {quoted(move.move)}]"
    if move.left is not None:
        yield f"[%clk {_clock(move.left)}]"
    info = move.info or Info()
    if info.score is not None and (evaluation := _evaluation(info.score, move.side)):
        yield f"[%eval {evaluation}{_depth(info.depth)}]"
    yield f"[%emt {_clock(move.spent)}]"


def _clock(ms: int) -> str:
    seconds, ms = divmod(ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}.{ms:03}"


def _evaluation(score: Score, mover: Side) -> str:
    """From White's point of view, in pawns, or in moves to mate; empty if it cannot be written: a
    bound is no evaluation, and a side that has moved is not mated."""
    sign = 1 if mover is Side.WHITE else -1
    if score.bound is not None:
        return ""
    if score.cp is not None:
        return f"{sign * score.cp / 100:.2f}"
    return f"#{sign * score.mate}" if score.mate and abs(score.mate) <= LONGEST else ""


def _depth(depth: int | None) -> str:
    return "" if depth is None or not 0 <= depth <= LONGEST else f",{depth}"


def _ending(game: GameRecord) -> str:
    if game.outcome is None:
        return ""
    ending = game.outcome.reason.value
    if game.detail:
        ending = f"{ending}: {plain(game.detail)}"
    # A brace would end the comment, and a player's text must not be read as a clock.
    return ending.translate(_BRACES).replace("[%", "[")


_BRACES = str.maketrans("{}", "()")

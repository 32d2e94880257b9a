"""A game as PGN, with clocks, evaluations and times in the comments of its moves."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import chess
import chess.pgn
import chess.variant

from ulci.protocol import Score
from ulci.rules import Side
from ulci_server.storage.records import GameRecord, MoveRecord
from ulci_server.storage.repository import Repository

from .tags import UNKNOWN, plain, tags

Skipped = Callable[[GameRecord, str], object]

LONGEST = 99_999
"""Depths and distances to mate have at most five digits in the comments that programs read."""


class ExportError(ValueError):
    """The game cannot be written as PGN. The text says why."""


def export_pgn(
    repository: Repository,
    games: Iterable[GameRecord],
    skipped: Skipped,
    *,
    site: str = UNKNOWN,
) -> Iterator[str]:
    """One text a game, each with an empty line after it. `site` is the server's name or address.

    A game that PGN cannot say is left out, and `skipped` is called with it and the reason.
    """
    for game in games:
        try:
            text = pgn(game, repository.moves(game.id), site=site)
        except ExportError as error:
            skipped(game, str(error))
        else:
            yield f"{text}\n\n"


def pgn(game: GameRecord, moves: Sequence[MoveRecord], *, site: str = UNKNOWN) -> str:
    """The game so far, if it runs, with the result ``*``.

    Raises:
        ExportError: python-chess does not know its rules, its start or one of its moves.
    """
    board = _board(game)
    written = chess.pgn.Game()
    for name, value in tags(game, len(moves), site):
        written.headers[name] = value
    written.setup(board)
    node: chess.pgn.GameNode = written
    for move in moves:
        node = node.add_variation(_move(board, move, game))
        node.comment = " ".join(_comments(move))
    node.comment = f"{node.comment} {_ending(game)}".strip()
    return str(written.accept(chess.pgn.StringExporter()))


def _board(game: GameRecord) -> chess.Board:
    try:
        if game.rules == "chess960":
            return chess.Board(game.start or chess.STARTING_FEN, chess960=True)
        variant = chess.variant.find_variant(game.rules)
        return variant() if game.start is None else variant(game.start)
    except ValueError as error:
        raise ExportError(
            f"game {game.id}: PGN has no words for {plain(game.rules)} from"
            f" {plain(game.start or 'its usual start')} ({error}); export it as JSON"
        ) from error


def _move(board: chess.Board, move: MoveRecord, game: GameRecord) -> chess.Move:
    try:
        return board.push_uci(move.move)
    except ValueError as error:
        raise ExportError(
            f"game {game.id}: python-chess does not know ply {move.ply}, {plain(move.move)}"
            f" ({error}); export it as JSON"
        ) from error


def _comments(move: MoveRecord) -> Iterator[str]:
    if move.left is not None:
        yield f"[%clk {_clock(move.left)}]"
    if move.score is not None and (evaluation := _evaluation(move.score, move.side)):
        yield f"[%eval {evaluation}{_depth(move.depth)}]"
    yield f"[%emt {_clock(move.spent)}]"


def _clock(ms: int) -> str:
    seconds, ms = divmod(ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}.{ms:03}"


def _evaluation(score: Score, mover: Side) -> str:
    """From White's point of view, in pawns, or in moves to mate; empty if there is no saying so:
    a bound is no evaluation, and who has moved is not mated."""
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
    # A brace would end the comment, and a player's words must not pass for a clock.
    return ending.translate(_BRACES).replace("[%", "[")


_BRACES = str.maketrans("{}", "()")

"""A game as PGN, with clocks, evaluations and times in the comments of its moves."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from ulci.protocol.messages import Info, Score
from ulci.rules import GAMES, Side, StartError
from ulci.rules.pgn import (
    NULL_MOVE,
    ExportError,
    Movetext,
    Played,
    movetext,
    plain,
    quoted,
    start_tags,
    string,
)
from ulci.rules.refereed import RefereedRules
from ulci.rules.starts import movers
from ulci_server.storage.database import Database
from ulci_server.storage.records import GameRecord, MoveRecord

from .tags import UNKNOWN, tags

Skipped = Callable[[GameRecord, str], object]

LONGEST = 99_999
"""Depths and distances to mate have at most five digits in the comments that programs read."""

BOOK = "{book}"
"""The comment of a move of the opening, as match runners write it."""

WIDTH = 79
"""PGN 4.3: lines have fewer than 80 characters. Only a comment, which is kept whole, and the tag
with the start of a large board may be longer."""


def export_pgn(
    database: Database,
    games: Iterable[GameRecord],
    skipped: Skipped,
    *,
    site: str = UNKNOWN,
) -> Iterator[str]:
    """One text a game, each with an empty line after it. `site` is the server's name or address.

    A game that cannot be written is left out, and `skipped` is called with it and the reason.
    """
    for game in games:
        try:
            text = pgn(game, database.games.moves(game.id), site=site)
        except ExportError as error:
            skipped(game, str(error))
        else:
            yield f"{text}\n\n"


def pgn(game: GameRecord, moves: Sequence[MoveRecord], *, site: str = UNKNOWN) -> str:
    """The PGN of a game; of a running one, its moves so far with the result ``*``.

    Replays the game: on the largest boards that takes seconds.

    Raises:
        ExportError: the start or a move contradicts the rules of the game, or cannot be written.
    """
    reason = None if game.outcome is None else game.outcome.reason
    line = [*game.opening, *(move.move for move in moves)]
    text = movetext(Played(game.rules, game.start, line, reason))
    head = [*tags(game, len(line), site), *start_tags(game.rules, text)]
    lines = [f"[{name} {string(value)}]" for name, value in head]
    return "\n".join([*lines, "", *_filled(_tokens(game, moves, text))])


def _tokens(game: GameRecord, moves: Sequence[MoveRecord], text: Movetext) -> Iterator[str]:
    """Every move has its number, because a comment precedes it (PGN 8.2.2.2)."""
    number, before, ending = text.number, None, _ending(game)
    if ending and not moves:
        yield f"{{ {ending} }}"
    for (side, move), symbol in zip(_plies(game, moves), text.moves, strict=True):
        # Where a side moves twice, the second move has a number of its own.
        if before is not None and (side is Side.WHITE or side is before):
            number += 1
        before = side
        yield f"{number}." if side is Side.WHITE else f"{number}..."
        yield symbol
        if move is None:
            yield BOOK
            continue
        comments = [*_comments(move, symbol), *([ending] if ending and move is moves[-1] else [])]
        yield f"{{ {' '.join(comments)} }}"
    yield game.result


def _plies(
    game: GameRecord, moves: Sequence[MoveRecord]
) -> Iterator[tuple[Side, MoveRecord | None]]:
    """Whose each ply is, and what is recorded of it: nothing of those of the opening."""
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


def _filled(tokens: Iterable[str]) -> list[str]:
    lines: list[str] = []
    for token in tokens:
        if lines and len(lines[-1]) + 1 + len(token) <= WIDTH:
            lines[-1] += f" {token}"
        else:
            lines.append(token)
    return lines


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

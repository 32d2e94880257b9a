"""The game on the screen as PGN.

Start and moves are written as the server's own export writes them (`ulci.rules.pgn`).
"""

from collections.abc import Iterator
from datetime import datetime
from textwrap import wrap

from ulci.rules import Side
from ulci.rules.pgn import (
    NULL_MOVE,
    ExportError,
    Movetext,
    Played,
    in_words,
    movetext,
    plain,
    quoted,
    start_tags,
    string,
    termination,
)
from ulci_client.terminal.model.game import Game
from ulci_client.terminal.model.phrases import UNHEARD

# "lines ... containing no more than 80 printing ASCII characters" (PGN standard, 4.3).
COLUMNS = 79

# The comment of a move of an opening, as match runners write it.
BOOK = "{book}"

# The result of an unfinished game (PGN standard, 8.1.1.7).
UNDECIDED = "*"


def pgn(game: Game, site: str, began: datetime) -> str:
    """The game's tags and moves, ending with an empty line. `began`: in UTC."""
    verdict, text = game.verdict, _movetext(game)
    head = [*_tags(game, site, began), *start_tags(game.rules, text), *_ending(game)]
    tags = "".join(f"[{name} {string(value)}]\n" for name, value in head)
    words = [*_moves(game, text), UNDECIDED if verdict is None else verdict.score]
    lines = wrap(" ".join(words), COLUMNS, break_long_words=False, break_on_hyphens=False)
    moves = "\n".join(lines)
    return f"{tags}\n{moves}\n\n"


def _tags(game: Game, site: str, began: datetime) -> Iterator[tuple[str, str]]:
    yield "Event", f"Game {game.id}" if game.id is not None else "?"
    yield "Site", plain(site)
    yield "Date", f"{began.astimezone():%Y.%m.%d}"
    yield "Round", "-"
    for side in Side:
        level = f" level {game.levels[side]}" if game.levels[side] else ""
        yield side.word.capitalize(), f"{plain(game.names[side]) or '?'}{level}"
    yield "Result", UNDECIDED if game.verdict is None else game.verdict.score
    for side in Side:
        if game.ratings[side]:
            yield f"{side.word.capitalize()}Elo", plain(game.ratings[side])
    yield "UTCDate", f"{began:%Y.%m.%d}"
    yield "UTCTime", f"{began:%H:%M:%S}"


def _ending(game: Game) -> Iterator[tuple[str, str]]:
    if game.control:
        yield "TimeControl", plain(game.control)
    yield "Termination", termination(_reason(game))


def _reason(game: Game) -> str | None:
    verdict = game.verdict
    return None if verdict is None or verdict.reason == UNHEARD else verdict.reason


def _movetext(game: Game) -> Movetext:
    played = Played(game.rules, game.start, [ply.move for ply in game.plies], _reason(game))
    try:
        return movetext(played)
    except ExportError:  # the server's rules are newer than ours
        return in_words(played)


def _moves(game: Game, text: Movetext) -> Iterator[str]:
    number, before, numbered = text.number, None, False
    for at, (ply, symbol) in enumerate(zip(game.plies, text.moves, strict=True)):
        white = before is not Side.WHITE if ply.side is None else ply.side is Side.WHITE
        side = Side.WHITE if white else Side.BLACK
        # When a side moves twice, the second move gets a number of its own.
        if before is not None and (white or side is before):
            number, numbered = number + 1, False
        if white:
            yield f"{number}. {symbol}"
        else:
            yield symbol if numbered else f"{number}... {symbol}"
        numbered, before = True, side
        if symbol == NULL_MOVE:
            yield f"{{ [%move {quoted(ply.move)}] }}"
            numbered = False
        if at < game.book:
            yield BOOK
            numbered = False

"""PGN of a game: start, moves, termination, and tag values.

PGN standard: http://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm

* Games that python-chess supports, in its algebraic notation: chess, Chess960 and the variants of
  UCI.
* A Liberty game that is legal chess from start to end, as chess, so that every program can read
  it: standard pieces and rules, no El Vaticano.
* Other games of `ulci.rules` in their own notation, `Position.san`.
* Refereed games with the moves as sent. A word that PGN readers would not accept as a move is
  written as a null move with the word in a comment: ``Z0 { [%move P%5D] }``.
"""

import enum
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

import chess
import chess.pgn
import chess.variant

from ulci.joiners import JOINERS

from .chess import CHESS
from .games import GAMES
from .liberty import LIBERTY_CHESS
from .outcome import Reason
from .position import Illegal, Rules, StartError

NULL_MOVE = "Z0"
"""As in ChessBase and python-chess."""

_SYMBOL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+#=:-]{0,254}", re.ASCII)
"""PGN 7: a symbol token."""

_NO_MOVES = frozenset({"1-0", "0-1", NULL_MOVE})
"""Symbols with another meaning. Digits alone also have one: a move number."""

_UNQUOTED = "!#$&'()*+,-./:;<=>?@^_`|~"
"""Characters that are literal in ``[%move …]``. All others are quoted as in a URL: ``%5D``."""

_REASONS = frozenset[str](Reason)


class ExportError(ValueError):
    """The game has no PGN. The text says why."""


class Notation(enum.StrEnum):
    """How moves are written: ``Nf3``, ``Ng1-f3`` or ``g1f3``. Games that python-chess does not know
    have their own notation for the first, and the moves as sent for the others."""

    SAN = "san"
    LAN = "lan"
    UCI = "uci"


@dataclass(frozen=True, slots=True)
class Movetext:
    """variant: the tag Variant, None for chess. start: the tag FEN, None for the usual start.
    setup: whether the start differs from the variant's usual one. number: of the first move. moves:
    one symbol each."""

    variant: str | None
    start: str | None
    setup: bool
    number: int
    moves: Sequence[str]


@dataclass(frozen=True, slots=True)
class Played:
    """A game: the name of its rules, its start (None: the usual one), its moves as sent, and the
    reason of its end (None: still running)."""

    rules: str
    start: str | None
    moves: Sequence[str]
    reason: str | None


def movetext(game: Played, notation: Notation = Notation.SAN) -> Movetext:
    """Start and moves of the game in PGN. Replays the game.

    Raises:
        ExportError: the start or a move contradicts the rules, or has no PGN.
    """
    rules = GAMES.get(game.rules)
    if rules is None:
        return in_words(game)
    if rules is LIBERTY_CHESS:
        return _as_chess(game, notation) or _in_notation(rules, game, notation)
    if is_chess(game.rules):
        return _by_python_chess(_board(game), game, notation)
    return _in_notation(rules, game, notation)


# Chess and its variants


_SPELL: Mapping[Notation, Callable[[chess.Board, chess.Move], str]] = {
    Notation.SAN: lambda board, move: board.san(move),
    Notation.LAN: lambda board, move: board.lan(move),
    Notation.UCI: lambda board, move: board.uci(move),
}

_BOARDS = {board.uci_variant: board for board in chess.variant.VARIANTS} | {"chess960": chess.Board}


def is_chess(rules: str) -> bool:
    """Whether python-chess, and programs that read its PGN, know the game."""
    return rules in _BOARDS


def _board(game: Played) -> chess.Board:
    kind = _BOARDS[game.rules]
    try:
        return kind(game.start or kind.starting_fen, chess960=game.rules == "chess960")
    except ValueError as error:
        raise _no_start(game, error) from error


def _by_python_chess(board: chess.Board, game: Played, notation: Notation) -> Movetext:
    """The board ends at the position after the last move."""
    spell = _SPELL[notation]
    head = chess.pgn.Game()
    head.setup(board)
    tags, number = head.headers, board.fullmove_number
    symbols = []
    for ply, move in enumerate(game.moves):
        try:
            found = board.parse_uci(move)
        except ValueError as error:
            raise _no_move(game, ply, error) from error
        symbols.append(spell(board, found))
        board.push(found)
    return Movetext(tags.get("Variant"), tags.get("FEN"), "SetUp" in tags, number, symbols)


def _as_chess(game: Played, notation: Notation) -> Movetext | None:
    """The game as standard chess; None if it is not legal chess."""
    try:
        board = CHESS.new(game.start).board()
        text = _by_python_chess(board, game, notation)
    except (StartError, ExportError):
        return None
    # An El Vaticano can end what is mate in chess: then the game did not end as in chess.
    mate = game.reason if game.reason in (Reason.CHECKMATE, Reason.STALEMATE) else None
    return text if _mate(board) == mate else None


def _mate(board: chess.Board) -> Reason | None:
    if any(board.generate_legal_moves()):
        return None
    return Reason.CHECKMATE if board.is_check() else Reason.STALEMATE


# Other games


def _in_notation(rules: Rules, game: Played, notation: Notation) -> Movetext:
    try:
        position = rules.new(game.start, claims=True)
    except StartError as error:
        raise _no_start(game, error) from error
    start = position.fen()
    spell = position.san if notation is Notation.SAN else symbol
    symbols = []
    for ply, move in enumerate(game.moves):
        try:
            symbols.append(spell(move))
        except ValueError as error:
            raise _no_move(game, ply, error) from error
        if isinstance(verdict := position.play_untrusted(move), Illegal):
            raise _no_move(game, ply, verdict.why)
    return Movetext(rules.name, start, True, _number(start), symbols)


def _number(fen: str) -> int:
    """The sixth field of a FEN or an L-FEN; 1 if there are fewer fields."""
    fields = fen.split()
    return int(fields[5]) if len(fields) > 5 else 1


def in_words(game: Played) -> Movetext:
    """A game without rules here, with its moves as sent.

    Raises:
        ExportError: its start has no PGN.
    """
    if game.start is not None and not game.start.isprintable():
        raise _no_start(game, "PGN holds no control characters")
    symbols = [symbol(move) for move in game.moves]
    return Movetext(plain(game.rules), game.start, game.start is not None, 1, symbols)


def start_tags(rules: str, text: Movetext) -> Iterator[tuple[str, str]]:
    """Tags for the game and its start, as names and values. `Rules` is our own tag: the game that
    was played, if it is not chess but written as chess."""
    if text.variant is not None:
        yield "Variant", text.variant
    elif rules != "chess":
        yield "Rules", rules
    if text.start is not None:
        if text.setup:
            yield "SetUp", "1"
        yield "FEN", text.start


def termination(reason: str | None) -> str:
    """The tag Termination; a reason of a newer server is ``normal``."""
    if reason is None:
        return "unterminated"
    return Reason(reason).termination if reason in _REASONS else "normal"


def symbol(word: str) -> str:
    """The word if PGN readers accept it as a move, otherwise a null move."""
    is_move = _SYMBOL.fullmatch(word) and not word.isdigit() and word not in _NO_MOVES
    return word if is_move else NULL_MOVE


def quoted(word: str) -> str:
    """A word encoded for ``[%move …]``: without blanks, brackets and braces."""
    return quote(word, safe=_UNQUOTED, errors="replace")


def unquoted(text: str) -> str:
    """The word that `quoted` encoded."""
    return unquote(text)


def plain(text: str) -> str:
    """One line, without control characters, which PGN cannot hold."""
    text = "".join(letter if letter.isprintable() or letter in JOINERS else " " for letter in text)
    return " ".join(text.split())


def string(value: str) -> str:
    """A value in quotation marks. A quotation mark and a backslash in it follow a backslash (PGN
    7); a reader that does not know this, as python-chess, shows that backslash."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _no_start(game: Played, why: object) -> ExportError:
    start = plain(game.start or "its usual start")
    return ExportError(f"{plain(game.rules)} cannot be played from {start} ({why})")


def _no_move(game: Played, ply: int, why: object) -> ExportError:
    return ExportError(f"ply {ply}, {plain(game.moves[ply])}, is no move of {game.rules} ({why})")

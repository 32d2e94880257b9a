"""Checks the exports: PGN and JSON, read back, must agree with the record."""

import io
import json
from collections.abc import Sequence
from typing import NamedTuple

import chess.pgn

from ulci.rules import GAMES, Side
from ulci_server.game import EventKind, Happened
from ulci_server.storage.database import Database
from ulci_server.storage.errors import DisagreementError
from ulci_server.storage.export import (
    NULL_MOVE,
    ExportError,
    export_json,
    is_chess,
    pgn,
    unquoted,
)
from ulci_server.storage.records import GameRecord, MoveRecord

from .pgn import PgnError, PgnMove, read_pgn


def check_exports(database: Database, game: GameRecord, moves: Sequence[MoveRecord]) -> None:
    """Raises `DisagreementError` if PGN or JSON differ. A refereed game that PGN cannot hold is
    checked in JSON only: its start and moves are arbitrary text."""
    _check_json(database, game, moves)
    try:
        text = pgn(game, moves, database.games.berserk(game))
    except ExportError as error:
        if game.rules in GAMES:
            raise DisagreementError(f"it cannot be written as PGN: {error}") from error
        return
    _check_names(text, game)
    _check_berserk(database, text, game)
    plies = _plies(game, moves)
    if is_chess(game.rules) or "\n[Rules " in text:
        _check_chess(text, game, plies)
    else:
        _check_words(text, game, plies)


class _Ply(NamedTuple):
    """record: None for a move of the opening, of which only the move is known."""

    number: int
    move: str
    record: MoveRecord | None

    @property
    def where(self) -> str:
        return f"ply {self.number}, {self.move}"


def _plies(game: GameRecord, moves: Sequence[MoveRecord]) -> Sequence[_Ply]:
    opening = [_Ply(number, move, None) for number, move in enumerate(game.opening, 1)]
    return [*opening, *(_Ply(move.ply, move.move, move) for move in moves)]


def _check_json(database: Database, game: GameRecord, moves: Sequence[MoveRecord]) -> None:
    (text,) = export_json(database, [game])
    read = json.loads(text)
    said = [(m["ply"], m["move"], m["spent_ms"], m["left_ms"], m["lag_ms"]) for m in read["moves"]]
    if said != [(m.ply, m.move, m.spent, m.left, m.lag) for m in moves]:
        raise DisagreementError("the moves in JSON are not those of the record")
    if read["opening"] != [*game.opening]:
        raise DisagreementError("the opening in JSON is not that of the record")
    if [read[side.word]["level"] for side in Side] != [seat.level for seat in game.seats]:
        raise DisagreementError("the levels in JSON are not those of the record")
    if [read[side.word]["rating"] for side in Side] != [seat.rating for seat in game.seats]:
        raise DisagreementError("the ratings in JSON are not those of the record")
    if (read["id"], read["result"]) != (game.id, game.result):
        raise DisagreementError(f"JSON says that it ended {read['result']}, not {game.result}")


def _check_names(text: str, game: GameRecord) -> None:
    try:
        tags = read_pgn(text).tags
    except PgnError as error:
        raise DisagreementError(f"its PGN cannot be read: {error}") from error
    for side in Side:
        seat, said = game.seats[side], tags.get(side.name.title())
        name = seat.name if seat.level is None else f"{seat.name} level {seat.level}"
        if said != (_one_line(name) or "?"):
            raise DisagreementError(f"PGN says that {side.word} was {said}, and not {name}")
        elo = tags.get(f"{side.name.title()}Elo")
        if elo != (None if seat.rating is None else str(seat.rating)):
            raise DisagreementError(f"PGN says that {side.word} had {elo} Elo, not {seat.rating}")


def _check_berserk(database: Database, text: str, game: GameRecord) -> None:
    if "berserk" not in game.conduct:
        return  # another check refuses it there
    said = read_pgn(text).first.partition(" went berserk")[0]
    for fact, _ in database.games.history(game.id):
        if not isinstance(fact, Happened) or fact.what is not EventKind.BERSERK:
            continue
        if fact.side is None or fact.side.name.title() not in said.split():
            raise DisagreementError(f"PGN does not tell all who went berserk: {said!r}")


_ZERO_WIDTH = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
"""Written in names, though they are not printable by themselves."""


def _one_line(text: str) -> str:
    kept = (one if one.isprintable() or one in _ZERO_WIDTH else " " for one in text)
    return " ".join("".join(kept).split())


def _check_chess(text: str, game: GameRecord, plies: Sequence[_Ply]) -> None:
    """Read it as a program that knows chess and its variants."""
    read = chess.pgn.read_game(io.StringIO(text), Visitor=_Reader)
    if read is None or read.errors:
        raise DisagreementError(f"its PGN cannot be read: {read.errors if read else 'no game'}")
    _check_result(read.headers["Result"], game)
    nodes = [*read.mainline()]
    _check_count(len(nodes), plies)
    board = read.board()
    for ply, node in zip(plies, nodes, strict=True):
        if board.parse_uci(ply.move) != node.move:
            raise DisagreementError(f"{ply.where}: PGN has {node.move.uci()}")
        _check_clock(node.clock(), ply)
        if (node.comment == BOOK) is not (ply.record is None):
            raise DisagreementError(f"{ply.where}: PGN does not tell whether it is of a book")
        board.push(node.move)


BOOK = "book"
"""The comment of a move of the opening."""


class _Reader(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Collects errors instead of logging them."""

    def handle_error(self, error: Exception) -> None:
        self.game.errors.append(error)


def _check_words(text: str, game: GameRecord, plies: Sequence[_Ply]) -> None:
    """Read it as a program that takes the moves for words."""
    try:
        read = read_pgn(text)
    except PgnError as error:
        raise DisagreementError(f"its PGN cannot be read: {error}") from error
    for result in (read.tags.get("Result", ""), read.result):
        _check_result(result, game)
    if read.tags.get("Variant") != _one_line(game.rules):
        raise DisagreementError(f"PGN says that it is a game of {read.tags.get('Variant')}")
    _check_count(len(read.moves), plies)
    start, symbols = _expected(game, plies)
    if read.tags.get("FEN") != start:
        raise DisagreementError(f"PGN lets it begin from {read.tags.get('FEN')}, not {start}")
    for ply, said, symbol in zip(plies, read.moves, symbols, strict=True):
        if symbol != _meant(said):
            raise DisagreementError(f"{ply.where}: PGN has {_meant(said)}")
        _check_side(said, ply)
        _check_clock(_seconds(said), ply)


def _check_side(said: PgnMove, ply: _Ply) -> None:
    is_black = said.number.endswith("...")
    if ply.record is not None and is_black is not (ply.record.side is Side.BLACK):
        raise DisagreementError(f"{ply.where}: PGN has it of the other side")


def _expected(game: GameRecord, plies: Sequence[_Ply]) -> tuple[str | None, list[str]]:
    """The expected start and moves. The PGN is compared with them instead of with all legal moves,
    which would take minutes on the largest boards."""
    rules = GAMES.get(game.rules)
    if rules is None:
        return game.start, [ply.move for ply in plies]
    position, symbols = rules.new(game.start, claims=True), list[str]()
    start = position.fen()
    for ply in plies:
        symbols.append(position.san(ply.move))
        position.play_untrusted(ply.move)
    return start, symbols


def _meant(move: PgnMove) -> str:
    return unquoted(move.said.get("move", "")) if move.symbol == NULL_MOVE else move.symbol


def _seconds(move: PgnMove) -> float | None:
    if (clock := move.said.get("clk")) is None:
        return None
    hours, minutes, seconds = clock.split(":")
    return 3600 * int(hours) + 60 * int(minutes) + float(seconds)


def _check_result(said: str, game: GameRecord) -> None:
    if said != game.result:
        raise DisagreementError(f"PGN says that it ended {said}, not {game.result}")


def _check_count(count: int, plies: Sequence[_Ply]) -> None:
    if count != len(plies):
        raise DisagreementError(f"of {len(plies)} plies PGN has {count}")


def _check_clock(seconds: float | None, ply: _Ply) -> None:
    left = None if ply.record is None else ply.record.left
    if left is not None and (seconds is None or round(seconds * 1000) != left):
        raise DisagreementError(f"{ply.where}: PGN has another clock")
    if ply.record is None and seconds is not None:
        raise DisagreementError(f"{ply.where}: PGN has a clock of what no clock paid for")

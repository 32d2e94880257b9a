"""Does what leaves say the same as what is kept? PGN and JSON, read again."""

import io
import json
from collections.abc import Sequence

import chess.pgn

from ulci_server.storage.export import ExportError, export_json, pgn
from ulci_server.storage.records import GameRecord, MoveRecord
from ulci_server.storage.repository import Repository

from .errors import DisagreementError


def check_exports(repository: Repository, game: GameRecord, moves: Sequence[MoveRecord]) -> None:
    """Raises `DisagreementError` if PGN or JSON say otherwise. A game that PGN has no words for is
    looked at in JSON only."""
    _check_json(repository, game, moves)
    try:
        text = pgn(game, moves)
    except ExportError:
        return
    _check_pgn(text, game, moves)


def _check_json(repository: Repository, game: GameRecord, moves: Sequence[MoveRecord]) -> None:
    (text,) = export_json(repository, [game])
    read = json.loads(text)
    said = [(m["ply"], m["move"], m["spent_ms"], m["left_ms"], m["lag_ms"]) for m in read["moves"]]
    if said != [(m.ply, m.move, m.spent, m.left, m.lag) for m in moves]:
        raise DisagreementError("the moves in JSON are not those of the record")
    if (read["id"], read["result"]) != (game.id, game.result):
        raise DisagreementError(f"JSON says that it ended {read['result']}, not {game.result}")


def _check_pgn(text: str, game: GameRecord, moves: Sequence[MoveRecord]) -> None:
    read = chess.pgn.read_game(io.StringIO(text), Visitor=_Reader)
    if read is None or read.errors:
        raise DisagreementError(f"its PGN cannot be read: {read.errors if read else 'no game'}")
    if read.headers["Result"] != game.result:
        said = read.headers["Result"]
        raise DisagreementError(f"PGN says that it ended {said}, not {game.result}")
    nodes = [*read.mainline()]
    if len(nodes) != len(moves):
        raise DisagreementError(f"of {len(moves)} plies PGN has {len(nodes)}")
    board = read.board()
    for move, node in zip(moves, nodes, strict=True):
        if board.parse_uci(move.move) != node.move:
            raise DisagreementError(f"ply {move.ply}, {move.move}: PGN has {node.move.uci()}")
        if move.left is not None and _ms(node.clock()) != move.left:
            raise DisagreementError(f"ply {move.ply}, {move.move}: PGN has another clock")
        board.push(node.move)


class _Reader(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Keeps what is wrong for us, and doesn't log it."""

    def handle_error(self, error: Exception) -> None:
        self.game.errors.append(error)


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)

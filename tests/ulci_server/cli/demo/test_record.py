"""A record that fits on a terminal and is still PGN."""

import io

import chess.pgn

from tests.support.facts import analysed, finished, line, noted, played
from ulci.rules import Side
from ulci_server.cli.demo.record import without_comments
from ulci_server.storage import MemoryRepository
from ulci_server.storage.export import pgn


def brief(*facts: object) -> str:
    repository = MemoryRepository()
    repository.save(noted(facts))
    return without_comments(pgn(repository.games()[0], repository.moves(1)))


def test_only_the_comments_are_gone() -> None:
    text = brief(
        *line(1, "f2f3 e7e5"), played(1, 2, "g2g4", info=analysed()), played(1, 3, "d8h4"),
        finished(1, Side.BLACK),
    )  # fmt: skip
    assert text.endswith('[PlyCount "4"]\n\n1. f3 e5 2. g4 Qh4# 0-1')


def test_a_game_without_a_move_has_a_result() -> None:
    assert brief(*line(1, ""), finished(1)).endswith('[PlyCount "0"]\n\n1-0')


def test_long_games_are_wrapped_and_can_be_read_back() -> None:
    text = brief(*line(1, "g1f3 g8f6 f3g1 f6g8 " * 30))
    assert max(map(len, text.splitlines())) < 80
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert game.errors == []
    assert game.end().ply() == 120


def test_a_game_in_which_black_begins_keeps_the_number_of_its_first_move() -> None:
    fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 7"
    facts = [*line(1, "", start=fen), played(1, 0, "e8e7", side=Side.BLACK)]
    assert brief(*facts).endswith("7... Ke7 *")

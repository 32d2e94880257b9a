"""PGN that chess programs read back: every move, every clock, every evaluation."""

import io
import random
import re
from collections.abc import Sequence

import chess
import chess.engine
import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.support.facts import (
    ADA,
    BOB,
    analysed,
    finished,
    happened,
    line,
    noted,
    played,
    reported,
    started,
)
from ulci.protocol.messages import Bound, Score
from ulci.rules import GAMES, Reason, Side
from ulci_server.game import EventKind, Fact, Seat
from ulci_server.storage import Database, MemoryDatabase
from ulci_server.storage.export import (
    ExportError,
    RunnerStyle,
    export_texts,
    is_chess,
    pgn,
    runner_pgn,
)

SCHOLAR = "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7"


def written(facts: Sequence[Fact], *, site: str = "?") -> str:
    database = MemoryDatabase()
    database.save(noted(facts))
    return pgn(database.games.find()[0], database.games.moves(1), site=site)


def read(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert game.errors == []
    return game


def comments(game: chess.pgn.Game) -> list[str]:
    return [node.comment for node in game.mainline()]


def test_a_finished_game_looks_as_chess_programs_expect() -> None:
    info = analysed(depth=9, score=Score(mate=2))
    facts = [
        *line(1, SCHOLAR.rsplit(" ", 2)[0], pool="blitz"),
        played(1, 5, "g8f6", info=analysed()),
        played(1, 6, "h5f7", info=info),
        finished(1),
    ]

    assert written(facts, site="ulci.example") == (
        '[Event "blitz"]\n'
        '[Site "ulci.example"]\n'
        '[Date "2026.11.20"]\n'
        '[Round "-"]\n'
        '[White "Ada"]\n'
        '[Black "Bob"]\n'
        '[Result "1-0"]\n'
        '[GameId "1"]\n'
        '[UTCDate "2026.11.20"]\n'
        '[UTCTime "12:00:00"]\n'
        '[WhiteType "human"]\n'
        '[BlackType "program"]\n'
        '[TimeControl "300+3"]\n'
        '[Termination "normal"]\n'
        '[PlyCount "7"]\n'
        "\n"
        "1. e4 { [%clk 0:05:00.000] [%emt 0:00:01.500] } 1... e5\n"
        "{ [%clk 0:04:59.000] [%emt 0:00:01.501] } 2. Qh5\n"
        "{ [%clk 0:04:58.000] [%emt 0:00:01.502] } 2... Nc6\n"
        "{ [%clk 0:04:57.000] [%emt 0:00:01.503] } 3. Bc4\n"
        "{ [%clk 0:04:56.000] [%emt 0:00:01.504] } 3... Nf6\n"
        "{ [%clk 0:04:55.000] [%eval -0.23,12] [%emt 0:00:01.505] } 4. Qxf7#\n"
        "{ [%clk 0:04:54.000] [%eval #2,9] [%emt 0:00:01.506] checkmate } 1-0"
    )


def test_moves_of_an_opening_are_marked_as_match_runners_mark_them_and_have_no_clock() -> None:
    book = tuple(SCHOLAR.split()[:3])
    moves = [played(1, 4, "b8c6", side=Side.BLACK), played(1, 5, "f1c4", side=Side.WHITE)]
    text = written([started(opening=book), *moves])

    assert text.endswith(
        "1. e4 {book} 1... e5 {book} 2. Qh5 {book} 2... Nc6\n"
        "{ [%clk 0:04:56.000] [%emt 0:00:01.504] } 3. Bc4\n"
        "{ [%clk 0:04:55.000] [%emt 0:00:01.505] } *"
    )
    assert '[PlyCount "5"]' in text
    assert comments(read(text))[:3] == ["book"] * 3


def test_an_opening_may_begin_with_black_and_need_no_move_of_the_players() -> None:
    start = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    end = finished(1, None, Reason.ABORTED, "White (Ada) aborted it")
    text = written([started(start=start, opening=("c7c5", "g1f3")), end])

    assert text.endswith("{ aborted: White (Ada) aborted it } 1... c5 {book} 2. Nf3 {book} *")
    read(text)


def test_a_refereed_game_with_an_opening_cannot_be_written() -> None:
    with pytest.raises(ExportError, match="ply 1 of the opening, take, is illegal"):
        written([started(rules="nim", opening=("take",))])


def test_python_chess_reads_clocks_evaluations_and_times_back() -> None:
    info = analysed(score=Score(cp=-150), depth=20)
    move = played(1, 0, "e2e4", left=3_723_045, spent=61_007, info=info)

    node = read(written([started(), move])).next()

    assert node is not None
    assert node.clock() == 3723.045
    assert node.emt() == 61.007
    assert node.eval() == chess.engine.PovScore(chess.engine.Cp(-150), chess.WHITE)
    assert node.eval_depth() == 20


@pytest.mark.parametrize(
    ("score", "ply", "said"),
    [
        (Score(cp=23), 0, "[%eval 0.23,12] "),
        (Score(cp=23), 1, "[%eval -0.23,12] "),
        (Score(cp=-5), 1, "[%eval 0.05,12] "),
        (Score(cp=0), 0, "[%eval 0.00,12] "),
        (Score(mate=3), 0, "[%eval #3,12] "),
        (Score(mate=3), 1, "[%eval #-3,12] "),
        (Score(mate=-3), 1, "[%eval #3,12] "),
        (Score(mate=0), 0, ""),
        (Score(mate=100_000), 0, ""),
        (Score(cp=23, bound=Bound.LOWER), 0, ""),
        (None, 0, ""),
    ],
)
def test_evaluations_are_from_whites_point_of_view(
    score: Score | None, ply: int, said: str
) -> None:
    moves = [played(1, 0, "e2e4"), played(1, 1, "e7e5")]
    moves[ply] = played(1, ply, moves[ply].move, left=1000, info=analysed(score=score))

    assert comments(read(written([started(), *moves])))[ply] == (
        f"[%clk 0:00:01.000] {said}[%emt 0:00:01.50{ply}]"
    )


@pytest.mark.parametrize(
    ("depth", "said"), [(None, "0.23"), (-1, "0.23"), (0, "0.23,0"), (100_000, "0.23")]
)
def test_depths_are_written_where_they_can_be_read(depth: int | None, said: str) -> None:
    facts = [started(), played(1, 0, "e2e4", left=None, info=analysed(depth=depth))]

    assert comments(read(written(facts))) == [f"[%eval {said}] [%emt 0:00:01.500]"]


def test_a_running_game_is_written_so_far() -> None:
    game = read(written(line(1, "e2e4 c7c5")))

    assert game.headers["Result"] == "*"
    assert game.headers["Termination"] == "unterminated"
    assert [move.uci() for move in game.mainline_moves()] == ["e2e4", "c7c5"]
    assert "[%emt" in game.end().comment
    assert not game.end().comment.endswith("*")


@pytest.mark.parametrize(
    ("winner", "reason", "detail", "result", "comment"),
    [
        (Side.BLACK, Reason.TIME, "Ada's flag fell", "0-1", "time: Ada's flag fell"),
        (None, Reason.AGREEMENT, "", "1/2-1/2", "agreement"),
        (None, Reason.ABORTED, "Bob never got ready", "*", "aborted: Bob never got ready"),
        (Side.WHITE, Reason.ILLEGAL_MOVE, "{e9}\n[%clk 1]", "1-0", "illegal-move: (e9) [clk 1]"),
    ],
)
def test_the_end_is_told_in_the_last_comment(
    winner: Side | None, reason: Reason, detail: str, result: str, comment: str
) -> None:
    no_moves = read(written([started(), finished(1, winner, reason, detail)]))
    some_moves = read(written([*line(1, "e2e4"), finished(1, winner, reason, detail)]))

    for game in (no_moves, some_moves):
        assert game.headers["Result"] == result
        assert game.end().comment.endswith(comment)
    assert no_moves.comment == comment


NAMES = ['Ada "the\\cat"', '"', "\\", 'a\\"b', "Ada [White] {x}"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_read_as_it_was_written(name: str) -> None:
    """By PGN 7: a quotation mark and a backslash stand behind a backslash."""
    seats = (Seat(name, "human"), BOB)
    text = written(line(1, "e2e4 e7e5", seats=seats))

    escaped = re.search(r'^\[White "(.*)"\]$', text, re.MULTILINE)
    assert escaped is not None
    assert re.sub(r"\\(.)", r"\1", escaped[1]) == name
    assert [move.uci() for move in read(text).mainline_moves()] == ["e2e4", "e7e5"]


def test_a_game_from_another_start_says_so() -> None:
    start = "8/8/8/8/4k3/8/4P3/4K3 b - - 3 57"
    game = read(written([started(start=start), played(1, 0, "e4e5"), played(1, 1, "e1f1")]))

    assert (game.headers["SetUp"], game.headers["FEN"]) == ("1", start)
    assert [move.uci() for move in game.mainline_moves()] == ["e4e5", "e1f1"]


def test_chess960_castles_as_it_was_played() -> None:
    start = "1r1k2r1/pppppppp/8/8/8/8/PPPPPPPP/1R1K2R1 w GBgb - 0 1"
    game = read(written(line(1, "d1g1 d8b8", rules="chess960", start=start)))

    assert game.headers["Variant"] == "Chess960"
    assert [node.san() for node in game.mainline()] == ["O-O", "O-O-O"]
    assert [move.uci() for move in game.mainline_moves()] == ["d1g1", "d8b8"]


def test_chess960_may_begin_as_usual() -> None:
    game = read(written(line(1, "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1h1", rules="chess960")))

    assert game.headers["Variant"] == "Chess960"
    assert game.end().san() == "O-O"


def test_other_games_that_python_chess_plays_are_written() -> None:
    game = read(written(line(1, "e2e4 d7d5 e4d5 d8d5", rules="atomic")))

    assert game.headers["Variant"] == "Atomic"
    assert game.end().san() == "Qd5"  # both pawns are gone


@settings(deadline=None)
@given(st.sampled_from([*filter(is_chess, GAMES)]), st.randoms(use_true_random=False))
def test_any_game_that_was_played_is_read_back(rules: str, chance: random.Random) -> None:
    start = chance.choice(GAMES[rules].starts)
    position = GAMES[rules].new(start)
    facts: list[Fact] = [started(rules=rules, start=start)]
    while position.outcome() is None and len(position.moves) < chance.randrange(1, 120):
        side, move = position.turn, chance.choice(position.legal_moves())
        position.play_untrusted(move)
        ply = len(facts) - 1
        facts.append(played(1, ply, position.moves[-1], side=side, left=chance.randrange(10**7)))
    outcome = position.outcome()
    if outcome is not None:
        facts.append(finished(1, outcome.winner, outcome.reason))

    game = read(written(facts))

    moves = [fact for fact in facts if hasattr(fact, "spent")]
    board = game.board()
    for node, fact in zip(game.mainline(), moves, strict=True):
        assert node.clock() == pytest.approx(fact.left / 1000)
        assert node.move in board.legal_moves
        board.push(node.move)
    assert board.fen() == type(board)(position.fen(), chess960=rules == "chess960").fen()
    assert game.headers["Result"] == ("*" if outcome is None else outcome.score)


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ([started(rules="liberty", start="lfen")], "liberty cannot be played from lfen .there is"),
        ([started(rules="mnk", start="8")], "mnk cannot be played from 8"),
        ([started(start="8/8")], "chess cannot be played from 8/8"),
        ([started(rules="chess960", start="8/8")], "chess960 cannot be played from 8/8"),
        ([started(rules="ataxx", start="\x1b[2J")], "ataxx cannot .* from .2J .PGN holds no contr"),
        (line(1, "e2e4 e2e4"), "ply 1, e2e4, is no move of chess"),
        (line(1, "e2-e4"), "ply 0, e2-e4, is no move of chess"),
        (line(1, "e2e4 e2e4", rules="liberty"), "ply 1, e2e4, is no move of liberty"),
        (line(1, "a1 b1 a2 b2 a3 b3", rules="tictactoe"), "ply 5, b3, is no move of tictactoe"),
    ],
)
def test_what_contradicts_its_rules_is_refused_with_the_reason(facts: list[Fact], why: str) -> None:
    with pytest.raises(ExportError, match=why):
        written(facts)


def test_who_went_berserk_is_told_before_the_first_move(database: Database) -> None:
    calm = line(1, "e2e4 e7e5", conduct="berserk")
    bold = line(2, "e2e4 e7e5", conduct="berserk")
    went = [happened(2, 3 + side, EventKind.BERSERK, ply=2, side=side, amount=5) for side in Side]
    for game, events in ((calm, []), (bold, went[:1]), (line(3, "e2e4", conduct="berserk"), [])):
        database.save(noted([*game, *events]))
    database.save(noted(went[1:]))
    texts = export_texts(database, database.games.each(), pgn, lambda *_: None)
    games = [read(text) for text in texts]
    assert [game.comment for game in games] == ["", "White and Black went berserk", ""]
    (game,) = database.games.find(ids=[2])
    moves, sides = database.games.moves(2), database.games.berserk(game)
    styles = RunnerStyle(), RunnerStyle(minimal=True)
    runner = [runner_pgn(game, moves, style, berserk=sides) for style in styles]
    assert [read(text).comment for text in runner] == ["White and Black went berserk", ""]


def test_many_games_come_one_by_one_and_what_cannot_be_written_is_reported(
    database: Database,
) -> None:
    facts: list[Fact] = [*line(1, SCHOLAR), finished(1), *line(2, "x1", rules="mnk")]
    database.save(noted([*facts, *line(3, "d2d4"), reported(3, "hm")]))
    skipped: list[tuple[int, str]] = []

    texts = export_texts(
        database, database.games.each(), pgn, lambda game, why: skipped.append((game.id, why))
    )

    first = next(texts)
    assert skipped == []
    stream = io.StringIO("\n\n".join([first, *texts]))
    games = [chess.pgn.read_game(stream) for _ in range(3)]
    assert [game and game.headers["GameId"] for game in games] == ["3", "1", None]
    ((number, why),) = skipped
    assert number == 2
    assert "mnk" in why


def test_an_engine_at_a_level_is_another_player_than_at_full_strength() -> None:
    text = written([started(seats=(ADA, replace(BOB, level=3))), *line(1, "e2e4")[1:]])
    assert (read(text).headers["White"], read(text).headers["Black"]) == ("Ada", "Bob level 3")

"""PGN in the form of match runners: what scripts look for, and what chess programs read back."""

import io
import random
from collections.abc import Sequence
from datetime import timedelta

import chess
import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.facts import BOB, NOON, analysed, finished, line, noted, played, started
from ulci.protocol.messages import Bound, Info, Score
from ulci.rules import GAMES, Reason, Side
from ulci_server.game import Fact, MovePlayed, Seat
from ulci_server.storage import GameRecord, MemoryDatabase
from ulci_server.storage.export import (
    Detail,
    ExportError,
    Header,
    Notation,
    RunnerStyle,
    is_chess,
    runner_pgn,
)

PLAIN = RunnerStyle()
EVERY = RunnerStyle(details=frozenset(Detail))
ENGINES = (Seat("Fish 17", "engine", "the Fish developers"), Seat("Crafty", "engine"))


def record(facts: Sequence[Fact]) -> tuple[GameRecord, Sequence[MovePlayed]]:
    database = MemoryDatabase()
    database.save(noted(facts))
    return database.games.find()[0], database.games.moves(1)


def written(facts: Sequence[Fact], style: RunnerStyle = PLAIN, header: Header | None = None) -> str:
    return runner_pgn(*record(facts), style, header)


def read(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert game.errors == []
    return game


def comment(move: MovePlayed, style: RunnerStyle = PLAIN) -> str:
    game, _ = record([started(), move])
    (node,) = read(runner_pgn(game, [move], style)).mainline()
    return node.comment


def test_a_game_looks_as_scripts_expect() -> None:
    facts = [
        started(opening=("f2f3", "e7e5"), seats=ENGINES, control="0.2+0.01"),
        played(1, 2, "g2g4", side=Side.WHITE, spent=87, info=Info(depth=10, score=Score(cp=49))),
        played(1, 3, "d8h4", side=Side.BLACK, spent=1321, info=Info(depth=25, score=Score(mate=1))),
        finished(1, Side.BLACK, Reason.CHECKMATE),
    ]
    header = Header("SPRT", "my-machine", "7", ("new", "old"))

    assert written(facts, header=header) == (
        '[Event "SPRT"]\n'
        '[Site "my-machine"]\n'
        '[Date "2026.11.20"]\n'
        '[Round "7"]\n'
        '[White "new"]\n'
        '[Black "old"]\n'
        '[Result "0-1"]\n'
        '[GameId "1"]\n'
        '[EngineWhiteName "Fish 17"]\n'
        '[EngineWhiteAuthor "the Fish developers"]\n'
        '[EngineBlackName "Crafty"]\n'
        '[GameDuration "00:00:03"]\n'
        '[GameStartTime "2026-11-20T12:00:00 +0000"]\n'
        '[GameEndTime "2026-11-20T12:00:03 +0000"]\n'
        '[PlyCount "4"]\n'
        '[Termination "normal"]\n'
        '[TimeControl "0.2+0.01"]\n'
        "\n"
        "1. f3 {book} e5 {book} 2. g4 {+0.49/10 0.087s}\n"
        "Qh4# {+M1/25 1.321s, Black mates} 0-1"
    )


def test_without_a_header_the_record_speaks() -> None:
    tags = read(written(line(1, "e2e4", pool="blitz"))).headers
    assert [tags[name] for name in ("Event", "Site", "Round", "White", "Black")] == [
        "blitz",
        "?",
        "-",
        "Ada",
        "Bob",
    ]
    assert "EngineWhiteName" not in tags
    assert (tags["EngineBlackName"], tags["EngineBlackAuthor"]) == (BOB.name, BOB.author)


@pytest.mark.parametrize(
    ("score", "said"),
    [
        (Score(cp=0), "0.00/12"),
        (Score(cp=100), "+1.00/12"),
        (Score(cp=-23), "-0.23/12"),
        (Score(cp=-5, bound=Bound.UPPER), "-0.05/12"),
        (Score(mate=1), "+M1/12"),
        (Score(mate=4), "+M7/12"),
        (Score(mate=-1), "-M2/12"),
        (Score(mate=0), "-M0/12"),
    ],
)
def test_scores_are_the_movers_and_mates_are_counted_in_plies(score: Score, said: str) -> None:
    move = played(1, 0, "e2e4", info=Info(depth=12, score=score))
    assert comment(move) == f"{said} 1.500s"


def test_the_time_is_what_the_clock_paid() -> None:
    assert comment(played(1, 0, "e2e4", spent=100, lag=20, stall=3)) == "0.077s"
    assert comment(played(1, 0, "e2e4", spent=10, lag=20)) == "0.000s"


def test_what_is_not_known_is_left_out() -> None:
    assert comment(played(1, 0, "e2e4", left=None), EVERY) == "1.500s"
    bare = played(1, 0, "e2e4", info=Info(score=Score(cp=1)))
    assert comment(bare) == "+0.01/0 1.500s"


def test_every_detail_has_its_key_and_its_place() -> None:
    info = Info(
        depth=10,
        seldepth=14,
        score=Score(cp=49),
        time=80,
        nodes=20_661,
        nps=258_000,
        hashfull=3,
        tbhits=7,
        pv=("e2e4", "e7e5"),
    )
    move = played(1, 0, "e2e4", spent=87, left=9_923, info=info)
    assert comment(move, EVERY) == (
        "+0.49/10 0.087s, tl=9.923s, latency=0.007s, n=20661, sd=14, nps=258000, hashfull=3,"
        ' tbhits=7, pv="e2e4 e7e5"'
    )
    style = RunnerStyle(details=frozenset({Detail.SELDEPTH, Detail.NODES}))
    assert comment(move, style) == "+0.49/10 0.087s, n=20661, sd=14"


def test_nodes_a_second_are_computed_where_the_program_did_not_say() -> None:
    info = Info(nodes=5000, time=250)
    style = RunnerStyle(details=frozenset({Detail.NPS}))
    assert comment(played(1, 0, "e2e4", info=info), style) == "1.500s, nps=20000"
    assert comment(played(1, 0, "e2e4", info=Info(nodes=5, time=0)), style) == "1.500s"


def test_lines_of_the_analysis_are_quoted_beside_their_move() -> None:
    game, moves = record(line(1, "e2e4 e7e5"))
    text = runner_pgn(game, moves, PLAIN, lines={1: ["info string eval {1}", "info string 2"]})
    assert [node.comment for node in read(text).mainline()] == [
        "1.500s",
        '1.501s, line="info string eval (1)", line="info string 2"',
    ]


def test_a_minimal_game_has_only_its_moves() -> None:
    text = written(
        [*line(1, "e2e4 e7e5", opening=("d2d3", "d7d6")), finished(1, None, Reason.AGREEMENT)],
        RunnerStyle(minimal=True),
    )
    head, _, moves = text.partition("\n\n")
    assert [tag.split()[0] for tag in head.splitlines()] == [
        "[Event",
        "[Site",
        "[Date",
        "[Round",
        "[White",
        "[Black",
        "[Result",
        "[GameId",
    ]
    assert moves == "1. d3 d6 2. e4 e5 1/2-1/2"


ILLEGAL = "Black (Bob) played 'a1a8' in 8/8 w - - 0 1: there is no piece"


@pytest.mark.parametrize(
    ("winner", "reason", "detail", "comment", "termination"),
    [
        (Side.WHITE, Reason.TIME, "the flag of", "Black loses on time", "time forfeit"),
        (
            Side.WHITE,
            Reason.ILLEGAL_MOVE,
            ILLEGAL,
            "Black makes an illegal move: a1a8",
            "illegal move",
        ),
        (Side.BLACK, Reason.ILLEGAL_MOVE, "?", "White makes an illegal move", "illegal move"),
        (Side.BLACK, Reason.DISCONNECT, "gone", "White disconnects", "abandoned"),
        (
            Side.WHITE,
            Reason.ADJUDICATION,
            "its score",
            "White wins by adjudication",
            "adjudication",
        ),
        (None, Reason.ADJUDICATION, "their scores", "Draw by adjudication", "adjudication"),
        (
            None,
            Reason.ADJUDICATION,
            "a draw by adjudication: the tablebases have the position after ply 9 as a draw",
            "Draw by adjudication: SyzygyTB",
            "adjudication",
        ),
        (None, Reason.REPETITION, "", "Draw by 3-fold repetition", "normal"),
        (None, Reason.FIFTY_MOVES, "", "Draw by fifty moves rule", "normal"),
        (None, Reason.MATERIAL, "", "Draw by insufficient mating material", "normal"),
        (None, Reason.STALEMATE, "", "Draw by stalemate", "normal"),
        (None, Reason.SERVER, "it was shut down", "Game interrupted", "unterminated"),
        (None, Reason.ABORTED, "nobody came", "Game interrupted", "unterminated"),
    ],
)
def test_the_end_is_told_in_their_words(
    winner: Side | None, reason: Reason, detail: str, comment: str, termination: str
) -> None:
    end = finished(1, winner, reason, detail)
    game = read(written([*line(1, "e2e4"), end]))
    assert game.end().comment == f"1.500s, {comment}"
    assert game.headers["Termination"] == termination
    assert written([started(), end]).splitlines()[-1] == f"{{{comment}}} {game.headers['Result']}"


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_words(reason: Reason) -> None:
    for score in reason.scores:
        winner = {"1-0": Side.WHITE, "0-1": Side.BLACK}.get(score)
        text = written([*line(1, "e2e4"), finished(1, winner, reason, "x")])
        assert read(text).end().comment.startswith("1.500s, ")


def test_a_running_game_has_no_end() -> None:
    game = read(written(line(1, "e2e4 c7c5")))
    assert game.end().comment == "1.501s"
    assert (game.headers["Result"], game.headers["Termination"]) == ("*", "unterminated")


@pytest.mark.parametrize(
    ("control", "tags"),
    [
        ("40/90+0.5", {"TimeControl": "40/90+0.5"}),
        ("movetime=200", {"TimeControl": "0.2/move"}),
        ("nodes=1000", {"TimeControl": "-"}),
        ("1+0.1|2", {"WhiteTimeControl": "1+0.1", "BlackTimeControl": "2"}),
    ],
)
def test_time_controls_are_spelled_as_theirs(control: str, tags: dict[str, str]) -> None:
    written_tags = read(written([started(control=control)])).headers
    assert {name: written_tags[name] for name in tags} == tags


@pytest.mark.parametrize(
    ("notation", "moves"),
    [
        (Notation.SAN, "1. e4 d5 2. exd5 Nf6 3. Bb5+"),
        (Notation.LAN, "1. e2-e4 d7-d5 2. e4xd5 Ng8-f6 3. Bf1-b5+"),
        (Notation.UCI, "1. e2e4 d7d5 2. e4d5 g8f6 3. f1b5"),
    ],
)
def test_moves_are_written_in_any_notation(notation: Notation, moves: str) -> None:
    style = RunnerStyle(notation, minimal=True)
    text = written(line(1, "e2e4 d7d5 e4d5 g8f6 f1b5"), style)
    assert text.splitlines()[-1] == f"{moves} *"


def test_a_game_from_another_start_with_black_to_move_is_numbered_from_there() -> None:
    start = "8/8/8/8/4k3/8/4P3/4K3 b - - 3 57"
    facts = [
        started(start=start, opening=("e4e5",)),
        played(1, 1, "e1f1", side=Side.WHITE),
        played(1, 2, "e5e4", side=Side.BLACK),
    ]
    text = written(facts)
    assert '[SetUp "1"]\n[FEN "8/8/8/8/4k3/8/4P3/4K3 b - - 3 57"]\n' in text
    assert text.splitlines()[-1] == "57... Ke5 {book} 58. Kf1 {1.501s} Ke4 {1.502s} *"


@pytest.mark.parametrize("notation", Notation)
@settings(deadline=None)
@given(st.sampled_from([*filter(is_chess, GAMES)]), st.randoms(use_true_random=False))
def test_any_game_that_was_played_is_read_back(
    notation: Notation, rules: str, chance: random.Random
) -> None:
    start = chance.choice(GAMES[rules].starts)
    position, facts = GAMES[rules].new(start), list[Fact]()
    while position.outcome() is None and len(position.moves) < chance.randrange(1, 60):
        side, move = position.turn, chance.choice(position.legal_moves())
        position.play_untrusted(move)
        ply = len(facts)
        facts.append(played(1, ply, position.moves[-1], side=side, info=analysed()))
    book = 2 if len(facts) > 2 else 0
    begun = started(rules=rules, start=start, opening=tuple(position.moves[:book]))

    game = read(written([begun, *facts[book:]], RunnerStyle(notation, frozenset(Detail))))

    board = game.board()
    for node, move in zip(game.mainline(), position.moves, strict=True):
        assert node.move == board.parse_uci(move)
        board.push(node.move)
    assert [node.comment == "book" for node in game.mainline()] == [
        ply < book for ply in range(len(position.moves))
    ]


def test_a_word_that_is_no_symbol_is_quoted() -> None:
    text = written([started(rules="ataxx"), played(1, 0, "P]")])
    assert text.splitlines()[-1] == "1. Z0 {[%move P%5D], 1.500s} *"


def test_what_contradicts_its_rules_is_refused_with_the_reason() -> None:
    with pytest.raises(ExportError, match="ply 1, e2e4, is no move of chess"):
        written(line(1, "e2e4 e2e4"))


def test_a_game_of_hours_has_them_in_its_duration() -> None:
    database = MemoryDatabase()
    later = NOON + timedelta(hours=25, minutes=1, seconds=2)
    database.save([*noted(line(1, "e2e4")), *noted([finished(1)], later)])
    text = runner_pgn(database.games.find()[0], database.games.moves(1), PLAIN)
    assert read(text).headers["GameDuration"] == "25:01:02"

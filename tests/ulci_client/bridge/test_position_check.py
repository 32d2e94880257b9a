import random
import re
from contextlib import suppress

import chess
import chess.variant
import pytest

from ulci.protocol.messages import Go, Position
from ulci.rules import GAMES as GAMES_OF_SERVERS
from ulci.rules import StartError
from ulci.rules.refereed import Question, RefereedRules
from ulci_client.bridge.position_check import GAMES, MOST_PLIES, position_fault, search_fault

USUAL = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"

FAULTS = [
    ("chess", "8/8/8/8/8/8/8/8 w - - 0 1", "White has 0 kings"),
    ("chess", "kk6/8/8/8/8/8/8/K7 w - - 0 1", "Black has 2 kings"),
    ("chess", "4k3/8/8/8/8/8/8 w - - 0 1", "eight ranks"),
    ("chess", "4k3/8/8/8/8/8/8/4K3/8 w - - 0 1", "eight ranks"),
    ("chess", "4k4/8/8/8/8/8/8/4K3 w - - 0 1", "eight ranks"),
    ("chess", "4k3/9/8/8/8/8/8/4K3 w - - 0 1", "eight ranks"),
    ("chess", "4k3/0/8/8/8/8/8/4K3 w - - 0 1", "eight ranks"),
    ("chess", "4k2x/8/8/8/8/8/8/4K3 w - - 0 1", "eight ranks"),
    ("chess", "/" * 500, "eight ranks"),
    ("chess", "4k2P/8/8/8/8/8/8/4K3 w - - 0 1", "last rank"),
    ("chess", "4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "last rank"),
    ("chess", "4k3/8/8/8/8/8/8/p3K3 b - - 0 1", "last rank"),
    ("chess", "4k3/8/8/8/8/QQQQQQQQ/QQ6/4K3 b - - 0 1", "pawns could become"),
    ("chess", "4k3/8/8/8/PPPPPPPP/PPPPPPPP/8/4K3 b - - 0 1", "more than 16 men"),
    ("chess", f"{USUAL} x KQkq - 0 1", "w or b"),
    ("chess", USUAL, "fields"),
    ("chess", f"{USUAL} w KQkq - 0 1 2 3", "fields"),
    ("chess", f"{USUAL} w KQkqKQkq - 0 1", "castling rights are none"),
    ("chess", f"{USUAL} w x - 0 1", "castling rights are none"),
    ("chess", "4k3/8/8/8/8/8/8/4K3 w K - 0 1", "right K lacks"),
    ("chess", "4k3/8/8/8/8/8/8/R3K3 w K - 0 1", "right K lacks"),
    ("chess", "r3k3/8/8/8/8/8/8/4K3 w k - 0 1", "right k lacks"),
    ("chess", "4k2r/8/8/8/8/8/8/4K3 w q - 0 1", "right q lacks"),
    ("chess", "4k3/8/8/8/8/8/4K3/7R w K - 0 1", "right K lacks"),
    ("chess", "4k3/8/8/8/8/8/8/R3K3 w H - 0 1", "right H lacks"),
    ("chess", f"{USUAL} w - e9 0 1", "en passant square is none"),
    ("chess", f"{USUAL} w - z3 0 1", "en passant square is none"),
    ("chess", f"{USUAL} w - e6 0 1", "no pawn has passed e6"),
    ("chess", "4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1", "no pawn has passed e3"),
    ("chess", f"{USUAL} w - - -1 1", "counter"),
    ("chess", f"{USUAL} w - - 0 9999999999", "counter"),
    ("chess", "4k3/8/8/8/8/8/8/4R1K1 w - - 0 1", "is in check"),
    ("chess", "4k3/8/8/8/8/8/8/4KR2 b - - 0 1", ""),
    ("chess", "4k3/3P4/8/8/8/8/8/4K3 w - - 0 1", "is in check"),
    ("chess", "4k3/8/3N4/8/8/8/8/4K3 w - - 0 1", "is in check"),
    ("chess", "4k3/8/8/8/Q7/8/8/4K3 w - - 0 1", "is in check"),
    ("chess", "4k3/4K3/8/8/8/8/8/8 w - - 0 1", "is in check"),
    ("chess", "4k3/8/8/8/8/8/3p4/4K3 b - - 0 1", "is in check"),
    ("chess", f"{USUAL} w KQkq - 0 1\nquit", "printable"),
    ("chess", f"{USUAL} w KQkq - 0 1 \x1b[2J", "printable"),
    ("chess", "", "printable"),
    ("chess", "   ", "eight ranks"),
    ("crazyhouse", " ", "eight ranks"),
    ("chess", "x" * 5000, "printable"),
    ("atomic", "4k3/8/8/8/8/8/8/8 w - - 0 1", "White has 0 kings"),
    ("atomic", "8/8/8/8/8/8/4k3/4K3 w - - 0 1", ""),
    ("horde", "4k3/8/8/8/8/8/8/K7 w - - 0 1", "White has 1 kings"),
    ("antichess", "8/8/8/8/8/8/8/K6k w - - 0 1", ""),
    ("antichess", "8/8/8/8/8/8/8/8 w - - 0 1", ""),
    ("horde", "4k3/8/8/8/8/8/QQQQQQQQ/QQQ5 b - - 0 1", ""),
    ("horde", f"4k3/8/{'/'.join(['Q' * 8] * 4)}/QQQQ4/8 w - - 0 1", ""),
    ("horde", f"4k3/8/{'/'.join(['Q' * 8] * 4)}/QQQQQ3/8 w - - 0 1", "White has more than 36 men"),
    ("horde", "4k3/qqqqqqqq/qq6/8/8/8/8/P7 w - - 0 1", "Black has more pieces of a kind"),
    ("crazyhouse", "rnbqkbnr/pppppppp/8/8/8/8/P7/RNBQKBNR[Qpp] w KQkq - 0 1", ""),
    ("crazyhouse", "rnbqkbnr/pppppppp/8/8/8/8/P7/RNBQKBNR/Qpp w KQkq - 0 1", ""),
    ("crazyhouse", f"{USUAL}[] w KQkq - 0 1", ""),
    ("crazyhouse", f"{USUAL}[Q] w KQkq - 0 1", "more than 32 men"),
    ("crazyhouse", "4k3/pppppppp/8/8/R~7/8/PPPPPPP1/4K3[] w - - 0 1", ""),
    ("crazyhouse", "4k3/pppppppp/8/8/R~7/8/PPPPPPP1/4K3[p] w - - 0 1", "more than 16 pawns"),
    ("crazyhouse", "4k3/8/8/8/8/8/8/Q~3K3[] w - - 0 1", ""),
    ("crazyhouse", "QQQQQ1k1/QQQQQ3/8/8/8/8/8/4K3[QQ] b - - 0 1", ""),
    ("crazyhouse", "rrrrrrk1/rrrrrrr1/8/8/8/8/8/4K3[] w - - 0 1", ""),
    ("crazyhouse", f"{USUAL}[{'Q' * 40}] w KQkq - 0 1", "more than 32 men"),
    ("3check", f"{USUAL} w KQkq - 3+3 0 1", ""),
    ("3check", f"{USUAL} w KQkq - 0 1 +0+0", ""),
    ("chess960", "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1", ""),
    ("chess960", "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1", ""),
    ("chess960", "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w Hb - 0 1", "right H lacks"),
    ("chess", f"{USUAL} w", ""),
    ("chess", f"{USUAL} b KQkq -", ""),
]


@pytest.mark.parametrize(("game", "start", "says"), FAULTS)
def test_a_start_that_engines_choke_on_is_told_from_one_that_they_can_play(game, start, says):
    fault = position_fault(Position(start), game)
    assert (says in fault) if says else not fault


BOARDS = {
    "chess": chess.Board,
    "chess960": lambda: chess.Board.from_chess960_pos(random.Random(1).randrange(960)),
    "antichess": chess.variant.AntichessBoard,
    "giveaway": chess.variant.GiveawayBoard,
    "suicide": chess.variant.SuicideBoard,
    "atomic": chess.variant.AtomicBoard,
    "crazyhouse": chess.variant.CrazyhouseBoard,
    "horde": chess.variant.HordeBoard,
    "kingofthehill": chess.variant.KingOfTheHillBoard,
    "racingkings": chess.variant.RacingKingsBoard,
    "3check": chess.variant.ThreeCheckBoard,
}
NAMED_TWICE = {
    "standard", "normal", "orthodox", "fischerandom", "racing-kings", "threecheck", "three-check",
    "king-of-the-hill", "koth", "anti-chess",
}  # fmt: skip


def test_every_game_of_the_table_is_tested():
    assert {*BOARDS} | NAMED_TWICE == {*GAMES}


@pytest.mark.parametrize("game", BOARDS)
def test_every_position_of_a_game_passes(game):
    for seed in range(8):
        chance, board = random.Random(seed), BOARDS[game]()
        start, moves = board.fen(), []
        for _ in range(200):
            legal = [*board.legal_moves]
            if not legal or board.is_variant_end():
                break
            assert position_fault(Position(board.fen()), game) == "", board.fen()
            assert position_fault(Position(board.fen(shredder=True)), game) == "", board.fen()
            moves.append(board.uci(move := chance.choice(legal)))
            board.push(move)
        assert position_fault(Position(start, tuple(moves)), game) == ""
        assert search_fault(Go(searchmoves=tuple(moves[:256])), game) == ""


def _any_start(chance: random.Random, game: str) -> str:
    """Men in disorder, of which White may have most, and mostly of one kind."""
    men = [*"kK", *chance.choices("QRBNP", k=1) * chance.randrange(40)]
    men += chance.choices("qrbnpQRBNP" + "Kk" * (game == "antichess"), k=chance.randrange(12))
    squares = [*men, *" " * (64 - len(men))][:64]
    chance.shuffle(squares)
    if game == "horde":
        squares = [" " if man == "K" else man for man in squares]
    ranks = ("".join(squares[at : at + 8]) for at in range(0, 64, 8))
    place = "/".join(re.sub(" +", lambda blanks: str(len(blanks[0])), rank) for rank in ranks)
    pocket = f"[{'Qp' * chance.randrange(6)}]" if game == "crazyhouse" else ""
    checks = " 3+3" if game == "3check" else ""
    return f"{place}{pocket} {chance.choice('wb')} - -{checks} 0 1"


@pytest.mark.parametrize("game", BOARDS)
def test_every_start_that_a_server_takes_passes(game):
    chance, taken = random.Random(5), 0
    for _ in range(1000):
        with suppress(StartError):
            start = GAMES_OF_SERVERS[game].to_play(_any_start(chance, game)).fen()
            assert position_fault(Position(start), game) == "", start
            taken += 1
    assert taken


@pytest.mark.parametrize(
    "move",
    [
        "",
        "e2",
        "e2e9",
        "e2e4qq",
        "0000",
        "(none)",
        "e2e4\n",
        "é2e4",
        "x" * 9999,
        "Q@e9",
        "quit",
        "%n",
    ],
)
def test_what_is_no_move_of_chess_reaches_no_engine_of_chess(move):
    assert position_fault(Position(None, ("e2e4", move)), "chess")
    assert search_fault(Go(searchmoves=(move,)), "chess")


@pytest.mark.parametrize(
    "move", ["a b", "a ", " a", "", "a\nquit", "x" * 65, "\x1b[2J", "a\u2028b", "a\u00a0b"]
)
def test_what_is_no_word_reaches_no_engine(move):
    for game in (None, "mnk"):
        assert position_fault(Position(None, (move,)), game)
        assert search_fault(Go(searchmoves=(move,)), game)


@pytest.mark.parametrize("move", ["a10b11q", "c5>1", "3a1+", "P@e4", "0000", "ü", "石", "x" * 64])
def test_a_game_whose_moves_are_unknown_here_has_every_move_that_a_referee_may_be_asked(move):
    assert isinstance(RefereedRules("mnk").new().asks_untrusted(move), Question)
    for game in (None, "mnk"):
        assert position_fault(Position("any thing 3", (move,)), game) == ""
        assert search_fault(Go(searchmoves=(move,)), game) == ""


@pytest.mark.parametrize("start", ["x" * 4096, "石 1 ü"])
def test_a_game_whose_starts_are_unknown_here_has_every_start_that_a_referee_may_be_asked(start):
    assert RefereedRules("mnk").new(start).start == start
    for game in (None, "mnk"):
        assert position_fault(Position(start), game) == ""


@pytest.mark.parametrize(("files", "ranks"), [(16, 256), (64, 64), (256, 16)])
def test_the_largest_boards_have_room_with_all_their_men(files, ranks):
    men = "/".join("kqrbnpmc" * (files // 8) for _ in range(ranks))
    start = f"{men} w KQkqAaDd iv16-255 255 4294967295 3,12,12 kmqcaehuriwbznxlop ff"
    for game in (None, "liberty"):
        assert position_fault(Position(start), game) == ""


def test_a_game_is_no_longer_than_any_can_be():
    moves = ("e2e4",) * (MOST_PLIES + 1)
    for game in ("chess", None):
        assert position_fault(Position(None, moves[1:]), game) == ""
        assert "moves" in position_fault(Position(None, moves), game)
    assert "searchmoves" in search_fault(Go(searchmoves=("e2e4",) * 257), "chess")

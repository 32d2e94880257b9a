"""A fault of the rules by which games are played is found in the record of what was played."""

from typing import Any

import chess
import pytest

from tests.support.facts import finished
from tests.support.games import keep, moves
from ulci.rules import Outcome, Reason, Side
from ulci.rules.chess import CHESS, ChessPosition
from ulci.rules.chess.variant_position import VariantPosition
from ulci_server.storage import MemoryDatabase
from ulci_server.storage.verify import DisagreementError, verify_game

W, B = Side
BLOCKED = "8/p7/8/P7/8/8/8/8 w - - 0 1"
MORE_WHITE_MEN = "8/p7/8/P7/6N1/8/8/8 w - - 0 1"
NO_CAPTURE = "4k3/8/8/8/8/8/8/4K3[Pp] w - - 99 90"


def found(
    rules: str,
    text: str,
    winner: Side | None,
    reason: Reason,
    start: str | None,
    detail: str = "",
    *,
    undo_clocks: bool = True,
) -> str:
    """What is found in such a game."""
    database = MemoryDatabase()
    end = finished(1, winner, reason, detail)
    control = "2" if detail else "300+3"
    told: dict[str, Any] = {"rules": rules, "start": start, "control": control}
    keep(database, moves(text), end, **told, undo_clocks=undo_clocks)
    (game,) = database.games.find()
    try:
        verify_game(database, game)
    except DisagreementError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("game", ["antichess", "giveaway", "suicide"])
def test_a_stalemate_that_an_older_server_took_for_a_draw_is_named(game: str) -> None:
    said = found(game, "a5a6", None, Reason.STALEMATE, MORE_WHITE_MEN)

    assert said == (
        "the result 1/2-1/2 (stalemate) after ply 1: the rules ended it by 0-1 (game-rule); a"
        " stalemate is no draw in this game, but servers before this version recorded one"
    )


def test_a_draw_by_fifty_moves_in_crazyhouse_is_named() -> None:
    said = found("crazyhouse", "e1e2", None, Reason.FIFTY_MOVES, NO_CAPTURE)

    assert said == (
        "the result 1/2-1/2 (fifty-moves) after ply 1: the rules neither end the game there nor"
        " let the draw be claimed; this game knows no fifty moves, but servers before this"
        " version ended it after them"
    )


def test_what_is_right_now_is_found_right() -> None:
    assert found("antichess", "a5a6", B, Reason.GAME_RULE, BLOCKED) == ""
    assert found("suicide", "a5a6", None, Reason.GAME_RULE, BLOCKED) == ""
    assert found("chess", "f2f3 e7e5 g2g4 d8h4", B, Reason.CHECKMATE, None) == ""


def test_rules_that_draw_a_lost_game_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The record agrees with the rules by which it was made."""
    drawn = Outcome(None, Reason.GAME_RULE)
    judge = VariantPosition._judge
    monkeypatch.setattr(VariantPosition, "_judge", lambda self: judge(self) and drawn)

    said = found("antichess", "a5a6", None, Reason.GAME_RULE, BLOCKED)

    assert "the rules ended it by 0-1 (game-rule)" in said


def test_rules_that_end_a_game_too_early_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    won = Outcome(W, Reason.CHECKMATE)
    judge = ChessPosition._judge
    monkeypatch.setattr(
        ChessPosition, "_judge", lambda self: judge(self) or (won if self.moves else None)
    )

    said = found("chess", "e2e4", W, Reason.CHECKMATE, None)

    assert "the rules do not end the game there" in said


def test_rules_that_let_an_illegal_move_pass_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    anything = lambda _, text: chess.Move.from_uci(text)  # noqa: E731
    monkeypatch.setattr(VariantPosition, "_find_untrusted", anything)

    said = found("antichess", "a2a5", None, Reason.SERVER, None)

    assert said.startswith("ply 1, a2a5: python-chess finds it illegal: ")


WALL = "4k3/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/4K3 w - - 0 1"


@pytest.mark.parametrize("winner", [None, B])
def test_a_flag_behind_a_closed_wall_is_a_draw_and_once_was_a_loss(winner: Side | None) -> None:
    reason = Reason.TIME if winner else Reason.TIME_INSUFFICIENT
    flag = "the flag of White (Ada) fell at ply 1, after 2.000 s"
    assert found("chess", "", winner, reason, WALL, flag) == ""


def test_a_flag_before_a_wall_with_a_gap_is_no_draw() -> None:
    gap = "4k3/8/1p1p1p2/pPpPpP2/P1P1P3/8/8/4K3 w - - 0 1"
    said = found("chess", "", None, Reason.TIME_INSUFFICIENT, gap)
    assert "black could win: it is no draw" in said


FORCED = "7k/6R1/8/8/8/8/8/K7 b - - 0 1"
"""The only move takes White's last man that could mate."""

FLAG = "the flag of Black (Bob) fell at ply 1, after 2.000 s"


@pytest.mark.parametrize("rules", ["chess", "chess960"])
def test_a_loss_on_time_to_a_side_that_no_line_lets_mate_is_found(rules: str) -> None:
    said = found(rules, "", W, Reason.TIME, FORCED, FLAG)
    assert "white could not win any more: it is a draw" in said
    assert found(rules, "", None, Reason.TIME_INSUFFICIENT, FORCED, FLAG) == ""


def test_a_loss_on_time_where_a_line_mates_is_right() -> None:
    assert found("chess", "", W, Reason.TIME, "7k/8/8/6Q1/8/8/8/K7 b - - 0 1", FLAG) == ""


def test_the_rule_of_an_older_server_lost_such_games_on_time() -> None:
    assert found("chess", "", W, Reason.TIME, FORCED, FLAG, undo_clocks=False) == ""


@pytest.mark.parametrize("man", "QRP")
@pytest.mark.parametrize("square", ["g8", "g7", "h7"])
@pytest.mark.parametrize("king", ["a1", "f6"])
def test_a_loss_on_time_is_found_where_the_server_had_to_see_it(
    man: str, square: str, king: str
) -> None:
    """What a server does not find dead while it plays is no fault."""
    board = chess.Board("7k/8/8/8/8/8/8/8 b - - 0 1")
    board.set_piece_at(chess.parse_square(square), chess.Piece.from_symbol(man))
    board.set_piece_at(chess.parse_square(king), chess.Piece.from_symbol("K"))
    if board.is_valid() and not board.is_game_over():
        said = found("chess", "", W, Reason.TIME, board.fen(), FLAG)
        assert (said == "") is CHESS.new(board.fen()).can_win(W)

"""GUIs that tell positions by a FEN without the moves that led there, or with those since the last
move that cannot be undone: a FEN that is one legal move on from the server's game is that move."""

import random
from collections.abc import Callable
from typing import Any

import chess
import chess.variant
import pytest

from tests.support.guis import gui as engine_of
from tests.support.guis import remote
from tests.support.opponents import Table
from tests.support.servers import hosting
from ulci.protocol.messages import BestMove, Go, Id, Option, OptionType, Resign
from ulci.protocol.messages import Position as ServerPosition
from ulci_client.opponent.settings import VARIANTS
from ulci_client.opponent.uci import UciFace

PLIES = 30
ASKED = Go(60_000, 60_000)


def only_fen(board: chess.Board) -> str:
    return f"position fen {board.fen()}"


def without_counters(board: chess.Board) -> str:
    """As GUIs send it that do not keep them."""
    return f"position fen {' '.join(board.fen().split()[:-2])} 0 1"


def since_the_last_irreversible_move(board: chess.Board) -> str:
    before, moves = board.copy(), []
    while before.move_stack and not before.is_irreversible(before.peek()):
        moves.insert(0, before.pop().uci())
    return f"position fen {before.fen()}" + (f" moves {' '.join(moves)}" if moves else "")


def seated(game: str, board: chess.Board, color: str = "white", **asked: Any) -> Table:
    """The game has begun at the server in this position."""
    gui = Table(UciFace, opponent="Bob", **asked)
    gui.settings.set_untrusted("UCI_Variant", game)
    gui.gui("uci", "ucinewgame", "isready")
    gui.connect()
    gui.lobby("welcome name Ada account no resume s3cret")
    if not asked:
        gui.lobby("match 1 game 1 of 1 player Bob chooser Ada within 180000")
        gui.gui(f"position fen {board.fen()}", "go")
    white, black = ("Ada", "Bob") if color == "white" else ("Bob", "Ada")
    gui.lobby(f"game 1 start white {white} black {black} game {game} time 60+1 rated no")
    gui.take()
    gui.heard()
    return gui


def server_position(gui: Table, start: chess.Board, board: chess.Board) -> None:
    moves = tuple(move.uci() for move in board.move_stack)
    gui.server(ServerPosition(start.fen(), moves))


def board_of(game: str) -> chess.Board:
    if game == "chess960":
        return chess.Board.from_chess960_pos(0)
    return chess.variant.find_variant(game)()


@pytest.mark.parametrize("game", [*VARIANTS, "chess960"])
@pytest.mark.parametrize("said", [only_fen, without_counters, since_the_last_irreversible_move])
def test_whole_games_are_played_by_fens(game: str, said: Callable[[chess.Board], str]):
    chance = random.Random(f"{game} {said.__name__}")
    start = board_of(game)
    board = start.copy()
    gui = seated(game, board, "black")
    for _ in range(PLIES):
        if board.is_variant_end() or not any(board.legal_moves):
            return
        move = chance.choice([*board.legal_moves])
        if board.turn is chess.WHITE:
            board.push(move)
            server_position(gui, start, board)
            gui.server(ASKED)
            assert gui.take() == [f"bestmove {move.uci()}"]
        else:
            board.push(move)
            if board.is_variant_end() or not any(board.legal_moves):
                return
            gui.gui(said(board), "go wtime 1000 btime 1000")
            assert gui.heard() == [f"bestmove {move.uci()}"]
            server_position(gui, start, board)
            assert gui.take() == []


def test_a_fen_of_another_game_gets_no_move_and_the_server_hears_nothing():
    start = chess.Board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
    board = start.copy()
    gui = seated("chess", board)
    board.push_uci("a7a6")
    server_position(gui, start, board)
    gui.server(ASKED)
    assert gui.take() == ["bestmove a7a6"]
    stranger = "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1"
    gui.gui(f"position fen {stranger}", "go")
    told, none = gui.take()
    assert none == "bestmove (none)"
    assert told == (
        "info string the GUI's position is none of the server's game, nor one move ahead of it:"
        f" here {stranger}, server {board.fen()}"
    )
    assert gui.heard() == []


def test_a_fen_two_moves_on_gets_no_move():
    start = chess.Board()
    gui = seated("chess", start, "black")
    board = start.copy()
    board.push_san("e4")
    server_position(gui, start, board)
    gui.server(ASKED)
    gui.take()
    for san in ("e5", "Nf3", "Nc6"):
        board.push_san(san)
    gui.gui(only_fen(board), "go")
    assert gui.take()[-1] == "bestmove (none)"
    assert gui.heard() == []


def test_a_fen_one_move_back_has_the_servers_last_move_for_an_answer():
    start = chess.Board()
    gui = seated("chess", start, "black")
    board = start.copy()
    for san in ("e4", "e5"):
        board.push_san(san)
    asked = only_fen(board)
    board.push_san("Nf3")
    server_position(gui, start, board)
    gui.take()
    gui.gui(asked, "go")
    assert gui.take() == ["bestmove g1f3"]


def test_with_a_known_color_the_first_fen_is_the_first_move():
    start = chess.Board()
    gui = seated("chess", start, color="white")
    server_position(gui, start, start)
    gui.server(ASKED)
    board = start.copy()
    board.push_san("e4")
    gui.gui(without_counters(board), "go")
    assert gui.heard() == ["bestmove e2e4"]


def test_a_finished_game_is_told_from_the_next_one_by_its_position():
    start = chess.Board()
    gui = seated("chess", start, "black")
    board = start.copy()
    for san in ("e4", "e5", "Nf3"):
        board.push_san(san)
    server_position(gui, start, board)
    gui.lobby("game 1 over result 1-0 reason resignation")
    gui.take()
    gui.heard()
    gui.gui(only_fen(board), "go")
    assert gui.take()[-1] == "bestmove (none)"
    assert gui.heard() == []
    other = chess.Board("8/8/4k3/8/8/3QK3/8/8 w - - 0 1")
    gui.gui(only_fen(other), "go")
    assert gui.heard() == ["challenge Bob game chess color later"]


@pytest.mark.system
async def test_at_a_real_server_a_fen_is_the_move_that_leads_there(tmp_path):
    first = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    second = "rnbqkbnr/1ppppppp/p7/8/3PP3/8/PPP2PPP/RNBQKBNR b KQkq - 0 2"
    stranger = "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1"
    with hosting(tmp_path, "60") as server:
        async with remote(server) as bob, engine_of(server, "--opponent", "Bob") as engine:
            variant = Option("UCI_Variant", OptionType.COMBO, "chess", vars=VARIANTS)
            await bob.introduce(Id("username", "Bob"), Id("feature", "lobby"), variant)
            await bob.hear_line("welcome")
            await engine.say("uci", "ucinewgame", "isready")
            await bob.accept()
            await engine.hear("readyok")
            for fen, move in ((first, "a7a6"), (second, "b7b6")):
                await engine.say(f"position fen {fen}", "go wtime 60000 btime 60000")
                if fen is first:
                    await bob.get_ready()
                await bob.be_asked()
                bob.say(BestMove(move))
                assert await engine.hear("bestmove") == f"bestmove {move}"
            await engine.say(f"position fen {stranger}", "go wtime 60000 btime 60000")
            assert await engine.hear("bestmove") == "bestmove (none)"
            bob.say(Resign())
            await bob.hear_line("game 1 over")
        [game] = server.finished(1)
    assert [move["move"] for move in game["moves"]] == ["a7a6", "d2d4", "b7b6"]

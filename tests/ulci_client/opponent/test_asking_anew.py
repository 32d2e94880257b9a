"""What a GUI sets after the server was asked, and before it asks for its first move, counts.

GUIs of today are listened to: fastchess sets its options after the first ``ucinewgame`` and
``isready``, and says both again; python-chess sets the variant just before the first ``position``.
"""

from typing import Any

import chess
import chess.engine
import chess.variant
import pytest
import trio

from tests.support.guis import Remote, UciGui, gui, opponent_command, remote
from tests.support.opponents import Table
from tests.support.servers import PATIENCE, hosting
from ulci.protocol.lobby.lines import GameStart, IncomingChallenge, MatchGame, OpponentState
from ulci.protocol.messages import (
    Accept,
    BestMove,
    Go,
    Id,
    IsReady,
    Lobby,
    Option,
    OptionType,
    ReadyOk,
    Resign,
    Stop,
)
from ulci.protocol.messages import Position as ServerPosition
from ulci_client.opponent.settings import VARIANTS
from ulci_client.opponent.uci import UciFace
from ulci_client.opponent.xboard import XboardFace

WITHDRAWN = ["unseek", "unseek"]
NOTHING_OPEN = "error no-such-seek you have no seek"
USUAL = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

LATE = {
    "Opponent value Eve": "challenge Eve game chess color later",
    "Pool value blitz": "challenge Bob game blitz color later",
    "Time value 10+0.1": "challenge Bob game chess time 10+0.1 color later",
    "Rated value no": "challenge Bob game chess color later rated no",
    "Color value white": "challenge Bob game chess color white",
    "Level value 3": "challenge Bob game chess color later level 3",
    "UCI_Chess960 value true": "challenge Bob game chess960 color later",
    "UCI_Variant value crazyhouse": "challenge Bob game crazyhouse color later",
}
"""Options, and what the server is asked for then."""


def asking(kind: type[UciFace] | type[XboardFace] = UciFace, **asked: Any) -> Table:
    """The GUI's game is open, and the server was asked for Bob."""
    gui = Table(kind, **{"opponent": "Bob", **asked})
    gui.gui("uci", "ucinewgame", "isready")
    gui.connect()
    gui.lobby("welcome name Ada account no resume s3cret", "challenging 1 player Bob")
    gui.heard()
    gui.take()
    return gui


def agreed(**asked: Any) -> Table:
    """Bob has accepted, and the GUI knows that everything is ready."""
    gui = asking(**asked)
    gui.lobby("match 1 game 1 of 1 player Bob chooser Ada within 180000")
    assert gui.take()[-1] == "readyok"
    return gui


def begun(**asked: Any) -> Table:
    """The colours were known, so the game has begun at once. The GUI has asked for no move yet."""
    gui = asking(color="white", **asked)
    gui.begin("white")
    gui.position(go=True)
    assert gui.take()[-1] == "readyok"
    gui.heard()
    return gui


def test_every_option_that_shapes_a_game_is_known_here():
    gui = Table(UciFace)
    gui.gui("uci")
    offered = {line.split()[2] for line in gui.take() if line.startswith("option name")}
    buttons = {"Resign", "OfferDraw", "AcceptDraw", "ClaimWin"}
    identity = {"Server", "TokenFile", "UCI_Opponent"}
    assert offered - buttons - identity == {option.split()[0] for option in LATE}


# As fastchess does


@pytest.mark.parametrize("option", LATE)
def test_an_option_behind_the_first_isready_is_asked_for_at_the_next_one(option):
    gui = agreed()
    gui.gui(f"setoption name {option}", "ucinewgame", "isready")
    assert gui.heard() == WITHDRAWN
    gui.lobby("match 1 over played 0 reason ended", NOTHING_OPEN)
    assert gui.heard() == [LATE[option]]
    assert "readyok" not in gui.take()
    gui.lobby("match 2 game 1 of 1 player Eve chooser Ada within 180000")
    assert gui.take()[-1] == "readyok"


@pytest.mark.parametrize("option", LATE)
def test_without_a_second_new_game_the_option_counts_as_well(option):
    gui = agreed()
    gui.gui(f"setoption name {option}", "isready")
    assert gui.heard() == WITHDRAWN
    gui.lobby("match 1 over played 0 reason ended", NOTHING_OPEN)
    assert gui.heard() == [LATE[option]]


@pytest.mark.parametrize("option", LATE)
def test_a_challenge_that_nobody_has_answered_is_made_anew_and_its_end_is_awaited(option):
    gui = asking()
    gui.gui(f"setoption name {option}", "ucinewgame", "isready")
    assert gui.heard() == WITHDRAWN
    gui.lobby("gone 1")
    assert gui.heard() == []
    gui.lobby(NOTHING_OPEN)
    assert gui.heard() == [LATE[option]]
    gui.pass_time(5)  # nothing of the first one is taken for an answer to the second
    assert gui.heard() == []


@pytest.mark.parametrize("option", LATE)
def test_an_option_after_a_refusal_asks_for_what_may_be_granted(option):
    gui = asking()
    gui.lobby("error cannot-play Bob plays no chess")
    assert gui.take()[-1] == "readyok"
    gui.gui(f"setoption name {option}", "isready")
    assert gui.heard() == [LATE[option]]


def test_the_same_values_once_more_disturb_nobody():
    gui = agreed()
    gui.gui("setoption name Opponent value Bob", "setoption name UCI_Chess960 value false")
    gui.gui("ucinewgame", "isready")
    assert gui.heard() == []
    assert gui.take() == ["readyok"]


def test_a_seek_is_made_anew():
    gui = asking(opponent="")
    gui.lobby("seek 4 player Ada kind engine game chess time 300+3 color later rated yes lag quota")
    gui.gui("setoption name Time value 10+0.1", "ucinewgame", "isready")
    assert gui.heard() == WITHDRAWN
    gui.lobby("gone 4", NOTHING_OPEN)
    assert gui.heard() == ["seek game chess time 10+0.1 color later"]


def test_a_decline_that_crosses_the_withdrawal_is_no_answer_to_what_is_asked_next():
    gui = asking()
    gui.gui("setoption name Opponent value Eve", "isready")
    gui.lobby("declined 1 by Bob", NOTHING_OPEN)
    assert gui.heard()[-1] == "challenge Eve game chess color later"
    gui.lobby(NOTHING_OPEN, "challenging 2 player Eve")  # there was nothing for the first one
    gui.pass_time(5)
    assert gui.heard() == []
    gui.lobby("match 2 game 1 of 1 player Eve chooser Ada within 180000")
    assert gui.take()[-1] == "readyok"


def test_a_withdrawal_that_a_moving_lobby_may_not_have_heard_is_said_again():
    gui = agreed()
    gui.gui("setoption name Opponent value Eve", "isready")
    assert gui.heard() == WITHDRAWN
    gui.lobby("error moving try again in a second")
    gui.pass_time(3)
    assert gui.heard() == WITHDRAWN


def test_a_game_that_began_while_it_was_withdrawn_is_aborted():
    gui = asking(color="white")
    gui.gui("setoption name Time value 10+0.1", "isready")
    assert gui.heard() == WITHDRAWN
    gui.begin("white")
    assert gui.heard() == ["abort"]
    gui.lobby(NOTHING_OPEN, NOTHING_OPEN)
    assert gui.heard() == []
    gui.lobby("game 1 over result * reason aborted")
    gui.gui("position startpos moves e2e4", "go")
    assert gui.heard() == ["challenge Bob game chess time 10+0.1 color white"]


@pytest.mark.parametrize("again", [("ucinewgame", "isready"), ("isready",), ()])
def test_a_game_that_began_before_the_option_is_aborted_and_the_next_one_is_played(again):
    gui = begun()
    gui.gui("setoption name Opponent value Eve", *again)
    gui.gui("position startpos moves e2e4", "go wtime 1000 btime 1000")
    assert gui.heard() == ["abort"]
    told = "info string game 1 is aborted: the GUI has asked for another one"
    assert told in gui.take()
    gui.lobby("game 1 over result * reason aborted")
    [asked] = gui.heard()
    assert asked.startswith("challenge Eve game chess time ")
    gui.lobby("game 2 start white Ada black Eve game chess time 60+1 rated no")
    gui.position(go=True)
    assert gui.heard() == ["bestmove e2e4"]
    gui.position("e2e4", "c7c5", go=True)
    assert gui.take()[-1] == "bestmove c7c5"


def test_a_game_that_may_not_be_aborted_is_resigned():
    gui = asking(color="white")
    gui.lobby("game 1 start white Ada black Bob game chess time 60+1 rated no conduct no-abort")
    assert "info string in this game: no aborting" in gui.take()
    gui.gui("setoption name Opponent value Eve", "isready")
    assert gui.heard()[-1] == "resign"
    assert "info string game 1 is resigned: the GUI has asked for another one" in gui.take()


def test_the_gui_is_told_of_moves_of_a_book_which_it_must_have_made():
    gui = asking(color="white")
    gui.lobby("game 1 start white Ada black Bob game chess time 60+1 rated no book 2")
    told = "info string the game begins with 2 plies of a book, which the GUI must have, too"
    assert told in gui.take()


def test_a_match_whose_first_game_began_before_the_option_is_ended_with_it():
    gui = asking(color="white", games=3)
    gui.lobby("match 1 game 1 of 3 player Bob")
    gui.begin("white")
    gui.heard()
    gui.gui("setoption name Opponent value Eve", "ucinewgame", "isready")
    assert gui.heard() == [*WITHDRAWN, "abort"]
    gui.lobby("match 1 over played 1 reason ended", NOTHING_OPEN)
    gui.lobby("game 1 over result * reason aborted")
    assert gui.heard() == ["challenge Eve game chess color white games 3"]


@pytest.mark.parametrize("resigns", [True, False])
def test_a_second_new_game_before_the_first_move_is_the_same_game(resigns):
    gui = begun(resign_on_quit=resigns)
    gui.gui("ucinewgame", "isready")
    assert gui.take() == ["readyok"]
    assert gui.ended == ""
    gui.gui("position startpos moves e2e4", "go")
    assert gui.heard() == ["bestmove e2e4"]


def test_the_next_game_of_a_match_that_began_before_the_gui_says_so_is_played():
    gui = asking(color="white", games=2)
    gui.lobby("match 1 game 1 of 2 player Bob")
    gui.begin("white")
    gui.gui("position startpos moves e2e4", "go")
    gui.lobby("game 1 over result 1-0 reason resignation", "match 1 game 2 of 2 player Bob")
    gui.lobby("game 2 start white Bob black Ada game chess time 60+1 rated no")
    gui.position("d2d4", go=True)
    gui.take()
    gui.heard()
    gui.gui("ucinewgame", "isready", "position startpos", "go")
    assert gui.take() == ["readyok", "bestmove d2d4"]
    assert gui.ended == ""
    assert gui.heard() == []


def test_an_option_in_the_middle_of_a_game_waits_for_the_next_one():
    gui = begun()
    gui.gui("position startpos moves e2e4", "go")
    gui.gui("setoption name Opponent value Eve", "isready")
    assert gui.heard() == ["bestmove e2e4"]
    gui.lobby("game 1 over result 1-0 reason resignation")
    gui.gui("ucinewgame", "isready")
    assert gui.heard() == ["challenge Eve game chess color white"]


def test_an_option_without_a_game_asks_nobody():
    gui = begun()
    gui.gui("position startpos moves e2e4", "go")
    gui.lobby("game 1 over result 1-0 reason resignation")
    gui.heard()
    gui.gui("setoption name Opponent value Eve", "isready")
    assert gui.heard() == []


@pytest.mark.parametrize(
    "said", ["UCI_Opponent value none none human Eva", "Server value tcp://127.0.0.1:2"]
)
@pytest.mark.parametrize("again", [("ucinewgame", "isready"), ("position startpos", "go")])
def test_who_is_named_otherwise_after_the_server_was_asked_is_introduced_again(said, again):
    gui = agreed()
    gui.gui(f"setoption name {said}", *again)
    assert gui.heard() == WITHDRAWN
    gui.lobby("match 1 over played 0 reason ended", NOTHING_OPEN)
    assert gui.ended == "the GUI has named another player or server"
    gui.cut()
    gui.connect()
    assert not any(line.startswith("id resume") for line in gui.heard())
    gui.lobby("welcome name Eva account no resume s3cr3t")
    [asked] = gui.heard()
    assert asked.startswith("challenge Bob ")


def test_the_name_of_who_plays_may_change_in_a_match_that_goes_on():
    gui = asking(games=2)
    gui.lobby("match 1 game 1 of 2 player Bob chooser Ada within 180000")
    gui.gui("position startpos moves e2e4", "go")
    gui.begin("white")
    gui.lobby("game 1 over result 1-0 reason resignation")
    gui.lobby("match 1 game 2 of 2 player Bob chooser Ada within 180000")
    gui.heard()
    gui.take()
    gui.gui("setoption name UCI_Opponent value none none computer Deep", "ucinewgame", "isready")
    assert gui.heard() == []
    assert gui.take() == ["readyok"]


@pytest.mark.parametrize("variant", ["crazyhouse", "fischerandom"])
def test_a_variant_that_xboard_names_after_its_ping_is_the_one_that_is_played(variant):
    gui = Table(XboardFace, opponent="Bob")
    gui.gui("xboard", "protover 2", "new", "ping 1")
    gui.connect()
    gui.lobby("welcome name Ada account no resume s3cret")
    gui.lobby("match 1 game 1 of 1 player Bob chooser Ada within 180000")
    gui.heard()
    gui.gui(f"variant {variant}", "usermove e2e4")
    assert gui.heard() == WITHDRAWN
    gui.lobby("match 1 over played 0 reason ended", NOTHING_OPEN)
    game = {"fischerandom": "chess960"}.get(variant, variant)
    assert gui.heard() == [f"challenge Bob game {game} color later"]


# As python-chess does


@pytest.mark.parametrize("variant", [*VARIANTS[1:], "chess960"])
def test_a_variant_that_is_set_just_before_the_position_is_the_one_that_is_played(variant):
    gui = agreed()
    option = ("UCI_Chess960", "true") if variant == "chess960" else ("UCI_Variant", variant)
    gui.gui(f"setoption name {option[0]} value {option[1]}", "position startpos", "go")
    assert gui.heard() == WITHDRAWN
    gui.lobby("match 1 over played 0 reason ended", NOTHING_OPEN)
    assert gui.heard() == [f"challenge Bob game {variant} color later"]
    gui.take()
    gui.lobby("match 2 game 1 of 1 player Bob chooser Ada within 180000")
    assert gui.heard()[-1].startswith("color black ")


@pytest.mark.system
async def test_python_chess_plays_every_variant_though_it_names_it_last(tmp_path):
    """One driver, and a game of another variant each time, as in a tournament."""
    boards = [*map(board_of, (*VARIANTS[1:], "chess", "chess960", "chess"))]
    with hosting(tmp_path, "60") as server:
        argv = opponent_command(server, "--opponent", "Bob")

        def play() -> list[str]:
            with chess.engine.SimpleEngine.popen_uci(argv, timeout=PATIENCE) as engine:
                return [one_move(engine, board, number) for number, board in enumerate(boards)]

        async with remote(server) as bob, trio.open_nursery() as nursery:
            await bob.introduce(
                Id("username", "Bob"),
                Id("feature", "lobby"),
                Option("UCI_Chess960", OptionType.CHECK, "false"),
                Option("UCI_Variant", OptionType.COMBO, "chess", vars=VARIANTS),
            )
            await bob.hear_line("welcome")
            played: list[tuple[str, str]] = []
            nursery.start_soon(move_and_resign, bob, played)
            answers = await trio.to_thread.run_sync(play)
            nursery.cancel_scope.cancel()
    assert answers == [move for _, move in played]
    assert [game for game, _ in played] == [name_of(board) for board in boards]


def board_of(game: str) -> chess.Board:
    """The usual start, by python-chess; of Chess960 one in which every castling differs."""
    if game == "chess960":
        return chess.Board.from_chess960_pos(0)
    return chess.variant.find_variant(game)()


def name_of(board: chess.Board) -> str:
    return "chess960" if board.chess960 else type(board).uci_variant or ""


def one_move(engine: chess.engine.SimpleEngine, board: chess.Board, number: int) -> str:
    limit = chess.engine.Limit(white_clock=60, black_clock=60)
    played = engine.play(board, limit, game=number)
    return "(none)" if played.move is None else board.uci(played.move)


async def move_and_resign(bob: Remote, played: list[tuple[str, str]]) -> None:
    """Accept everything, and resign after one move. `played`: the games, and that move."""
    game, position, asked = "", ServerPosition(None, ()), 0
    while (heard := await bob.peer.receive()) is not None:
        match heard.message:
            case Lobby(line=IncomingChallenge(id=asked)):
                bob.say(Accept(asked))
            case Lobby(line=MatchGame()):
                asked = 0
            case Lobby(line=GameStart(game=game)):
                pass
            case ServerPosition() as position:
                pass
            case IsReady():
                bob.say(ReadyOk())
                if asked:  # while the last game was not over
                    bob.say(Accept(asked))
            case Go():
                board = board_of(game)
                if position.start is not None:
                    board.set_fen(position.start)
                move = next(iter(board.legal_moves)).uci()
                played.append((game, move))
                bob.say(BestMove(move), Resign())


@pytest.mark.system
async def test_a_gui_that_leaves_its_game_for_another_one_waits_for_no_line(tmp_path):
    with hosting(tmp_path, "60") as server:
        async with (
            remote(server) as bob,
            gui(server, "--opponent", "Bob") as engine,
            trio.open_nursery() as nursery,
        ):
            await bob.join()
            nursery.start_soon(be_left, bob)
            face = UciGui(engine)
            await face.start()
            await face.ready()
            await face.ask("e2e4")
            await engine.hear("info string game 1: ")
            await face.new_game()
            await face.ready()
            nursery.cancel_scope.cancel()
        assert any(line.startswith("info string game 1 is left") for line in engine.heard)
        assert not [line for line in engine.heard if "trying again" in line]


async def be_left(bob: Remote) -> None:
    """Accept everything, never move, and resign when the other has left."""
    while (heard := await bob.peer.receive()) is not None:
        match heard.message:
            case Lobby(line=IncomingChallenge(id=number)):
                bob.say(Accept(number))
            case Lobby(line=OpponentState()):
                bob.say(Resign())
            case IsReady():
                bob.say(ReadyOk())
            case Stop():
                bob.say(BestMove("0000"))

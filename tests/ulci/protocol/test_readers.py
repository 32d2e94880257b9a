"""Every verb: correct, nearly correct, and wrong lines."""

import math
from contextlib import suppress
from time import thread_time

import pytest

from tests.support.sayings import FIELDLESS
from ulci.protocol import UCI, UGI, ULCI, RemoteProtocolError, Role
from ulci.protocol.messages import (
    PLAYER_COMMANDS,
    BestMove,
    Clock,
    CopyProtection,
    Debug,
    Go,
    Id,
    Option,
    OptionType,
    Perft,
    Position,
    Query,
    Register,
    Registration,
    Response,
    SetOption,
    Status,
)

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
LIBERTY = "ruabhqkhbcur/wlzenxxnezlw/pppppppppppp/12/12/12/P11/12/12 w KQkq - 0 1 3,3 qm ff"


def from_client(line: str) -> object:
    return ULCI.read_untrusted(line, Role.SERVER)


def from_server(line: str) -> object:
    return UCI.read_untrusted(line, Role.CLIENT)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("id name Shredder X.Y", Id("name", "Shredder X.Y")),
        ("id username ", Id("username", "")),
        ("id feature   boardsize", Id("feature", "boardsize")),
        ("id anything at all", Id("anything", "at all")),
    ],
)
def test_an_id_may_have_any_key_and_no_value(line, message):
    assert from_client(line) == message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("bestmove e2e4", BestMove("e2e4")),
        ("bestmove e2e4 ponder e7e5", BestMove("e2e4", "e7e5")),
        ("bestmove e2e4 ponder", BestMove("e2e4")),
        ("bestmove e2e4 ponder e7e5 and more", BestMove("e2e4", "e7e5")),
        ("bestmove e2e4 joho ponder e7e5", BestMove("e2e4", "e7e5")),
        ("bestmove e2e4 joho", BestMove("e2e4")),
        ("bestmove", BestMove("0000")),
        ("  bestmove  ", BestMove("0000")),
        ("bestmove e7e8Q", BestMove("e7e8q")),
        ("bestmove a11a12Q ponder e2e1N", BestMove("a11a12q", "e2e1n")),
        ("bestmove 0000", BestMove("0000")),
        ("bestmove (none)", BestMove("(none)")),
        ("bestmove NULL", BestMove("NULL")),
        ("bestmove P@e4", BestMove("P@e4")),
        ("bestmove O-O", BestMove("O-O")),
    ],
)
def test_a_best_move_stays_as_it_was_sent_but_for_upper_case_promotions(line, message):
    assert from_client(line) == message


@pytest.mark.parametrize(
    ("line", "option"),
    [
        (
            "option name Nullmove type check default true",
            Option("Nullmove", OptionType.CHECK, "true"),
        ),
        (
            "option name Selectivity type spin default 2 min 0 max 4",
            Option("Selectivity", OptionType.SPIN, "2", 0, 4),
        ),
        (
            "option name Style type combo default Normal var Solid var Normal var Very Risky",
            Option("Style", OptionType.COMBO, "Normal", vars=("Solid", "Normal", "Very Risky")),
        ),
        ("option name Clear Hash type button", Option("Clear Hash", OptionType.BUTTON)),
        ("option name P type string default <empty>", Option("P", OptionType.STRING, "")),
        ("option name P type string default ", Option("P", OptionType.STRING, "")),
        ("option name P type string", Option("P", OptionType.STRING)),
        (
            "option name About type string default by S. M-K, min max var default",
            Option("About", OptionType.STRING, "by S. M-K, min max var default"),
        ),
        (
            "option name A type spin max 4 default 2",
            Option("A", OptionType.SPIN, "2", None, 4),
        ),
        ("option name Hash type spin min x max -5", Option("Hash", OptionType.SPIN, max=-5)),
        ("option name Hash type spin", Option("Hash", OptionType.SPIN)),
        ("option name my type of type check", Option("my type of", OptionType.CHECK)),
        ("option joho name A type check", Option("A", OptionType.CHECK)),
        (
            "option name A type combo default min max var min max",
            Option("A", OptionType.COMBO, "min max", vars=("min max",)),
        ),
        ("option name A type combo var <empty>", Option("A", OptionType.COMBO, vars=("",))),
        ("option name A type check joho default true", Option("A", OptionType.CHECK, "true")),
    ],
)
def test_options_of_all_types_are_read_with_blanks_and_with_parts_missing(line, option):
    assert from_client(line) == option


def test_the_state_of_registration_and_copy_protection_is_read():
    assert from_client("registration checking") == Registration(Status.CHECKING)
    assert from_client("copyprotection joho ok") == CopyProtection(Status.OK)
    assert from_client("copyprotection error") == CopyProtection(Status.ERROR)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("debug on", Debug(on=True)),
        ("debug off", Debug(on=False)),
        ("setoption name Clear Hash", SetOption("Clear Hash")),
        ("setoption name Style value Very Risky", SetOption("Style", "Very Risky")),
        ("setoption name P value", SetOption("P", "")),
        ("setoption name P value <empty>", SetOption("P", "")),
        (r"setoption name P value d:\tb;c\tb", SetOption("P", r"d:\tb;c\tb")),
        ("register later", Register()),
        ("register name Stefan MK code 4359874324", Register("Stefan MK", "4359874324")),
        ("register code 1 name A", Register("A", "1")),
        ("register code 1", Register(None, "1")),
        ("perft 3", Perft(3)),
        ("perft joho 3", Perft(3)),
        ("clock wtime 1 winc 2 btime 3 binc 4", Clock(1, 3, 2, 4)),
        ("clock wtime x joho btime 3", Clock(btime=3)),
        ("clock", Clock()),
    ],
)
def test_what_a_server_says_is_read(line, message):
    assert from_server(line) == message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("position startpos", Position()),
        ("position startpos moves", Position()),
        ("position startpos moves e2e4 e7e5", Position(None, ("e2e4", "e7e5"))),
        ("position startpos e2e4", Position(None, ("e2e4",))),
        ("position joho startpos", Position()),
        (f"position fen {START}", Position(START)),
        (f"position fen {START} moves e2e4", Position(START, ("e2e4",))),
        (f"position fen {LIBERTY} moves a3a4", Position(LIBERTY, ("a3a4",))),
        ("position fen 8/8", Position("8/8")),
        ("position fen 8/8 moves", Position("8/8")),
    ],
)
def test_positions_of_one_to_nine_fields_are_read(line, message):
    assert from_server(line) == message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("go", Go()),
        ("go infinite", Go(infinite=True)),
        ("go ponder wtime 5", Go(wtime=5, ponder=True)),
        ("go wtime 1 btime 2 winc 3 binc 4 movestogo 5", Go(1, 2, 3, 4, 5)),
        ("go depth 1 nodes 2 mate 3 movetime 4", Go(depth=1, nodes=2, mate=3, movetime=4)),
        ("go wtime -30 btime 5", Go(wtime=-30, btime=5)),
        ("go depth x wtime depth -3", Go()),
        ("go depth", Go()),
        ("go joho depth 4 joho", Go(depth=4)),
        ("go infinite searchmoves e2e4 d2d4", Go(infinite=True, searchmoves=("e2e4", "d2d4"))),
        ("go searchmoves e2e4 d2d4 depth 3", Go(depth=3, searchmoves=("e2e4", "d2d4"))),
        ("go depth 3 moves e2e4", Go(depth=3, searchmoves=("e2e4",))),
    ],
)
def test_limits_are_read_in_any_order(line, message):
    assert from_server(line) == message


@pytest.mark.parametrize("kind", FIELDLESS)
def test_whatever_follows_a_verb_that_takes_nothing_is_skipped(kind):
    line = UCI.write(kind())
    read = [UCI.read_untrusted(f"{line} joho", reader) for reader in Role]
    assert kind() in read


@pytest.mark.parametrize(
    ("read", "line", "usage"),
    [
        (from_client, "id", "id name X"),
        (from_client, "option", "option name N type"),
        (from_client, "option name A", "option name N type"),
        (from_client, "option name A type", "option name N type"),
        (from_client, "option name A type filename", "option name N type"),
        (from_client, "option type check", "option name N type"),
        (from_client, "option name type check", "option name N type"),
        (from_client, "registration", "registration checking|ok|error"),
        (from_client, "copyprotection maybe", "copyprotection checking|ok|error"),
        (from_server, "debug", "debug on|off"),
        (from_server, "debug maybe", "debug on|off"),
        (from_server, "setoption", "setoption name N"),
        (from_server, "setoption name", "setoption name N"),
        (from_server, "setoption Hash 3", "setoption name N"),
        (from_server, "register", "register later"),
        (from_server, "register name", "register later"),
        (from_server, "perft", "perft D"),
        (from_server, "perft x", "perft D"),
        (from_server, "position", "position startpos|fen F"),
        (from_server, "position e2e4", "position startpos|fen F"),
        (from_server, "position fen", "position startpos|fen F"),
        (from_server, "position fen moves e2e4", "position startpos|fen F"),
        (from_server, f"position fen {LIBERTY} 10th", "position startpos|fen F"),
    ],
)
def test_a_wrong_line_is_told_what_is_wrong_and_how_it_is_said(read, line, usage):
    with pytest.raises(RemoteProtocolError) as caught:
        read(line)
    assert not caught.value.fatal
    assert str(caught.value).startswith(f'"{line[:59]}')
    assert f"use: {usage}" in str(caught.value)


def test_where_positions_and_moves_are_opaque_nothing_of_them_is_counted_or_mended():
    start = " ".join("abcdefghijkl")
    position = UGI.read_untrusted(f"position fen {start} moves A1B2C", Role.CLIENT)
    assert position == Position(start, ("A1B2C",))
    assert UGI.read_untrusted("bestmove e7e8Q", Role.SERVER) == BestMove("e7e8Q")
    ponder = UGI.read_untrusted("bestmove e7e8Q ponder a1a2N", Role.SERVER)
    assert ponder == BestMove("e7e8Q", "a1a2N")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("response true", "true"),
        ("response  FALSE", "false"),
        ("response P1Win", "p1win"),
        ("response Score 3 to 2", "Score 3 to 2"),
        ("joho response none", "none"),
    ],
)
def test_the_answer_to_a_query_is_read(line, answer):
    assert UGI.read_untrusted(line, Role.SERVER) == Response(answer)


def test_any_query_is_read():
    assert UGI.read_untrusted("query p1turn", Role.CLIENT) == Query("p1turn")
    assert UGI.read_untrusted("query side to move", Role.CLIENT) == Query("side to move")


@pytest.mark.parametrize(
    ("line", "reader", "usage"),
    [
        ("query", Role.CLIENT, "query gameover|p1turn|result"),
        ("response", Role.SERVER, "response true|false"),
    ],
)
def test_a_query_or_response_of_nothing_is_told_how_it_is_said(line, reader, usage):
    with pytest.raises(RemoteProtocolError, match=rf"use: {usage.replace('|', '.')}"):
        UGI.read_untrusted(line, reader)


def test_an_error_quotes_no_more_than_sixty_characters():
    with pytest.raises(RemoteProtocolError) as caught:
        from_server(f"debug {'x' * 5000}")
    assert len(str(caught.value)) < 200
    assert "…" in str(caught.value)


def test_no_lobby_word_is_a_verb_of_the_standards():
    assert not any(ULCI.can_say(kind) for kind in PLAYER_COMMANDS)


def _cost(line: bytes) -> float:
    """The least s of this thread that reading it takes."""
    least = math.inf
    for _ in range(7):
        began = thread_time()
        with suppress(RemoteProtocolError):
            ULCI.with_lobby().read_untrusted(line.decode(), Role.SERVER)
        least = min(least, thread_time() - began)
    return least


@pytest.mark.parametrize(
    ("beginning", "piece"),
    [
        ("option name N type combo", " var x"),
        ("option name N", " type"),
        ("option name N type combo default", " default"),
        ("info depth 1 pv", " e2e4"),
        ("info refutation", " e2e4"),
        ("info", " depth"),
        ("id name", " x"),
        ("bestmove e2e4", " ponder"),
        ("seek", " start"),
        ("seek start", " 8"),
        ("challenge x", " game"),
        ("tell x", " tell"),
        ("admin", " ban"),
        ("x", " uci"),
    ],
)
def test_a_line_of_eight_times_the_length_costs_no_sixty_times_as_much(
    beginning: str, piece: str
) -> None:
    short = f"{beginning}{300 * piece}".encode()
    long = f"{beginning}{8 * 300 * piece}".encode()
    assert _cost(long) < 30 * _cost(short) + 0.001

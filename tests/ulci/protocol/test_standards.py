"""Every line that the standards show as an example, to the letter.

ULCI v1 beta, UCI April 2004, UCI April 2006 and UGI; a clause is named where they differ.
"""

import pytest

from ulci.protocol import UCI, UGI, ULCI, Connection, Role, TextCodec
from ulci.protocol.messages import (
    BestMove,
    Bound,
    CopyProtection,
    CurrLine,
    Debug,
    Go,
    Hello,
    HelloOk,
    Id,
    Info,
    IsReady,
    NewGame,
    Option,
    OptionType,
    Position,
    Query,
    Quit,
    ReadyOk,
    Register,
    Registration,
    Response,
    Score,
    SetOption,
    Status,
    Stop,
    Unknown,
)

FROM_SERVER = [
    ("debug on", Debug(on=True)),
    ("   debug     on  ", Debug(on=True)),
    ("\t  debug \t  \t\ton\t  ", Debug(on=True)),
    ("joho debug on", Debug(on=True)),  # UCI 2006, general notes
    ("setoption name Nullmove value true", SetOption("Nullmove", "true")),
    ("setoption name Selectivity value 3", SetOption("Selectivity", "3")),
    ("setoption name Style value Risky", SetOption("Style", "Risky")),
    ("setoption name Clear Hash", SetOption("Clear Hash")),
    (
        r"setoption name NalimovPath value c:\chess\tb\4;c:\chess\tb\5",
        SetOption("NalimovPath", r"c:\chess\tb\4;c:\chess\tb\5"),
    ),
    ("setoption name Hash value 32", SetOption("Hash", "32")),
    ("setoption name NalimovCache value 1", SetOption("NalimovCache", "1")),
    (r"setoption name NalimovPath value d:\tb;c\tb", SetOption("NalimovPath", r"d:\tb;c\tb")),
    ("setoption name UCI_AnalyseMode value true", SetOption("UCI_AnalyseMode", "true")),
    (
        "setoption name UCI_Opponent value GM 2800 human Gary Kasparov",
        SetOption("UCI_Opponent", "GM 2800 human Gary Kasparov"),
    ),
    (
        "setoption name UCI_Opponent value none none computer Shredder",
        SetOption("UCI_Opponent", "none none computer Shredder"),
    ),
    ("register later", Register()),
    ("register name Stefan MK code 4359874324", Register("Stefan MK", "4359874324")),
    ("uci", Hello()),
    ("isready", IsReady()),
    ("ucinewgame", NewGame()),
    ("position startpos", Position()),
    ("position startpos moves e2e4 e7e5", Position(None, ("e2e4", "e7e5"))),
    ("go infinite", Go(infinite=True)),
    (
        "go infinite searchmoves e2e4 d2d4",
        Go(infinite=True, searchmoves=("e2e4", "d2d4")),
    ),
    ("stop", Stop()),
    ("quit", Quit()),
]

OPTIONS = [
    (
        "option name Nullmove type check default true",
        Option("Nullmove", OptionType.CHECK, "true"),
    ),
    (
        "option name Selectivity type spin default 2 min 0 max 4",
        Option("Selectivity", OptionType.SPIN, "2", 0, 4),
    ),
    (
        "option name Style type combo default Normal var Solid var Normal var Risky",
        Option("Style", OptionType.COMBO, "Normal", vars=("Solid", "Normal", "Risky")),
    ),
    (
        "option name NalimovPath type string default c:\\",
        Option("NalimovPath", OptionType.STRING, "c:\\"),
    ),
    ("option name Clear Hash type button", Option("Clear Hash", OptionType.BUTTON)),
    (
        "option name Hash type spin default 1 min 1 max 128",
        Option("Hash", OptionType.SPIN, "1", 1, 128),
    ),
    (
        "option name NalimovPath type string default <empty>",
        Option("NalimovPath", OptionType.STRING, ""),
    ),
    # UCI 2004 lost its "<empty>" when it was published
    ("option name NalimovPath type string default ", Option("NalimovPath", OptionType.STRING, "")),
    (
        "option name NalimovCache type spin default 1 min 1 max 32",
        Option("NalimovCache", OptionType.SPIN, "1", 1, 32),
    ),
    (
        "option name UCI_EngineAbout type string default Shredder by Stefan Meyer-Kahlen,"
        " see www.shredderchess.com",
        Option(
            "UCI_EngineAbout",
            OptionType.STRING,
            "Shredder by Stefan Meyer-Kahlen, see www.shredderchess.com",
        ),
    ),
    (
        "option name UCI_Chess960 type check default false",
        Option("UCI_Chess960", OptionType.CHECK, "false"),
    ),
]

FROM_CLIENT = [
    ("id version 1", Id("version", "1")),
    ("id pieces kmqcaehuriwbznxlop", Id("pieces", "kmqcaehuriwbznxlop")),
    ("id name Shredder X.Y", Id("name", "Shredder X.Y")),
    ("id username Mathmagician", Id("username", "Mathmagician")),
    ("id author Stefan MK", Id("author", "Stefan MK")),
    ("id name Shredder", Id("name", "Shredder")),
    ("uciok", HelloOk()),
    ("readyok", ReadyOk()),
    ("bestmove g1f3 ponder d8f6", BestMove("g1f3", "d8f6")),
    ("copyprotection checking", CopyProtection(Status.CHECKING)),
    ("copyprotection ok", CopyProtection(Status.OK)),
    ("copyprotection error", CopyProtection(Status.ERROR)),
    ("registration checking", Registration(Status.CHECKING)),
    ("registration ok", Registration(Status.OK)),
    ("registration error", Registration(Status.ERROR)),
    ("info currmove e2e4 currmovenumber 1", Info(currmove="e2e4", currmovenumber=1)),
    ("info depth 12 nodes 123456 nps 100000", Info(depth=12, nodes=123456, nps=100000)),
    (
        "info depth 2 score cp 214 time 1242 nodes 2124 nps 34928 pv e2e4 e7e5 g1f3",
        Info(
            depth=2,
            score=Score(214),
            time=1242,
            nodes=2124,
            nps=34928,
            pv=("e2e4", "e7e5", "g1f3"),
        ),
    ),
    ("info score lowerbound cp 107", Info(score=Score(107, bound=Bound.LOWER))),
    ("info refutation d1h5 g6h5", Info(refutation=("d1h5", "g6h5"))),
    ("info refutation d1h5", Info(refutation=("d1h5",))),
    ("info currline 1 e2e4", Info(currline=CurrLine(("e2e4",), 1))),
    ("info depth 1 seldepth 0", Info(depth=1, seldepth=0)),
    (
        "info score cp 13  depth 1 nodes 13 time 15 pv f1b5 ",
        Info(depth=1, score=Score(13), nodes=13, time=15, pv=("f1b5",)),
    ),
    ("info nps 15937", Info(nps=15937)),
    (
        "info score cp 14  depth 2 nodes 255 time 15 pv f1c4 f8c5 ",
        Info(depth=2, score=Score(14), nodes=255, time=15, pv=("f1c4", "f8c5")),
    ),
    ("info depth 2 seldepth 7 nodes 255", Info(depth=2, seldepth=7, nodes=255)),
]


@pytest.mark.parametrize(("line", "message"), FROM_SERVER)
def test_what_a_server_says_in_the_standards_is_read(line, message):
    assert UCI.read_untrusted(line, Role.CLIENT) == message
    assert ULCI.read_untrusted(line, Role.CLIENT) == message


@pytest.mark.parametrize(("line", "message"), FROM_CLIENT + OPTIONS)
def test_what_a_client_says_in_the_standards_is_read(line, message):
    assert UCI.read_untrusted(line, Role.SERVER) == message
    assert ULCI.read_untrusted(line, Role.SERVER) == message


def test_what_a_server_says_in_the_standards_is_what_we_would_say():
    for line, message in FROM_SERVER:
        if "joho" not in line:
            assert UCI.write(message) == " ".join(line.split())


def test_options_and_ids_in_the_standards_are_what_we_would_say():
    for line, message in (*OPTIONS, *FROM_CLIENT[:6]):
        if line == line.strip() and "  " not in line:
            assert ULCI.write(message) == line


BOOT = """
> uci
< id name Shredder
< id author Stefan MK
< option name Hash type spin default 1 min 1 max 128
< option name NalimovPath type string default <empty>
< option name NalimovCache type spin default 1 min 1 max 32
< option name Nullmove type check default true
< option name Style type combo default Normal var Solid var Normal var Risky
< uciok
> setoption name Hash value 32
> setoption name NalimovCache value 1
> setoption name NalimovPath value d:\\tb;c\\tb
> isready
< readyok
> ucinewgame
> setoption name UCI_AnalyseMode value true
> position startpos moves e2e4 e7e5
> go infinite
< info depth 1 seldepth 0
< info score cp 13  depth 1 nodes 13 time 15 pv f1b5
< info depth 2 seldepth 2
< info nps 15937
< info score cp 14  depth 2 nodes 255 time 15 pv f1c4 f8c5
< info depth 2 seldepth 7 nodes 255
< info depth 3 seldepth 7
< info nps 26437
< info score cp 20  depth 3 nodes 423 time 15 pv f1c4 g8f6 b1c3
< info nps 41562
> stop
< bestmove g1f3 ponder d8f6
"""


def test_the_conversation_in_the_standards_goes_well_at_both_ends():
    gui, engine = Connection(Role.SERVER, TextCodec(), UCI), Connection(Role.CLIENT, TextCodec())
    for line in BOOT.strip().splitlines():
        speaker, listener = (gui, engine) if line[0] == ">" else (engine, gui)
        listener.receive_data(f"{line[2:]}\n".encode())
        message = listener.next_message()
        assert message is not None
        assert speaker.send(message)  # it is in place at the other end, too
    assert gui.owed == engine.owed == 0


# UGI

UGI_SERVER = [
    ("ugi", Hello()),
    ("isready", IsReady()),
    ("query gameover", Query("gameover")),
    ("query p1turn", Query("p1turn")),
    ("query result", Query("result")),
    ("go p1time 5 p2time 6 p1inc 7 p2inc 8", Go(5, 6, 7, 8)),
    ("go movetime 100", Go(movetime=100)),
    ("go depth 4", Go(depth=4)),
    ("go nodes 1000", Go(nodes=1000)),
    ("go infinite", Go(infinite=True)),
    ("stop", Stop()),
    ("position fen x5o/7/7/7/7/7/o5x x 0 1", Position("x5o/7/7/7/7/7/o5x x 0 1")),
    ("position startpos", Position()),
    ("position fen 8/8 moves f1 b1", Position("8/8", ("f1", "b1"))),
    ("position startpos moves f1", Position(None, ("f1",))),
    ("setoption name hash value 512", SetOption("hash", "512")),
    ("uginewgame", NewGame()),
    ("quit", Quit()),
]

UGI_CLIENT = [
    ("id name EngineName", Id("name", "EngineName")),
    ("id author EngineAuthor", Id("author", "EngineAuthor")),
    (
        "option name hash type spin default 128 min 1 max 2048",
        Option("hash", OptionType.SPIN, "128", 1, 2048),
    ),
    ("ugiok", HelloOk()),
    ("readyok", ReadyOk()),
    *((f"response {word}", Response(word)) for word in ("true", "false")),
    *((f"response {word}", Response(word)) for word in ("p1win", "p2win", "draw", "none")),
    ("bestmove f1", BestMove("f1")),
]


@pytest.mark.parametrize(("line", "message"), UGI_SERVER)
def test_what_a_server_says_in_ugi_is_read_and_written_to_the_letter(line, message):
    assert UGI.read_untrusted(line, Role.CLIENT) == message
    assert UGI.can_say(message)
    assert UGI.write(message) == line


@pytest.mark.parametrize(("line", "message"), UGI_CLIENT)
def test_what_a_client_says_in_ugi_is_read_and_written_to_the_letter(line, message):
    assert UGI.read_untrusted(line, Role.SERVER) == message
    assert UGI.write(message) == line


def test_a_ugi_engine_is_sent_no_word_that_ugi_lacks():
    assert UGI.write(Go(wtime=1, movestogo=40)) == "go p1time 1"
    assert UGI.write(BestMove("f1", "b1")) == "bestmove f1"
    for message in (Debug(on=True), Register(), Go(ponder=True), Info(string="x")):
        assert not UGI.can_say(message)


def test_only_ugi_knows_queries():
    for dialect in (ULCI, UCI):
        assert not dialect.can_say(Query("result"))
        assert not dialect.can_say(Response("none"))
        assert dialect.read_untrusted("query result", Role.CLIENT) == Unknown("query result")
        assert dialect.read_untrusted("response none", Role.SERVER) == Unknown("response none")


UGI_EXAMPLE = """
> ugi
< id name EngineName
< id author EngineAuthor
< option name hash type spin default 128 min 1 max 2048
< ugiok
> setoption name hash value 512
> isready
< readyok
> uginewgame
> position startpos
> query p1turn
< response true
> go depth 4
< info depth 1 seldepth 1 score cp -107 time 0 nodes 16 tthits 0 hashfull 0 pv f1
< info depth 2 seldepth 2 score cp 200 time 0 nodes 50 tthits 1 hashfull 0 pv f1 b1
< info depth 3 seldepth 3 score cp -57 time 0 nodes 197 tthits 12 hashfull 0 pv f1 b1 g2
< info depth 4 seldepth 4 score cp 200 time 0 nodes 473 tthits 38 hashfull 0 pv f1 b1 g2 a2
< bestmove f1
> position startpos moves f1
> query p1turn
< response false
> query result
< response none
> quit
"""


def test_the_example_of_ugi_goes_well_at_both_ends():
    gui = Connection(Role.SERVER, TextCodec(), UGI)
    engine = Connection(Role.CLIENT, TextCodec(), UGI)
    for line in UGI_EXAMPLE.strip().splitlines():
        speaker, listener = (gui, engine) if line[0] == ">" else (engine, gui)
        listener.receive_data(f"{line[2:]}\n".encode())
        message = listener.next_message()
        assert message is not None
        said = speaker.send(message).decode().split()
        unknown = {"tthits", "0", "1", "12", "38"} if line.startswith("< info") else set()
        assert set(line[2:].split()) - unknown <= set(said)
    assert gui.owed == engine.owed == 0

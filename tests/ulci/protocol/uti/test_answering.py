"""The engine's end of UTI, and both ends together."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.ends import faults, heard
from tests.support.sayings import SAYINGS, scrambled
from ulci.protocol import DIALECTS, Connection, Role, State, TextCodec, Unread
from ulci.protocol.messages import (
    BestMove,
    Blame,
    CopyProtection,
    Debug,
    Eval,
    FromClient,
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
    Quit,
    ReadyOk,
    Report,
    Resign,
    Response,
    Score,
    SetOption,
    Status,
    Stop,
    Unknown,
    kinds_of,
)
from ulci.protocol.uti import Answering
from ulci.protocol.uti.answering import MOVE_TIME
from ulci.protocol.uti.grid import grid_of
from ulci.rules import GAMES

GO = Go(movetime=MOVE_TIME)


class Gui:
    """What a UTI program writes and reads, and what the engine makes of it."""

    def __init__(self, *, introduced: bool = True) -> None:
        self.engine = Connection(Role.CLIENT, TextCodec(), Answering())
        if introduced:
            self.writes("uti")
            self.reads(Id("name", "X"), HelloOk())

    def reads(self, *messages) -> list[str]:
        return self.engine.send(*messages).decode().splitlines()

    def writes(self, *lines: str) -> list:
        self.engine.receive_data("".join(f"{line}\n" for line in lines).encode())
        return heard(self.engine)

    def is_refused(self, line: str) -> str:
        """What it reads instead of being understood."""
        self.engine.receive_data(f"{line}\n".encode())
        (told,) = faults(self.engine)
        assert isinstance(told, str)
        assert "CommandNotKnowError" in told
        (answer,) = self.reads()
        return answer


# Basic commands


def test_the_example_of_the_standard_is_how_an_engine_introduces_itself():
    gui = Gui(introduced=False)
    assert gui.writes("uti", "id") == [Hello()]
    assert gui.reads(Id("name", "TikTakToe"), Id("author", "laurent")) == []
    assert gui.reads(Id("country", "belgium"), HelloOk()) == [
        "utiok",
        "name TikTakToe author laurent country belgium",
    ]
    assert gui.writes("id") == []
    assert gui.reads() == ["name TikTakToe author laurent country belgium"]


def test_an_engine_without_a_name_answers_all_the_same():
    gui = Gui(introduced=False)
    gui.writes("uti")
    gui.reads(HelloOk())
    gui.writes("id", "info")
    assert gui.reads() == [
        "name anonymous author unknown",
        "info standard size eval winlength players depth",
    ]


def test_basic_commands_are_heard_and_answered():
    gui = Gui()
    assert gui.writes("isready") == [IsReady()]
    assert gui.reads(ReadyOk()) == ["readyok"]
    assert gui.writes("debug on", "debug off", "newgame", "stop") == [
        Debug(on=True),
        Debug(on=False),
        NewGame(),
        Stop(),
    ]
    assert gui.writes("quit") == [Quit()]


def test_either_may_leave():
    assert Gui().reads(Quit()) == ["quit"]


def test_options_that_uti_has_are_offered():
    gui = Gui(introduced=False)
    gui.writes("uti", "info")
    level = Option("Level", OptionType.SPIN, "3", 1, 9)
    assert gui.reads(level, Option("Hash", OptionType.SPIN), HelloOk()) == [
        "utiok",
        "info standard size eval winlength players depth level",
    ]
    assert gui.writes("0 level 7")[0] == SetOption("Level", "7")


# Questions


@pytest.mark.parametrize(
    ("lines", "start"),
    [
        (["0"], None),
        (["newgame", "0"], None),
        (["newgame", "5"], "3/1x1/3 o 3"),
        (["pos --------- 1", "0"], None),
        (["pos --------- 2", "0"], "3/3/3 o 3"),
        # the board of the standard's example, which it writes with a square too many
        (["pos 12--1211- 2", "0"], "xo1/1xo/xx1 o 3"),
        (["pos 12- -12 11- 2", "0"], "xo1/1xo/xx1 o 3"),
        (["pos 12--1211- 2", "9"], "xo1/1xo/xxo x 3"),
        (["posmoves 5,1;6,2;1,1;2,2;3,2;7,1 2", "0"], "xoo/1xo/x2 o 3"),
        (["posmoves 5,1; 6,2; 1", "0"], "3/1xo/3 x 3"),
        (["posmoves 1", "0"], None),
        (["posmoves 16,1 2", "size 4X4 0"], "4/4/4/3x o 3"),
        (["pos ------------ 1", "size 4X3 0 winlength 4"], "4/4/4 x 4"),
        (["pos ------------ 1", "size 4x3 0"], "4/4/4 x 3"),
        (["0 winlength 2"], "3/3/3 x 2"),
        (["standard 0 players 2 multi off table off"], None),
        (["0 winlength=2"], "3/3/3 x 2"),
    ],
)
def test_a_question_is_a_position_and_a_go(lines, start):
    *_, position, go = Gui().writes(*lines)
    assert (position, go) == (Position(start), GO)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("0 depth 4", Go(depth=4)),
        ("eval 0", Eval()),
        ("eval", Eval()),
        ("EVAL 0 depth 3", Eval()),
        ("size 5X5 eval 0 winlength 4", Eval()),
    ],
)
def test_a_question_says_what_it_wants_to_know(line, said):
    assert Gui().writes(line)[-1] == said


def test_options_that_are_offered_are_set_before_the_question():
    gui = Gui(introduced=False)
    gui.writes("uti")
    offered = (Option("Multi", OptionType.CHECK), Option("table", OptionType.CHECK))
    gui.reads(*offered, HelloOk())
    assert gui.writes("0 multi on table off") == [
        SetOption("Multi", "true"),
        SetOption("table", "false"),
        Position(),
        GO,
    ]


def test_the_board_goes_on_with_every_move_named_or_answered():
    gui = Gui()
    gui.writes("newgame", "5")
    assert gui.reads(BestMove("a3")) == ["1 0"]
    assert gui.writes("3")[0] == Position("o1x/1x1/3 o 3")
    assert gui.reads(BestMove("a1")) == ["7 0"]
    assert gui.writes("0")[0] == Position("o1x/1x1/o2 x 3")
    gui.reads(BestMove("0000"))
    assert gui.writes("newgame", "0")[1] == Position()


def test_an_answer_to_a_board_that_is_gone_changes_nothing():
    gui = Gui()
    gui.writes("0", "stop", "pos 1-------- 2", "0")
    assert gui.reads(BestMove("b2"), BestMove("c1")) == ["5 0", "9 0"]
    assert gui.writes("0")[0] == Position("x2/3/2o x 3")


# Answers


@pytest.mark.parametrize(
    ("info", "first", "second"),
    [
        (Info(score=Score(30)), "5 30", "5 -30"),
        (Info(score=Score(-300)), "5 -100", "5 100"),
        (Info(score=Score(mate=3)), "5 100", "5 -100"),
        (Info(score=Score(mate=-3)), "5 -100", "5 100"),
        (Info(score=Score(mate=0)), "5 -100", "5 100"),
        (
            Info(depth=3, score=Score(7), nodes=9, time=12),
            "5 7 depth 3 nodes 9 calctime 12",
            "5 -7 depth 3 nodes 9 calctime 12",
        ),
        (Info(depth=3), "5 0", "5 0"),
        (Unread("info score cp 9 depth 2 pv b2"), "5 9 depth 2", "5 -9 depth 2"),
    ],
)
def test_an_answer_tells_the_last_analysis_as_player_1_sees_it(info, first, second):
    for turn, line in ((1, first), (2, second)):
        gui = Gui()
        gui.writes(f"pos --------- {turn}", "0")
        assert gui.reads(Info(score=Score(99)), info)[1:] == []
        gui.reads(info)
        if info == Info(depth=3):
            line = line.replace(" 0", " 99" if turn == 1 else " -99")
        assert gui.reads(BestMove("b2")) == [line]
        gui.writes("0")
        assert gui.reads(BestMove("a1"))[0] == "7 0"


@pytest.mark.parametrize("move", ["0000", "(none)", "d4", "e2e4"])
def test_no_move_is_square_0(move):
    gui = Gui()
    gui.writes("0")
    assert gui.reads(BestMove(move)) == ["0 0"]


def test_an_evaluation_is_answered_by_a_score():
    gui = Gui()
    gui.writes("pos 1-------- 2", "eval 0")
    assert gui.reads(Info(string="let me see")) == []
    assert gui.reads(Info(score=Score(20), string="evaluation 20")) == ["0 -20"]
    assert gui.writes("0")[0] == Position("x2/3/3 o 3")


def test_an_evaluation_that_the_engine_never_gave_is_refused_when_the_next_question_comes():
    gui = Gui()
    gui.writes("eval 0")
    assert gui.writes("0")[-1] == GO
    assert gui.reads(BestMove("b2")) == ["CommandNotKnowError EvalNotSupported", "5 0"]


def test_what_is_forgiven_is_no_longer_open():
    gui = Gui()
    gui.writes("0")
    gui.engine.forgive()
    assert gui.writes("newgame", "size 4X4 0")[-1] == GO
    assert gui.reads(BestMove("a4")) == ["1 0"]


def test_extra_texts_are_for_debug_mode():
    gui = Gui()
    said = (Info(string="x score 3"), Report(Blame.CLIENT, "y"), Info(depth=3))
    assert gui.reads(*said) == []
    gui.writes("debug on")
    assert gui.reads(*said) == ["info x 'score' 3", "info y"]


def test_what_uti_has_no_word_for_is_not_said():
    gui = Gui()
    for message in (CopyProtection(Status.OK), Resign(), Response("none")):
        assert gui.reads(message) == []


# Errors


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("pos 12--12-11- 2", None),  # the standard's example has ten squares: told by the question
        ("pos", "SetboardIncorrect"),
        ("pos 12--1211-", "SetboardIncorrect"),
        ("pos 12--1211- 0", "SetboardIncorrect"),
        ("pos 12--1211- x", "SetboardIncorrect"),
        ("pos xo------- 1", "SetboardIncorrect"),
        ("posmoves", "SetboardIncorrect"),
        ("posmoves 5,1;5,2 1", "SetboardIncorrect"),
        ("posmoves 0,1 2", "SetboardIncorrect"),
        ("posmoves 5 1", "SetboardIncorrect"),
        ("debug", "OptionNotSupported"),
        ("debug maybe", "OptionNotSupported"),
        ("0 colour 3", "OptionNotSupported"),
        ("0 winlength", "OptionNotSupported"),
        ("misere 0", "GamemodeNotSupported"),
        ("size big 0", "BoardsizeNotSupported try size=3X3"),
        ("size 0X3 0", "BoardsizeNotSupported try size=3X3"),
        ("size 27X3 0", "BoardsizeNotSupported try size=3X3"),
        ("size -4X3 0", "NegativeDimentia try size=4X3"),
        ("0 winlength -2", "NegativeWinlength try winlength=2"),
        ("0 winlength 0", "WinlengthNotSupported try winlength=3"),
        ("0 winlength long", "WinlengthNotSupported"),
        ("size 5X5 0 winlength 6", "WinlengthBoardsizeMismatch try winlength=5"),
        ("0 players 3", "PlayerCountNotSupported try players=2"),
        ("0 players many", "PlayerCountNotSupported"),
        ("0 players 1", "LessThen2Players try players=2"),
        ("0 multi on", "MutlithreatingNotSupported try multi=off"),
        ("0 table on", "TranspotableNotSupported try table=off"),
        ("0 level 3", "LevelNotSupported"),
        ("0 depth -3", "NegativeDepth try depth=3"),
        ("0 depth deep", "IncorrectDepth"),
        ("size 3X3", ""),
        ("-5", ""),
        ("10", "SquareNotEmpty"),
    ],
)
def test_what_cannot_be_asked_is_answered_by_an_error(line, answer):
    gui = Gui()
    if answer is None:
        assert gui.writes(line) == []
        line, answer = "0", "SetboardIncorrect"
    assert gui.is_refused(line) == f"CommandNotKnowError {answer}".rstrip()
    assert gui.engine.state is State.IDLE


def test_a_board_that_could_not_be_read_is_not_replaced_by_the_one_before():
    gui = Gui()
    gui.is_refused("pos nonsense 1")
    assert gui.is_refused("0").endswith("SetboardIncorrect")
    assert gui.writes("newgame", "0")[1:] == [Position(), GO]


@pytest.mark.parametrize(
    ("lines", "question", "detail"),
    [
        (["pos 3-------- 1"], "0", "PlayerCountNotSupported try players=2"),
        (["pos --------- 3"], "0", "PlayerCountNotSupported try players=2"),
        (["pos 1-------- 2"], "1", "SquareNotEmpty"),
        (["pos 1-------- 2"], "size 4X4 0", "SetboardIncorrect"),
        (["posmoves 10,1 2"], "0", "SetboardIncorrect"),
        (["0"], "0", "StillCalculating"),
    ],
)
def test_a_question_that_does_not_fit_what_was_said_is_refused(lines, question, detail):
    gui = Gui()
    gui.writes(*lines)
    assert gui.is_refused(question) == f"CommandNotKnowError {detail}"


def test_nothing_is_asked_before_uti():
    assert Gui(introduced=False).is_refused("0") == "CommandNotKnowError SayUtiFirst"


def test_what_means_nothing_is_answered_so():
    gui = Gui()
    assert gui.writes("hello there", "", "  ") == [Unknown("hello there")]
    assert gui.reads() == ["CommandNotKnowError"]


@pytest.mark.parametrize("more", ["", " IncorrectDepth 5", " try players=2"])
def test_a_refusal_is_not_refused(more):
    gui = Gui()
    refusal = f"CommandNotKnowError{more}"
    assert gui.writes(refusal) == [Unknown(refusal)]
    assert gui.reads() == []


def test_a_line_of_blanks_says_nothing():
    for role in Role:
        assert DIALECTS["uti"](role).read_untrusted(" ", role) == ()


@given(st.one_of(*(SAYINGS[kind] for kind in kinds_of(FromClient))))
def test_any_message_is_shown_and_written_in_lines(message):
    dialect = Answering()
    assert dialect.show(message) == dialect.show(message)
    assert repr(dialect) == "UTI"
    if dialect.can_say(message):
        assert isinstance(dialect.write(message), str)


UTI_WORDS = """
uti isready debug on off stop quit id newgame pos posmoves info 12--12-1- --------- 5,1;6,2 1 2 0 5
-3 size 3X3 4x4 eval winlength 3 players multi table depth level standard 99999999999999999999 =
"""
uti_lines = st.lists(st.sampled_from(UTI_WORDS.split()), max_size=6).map(" ".join)


@settings(max_examples=500)
@given(st.lists(scrambled | uti_lines, max_size=8), st.booleans())
def test_any_lines_are_heard_or_refused(lines, introduced):
    gui = Gui(introduced=introduced)
    gui.engine.receive_data("\n".join((*lines, "")).encode())
    for told in faults(gui.engine):
        assert not isinstance(told, str) or told.isprintable()
    for _ in range(gui.engine.owed):
        gui.reads(BestMove("0000"))
    gui.reads()
    assert not gui.engine.owes_replies


# Both ends


class Ends:
    """A server and an engine that speak UTI, and whatever they owe each other is said at once."""

    def __init__(self, chunk: int = 10**9) -> None:
        self.server = Connection(Role.SERVER, TextCodec(), DIALECTS["uti"](Role.SERVER))
        self.engine = Connection(Role.CLIENT, TextCodec(), DIALECTS["uti"](Role.CLIENT))
        self._chunk = chunk

    def carry(self, speaker: Connection, listener: Connection, *messages) -> list:
        data, told = speaker.send(*messages), []
        for at in range(0, len(data), self._chunk):
            listener.receive_data(data[at : at + self._chunk])
            told += heard(listener)
        return told

    def server_says(self, *messages) -> list:
        return self.carry(self.server, self.engine, *messages)

    def engine_says(self, *messages) -> list:
        return self.carry(self.engine, self.server, *messages)

    def introduce(self) -> "Ends":
        assert self.server_says(Hello()) == [Hello(), IsReady()]
        level = Option("level", OptionType.SPIN)
        assert self.engine_says(Id("name", "X Y"), level, HelloOk(), ReadyOk()) == [
            Id("name", "X Y"),
            Id("author", "unknown"),
            Option("UCI_Variant", OptionType.COMBO, KNOWN[0], vars=KNOWN),
            Id("feature", "size eval winlength players"),
            level,
            HelloOk(),
        ]
        return self


KNOWN = ("tictactoe", "mnk", "gomoku")
CHUNKS = (1, 2, 3, 7, 10**9)


@pytest.mark.parametrize("chunk", CHUNKS)
def test_what_one_end_says_the_other_hears(chunk):
    ends = Ends(chunk).introduce()
    for said in (IsReady(), Debug(on=True), Debug(on=False), NewGame()):
        assert ends.server_says(said) == [said]
    assert ends.engine_says(ReadyOk()) == [ReadyOk()]
    position = Position(None, ("b2",))
    assert ends.server_says(SetOption("level", "3"), position, Go(depth=4)) == [
        SetOption("level", "3"),
        Position("3/1x1/3 o 3"),
        Go(depth=4),
    ]
    info = Info(depth=4, score=Score(30), time=5, nodes=99)
    assert ends.engine_says(info, BestMove("a1")) == [info, BestMove("a1")]
    assert ends.server_says(Position(), Eval()) == [SetOption("level", "3"), Position(), Eval()]
    assert ends.engine_says(Info(score=Score(9))) == [Info(score=Score(9))]
    assert ends.server_says(Go(), Stop()) == [SetOption("level", "3"), Position(), GO, Stop()]
    assert ends.engine_says(BestMove("0000")) == [Info(score=Score(0)), BestMove("0000")]
    assert ends.server.owed == ends.engine.owed == 0
    assert ends.server_says(Quit()) == [Quit()]


@given(st.data(), st.sampled_from(CHUNKS))
def test_any_game_is_played_through(data, chunk):
    ends = Ends(chunk).introduce()
    width, height = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5))
    length = data.draw(st.integers(1, max(width, height)))
    game = GAMES["mnk"].new(f"{'/'.join([str(width)] * height)} x {length}")
    for _ in itertools.count():
        start, go = game.start, Go(depth=data.draw(st.integers(0, 9)))
        asked = ends.server_says(Position(start, tuple(game.moves)), go)
        assert asked == [Position(grid_of(game.fen(), ()).start()), go]
        if game.outcome() is not None:
            break
        move = data.draw(st.sampled_from(game.legal_moves()))
        score = Score(data.draw(st.integers(-100, 100)))
        told = ends.engine_says(Info(score=score), BestMove(move))
        assert told == [Info(score=score), BestMove(move)]
        game.play_untrusted(move)


def test_a_dialect_that_remembers_is_made_for_each_connection():
    for role in Role:
        assert DIALECTS["uti"](role) is not DIALECTS["uti"](role)
        assert DIALECTS["uti"](role).name == "UTI"
        for name in ("ulci", "uci", "ugi"):
            assert DIALECTS[name](role) is DIALECTS[name](role)
            assert not DIALECTS[name](role).replies
            assert DIALECTS[name](role).name.lower() == name

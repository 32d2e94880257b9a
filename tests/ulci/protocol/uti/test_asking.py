"""The server's end of UTI."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.ends import faults, heard
from tests.support.sayings import SAYINGS, scrambled
from ulci.protocol import Connection, LocalProtocolError, Role, State, TextCodec, Unread
from ulci.protocol.messages import (
    BestMove,
    Blame,
    Clock,
    Debug,
    Eval,
    Go,
    Hello,
    HelloOk,
    Id,
    Info,
    IsReady,
    NewGame,
    Option,
    OptionType,
    PonderHit,
    Position,
    Query,
    Quit,
    ReadyOk,
    Report,
    Score,
    SetOption,
    Stop,
    Unknown,
)
from ulci.protocol.uti import Asking

NO_MOVE = BestMove("0000")
GO = Go()


class Engine:
    """What a UTI engine reads and writes, and what the server makes of it."""

    def __init__(self, *, introduced: bool = True) -> None:
        self.server = Connection(Role.SERVER, TextCodec(), Asking(), defer_info=True)
        if introduced:
            self.reads(Hello())
            self.writes("utiok", "readyok")

    def reads(self, *messages) -> list[str]:
        return self.server.send(*messages).decode().splitlines()

    def writes(self, *lines: str) -> list:
        self.server.receive_data("".join(f"{line}\n" for line in lines).encode())
        return heard(self.server)

    def asked(self, go: Go | Eval = GO, start: str | None = None, *moves: str) -> list[str]:
        return self.reads(Position(start, moves), go)


# The introduction


def games(*names: str) -> Option:
    return Option("UCI_Variant", OptionType.COMBO, "tictactoe", vars=names)


def test_it_is_introduced_by_its_answers_to_uti_id_info_and_isready():
    engine = Engine(introduced=False)
    assert engine.reads(Hello()) == ["uti", "id", "info", "isready"]
    assert engine.writes("utiok") == []
    assert engine.writes("name TikTakToe author laurent country belgium") == [
        Id("name", "TikTakToe"),
        Id("author", "laurent"),
        Id("country", "belgium"),
    ]
    assert engine.writes("info size eval winlength multi [on|off] level depth") == []
    assert engine.writes("readyok") == [
        games("tictactoe", "mnk", "gomoku"),
        Id("feature", "size eval winlength"),
        Option("multi", OptionType.CHECK),
        Option("level", OptionType.SPIN),
        HelloOk(),
    ]
    assert engine.server.state is State.IDLE


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ("id name A B author C D", [Id("name", "A B"), Id("author", "C D")]),
        ("name A", [Id("name", "A")]),
        ("author C", [Id("author", "C")]),
        ("id", []),
    ],
)
def test_a_name_may_be_said_in_several_ways(line, ids):
    engine = Engine(introduced=False)
    engine.reads(Hello())
    assert engine.writes(line) == ids


def test_an_engine_that_knows_neither_id_nor_info_is_welcome():
    engine = Engine(introduced=False)
    engine.reads(Hello())
    *reports, known, ok = engine.writes(
        "utiok", "CommandNotKnowError", "CommandNotKnowError", "readyok"
    )
    assert [type(report) for report in reports] == [Report, Report]
    assert (known, ok) == (games("tictactoe"), HelloOk())


def test_without_utiok_nobody_is_introduced():
    engine = Engine(introduced=False)
    engine.reads(Hello())
    assert engine.writes("name X", "readyok") == [Id("name", "X")]
    assert engine.server.state is State.INTRODUCING


def test_a_barrier_is_answered_in_its_turn():
    engine = Engine()
    assert engine.reads(IsReady()) == ["isready"]
    assert engine.writes("readyok") == [ReadyOk()]
    engine.server.receive_data(b"readyok\n")
    assert "nobody asked for it" in faults(engine.server)[0]


# Questions


@pytest.mark.parametrize(
    ("go", "start", "moves", "lines"),
    [
        (Go(), None, (), ["pos --------- 1", "0"]),
        (Go(wtime=5, btime=5, movetime=7, nodes=9), None, (), ["pos --------- 1", "0"]),
        (Go(infinite=True), None, ("b2",), ["pos ----1---- 2", "0"]),
        (Go(depth=4), None, ("b2", "a3"), ["pos 2---1---- 1", "0 depth 4"]),
        (Go(), "xo1/1xo/xx1 o 3", (), ["pos 12--1211- 2", "0"]),
        (Go(), "4/4/4 x 4", ("d3",), ["pos ---1-------- 2", "size 4X3 0 winlength 4"]),
        (Go(), "4/4/4 x 3", (), ["pos ------------ 1", "size 4X3 0"]),
        (Go(), "3/3/3 x 2", (), ["pos --------- 1", "0 winlength 2"]),
        (Eval(), None, ("b2",), ["pos ----1---- 2", "eval 0"]),
        (Eval(), "4/4/4 x 4", (), ["pos ------------ 1", "size 4X3 eval 0 winlength 4"]),
    ],
)
def test_a_question_lays_the_whole_board_and_asks_for_a_move(go, start, moves, lines):
    assert Engine().asked(go, start, *moves) == lines


def test_other_words_are_spelled_as_uti_spells_them():
    engine = Engine()
    assert engine.reads(Debug(on=True), NewGame()) == ["debug on", "newgame"]
    assert engine.reads(Debug(on=False)) == ["debug off"]
    engine.asked()
    assert engine.reads(Stop()) == ["stop"]
    assert engine.reads(Quit()) == ["quit"]


def test_settings_are_said_with_every_question():
    engine = Engine()
    for name, value in (("multi", "true"), ("Table", "false"), ("level", "3"), ("depth", "5")):
        assert engine.reads(SetOption(name, value)) == []
    engine.reads(SetOption("Hash", "16"), SetOption("level"))
    for _ in range(2):
        assert engine.asked()[1] == "0 multi on table off level 3 depth 5"
        engine.writes("5 0")


def test_what_uti_has_no_word_for_is_not_said():
    engine = Engine()
    for message in (Clock(wtime=1), Info(string="x"), Report(Blame.CLIENT, "x"), PonderHit()):
        assert not engine.server.dialect.can_say(message)
        assert engine.reads(message) == []
    assert engine.reads(Go(ponder=True)) == []
    assert engine.reads(Query("result")) == []
    assert engine.server.state is State.IDLE


def test_a_position_of_another_game_is_our_bug():
    engine = Engine()
    with pytest.raises(LocalProtocolError, match="no position of a game that UTI"):
        engine.reads(Position("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"))
    with pytest.raises(LocalProtocolError):
        engine.reads(SetOption("level", "3 4"))


# Answers


@pytest.mark.parametrize(
    ("moves", "line", "messages"),
    [
        ((), "5 40", [Info(score=Score(40)), BestMove("b2")]),
        (("b2",), "1 40", [Info(score=Score(-40)), BestMove("a3")]),
        (("b2",), "9 -100", [Info(score=Score(100)), BestMove("c1")]),
        ((), "0 0", [Info(score=Score(0)), NO_MOVE]),
        ((), "5", [BestMove("b2")]),
        ((), "12 0", [Info(score=Score(0)), BestMove("12")]),
        ((), "5 999", [Info(score=Score(100)), BestMove("b2")]),
        ((), "5 good", [BestMove("b2")]),
        (
            (),
            "5 7 depth 3 nodes=99 calctime: 12",
            [Info(depth=3, nodes=99, time=12, score=Score(7)), BestMove("b2")],
        ),
        (
            (),
            "5 7 tablehits 12 NNruns 3 depth",
            [Info(score=Score(7), string="tablehits 12 NNruns 3 depth"), BestMove("b2")],
        ),
        (
            (),
            "5 7 player1score 3, player2score 4",
            [Info(score=Score(7), string="player1score 3 player2score 4"), BestMove("b2")],
        ),
    ],
)
def test_an_answer_is_an_analysis_as_the_mover_sees_it_and_a_move(moves, line, messages):
    engine = Engine()
    engine.asked(Go(), None, *moves)
    assert engine.writes(line) == messages
    assert engine.server.owed == 0


def test_an_evaluation_is_an_analysis_without_a_move():
    engine = Engine()
    engine.asked(Eval(), None, "b2")
    assert engine.writes("0 30") == [Info(score=Score(-30))]


def test_answers_belong_to_the_questions_in_their_order():
    engine = Engine()
    engine.asked(Go(), "4/4/4 x 3")
    engine.reads(Stop())
    engine.asked(Go(), None)
    assert engine.writes("4 0", "4 0")[1::2] == [BestMove("d3"), BestMove("a2")]
    assert engine.server.owed == 0


def test_an_answer_that_is_forgiven_is_not_taken_for_the_next():
    engine = Engine()
    engine.asked(Go(), "4/4/4 x 3")
    engine.server.forgive()
    engine.asked()
    assert engine.writes("4 0")[-1] == BestMove("a2")


def test_an_answer_that_nobody_asked_for_is_told():
    engine = Engine()
    engine.server.receive_data(b"5 0\n")
    analysis, told = faults(engine.server)
    assert analysis == Info(score=Score(0))
    assert told.startswith('"bestmove b2": nobody asked for it')


def test_other_lines_are_for_people():
    engine = Engine()
    assert engine.writes("info thinking hard") == [Info(string="thinking hard")]
    assert engine.writes("  Hello   there", "", " ") == [Unknown("Hello there")]
    assert engine.writes("quit") == [Quit()]


# Errors


def report(text: str) -> Report:
    return Report(Blame.CLIENT, text)


def test_an_error_that_nobody_asked_for_is_reported():
    told = "CommandNotKnowError LevelNotSupported: levels are not supported"
    assert Engine().writes("CommandNotKnowError LevelNotSupported") == [report(told)]


def test_an_engine_that_spells_a_setting_otherwise_is_asked_again_in_its_words():
    engine = Engine()
    assert engine.asked(Go(), "5/5/5/5/5 x 5")[1] == "size 5X5 0 winlength 5"
    (told,) = engine.writes("CommandNotKnowError WinlengtNotSupported try winlengt=5")
    assert told.text.endswith("it suggests winlengt=5")
    assert engine.server.owes_replies
    assert engine.reads() == [f"pos {'-' * 25} 1", "size 5X5 0 winlengt 5"]
    assert not engine.server.owes_replies
    assert engine.writes("13 0")[-1] == BestMove("c3")
    assert engine.asked(Go(), "5/5/5/5/5 x 5")[1] == "size 5X5 0 winlengt 5"


def test_an_engine_that_wants_to_be_told_what_is_the_standard_is_told():
    engine = Engine()
    engine.asked()
    for hint, line in (
        ("players=2", "0 players 2"),
        ("winlength=3", "0 winlength 3 players 2"),
        ("size=3x3", "size 3X3 0 winlength 3 players 2"),
    ):
        engine.writes(f"CommandNotKnowError OptionNotSupported try {hint}")
        assert engine.reads()[1] == line
    assert engine.writes("5 0")[-1] == BestMove("b2")


def test_how_an_engine_thinks_is_its_own_affair():
    engine = Engine()
    engine.asked(Go(depth=9))
    engine.writes("CommandNotKnowError IncorrectDepth try depth=4")
    assert engine.reads()[1] == "0 depth 4"
    engine.writes("CommandNotKnowError OnlyMultithreating try multi=on")
    assert engine.reads()[1] == "0 depth 4 multi on"
    assert engine.writes("5 0")[-1] == BestMove("b2")


def test_without_a_hint_it_is_asked_once_more_without_its_own_affairs():
    engine = Engine()
    engine.asked(Go(depth=9))
    engine.writes("CommandNotKnowError DepthNotSupported")
    assert engine.reads() == ["pos --------- 1", "0"]
    assert engine.writes("CommandNotKnowError")[-1] == NO_MOVE


@pytest.mark.parametrize(
    "line",
    [
        "CommandNotKnowError WinlengthNotSupported try winlength=3",
        "CommandNotKnowError BoardsizeNotSupported try size=3X3",
        "CommandNotKnowError PlayerCountNotSupported try players=3",
        "CommandNotKnowError SetboardIncorrect",
        "CommandNotKnowError joho try joho=3",
        "CommandNotKnowError",
    ],
)
def test_the_game_is_not_changed_for_an_engine_it_has_no_move_then(line):
    engine = Engine()
    engine.asked(Go(), "5/5/5/5/5 x 5")
    told, move = engine.writes(line)
    assert isinstance(told, Report)
    assert move == NO_MOVE
    assert not engine.server.owes_replies
    assert engine.server.owed == 0


def test_an_engine_with_ever_new_hints_is_not_asked_for_ever():
    engine = Engine()
    engine.asked()
    for level in range(100):
        if NO_MOVE in engine.writes(f"CommandNotKnowError IncorrectLevel try level={level}"):
            break
        assert len(engine.reads()) == 2
    assert 1 < level < 10


def test_a_question_that_is_overtaken_is_not_asked_again():
    engine = Engine()
    engine.asked(Go(depth=4))
    engine.reads(Stop())
    engine.asked(Go())
    assert engine.writes("CommandNotKnowError try depth=3")[-1] == NO_MOVE
    assert engine.server.owed == 1


def test_an_evaluation_that_is_refused_has_no_move():
    engine = Engine()
    engine.asked(Eval())
    (told,) = engine.writes("CommandNotKnowError EvalNotSupported")
    assert told.text.endswith("the mode eval is not supported")


# Anything


@given(st.one_of(*SAYINGS.values()))
def test_any_message_is_shown(message):
    assert Asking().show(message) == Asking().show(message)
    assert repr(Asking()) == "UTI"


UTI_WORDS = """
utiok readyok id name author country info size eval winlength players multi table depth level
CommandNotKnowError try winlengt=5 level=3 players=2 size=3x3 5 0 -1 12 100 nodes calctime
quitter = , SetboardIncorrect 999999999999999999999
"""
uti_lines = st.lists(st.sampled_from(UTI_WORDS.split()), max_size=6).map(" ".join)


@settings(max_examples=500)
@given(st.lists(scrambled | uti_lines, max_size=8), st.data())
def test_any_lines_are_heard_or_refused(lines, data):
    engine = Engine(introduced=data.draw(st.booleans()))
    if engine.server.state is State.IDLE:
        engine.asked(Go(depth=data.draw(st.none() | st.integers(1, 9))))
    engine.server.receive_data("\n".join((*lines, "")).encode())
    for told in faults(engine.server):
        assert not isinstance(told, Unread)
        assert not isinstance(told, str) or told.isprintable()
    engine.reads()
    assert not engine.server.owes_replies

"""``info`` in any order of its tokens, and what becomes of its texts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.support.sayings import infos, moves, scrambled, words
from ulci.protocol import ULCI, LocalProtocolError, Role, Unread, read_info_untrusted
from ulci.protocol.info import _TOKENS, write_info
from ulci.protocol.messages import Blame, Bound, CurrLine, Info, Report, Score
from ulci.protocol.text import ANALYSIS_WORDS

LAST = ("pv", "string")


def read(line: str) -> object:
    return ULCI.read_untrusted(line, Role.SERVER)


@pytest.mark.parametrize(
    ("line", "info"),
    [
        ("info", Info()),
        ("info depth 3 seldepth 5", Info(depth=3, seldepth=5)),
        ("info multipv 1 nodes 2 nps 3 time 4", Info(multipv=1, nodes=2, nps=3, time=4)),
        ("info hashfull 16 tbhits 0 sbhits 1", Info(hashfull=16, tbhits=0, sbhits=1)),
        ("info cpuload 999 currmove e2e4", Info(cpuload=999, currmove="e2e4")),
        ("info currmovenumber 1", Info(currmovenumber=1)),
        ("info wdl 300 500 200", Info(wdl=(300, 500, 200))),
        ("info score cp -17", Info(score=Score(cp=-17))),
        ("info score mate -3", Info(score=Score(mate=-3))),
        ("info score cp 107 lowerbound", Info(score=Score(cp=107, bound=Bound.LOWER))),
        ("info score lowerbound cp 107", Info(score=Score(cp=107, bound=Bound.LOWER))),
        ("info score upperbound mate 2", Info(score=Score(mate=2, bound=Bound.UPPER))),
        ("info score cp 1 depth 2 upperbound", Info(depth=2, score=Score(1, bound=Bound.UPPER))),
        ("info score cp 5 mate 2", Info(score=Score(mate=2))),
        ("info score cp +15", Info(score=Score(cp=15))),
        ("info currline 2 e2e4 e7e5", Info(currline=CurrLine(("e2e4", "e7e5"), 2))),
        ("info currline e2e4", Info(currline=CurrLine(("e2e4",)))),
        ("info currline 0000 e2e4", Info(currline=CurrLine(("0000", "e2e4")))),
        ("info refutation d1h5 g6h5", Info(refutation=("d1h5", "g6h5"))),
        ("info refutation d1h5", Info(refutation=("d1h5",))),
        ("info string", Info(string="")),
        ("info string  two   words ", Info(string="two words")),
        ("info depth 1 string depth 2 pv", Info(depth=1, string="depth 2 pv")),
    ],
)
def test_every_token_is_read(line, info):
    assert read(line) == info


@pytest.mark.parametrize(
    ("line", "info"),
    [
        ("info pv e2e4 e7e5 depth 3", Info(depth=3, pv=("e2e4", "e7e5"))),
        ("info pv e2e4 score cp 3 nodes 5", Info(score=Score(3), nodes=5, pv=("e2e4",))),
        ("info depth 10 pv ", Info(depth=10)),
        ("info depth 10 pv", Info(depth=10)),
        ("info pv P@e4 O-O (none)", Info(pv=("P@e4", "O-O", "(none)"))),
        ("info currline 1 e2e4 pv e2e4", Info(currline=CurrLine(("e2e4",), 1), pv=("e2e4",))),
        ("info refutation a1a2 b1b2 depth 3", Info(depth=3, refutation=("a1a2", "b1b2"))),
    ],
)
def test_moves_end_where_the_next_token_begins(line, info):
    assert read(line) == info


@pytest.mark.parametrize(
    ("line", "info"),
    [
        ("info depth", Info()),
        ("info depth seldepth 3", Info(seldepth=3)),
        ("info depth x seldepth 3", Info(seldepth=3)),
        ("info depth -1 nodes 99999999999999999999 time 5", Info(time=5)),
        ("info depth 1.5", Info()),
        ("info wdl 1 2", Info()),
        ("info wdl 1 2 x depth 3", Info(depth=3)),
        ("info score 35", Info()),
        ("info score lowerbound", Info()),
        ("info score cp", Info()),
        ("info currmove", Info()),
        ("info currmove currmovenumber 2", Info(currmovenumber=2)),
        ("info currline", Info()),
        ("info currline 3", Info()),
        ("info refutation", Info()),
        ("info tthits 12 depth 3", Info(depth=3)),
        ("info depth 3 foo bar 7 nodes 5", Info(depth=3, nodes=5)),
    ],
)
def test_what_is_unknown_or_unreadable_is_left_out(line, info):
    assert read(line) == info


def test_of_an_analysis_with_a_text_the_analysis_is_kept():
    assert read("info pv e2e4 string hello") == Info(pv=("e2e4",))
    assert read("info pv string hello") == Info(string="hello")


@pytest.mark.parametrize(
    ("line", "report"),
    [
        ("info clienterror nope", Report(Blame.CLIENT, "nope")),
        ("info servererror depth 5", Report(Blame.SERVER, "depth 5")),
        ("info error unrecognised option Hash", Report(Blame.ERROR, "unrecognised option Hash")),
        ("info string clienterror  a  b", Report(Blame.CLIENT, "a b")),
        ("info string servererror x", Report(Blame.SERVER, "x")),
        ("info error", Report(Blame.ERROR, "")),
        ("info string error x", Info(string="error x")),
        ("info depth 1 error x", Info(depth=1)),
    ],
)
def test_reports_are_read_in_every_spelling(line, report):
    assert read(line) == report


def test_what_a_report_says_is_made_harmless():
    report = Report(Blame.CLIENT, "set depth 5\nand time 3")
    assert ULCI.write(report) == "info clienterror set 'depth' 5 and 'time' 3"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("result 1-0 reason checkmate", "info string result 1-0 reason checkmate"),
        ("result 1-0 reason time", "info string result 1-0 reason time"),
        ("out of time 3 seconds", "info string out of 'time' 3 seconds"),
        ("time", "info string time"),
        ("", "info string "),
        ("two\nlines\x07", "info string two lines"),
        ("clienterror is a word", "info string 'clienterror' is a word"),
    ],
)
def test_a_text_for_people_holds_no_analysis_but_a_result_stays_a_result(text, line):
    assert write_info(Info(string=text)) == line


def test_the_moves_or_the_text_are_written_last():
    info = Info(depth=3, score=Score(17), time=5, currmove="e2e4", refutation=("a1a2",))
    line = "info depth 3 score cp 17 time 5 currmove e2e4 refutation a1a2"
    assert write_info(info) == line
    line = write_info(Info(pv=("e2e4",), cpuload=1, wdl=(1, 2, 3), currline=CurrLine(("e2e4",), 1)))
    assert line == "info wdl 1 2 3 cpuload 1 currline 1 e2e4 pv e2e4"


@pytest.mark.parametrize(
    "info",
    [
        Info(pv=("e2e4",), string="both"),
        Info(score=Score()),
        Info(score=Score(cp=1, mate=1)),
        Info(pv=("depth", "e2e4")),
        Info(currline=CurrLine(("string",))),
        Info(currmove="a b"),
    ],
)
def test_what_would_be_read_as_something_else_is_not_written(info):
    with pytest.raises(LocalProtocolError):
        write_info(info)


@given(infos)
def test_a_deferred_analysis_is_the_same_later(info):
    assert read_info_untrusted(write_info(info)) == info


@settings(max_examples=500)
@given(scrambled)
def test_a_deferred_analysis_never_raises(line):
    assert isinstance(read_info_untrusted(f"info {line}"), Info)


@given(st.permutations(["depth 3", "score mate 2 upperbound", "nodes 5", "pv a b", "wdl 1 2 3"]))
def test_the_order_of_tokens_does_not_matter(tokens):
    expected = Info(3, score=Score(None, 2, Bound.UPPER), nodes=5, pv=("a", "b"), wdl=(1, 2, 3))
    assert read(f"info {' '.join(tokens)}") == expected


@given(st.lists(st.tuples(words, moves)))
def test_unknown_tokens_anywhere_change_nothing(unknown):
    noise = " ".join(f"x{a} {b}" for a, b in unknown)
    assert read(f"info {noise} depth 3 {noise} nodes 5 {noise}") == Info(depth=3, nodes=5)


def test_texts_are_freed_of_every_word_that_begins_an_analysis():
    behind_score = {"cp", "mate", "lowerbound", "upperbound"}
    assert set(_TOKENS) - behind_score - {"string"} == ANALYSIS_WORDS


@given(st.lists(st.sampled_from([*sorted(ANALYSIS_WORDS), "5", "cp", "mate", "e2e4", "of"])))
def test_a_client_that_skips_the_word_of_a_report_finds_no_analysis(words):
    """As newer ULCI clients do with the older standard's words. A score needs its word, too."""
    text = " ".join(words)
    reports = [ULCI.write(Report(blame, text)) for blame in Blame]
    unknown = write_info(Info(string=text)).replace("string", "unknown", 1)
    for line in (*reports, unknown):
        assert replace(read_info_untrusted(line), score=None) == Info()
        assert "score" not in line.split()[:-1]


def test_an_unread_line_is_what_was_written():
    assert Unread("info depth 3").line == "info depth 3"

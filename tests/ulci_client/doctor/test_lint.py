import pytest

from ulci_client.doctor.checks.lint import info_remarks, option_remarks, pv_of
from ulci_client.doctor.report import Severity

FAULT, WARNING = Severity.FAULT, Severity.WARNING

OPTIONS = {
    "option name Hash type spin default 16 min 1 max 64": [],
    "option name Clear Hash type button": [],
    "option name Ponder type check default false": [],
    "option name Style type combo default Very Wild var Solid var Very Wild": [],
    "option name Book type string default c:\\my books\\": [],
    "option name Book type string default <empty>": [],
    "option name Node type type check default true": [],
    "option name Hash default 16": [(FAULT, "has no type")],
    "option name Hash type number default 16": [(FAULT, "has no type")],
    "option type check default true": [(FAULT, "has no name")],
    "option name Hash type spin default 16 min 1": [(FAULT, "has no max")],
    "option name Hash type spin default x min 1 max 2": [(FAULT, "has default 'x'")],
    "option name Hash type spin default 0 min 1 max 2": [(FAULT, "has a default that is not")],
    "option name Style type combo default Solid": [(FAULT, "has no var")],
    "option name Style type combo default solid var Solid": [(FAULT, "none of its vars but for")],
    "option name Ponder type check default yes": [(FAULT, "neither true nor false")],
    "option name Ponder type check": [(FAULT, "neither true nor false")],
    "option name Book type string": [(WARNING, "has no default")],
    "option name Go type button default 1": [(WARNING, "is a button")],
    "option name Max Value type check default true": [(WARNING, "has a name with")],
}

INFOS = {
    "info depth 2 score cp 214 time 1242 nodes 2124 nps 34928 pv e2e4 e7e5 g1f3": [],
    "info depth 1 score cp -5 lowerbound nodes 3": [],
    "info depth 1 score lowerbound cp 107": [],
    "info score mate -3 wdl 0 0 1000": [],
    "info currmove e2e4 currmovenumber 1": [],
    "info refutation d1h5 g6h5": [],
    "info currline 1 e2e4": [],
    "info string depth of nothing score pv": [],
    "info depth nodes 3": [(FAULT, "has depth without its number")],
    "info depth x nodes 3": [(FAULT, "has depth with 'x'")],
    "info nodes -3": [(FAULT, "has nodes with a negative")],
    "info depth 1 score 20": [(FAULT, "has score with neither")],
    "info depth 1 score cp 0.2": [(FAULT, "has score with cp that no whole")],
    "info hashfull 2000": [(FAULT, "has hashfull 2000")],
    "info wdl 3 4": [(FAULT, "has wdl without")],
    "info seldepth 3": [(FAULT, "has seldepth without depth")],
    "info depth 1 pv": [(FAULT, "has pv without a move")],
    "info pv e2e4 depth 1": [(WARNING, "has words behind its pv")],
    "info depth 1 tthits 3 nodes 5": [(WARNING, "has the word 'tthits'")],
}


@pytest.mark.parametrize("line", OPTIONS)
def test_options_are_read_to_the_letter(line: str):
    said = [*option_remarks(line)]
    assert [severity for severity, _ in said] == [severity for severity, _ in OPTIONS[line]]
    for (_, text), (_, words) in zip(said, OPTIONS[line], strict=True):
        assert words in text


@pytest.mark.parametrize("line", INFOS)
def test_infos_are_read_to_the_letter(line: str):
    said = [*info_remarks(line)]
    assert [severity for severity, _ in said] == [severity for severity, _ in INFOS[line]]
    for (_, text), (_, words) in zip(said, INFOS[line], strict=True):
        assert words in text


def test_a_pv_ends_at_the_next_word_of_info():
    assert pv_of("info pv e2e4 e7e5 depth 1") == ["e2e4", "e7e5"]
    assert pv_of("info depth 1 pv e2e4") == ["e2e4"]
    assert pv_of("info string the pv is e2e4") == []
    assert pv_of("info depth 1") == []

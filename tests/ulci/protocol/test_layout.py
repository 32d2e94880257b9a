"""The msgpack map of each message."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.sayings import SAYINGS
from ulci.protocol.layout import LAYOUTS, VERBS, WrongError
from ulci.protocol.messages import (
    BestMove,
    Challenge,
    CurrLine,
    Go,
    Info,
    Message,
    Option,
    OptionType,
    Score,
    Terms,
    kinds_of,
)


@given(st.one_of(*SAYINGS.values()))
def test_what_is_packed_is_read_again(message):
    layout = LAYOUTS[type(message)]
    packed = layout.pack(message)
    as_lists = {
        key: list(value) if isinstance(value, tuple) else value for key, value in packed.items()
    }
    if "currline" in packed:
        line = packed["currline"]
        as_lists["currline"] = {**line, "moves": list(line["moves"])}
    if "range" in packed.get("terms", ()):
        terms = packed["terms"]
        as_lists["terms"] = {**terms, "range": list(terms["range"])}
    assert layout.read(as_lists) == message


def test_only_what_is_set_is_packed():
    assert LAYOUTS[Go].pack(Go(wtime=0)) == {"wtime": 0}
    assert LAYOUTS[BestMove].pack(BestMove("e2e4")) == {"move": "e2e4"}
    assert LAYOUTS[Info].pack(Info(score=Score(cp=5))) == {"score": {"cp": 5}}
    assert LAYOUTS[Challenge].pack(Challenge("Bob")) == {"name": "Bob"}


def test_every_message_has_a_verb_of_its_own():
    assert set(VERBS) == set(kinds_of(Message))
    assert len(set(VERBS.values())) == len(VERBS)


@pytest.mark.parametrize(
    ("kind", "value", "fault"),
    [
        (BestMove, {}, "move is missing"),
        (Option, {}, "name and type is missing"),
        (BestMove, {"move": 5}, "move must be one word"),
        (BestMove, {"move": ""}, "move must be one word"),
        (BestMove, {"move": "e2 e4"}, "move must be one word"),
        (BestMove, {"move": "e2\x00"}, "move must be one word"),
        (Go, {"wtime": "5"}, "wtime must be a whole number"),
        (Go, {"wtime": 5.0}, "wtime must be a whole number"),
        (Go, {"wtime": True}, "wtime must be a whole number"),
        (Go, {"wtime": 2**63}, "wtime must be a whole number"),
        (Go, {"wtime": None}, "wtime must be a whole number"),
        (Go, {"infinite": 1}, "infinite must be true or false"),
        (Go, {"searchmoves": "e2e4"}, "searchmoves must be a list"),
        (Go, {"searchmoves": [1]}, "searchmoves must be one word"),
        (Info, {"wdl": [1, 2]}, "wdl must be a list of 3"),
        (Info, {"score": 5}, "score must be a map"),
        (Info, {"score": {"bound": "x"}}, "score bound must be one of lowerbound, upperbound"),
        (Info, {"string": 5}, "string must be a text"),
        (Info, {"string": "a\x1bb"}, "string holds the control character"),
        (Challenge, {"name": "Bob", "terms": {"color": "red"}}, "terms color must be one of"),
    ],
)
def test_a_wrong_value_is_named(kind, value, fault):
    with pytest.raises(WrongError, match=fault):
        LAYOUTS[kind].read(value)


def test_texts_become_one_line_and_unknown_keys_are_skipped():
    value = {"name": " a  b ", "type": "check", "joho": [1]}
    assert LAYOUTS[Option].read(value) == Option("a b", OptionType.CHECK)
    assert LAYOUTS[CurrLine].read({"moves": ["e2e4"], "cpu": 1}) == CurrLine(("e2e4",), 1)
    assert LAYOUTS[Terms].read({"rated": False}) == Terms(rated=False)

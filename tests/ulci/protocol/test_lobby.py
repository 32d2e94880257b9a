"""The lobby's words: how a client writes them, and what it is told when it writes them wrong."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.sayings import SAYINGS
from ulci.protocol import (
    ULCI,
    Accept,
    Challenge,
    Decline,
    Draw,
    Go,
    LobbyWord,
    RemoteProtocolError,
    Role,
    Say,
    Seek,
    Seeks,
    Terms,
    Unknown,
    Unseek,
    Who,
)
from ulci.protocol.lobby import USAGE, write


def read(line: str) -> object:
    return ULCI.with_lobby().read_untrusted(line, Role.SERVER)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("seek", Seek()),
        (
            "seek game chess960 time 40/300+2 color white rated yes against engine",
            Seek(Terms("chess960", "40/300+2", "white", True, "engine")),
        ),
        ("seek rated no", Seek(Terms(rated=False))),
        ("seek against any color random", Seek()),
        ("seek start 8/8 w - - 0 1 time 5", Seek(Terms(start="8/8 w - - 0 1 time 5"))),
        ("seeks", Seeks()),
        ("unseek", Unseek()),
        ("unseek 17", Unseek(17)),
        ("accept 17", Accept(17)),
        ("decline 17", Decline(17)),
        ("challenge Bob", Challenge("Bob")),
        ("challenge Some User time 300|60", Challenge("Some User", Terms(time="300|60"))),
        ("draw", Draw()),
        ("who", Who()),
        ("say  good   luck", Say("good luck")),
        ("takeback", Unknown("takeback")),
    ],
)
def test_each_word_is_read_with_its_terms(line, message):
    assert read(line) == message


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("seek blitz", '"blitz" is none of game, time, color'),
        ("seek color red", 'color "red" is none of white, black, random'),
        ("seek rated maybe", 'rated "maybe" is none of yes, no'),
        ("seek against me", 'against "me" is none of any, human, engine'),
        ("seek time", "time has no value"),
        ("seek start", "start has no value"),
        ("challenge", "it does not say whom"),
        ("challenge time 300", "it does not say whom"),
        ("challenge Bob color red", "is none of"),
        ("accept", "it takes one number"),
        ("accept Bob", "it takes one number"),
        ("accept 1 2", "it takes one number"),
        ("decline -1", "it takes one number"),
        ("unseek all", "it takes one number"),
        ("resign now", "nothing may follow"),
        ("draw the curtain", "nothing may follow"),
        ("say", "there is nothing to say"),
    ],
)
def test_a_wrong_line_is_told_how_the_word_is_used(line, fault):
    with pytest.raises(RemoteProtocolError) as caught:
        read(line)
    assert not caught.value.fatal
    assert fault in str(caught.value)
    assert str(caught.value).endswith(f"use: {USAGE[line.split()[0]]}")


@given(st.one_of(*(SAYINGS[kind] for kind in get_args(LobbyWord))))
def test_what_is_written_is_read_again(message):
    assert read(write(message)) == message


def test_every_word_of_the_lobby_says_how_it_is_used():
    assert set(USAGE) == {kind.__name__.lower() for kind in get_args(LobbyWord)}
    assert all(usage.split()[0] == verb for verb, usage in USAGE.items())


def test_with_the_lobby_a_client_is_told_how_many_moves_its_time_is_for():
    go = Go(wtime=10_000, btime=10_000, movestogo=40)
    assert ULCI.write(go) == "go wtime 10000 btime 10000"
    assert ULCI.with_lobby().write(go) == "go wtime 10000 btime 10000 movestogo 40"

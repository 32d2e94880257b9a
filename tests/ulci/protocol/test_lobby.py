"""Lobby commands: reading, writing, and errors with their usage."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.sayings import SAYINGS
from ulci.protocol import ULCI, LocalProtocolError, RemoteProtocolError, Role
from ulci.protocol.layout import VERBS
from ulci.protocol.lobby.commands import COMMANDS, ROWS, write
from ulci.protocol.lobby.line_template import LONGEST_GIFT
from ulci.protocol.messages import (
    PLAYER_COMMANDS,
    Accept,
    Admin,
    Challenge,
    Claim,
    Decline,
    Draw,
    GiveTime,
    Go,
    Ignore,
    Ignored,
    Say,
    Seek,
    Seeks,
    Takeback,
    TellPlayer,
    Terms,
    Unignore,
    Unknown,
    Unseek,
    Unwatch,
    Watch,
    Who,
)


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
        ("decline 17 not  at night", Decline(17, "not at night")),
        ("challenge Bob", Challenge("Bob")),
        ("challenge Some User time 300|60", Challenge("Some User", Terms(time="300|60"))),
        ("draw", Draw()),
        ("who", Who()),
        ("say  good   luck", Say("good luck")),
        ("takeback", Takeback()),
        ("takeback 2", Takeback(2)),
        ("claim win", Claim("win")),
        ("claim draw", Claim("draw")),
        ("givetime 15", GiveTime(15_000)),
        ("givetime 0.25", GiveTime(250)),
        ("givetime 0.001", GiveTime(1)),
        ("givetime 86400", GiveTime(86_400_000)),
        ("watch 42", Watch(42)),
        ("unwatch", Unwatch()),
        ("unwatch 42", Unwatch(42)),
        ("tell Bob good  luck", TellPlayer("Bob", "good luck")),
        ("ignore Bob", Ignore("Bob")),
        ("unignore Bob", Unignore("Bob")),
        ("ignored", Ignored()),
        ("admin kick Bob for  shouting", Admin(("kick", "Bob", "for", "shouting"))),
        ("shout", Unknown("shout")),
    ],
)
def test_each_word_is_read_with_its_terms(line, message):
    assert read(line) == message


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("ignore", "it needs a name"),
        ("unignore Bob now", "it needs a name"),
        ("ignored Bob", "nothing may follow"),
        ("seek blitz", '"blitz" is none of game, time, color'),
        ("seek color red", 'color "red" is none of white, black, random'),
        ("seek rated maybe", 'rated "maybe" is none of yes, no'),
        ("seek against me", 'against "me" is none of any, human, engine'),
        ("seek time", "time has no value"),
        ("seek start", "start has no value"),
        ("challenge", "it needs a name"),
        ("challenge time 300", "it needs a name"),
        ("challenge Bob color red", "is none of"),
        ("accept", "it takes one number"),
        ("accept Bob", "it takes one number"),
        ("accept 1 2", "it takes one number"),
        ("decline -1", "it takes one number"),
        ("unseek all", "it takes one number"),
        ("resign now", "nothing may follow"),
        ("draw the curtain", "nothing may follow"),
        ("say", "there is nothing to say"),
        ("takeback 0", "it takes the number of half-moves"),
        ("takeback that", "it takes the number of half-moves"),
        ("takeback 1 2", "it takes the number of half-moves"),
        ("claim", "it needs win or draw"),
        ("claim victory", "it needs win or draw"),
        ("claim win now", "it needs win or draw"),
        ("givetime", "it takes seconds"),
        ("givetime 0", "it takes seconds"),
        ("givetime 0.0001", "it takes seconds"),
        ("givetime -5", "it takes seconds"),
        ("givetime 86400.001", "it takes seconds"),
        ("givetime 15 s", "it takes seconds"),
        ("givetime 1e9", "it takes seconds"),
        ("givetime \u0661\u0665", "it takes seconds"),
        ("watch", "it takes one number"),
        ("watch Bob", "it takes one number"),
        ("unwatch all", "it takes one number"),
        ("tell", "it needs a name"),
        ("tell Bob", "there is nothing to tell"),
        ("tell Bob \u200b", "there is nothing to tell"),
        ("say \u202e", "there is nothing to say"),
        ("challenge \u2066", "it needs a name"),
        ("admin", "it needs a command"),
    ],
)
def test_a_wrong_line_is_told_how_the_word_is_used(line, fault):
    with pytest.raises(RemoteProtocolError) as caught:
        read(line)
    assert not caught.value.fatal
    assert fault in str(caught.value)
    assert str(caught.value).startswith(f'"{" ".join(line.split())}' if line.isprintable() else '"')
    assert str(caught.value).endswith(f"use: {COMMANDS[line.split()[0]].usage}")


@given(st.one_of(*(SAYINGS[kind] for kind in PLAYER_COMMANDS)))
def test_what_is_written_is_read_again(message):
    assert read(write(message)) == message


def test_every_word_of_the_lobby_says_how_it_is_used():
    assert [VERBS[row.kind] for row in ROWS] == [*COMMANDS]
    assert {row.kind for row in ROWS} == set(PLAYER_COMMANDS)


def test_with_the_lobby_a_client_is_told_how_many_moves_its_time_is_for():
    go = Go(wtime=10_000, btime=10_000, movestogo=40)
    assert ULCI.write(go) == "go wtime 10000 btime 10000"
    assert ULCI.with_lobby().write(go) == "go wtime 10000 btime 10000 movestogo 40"


@pytest.mark.parametrize(
    "message",
    [GiveTime(0), GiveTime(LONGEST_GIFT + 1), Takeback(0), Admin(()), TellPlayer("a b", "hello")],
)
def test_what_could_not_be_read_is_not_written(message):
    with pytest.raises(LocalProtocolError):
        write(message)

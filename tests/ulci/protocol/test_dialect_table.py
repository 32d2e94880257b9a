"""Spelling of verbs, and what a client of each dialect may be sent."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.support.lobby import lobby_line
from tests.support.sayings import SAYINGS, TOKENS, scrambled, words
from ulci.protocol import UCI, UGI, ULCI, LocalProtocolError, RemoteProtocolError, Role, Row, Unread
from ulci.protocol.lobby.lines import UnknownLine
from ulci.protocol.messages import (
    Abort,
    Accept,
    BestMove,
    Blame,
    Challenge,
    Clock,
    Debug,
    FromClient,
    FromServer,
    Go,
    Hello,
    HelloOk,
    Info,
    Lobby,
    Message,
    NewGame,
    PlayerCommand,
    PonderHit,
    Position,
    Quit,
    ReadyOk,
    Register,
    Report,
    Resign,
    Response,
    Say,
    SetOption,
    Stop,
    Unknown,
    kinds_of,
)

DIALECTS = (ULCI, UCI, UGI, ULCI.with_lobby(), UCI.with_lobby(), UGI.with_lobby())
LISTENERS = ((Role.CLIENT, kinds_of(FromServer)), (Role.SERVER, kinds_of(FromClient)))


ANSWERS = ("true", "false", "p1win", "p2win", "draw", "none")
"""Of UGI, however they are cased."""


def spoken(message: Message, dialect: Row) -> Message:
    """What of the message the dialect has words for."""
    if isinstance(message, BestMove) and "bestmove ponder" in dialect.lacks:
        return replace(message, ponder=None)
    if isinstance(message, Go) and "movestogo" in dialect.lacks:
        return replace(message, movestogo=None)
    if isinstance(message, Response) and message.answer.lower() in ANSWERS:
        return replace(message, answer=message.answer.lower())
    return message


@pytest.mark.parametrize("kind", SAYINGS, ids=lambda kind: kind.__name__)
@settings(max_examples=50)
@given(data=st.data(), dialect=st.sampled_from(DIALECTS))
def test_what_is_written_is_read_again(kind, data, dialect):
    message = data.draw(SAYINGS[kind])
    if not dialect.can_say(message):
        return
    line = dialect.write(message)
    for reader, kinds in LISTENERS:
        if kind in kinds:
            assert dialect.read_untrusted(line, reader) == spoken(message, dialect)


@given(
    st.one_of(*SAYINGS.values()), st.sampled_from(DIALECTS), st.lists(words, min_size=1).map(tuple)
)
def test_blanks_and_unknown_words_before_a_verb_change_nothing(message, dialect, unknown):
    if not dialect.can_say(message) or isinstance(message, Unknown | PlayerCommand | Lobby):
        return
    line = dialect.write(message).replace(" ", " \t  ")
    for reader, kinds in LISTENERS:
        if type(message) in kinds:
            expected = dialect.read_untrusted(line.strip(), reader)
            assert dialect.read_untrusted(f" \t{line}\t ", reader) == expected
            behind = dialect.read_untrusted(f"{' '.join(unknown)} {line}", reader)
            if isinstance(message, Quit):  # only a line that begins with it ends a connection
                assert not isinstance(behind, Quit)
            else:
                assert behind == expected


@settings(max_examples=1000)
@given(scrambled, st.sampled_from(DIALECTS), st.sampled_from(Role))
def test_whatever_could_be_read_can_be_passed_on(line, dialect, reader):
    try:
        message = dialect.read_untrusted(line, reader)
    except RemoteProtocolError:
        return
    assert not isinstance(message, Unread)
    again = dialect.read_untrusted(dialect.write(message), reader)
    assert dialect.read_untrusted(dialect.write(again), reader) == again
    if not isinstance(message, Report | Info):  # their texts are made harmless once
        assert again == message or again == spoken(message, dialect)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("debug on", Debug(on=True)),
        ("   debug     on  ", Debug(on=True)),
        ("\t  debug \t  \t\ton\t  ", Debug(on=True)),
        ("joho debug on", Debug(on=True)),
        ("joho stop", Stop()),
        ("joho", Unknown("joho")),
        ("  what   is this?\t", Unknown("what is this?")),
        ("type quit to exit", Unknown("type quit to exit")),
        ("joho perft", Unknown("joho perft")),
        ("Debug on", Unknown("Debug on")),
        ("", Unknown("")),
        ("lobby welcome", Unknown("lobby welcome")),
        ("bestmove e2e4", Unknown("bestmove e2e4")),
    ],
)
def test_a_client_skips_what_it_does_not_know(line, message):
    assert ULCI.read_untrusted(line, Role.CLIENT) == message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("joho bestmove e2e4", BestMove("e2e4")),
        ("joho readyok", ReadyOk()),
        ("readyok joho", ReadyOk()),
        ("joho readyok joho", Unknown("joho readyok joho")),
        ("joho bestmove", Unknown("joho bestmove")),
        ("Nodes searched: 20", Unknown("Nodes searched: 20")),
        ("go infinite", Unknown("go infinite")),
        ("uci", Unknown("uci")),
        ("resign", Unknown("resign")),
    ],
)
def test_a_server_skips_what_it_does_not_know(line, message):
    assert ULCI.read_untrusted(line, Role.SERVER) == message


def test_lobby_words_are_read_in_a_dialect_with_a_lobby_and_at_the_beginning_only():
    lobby = ULCI.with_lobby()
    assert lobby.read_untrusted("resign", Role.SERVER) == Resign()
    assert lobby.read_untrusted("I resign", Role.SERVER) == Unknown("I resign")
    assert lobby.read_untrusted("resign", Role.CLIENT) == Unknown("resign")
    assert lobby.read_untrusted("lobby gone 17", Role.CLIENT) == lobby_line("gone 17")
    assert lobby.read_untrusted("lobby gone 17", Role.SERVER) == Unknown("lobby gone 17")


def test_a_plain_uci_engine_is_never_sent_a_word_that_uci_lacks():
    for message in (Clock(wtime=1), Info(string="hi"), Report(Blame.CLIENT, "x"), lobby_line("x")):
        assert not UCI.can_say(message)
    for message in (Hello(), NewGame(), Position(), Go(ponder=True), Register(), PonderHit()):
        assert UCI.can_say(message)


def test_ulci_has_a_clock_and_reports_but_does_not_ponder():
    for message in (Clock(wtime=1), Info(string="hi"), Report(Blame.CLIENT, "x"), Go()):
        assert ULCI.can_say(message)
    for message in (Go(ponder=True), PonderHit(), Register(), lobby_line("x")):
        assert not ULCI.can_say(message)


def test_what_clients_say_every_dialect_can_but_the_lobby_needs_a_lobby():
    for dialect in (ULCI, UCI):
        assert dialect.can_say(BestMove("e2e4"))
        assert dialect.can_say(HelloOk())
        assert not dialect.can_say(Resign())
        assert dialect.with_lobby().can_say(Resign())
        assert dialect.with_lobby().can_say(lobby_line(""))
        assert dialect.with_lobby().can_say(Quit())


def test_only_uci_is_told_the_moves_to_go():
    go = Go(wtime=1, movestogo=40)
    assert UCI.write(go) == "go wtime 1 movestogo 40"
    assert ULCI.write(go) == "go wtime 1"


def test_another_row_of_the_table_spells_the_same_messages_in_its_own_words():
    row = Row(
        "X", "hi", "hiok", "hinewgame", {"1st": "wtime", "2nd": "btime"}, frozenset({Hello, Go})
    )
    assert row.write(Hello()) == "hi"
    assert row.write(HelloOk()) == "hiok"
    assert row.write(NewGame()) == "hinewgame"
    assert row.write(Go(wtime=5, btime=6)) == "go 1st 5 2nd 6"
    assert row.read_untrusted("joho hi", Role.CLIENT) == Hello()
    assert row.read_untrusted("go 2nd 6 wtime 7", Role.CLIENT) == Go(btime=6)
    assert row.read_untrusted("uci", Role.CLIENT) == Unknown("uci")
    assert not row.can_say(Stop())


def test_a_dialect_with_a_lobby_says_so_and_is_the_same_each_time():
    assert repr(ULCI) == "ULCI"
    assert repr(ULCI.with_lobby()) == "ULCI+lobby"
    assert ULCI.with_lobby() == ULCI.with_lobby() != ULCI
    assert len({ULCI, ULCI.with_lobby(), ULCI.with_lobby()}) == 2


@pytest.mark.parametrize(
    "message",
    [
        BestMove("e2e4\nquit"),
        BestMove("e2 e4"),
        BestMove(""),
        BestMove("e2e4", ponder=" e7e5"),
        Position(moves=("e2e4", "")),
        Position(moves=("e2e4", "e7e5 e2e4")),
        Position(moves=("e2\te4",)),
        Position(moves=("e2\N{NO-BREAK SPACE}e4",)),
        Position(start=""),
        Position(start="8/8 w\nquit"),
        Unknown("a\rb"),
        Unknown("\ud800"),
        Unknown("\x00"),
        Lobby(UnknownLine(("a b",))),
        Say(" "),
        Challenge(""),
        SetOption("", "1"),
        Info(pv=("e2e4",), string="x"),
    ],
)
def test_a_message_without_a_spelling_is_our_bug(message):
    with pytest.raises(LocalProtocolError):
        ULCI.write(message)


def test_an_unread_analysis_is_written_as_it_came():
    assert ULCI.write(Unread("info  depth 3 joho")) == "info  depth 3 joho"
    assert ULCI.can_say(Unread("info depth 3"))
    assert not UCI.can_say(Unread("info depth 3"))


def test_every_word_of_the_protocol_has_a_strategy():
    assert set(SAYINGS) == set(kinds_of(Message))
    assert {"uci", "bestmove", "abort", "accept"} <= TOKENS
    assert ULCI.with_lobby().read_untrusted("abort", Role.SERVER) == Abort()
    assert ULCI.with_lobby().read_untrusted("accept 3", Role.SERVER) == Accept(3)

"""The whole protocol of one peer, seen from both ends."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.support.ends import CARRIERS, CODECS, Ends, faults, heard
from tests.support.sayings import SAYINGS, scrambled
from ulci.protocol import DIALECTS as BY_NAME
from ulci.protocol import (
    TRANSITIONS,
    UCI,
    UGI,
    ULCI,
    Blank,
    Connection,
    Fault,
    LocalProtocolError,
    MsgpackCodec,
    ProtocolError,
    RemoteProtocolError,
    Role,
    Row,
    State,
    TextCodec,
    Unread,
)
from ulci.protocol.messages import (
    Accept,
    BestMove,
    Blame,
    Clock,
    FromClient,
    FromServer,
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
    Report,
    Resign,
    Response,
    Seek,
    Stop,
    Unknown,
    kinds_of,
)

DIALECTS = (ULCI, UCI, UGI, ULCI.with_lobby(), UCI.with_lobby())


def server(**options) -> Connection:
    return Connection(Role.SERVER, TextCodec(), **options)


@pytest.mark.parametrize("kind", SAYINGS, ids=lambda kind: kind.__name__)
@settings(max_examples=40)
@given(
    data=st.data(),
    dialect=st.sampled_from(DIALECTS),
    codec=st.sampled_from(sorted(CODECS)),
    carrier=st.sampled_from(sorted(CARRIERS)),
)
def test_what_one_end_says_the_other_hears(kind, data, dialect, codec, carrier):
    message = data.draw(SAYINGS[kind])
    state = data.draw(st.sampled_from([state for state in State if kind in TRANSITIONS[state]]))
    ends = Ends(dialect, codec, CARRIERS[carrier]).bring_to(state)
    if kind is ReadyOk:
        ends.server_says(IsReady())
    if kind is Response:
        ends.server_says(Query("result"))
    expected = message
    if kind is Go and "movestogo" in dialect.lacks:
        expected = replace(message, movestogo=None)
    if kind is BestMove and "bestmove ponder" in dialect.lacks:
        expected = replace(message, ponder=None)
    if kind in kinds_of(FromServer) and kind is not Quit:
        assert ends.server_says(message) == ([expected] if dialect.can_say(message) else [])
        assert ends.server.state is ends.client.state
        assert ends.server.owed == ends.client.owed
        if kind not in kinds_of(FromClient):
            return
    sayable = dialect.can_say(message) or kind in (Info, Report, Unknown)
    assert ends.client_says(message) == ([expected] if sayable else [])
    assert ends.server.state is ends.client.state
    assert ends.server.owed == ends.client.owed


@settings(max_examples=300)
@given(
    st.lists(scrambled, max_size=8),
    st.sampled_from(Role),
    st.sampled_from(State),
    st.sampled_from(DIALECTS),
    st.booleans(),
)
def test_any_lines_are_heard_or_refused(lines, role, state, dialect, defer):
    ends = Ends(dialect).bring_to(State.IDLE if state is State.CLOSED else state)
    connection = ends.server if role is Role.SERVER else ends.client
    connection.defer_info = defer
    connection.receive_data("\n".join(lines).encode())
    connection.receive_data(b"")
    for told in faults(connection):
        if isinstance(told, str):
            assert told.isprintable()
            assert len(told) < 400


@settings(max_examples=300)
@given(
    st.binary(max_size=100), st.sampled_from(Role), st.sampled_from(sorted(CODECS)), st.booleans()
)
def test_any_bytes_are_heard_or_refused(data, role, codec, in_frames):
    ends = Ends(ULCI, codec).bring_to(State.THINKING)
    connection = ends.server if role is Role.SERVER else ends.client
    if in_frames:
        connection.receive_frame(data)
    else:
        connection.receive_data(data)
        connection.receive_data(b"")
    for told in faults(connection):
        assert not isinstance(told, str) or told.isprintable()


# A game


def test_a_game_is_played():
    ends = Ends()
    assert ends.server_says(Hello()) == [Hello()]
    for said in (Id("name", "X"), Option("Hash", OptionType.SPIN, "1"), HelloOk()):
        assert ends.client_says(said) == [said]
    for said in (NewGame(), IsReady()):
        assert ends.server_says(said) == [said]
    assert ends.client_says(ReadyOk()) == [ReadyOk()]
    for said in (Position(), Go(wtime=5)):
        assert ends.server_says(said) == [said]
    assert (ends.server.asked, ends.server.answered, ends.server.owed) == (1, 0, 1)
    for said in (Info(depth=1), BestMove("e2e4")):
        assert ends.client_says(said) == [said]
    assert (ends.server.asked, ends.server.answered, ends.server.owed) == (1, 1, 0)
    assert ends.server.state is State.IDLE
    assert ends.server_says(Quit()) == [Quit()]
    assert ends.client.state is State.CLOSED


def test_several_messages_go_out_in_one_piece():
    ends = Ends().bring_to(State.IDLE)
    data = ends.server.send(Position(None, ("e2e4",)), Go(infinite=True))
    assert data == b"position startpos moves e2e4\ngo infinite\n"
    frames = ends.client.send_frames(Info(depth=1), Report(Blame.CLIENT, "x"))
    assert frames == ["info depth 1", "info clienterror x"]
    assert ends.server.send() == b""
    assert ends.server.send_frames() == []


def test_messages_without_a_word_in_the_dialect_are_omitted():
    ends = Ends().bring_to(State.IDLE)
    assert ends.server.send(Go(ponder=True)) == b""
    assert ends.server.owed == 0
    assert ends.server.state is State.IDLE
    ends.server.dialect = UCI
    assert ends.server.send(Clock(wtime=1), IsReady(), Report(Blame.CLIENT, "x")) == b"isready\n"
    assert ends.server.send_frames(Clock(wtime=1)) == []


def test_a_client_needs_a_lobby_to_say_its_words():
    ends = Ends().bring_to(State.IDLE)
    assert ends.client.send(Resign()) == b""
    ends.client.dialect = ULCI.with_lobby()
    assert ends.client.send(Resign(), Seek()) == b"resign\nseek\n"


def test_a_client_may_say_what_a_server_may_not_say_to_it():
    ends = Ends(UCI).bring_to(State.IDLE)
    assert ends.client.send(Info(depth=1)) == b"info depth 1\n"
    assert ends.client.send(Report(Blame.SERVER, "x")) == b"info servererror x\n"


def test_the_dialect_may_be_replaced_while_lines_are_waiting():
    connection = server()
    connection.send(Hello())
    connection.receive_data(b"id feature lobby\nuciok\naccept 3\n")
    assert connection.next_message() == Id("feature", "lobby")
    assert connection.next_message() == HelloOk()
    connection.dialect = ULCI.with_lobby()
    assert connection.next_message() == Accept(3)


def test_an_analysis_is_deferred_if_asked_for():
    connection = server(defer_info=True)
    connection.receive_data(b"info depth 1 pv e2e4\ninfo string hello\n")
    assert heard(connection) == [Unread("info depth 1 pv e2e4"), Info(string="hello")]


def test_the_last_line_counts_without_its_newline():
    ends = Ends().bring_to(State.THINKING)
    ends.server.receive_data(b"bestmove e2e4")
    assert heard(ends.server) == []
    ends.server.receive_data(b"")
    assert heard(ends.server) == [BestMove("e2e4")]


# Counting


def test_an_answer_to_an_earlier_question_is_known_by_its_number():
    ends = Ends().bring_to(State.STOPPING)
    for said in (Position(), Go()):
        assert ends.server_says(said) == [said]
    assert (ends.server.asked, ends.server.owed) == (2, 2)
    assert ends.client_says(BestMove("a2a3")) == [BestMove("a2a3")]
    assert ends.server.answered == 1
    assert ends.server.state is State.THINKING
    assert ends.client_says(BestMove("e2e4")) == [BestMove("e2e4")]
    assert ends.server.answered == ends.server.asked == 2
    assert ends.server.state is State.IDLE


def test_a_person_who_ignores_stop_is_forgiven_and_asked_again():
    ends = Ends().bring_to(State.STOPPING)
    ends.server.forgive()
    assert (ends.server.owed, ends.server.state) == (0, State.IDLE)
    for said in (NewGame(), Position(), Go()):
        assert ends.server_says(said) == [said]
    assert (ends.server.asked, ends.server.answered) == (2, 1)


# Faults of theirs


@pytest.mark.parametrize(
    ("state", "line", "why"),
    [
        (State.IDLE, "bestmove e2e4", "nobody asked for it; each go is answered by one bestmove"),
        (State.IDLE, "readyok", "nobody asked for it; each isready is answered by one readyok"),
        (State.IDLE, "id name X", "no search is going on; a client introduces itself between"),
        (State.IDLE, "option name A type button", "introduces itself between uci and uciok"),
        (State.THINKING, "uciok", "a search is going on; uciok ends the introduction once"),
        (State.SILENT, "uciok", "nobody has said hello yet"),
        (State.INTRODUCING, "copyprotection", "use: copyprotection checking|ok|error"),
    ],
)
def test_a_message_at_the_wrong_moment_is_reported_and_dropped(state, line, why):
    connection = Ends().bring_to(state).server
    connection.receive_data(f"{line}\ninfo depth 1\n".encode())
    told, after = faults(connection)
    assert told.startswith(f'"{line}')
    assert why in told
    assert after == Info(depth=1)
    assert connection.state is state


def test_a_server_message_at_the_wrong_moment_is_reported_too():
    connection = Ends().bring_to(State.THINKING).client
    connection.receive_data(b"position startpos\ngo infinite\nstop\ngo infinite\n")
    position, go, *after = faults(connection)
    assert "the position changes between searches only" in position
    assert "one search at a time" in go
    assert after == [Stop(), Go(infinite=True)]


def test_a_deferred_analysis_is_in_place_wherever_info_is():
    connection = server(defer_info=True)
    connection.receive_data(b"info depth 1\nuciok\n")
    unread, told = faults(connection)
    assert unread == Unread("info depth 1")
    assert "nobody has said hello yet" in told


def test_after_a_fatal_error_nothing_is_heard_but_the_error():
    connection = server()
    connection.send(Hello())
    connection.receive_data(b"GET / HTTP/1.1\r\n\r\n")
    for _ in range(2):
        with pytest.raises(RemoteProtocolError, match="HTTP") as caught:
            connection.next_message()
        assert caught.value.fatal
    connection.receive_data(b"uciok\n")
    with pytest.raises(RemoteProtocolError, match="HTTP"):
        connection.next_message()
    assert connection.send(Report(Blame.CLIENT, str(caught.value)))


def test_after_a_goodbye_nothing_is_said_or_heard():
    for codec in CODECS:
        ends = Ends(codec=codec).bring_to(State.THINKING)
        assert ends.client_says(Quit()) == [Quit()]
        assert ends.server.state is ends.client.state is State.CLOSED
        ends.server.receive_data(ends.server.codec.encode(BestMove("e2e4"), ULCI))
        assert ends.server.next_message() is None
        assert ends.server.send(Position(), Quit()) == b""
        assert ends.client.send_frames(BestMove("e2e4")) == []


# Faults of ours


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (State.SILENT, Go()),
        (State.INTRODUCING, Position()),
        (State.IDLE, BestMove("e2e4")),
        (State.IDLE, Id("name", "X")),
        (State.THINKING, Go()),
        (State.THINKING, Position()),
        (State.IDLE, Position(None, ("e2 e4",))),
        (State.IDLE, Unknown("a\nb")),
    ],
)
def test_sending_a_forbidden_message_is_a_bug_and_changes_nothing(state, message):
    ends = Ends().bring_to(state)
    before = (ends.server.state, ends.server.asked)
    with pytest.raises(LocalProtocolError):
        ends.server.send(message)
    with pytest.raises(LocalProtocolError):
        ends.server.send_frames(message)
    assert (ends.server.state, ends.server.asked) == before


def test_each_role_has_its_own_words():
    ends = Ends().bring_to(State.THINKING)
    with pytest.raises(LocalProtocolError, match="not for a server to say"):
        ends.server.send(BestMove("e2e4"))
    with pytest.raises(LocalProtocolError, match="not for a client to say"):
        ends.client.send(Stop())


def test_a_move_may_not_be_said_unasked():
    ends = Ends().bring_to(State.IDLE)
    with pytest.raises(LocalProtocolError, match="nobody asked for it"):
        ends.client.send(BestMove("e2e4"))


def test_there_is_no_third_kind_of_protocol_error():
    assert {kind.__name__ for kind in ProtocolError.__subclasses__()} == {
        "LocalProtocolError",
        "RemoteProtocolError",
    }


# Sizes


def test_with_msgpack_a_turn_costs_the_same_however_long_the_game():
    connection = Connection(Role.SERVER, MsgpackCodec())
    connection.send(Hello())
    connection.receive_frame(b"\x81\xa4verb\xa5uciok")
    assert heard(connection) == [HelloOk()]
    moves: tuple[str, ...] = ()
    sizes = []
    for move in itertools.islice(itertools.cycle(("g1f3", "g8f6", "f3g1", "f6g8")), 400):
        moves = (*moves, move)
        sizes.append(len(connection.send(Position(None, moves), Go(wtime=300_000, btime=300_000))))
        connection.forgive()
    assert max(sizes[1:]) == min(sizes[1:]) < 80


def test_messages_come_in_batches_with_faults_at_their_place():
    connection = server()
    connection.send(Hello())
    connection.receive_data(b"id\nhello\n\nuciok\ninfo depth 1\n")
    first, *others = connection.next_messages(16)
    assert isinstance(first, Fault)
    assert others == [Unknown("hello"), Blank(), HelloOk()]
    assert connection.codec.pending
    assert connection.next_messages(16) == [Info(depth=1)]
    assert not connection.codec.pending
    assert connection.next_messages(16) == []


@pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS)
def test_a_batch_ends_behind_what_may_change_how_the_next_message_is_read(codec):
    speaker = Connection(Role.CLIENT, codec(), ULCI.with_lobby())
    connection = Connection(Role.SERVER, codec(), ULCI)
    speaker.receive_data(connection.send(Hello()))
    assert heard(speaker) == [Hello()]
    said = speaker.send(Info(depth=1), HelloOk(), Accept(3))
    connection.receive_data(said)
    assert connection.next_messages(16) == [Info(depth=1), HelloOk()]
    connection.dialect = ULCI.with_lobby()
    assert connection.next_messages(16) == [Accept(3)]


def test_a_batch_holds_no_more_than_was_asked_for():
    connection = server(defer_info=True)
    connection.receive_data(b"info depth 1\n" * 5)
    assert [len(connection.next_messages(2)) for _ in range(4)] == [2, 2, 1, 0]


def test_a_fatal_fault_ends_its_batch_and_every_one_after_it():
    connection = server()
    connection.receive_data(b"GET / HTTP/1.1\nid\n")
    for _ in range(2):
        [fault] = connection.next_messages(16)
        assert isinstance(fault, Fault)
        assert fault.fatal


def test_nothing_is_heard_after_a_goodbye_in_the_same_batch():
    connection = server()
    connection.receive_data(b"quit\nhello\n")
    assert connection.next_messages(16) == [Quit()]
    assert connection.next_messages(16) == []


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("reader", Role)
@pytest.mark.parametrize(
    "line", ["* quit", "    * quit", "help quit", "type: quit", "to leave, say quit", "> quit"]
)
def test_only_a_line_that_begins_with_quit_ends_a_connection(name, reader, line):
    dialect = BY_NAME[name](reader)
    spoken = [dialect, dialect.with_lobby()] if isinstance(dialect, Row) else [dialect]
    for one in spoken:
        connection = Connection(reader, TextCodec(), one)
        connection.receive_data(f"{line}\n".encode())
        assert not isinstance(read_all(connection), Quit)
        assert connection.state is not State.CLOSED
        connection.receive_data(b"  quit now\n" if isinstance(one, Row) else b"quit\n")
        assert isinstance(read_all(connection), Quit)


def read_all(connection: Connection) -> object:
    """The last message that is there; a fault is no message."""
    last = None
    while said := connection.next_messages(9):
        last = said[-1]
    return last

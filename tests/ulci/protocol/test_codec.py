"""Boundaries of lines, and errors for peers that send no lines."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ulci.protocol import UCI, ULCI, Blank, RemoteProtocolError, Role, TextCodec, Unread
from ulci.protocol.codec import ENDLESS, MAX_LINE
from ulci.protocol.messages import (
    Accept,
    BestMove,
    Blame,
    Hello,
    Id,
    Info,
    IsReady,
    Message,
    ReadyOk,
    Report,
    Stop,
    Unknown,
)

CHUNKS = (1, 2, 3, 7, 64, 10**9)


def drain(codec: TextCodec, *, defer: bool = False) -> list[Message | Unread | str]:
    """What the codec has to say; errors as their texts, with an ! before a fatal one."""
    heard: list[Message | Unread | str] = []
    while True:
        try:
            message = codec.next_message(ULCI, Role.SERVER, defer=defer)
        except RemoteProtocolError as error:
            heard.append(f"!{error}" if error.fatal else str(error))
        else:
            if message is None:
                return heard
            if not isinstance(message, Blank):
                heard.append(message)


def hear(data: bytes, chunk: int = 10**9, *, max_line: int = MAX_LINE, end: bool = True) -> list:
    codec = TextCodec(max_line=max_line)
    heard = []
    for at in range(0, len(data), chunk):
        codec.receive_data(data[at : at + chunk])
        heard += drain(codec)
    if end:
        codec.receive_data(b"")
        heard += drain(codec)
    return heard


@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize("newline", [b"\n", b"\r", b"\r\n", b"\n\r", b"\f", b"\n\f", b"\n\n\r\n"])
def test_lines_end_with_any_combination_of_newlines(newline, chunk):
    data = newline.join((b"readyok", b"id name X Y", b"bestmove e2e4", b""))
    expected = [ReadyOk(), Id("name", "X Y"), BestMove("e2e4")]
    assert hear(data, chunk, end=False) == expected


def test_the_last_line_needs_no_newline_when_the_stream_ends():
    assert hear(b"readyok\nbestmove e2e4", end=False) == [ReadyOk()]
    assert hear(b"readyok\nbestmove e2e4") == [ReadyOk(), BestMove("e2e4")]
    assert hear(b"") == []


def test_empty_lines_and_lines_of_blanks_are_nothing():
    blank = "\N{NO-BREAK SPACE}".encode()
    assert hear(b"\n \n\t\t\n  \t \r\n" + blank + b"\n\v\nreadyok\n\n")[-1] == ReadyOk()
    assert hear(b"\n \n\t\t\n  \t \r\n" + blank + b"\nreadyok\n\n") == [ReadyOk()]


@given(
    st.lists(
        st.text(st.characters(categories=("L", "N", "P", "S", "Zs"), exclude_characters="\ufeff"))
    ),
    st.lists(st.integers(1, 20), min_size=1),
    st.sampled_from(("\n", "\r", "\r\n")),
)
def test_chunks_do_not_matter(lines, sizes, newline):
    data = "".join(f"x{line}{newline}" for line in lines).encode()
    codec = TextCodec()
    heard = []
    at = 0
    for size in itertools.cycle(sizes):
        if at >= len(data):
            break
        codec.receive_data(data[at : at + size])
        heard += drain(codec)
        at += size
    assert heard == hear(data)


@settings(max_examples=300)
@given(
    st.binary(max_size=300)
    | st.text(st.sampled_from("\r\n\f\t\x00 gobestmv\x16\x03é"), max_size=300).map(str.encode),
    st.sampled_from(CHUNKS),
    st.integers(1, 20),
)
def test_garbage_is_read_or_refused_and_never_kept_beyond_the_limit(data, chunk, max_line):
    codec = TextCodec(max_line=max_line)
    for at in range(0, len(data), chunk):
        codec.receive_data(data[at : at + chunk])
        assert len(codec._tail) <= max_line
        drain(codec)
    codec.receive_data(b"")
    drain(codec)
    assert not codec._tail


# Over-long lines


@pytest.mark.parametrize("chunk", CHUNKS)
def test_a_line_over_the_limit_is_dropped_and_told_once(chunk):
    data = b"readyok\nid name " + b"x" * 300 + b"\nbestmove e2e4\n" + b"y" * 101 + b"\nreadyok\n"
    heard = hear(data, chunk, max_line=100)
    first, long, move, longer, last = heard
    assert (first, move, last) == (ReadyOk(), BestMove("e2e4"), ReadyOk())
    assert long.startswith('"id name xxx')
    assert "longer than 100 bytes" in long
    assert longer.startswith('"yyy')


@pytest.mark.parametrize("chunk", CHUNKS)
def test_a_line_of_just_the_limit_is_read(chunk):
    line = b"id name " + b"x" * 92
    assert hear(line + b"\n", chunk, max_line=100) == [Id("name", "x" * 92)]
    assert hear(line, chunk, max_line=100) == [Id("name", "x" * 92)]
    (told,) = hear(line + b"x\n", chunk, max_line=100)
    assert "longer than 100 bytes" in told


def test_the_limit_is_eight_kilobytes_unless_told_otherwise():
    assert hear(b"x" * MAX_LINE + b"\n") == [Unknown("x" * MAX_LINE)]
    assert isinstance(hear(b"x" * (8 * 1024 + 1) + b"\n")[0], str)


@pytest.mark.parametrize("chunk", CHUNKS)
def test_a_line_that_never_ends_is_fatal(chunk):
    dropped, fatal = hear(b"x" * (ENDLESS * 20 + 1), chunk, max_line=20)
    assert "longer than 20 bytes" in dropped
    assert fatal.startswith("!a line of more than 1280 bytes will never end")
    assert len(hear(b"x" * (ENDLESS * 20), chunk, max_line=20)) == 1
    assert len(hear(b"x" * (ENDLESS * 40), chunk, max_line=20)) == 2


def test_an_endless_line_in_one_piece_is_fatal_even_if_it_ends():
    assert len(hear(b"x" * (ENDLESS * 20 + 1) + b"\nreadyok\n", max_line=20)) == 3


# Not text


def test_invalid_utf8_is_replaced_and_told_once():
    data = b"id name Jos\xe9\nid author M\xfcller\nreadyok\n"
    told, name, author, ready = hear(data)
    assert "this is not UTF-8" in told
    assert name == Id("name", "Jos\N{REPLACEMENT CHARACTER}")
    assert author == Id("author", "M\N{REPLACEMENT CHARACTER}ller")
    assert ready == ReadyOk()


def test_valid_utf8_in_several_chunks_is_whole():
    data = "id name José Müller 王\n".encode()
    assert hear(data, 1) == [Id("name", "José Müller 王")]


@pytest.mark.parametrize("junk", [b"\x00", b"\x1b", b"\x7f", b"\x08", b"\x01"])
def test_a_line_with_control_characters_is_refused_and_the_next_is_read(junk):
    told, ready = hear(b"bestmove e2" + junk + b"e4\nreadyok\n")
    assert "control character" in told
    assert told.isprintable()
    assert ready == ReadyOk()


@pytest.mark.parametrize(
    "junk",
    [
        b"\x00",
        b"\x07",
        b"\x1b[0m",
        b" \x00\x00 ",
        b"\x1b[m\x1b[39;49m\x00",
        b"\x7f",
        "\x85".encode(),
    ],
)
def test_control_characters_behind_a_move_do_not_cost_it(junk):
    assert hear(b"bestmove e2e4" + junk + b"\nreadyok\n") == [BestMove("e2e4"), ReadyOk()]


@pytest.mark.parametrize("junk", [b"\x1b[31m", b"\x00"])
def test_control_characters_before_it_do(junk):
    told, ready = hear(junk + b"bestmove e2e4" + junk + b"\nreadyok\n")
    assert "control character" in told
    assert ready == ReadyOk()


def test_a_line_of_control_characters_is_an_empty_one():
    assert hear(b"\x00\x07\nreadyok\n") == [ReadyOk()]


def test_a_byte_order_mark_before_the_first_line_is_no_part_of_it():
    assert hear(b"\xef\xbb\xbfreadyok\n") == [ReadyOk()]
    assert hear(b"\xef\xbb\xbf\nreadyok\n") == [ReadyOk()]


@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize(
    ("opening", "advice"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "tls://"),
        (b"\x16\x03\x01\n\n", "tls://"),
        (b"\x15\x03\x01\x00\x02\x02\x46", "tls://"),
        (b"GET /ulci HTTP/1.1\r\nHost: x\r\n\r\n", "ws://"),
        (b"POST / HTTP/1.0\r\n", "ws://"),
        (b"PRI * HTTP/2.0\r\n", "ws://"),
        (b"HTTP/1.1 400 Bad Request\r\n", "ws://"),
        (b"\x82\xa4verb\xa2id", "ulci.msgpack"),
        (b"GET /" + b"x" * 99, "longer than 20 bytes"),
        (b"GET /" + b"x" * 9 + b" HTTP/1.1 " + b"y" * 99, "ws://"),
    ],
)
def test_another_protocol_gets_one_clear_error(opening, advice, chunk):
    max_line = 20 if len(opening) > 99 else MAX_LINE
    told = hear(opening, chunk, max_line=max_line)[0]
    assert advice in told
    assert told.startswith("!") or "longer" in told


def test_another_protocol_is_detected_on_the_first_line_only():
    assert hear(b"readyok\nGET / HTTP/1.1\n") == [ReadyOk(), Unknown("GET / HTTP/1.1")]


# Frames


def test_a_frame_is_a_line_with_or_without_a_newline():
    codec = TextCodec()
    for frame in ("readyok", "readyok\n", b"readyok", "", "\n", "id name é\r\nreadyok\r\n"):
        codec.receive_frame(frame)
    assert drain(codec) == [ReadyOk()] * 3 + [Id("name", "é"), ReadyOk()]


def test_a_frame_never_holds_half_a_line():
    codec = TextCodec(max_line=10)
    codec.receive_frame("x" * 11)
    codec.receive_frame("readyok")
    told, ready = drain(codec)
    assert "longer than 10 bytes" in told
    assert ready == ReadyOk()


def test_a_message_is_written_as_one_line():
    codec = TextCodec()
    assert codec.encode(Hello(), UCI) == b"uci\n"
    assert codec.encode_frame(Hello(), UCI) == "uci"
    assert codec.encode(Id("name", "é"), UCI) == "id name é\n".encode()


# Deferring


@pytest.mark.parametrize(
    "line",
    [
        "info depth 3 score cp 5 pv e2e4",
        "info score cp 5",
        "info currmove e2e4",
        "info",
        "info errors 3",
    ],
)
def test_an_analysis_is_deferred_only_if_asked_for(line):
    codec = TextCodec()
    codec.receive_data(f"{line}\n".encode() * 2)
    assert isinstance(codec.next_message(ULCI, Role.SERVER, defer=False), Info)
    deferred = codec.next_message(ULCI, Role.SERVER, defer=True)
    assert deferred in (Unread(line), Info())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("info string hello", Info(string="hello")),
        ("info  string hello", Info(string="hello")),
        ("info\tstring hello", Info(string="hello")),
        (" info string hello", Info(string="hello")),
        ("info \tstring hello", Info(string="hello")),
        ("info error x", Report(Blame.ERROR, "x")),
        ("info clienterror x", Report(Blame.CLIENT, "x")),
        ("info servererror x", Report(Blame.SERVER, "x")),
        ("info string clienterror x", Report(Blame.CLIENT, "x")),
        ("info  depth 3", Info(depth=3)),
        ("joho info depth 3", Info(depth=3)),
    ],
)
def test_texts_and_reports_are_never_deferred(line, message):
    codec = TextCodec()
    codec.receive_data(f"{line}\n".encode())
    assert drain(codec, defer=True) == [message]


def test_the_dialect_and_the_reader_may_change_between_two_lines_of_a_chunk():
    codec = TextCodec()
    codec.receive_data(b"accept 3\naccept 3\nstop\nisready\n")
    assert codec.next_message(ULCI, Role.SERVER, defer=False) == Unknown("accept 3")
    assert codec.next_message(ULCI.with_lobby(), Role.SERVER, defer=False) == Accept(3)
    assert codec.next_message(ULCI, Role.CLIENT, defer=False) == Stop()
    assert codec.next_message(ULCI, Role.CLIENT, defer=False) == IsReady()

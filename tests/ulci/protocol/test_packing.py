"""Messages as msgpack maps, on a stream and in frames."""

import contextlib
import itertools

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.sayings import SAYINGS, lines, starts
from ulci.protocol import (
    UCI,
    ULCI,
    LocalProtocolError,
    MsgpackCodec,
    RemoteProtocolError,
    Role,
    Unread,
)
from ulci.protocol.layout import VERBS
from ulci.protocol.messages import (
    Accept,
    BestMove,
    Blame,
    FromClient,
    FromServer,
    Go,
    Hello,
    Id,
    Info,
    Message,
    Option,
    OptionType,
    Position,
    Quit,
    Report,
    Score,
    Unknown,
    kinds_of,
)
from ulci.protocol.packing import MAX_PLIES

CHUNKS = (1, 2, 7, 10**9)


def drain(codec: MsgpackCodec, reader: Role = Role.CLIENT) -> list[Message | str]:
    """What the codec has to say; errors as their texts, with an ! before a fatal one."""
    heard: list[Message | str] = []
    while True:
        try:
            message = codec.next_message(ULCI.with_lobby(), reader, defer=True)
        except RemoteProtocolError as error:
            heard.append(f"!{error}" if error.fatal else str(error))
        else:
            if message is None:
                return heard
            heard.append(message)


def hear(*values: object, reader: Role = Role.CLIENT) -> list[Message | str]:
    codec = MsgpackCodec()
    codec.receive_data(b"".join(msgpack.packb(value) for value in values))
    return drain(codec, reader)


def test_a_message_is_a_map_of_its_verb_and_what_is_set():
    codec = MsgpackCodec()
    for message, value in (
        (Hello(), {"verb": "uci"}),
        (BestMove("e2e4"), {"verb": "bestmove", "move": "e2e4"}),
        (Go(wtime=5, infinite=True), {"verb": "go", "wtime": 5, "infinite": True}),
        (
            Info(3, score=Score(mate=-2), pv=("e2e4",)),
            {"verb": "info", "depth": 3, "score": {"mate": -2}, "pv": ["e2e4"]},
        ),
        (Report(Blame.CLIENT, "x"), {"verb": "report", "blame": "clienterror", "text": "x"}),
        (
            Option("A", OptionType.SPIN, min=1),
            {"verb": "option", "name": "A", "type": "spin", "min": 1},
        ),
    ):
        assert msgpack.unpackb(codec.encode(message, ULCI)) == value
        assert codec.encode_frame(message, ULCI) == codec.encode(message, ULCI)


HEARD = {Role.CLIENT: kinds_of(FromServer), Role.SERVER: kinds_of(FromClient)}


@given(
    st.lists(st.one_of(*SAYINGS.values()), max_size=6),
    st.sampled_from(CHUNKS),
    st.booleans(),
    st.sampled_from(Role),
)
def test_what_is_packed_is_heard_whatever_the_chunks(messages, chunk, in_frames, reader):
    speaker, listener = MsgpackCodec(), MsgpackCodec()
    heard = []
    for message in messages:
        data = speaker.encode(message, UCI.with_lobby())
        if in_frames:
            listener.receive_frame(data)
        for at in range(0, 0 if in_frames else len(data), chunk):
            listener.receive_data(data[at : at + chunk])
            heard += drain(listener, reader)
        heard += drain(listener, reader)
    assert heard == [
        message if type(message) in HEARD[reader] else Unknown(VERBS[type(message)])
        for message in messages
    ]


# Positions


def game(plies: int, start: str | None = None) -> Position:
    return Position(start, tuple(f"a{ply}b{ply}" for ply in range(plies)))


def test_a_position_after_the_first_carries_only_the_new_moves():
    codec = MsgpackCodec()
    said = [msgpack.unpackb(codec.encode(game(plies), ULCI)) for plies in (0, 2, 2, 3)]
    assert said == [
        {"verb": "position"},
        {"verb": "position", "more": ["a0b0", "a1b1"]},
        {"verb": "position", "more": []},
        {"verb": "position", "more": ["a2b2"]},
    ]


def test_a_position_costs_as_much_at_the_end_of_a_long_game_as_at_its_beginning():
    codec = MsgpackCodec()
    codec.encode(game(0), ULCI)
    sizes = [
        len(codec.encode(Position(None, ("e2e4", "e7e5") * half_plies), ULCI))
        for half_plies in range(1, 500)
    ]
    assert max(sizes) == min(sizes) < 40


def test_another_start_or_a_move_taken_back_is_told_in_full():
    codec = MsgpackCodec()
    codec.encode(game(4), ULCI)
    for position in (game(3), game(3, "8/8 w"), game(4, "8/8 b"), game(1), Position(None, ("x",))):
        assert "more" not in msgpack.unpackb(codec.encode(position, ULCI))


@given(st.lists(st.builds(Position, st.none() | starts, lines)), st.sampled_from(CHUNKS))
def test_any_row_of_positions_arrives_as_it_was(positions, chunk):
    # each twice, once longer: games go on more often than they jump
    row = list(
        itertools.chain.from_iterable(
            (each, Position(each.start, (*each.moves, "e2e4"))) for each in positions
        )
    )
    speaker, listener = MsgpackCodec(), MsgpackCodec()
    data = b"".join(speaker.encode(position, ULCI) for position in row)
    for at in range(0, len(data), chunk):
        listener.receive_data(data[at : at + chunk])
    assert drain(listener) == row


def test_moves_are_added_only_to_a_position():
    (told,) = hear({"verb": "position", "more": ["e2e4"]})
    assert "send a whole one first" in told
    first, told = hear({"verb": "position"}, {"verb": "position", "more": "e2e4"})
    assert first == Position()
    assert "more must be a list" in told


def test_a_faulty_position_leaves_the_last_one_as_it_was():
    heard = hear(
        {"verb": "position", "moves": ["a"]},
        {"verb": "position", "more": ["b c"]},
        {"verb": "position", "moves": [1]},
        {"verb": "position", "start": ""},
        {"verb": "position", "more": ["d"]},
    )
    assert heard[0] == Position(None, ("a",))
    assert heard[-1] == Position(None, ("a", "d"))
    assert all(isinstance(told, str) for told in heard[1:-1])


def test_no_game_grows_without_end():
    codec = MsgpackCodec()
    full = {"verb": "position", "more": ["e2e4"] * 10_000}
    codec.receive_data(msgpack.packb({"verb": "position"}))
    for _ in range(MAX_PLIES // 10_000):
        codec.receive_data(msgpack.packb(full))
    assert len(drain(codec)[-1].moves) == MAX_PLIES
    codec.receive_data(msgpack.packb({"verb": "position", "more": ["e2e4"]}))
    assert "no game has more than" in drain(codec)[0]


# Faults


def test_unknown_verbs_and_those_of_the_other_side_are_ignored():
    assert hear({"verb": "joho", "x": 1}) == [Unknown("joho")]
    assert hear({"verb": "bestmove", "move": "e2e4"}) == [Unknown("bestmove")]
    assert hear({"verb": "go"}, reader=Role.SERVER) == [Unknown("go")]
    assert hear({"verb": "a\n\x00b"}) == [Unknown("a b")]


def test_lobby_words_are_read_only_with_a_lobby():
    codec = MsgpackCodec()
    for _ in range(2):
        codec.receive_frame(msgpack.packb({"verb": "accept", "id": 3}))
    assert codec.next_message(ULCI, Role.SERVER, defer=False) == Unknown("accept")
    assert codec.next_message(ULCI.with_lobby(), Role.SERVER, defer=False) == Accept(3)
    codec.receive_frame(msgpack.packb({"verb": "lobby", "words": ["gone", "3"]}))
    assert codec.next_message(ULCI, Role.CLIENT, defer=False) == Unknown("lobby")


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({}, "a map without a verb"),
        ({"verb": 5}, "a map without a verb"),
        ([], "each message is a msgpack map"),
        ("bestmove e2e4", "each message is a msgpack map"),
        (None, "each message is a msgpack map"),
        (1.5, "each message is a msgpack map"),
        (b"x", "each message is a msgpack map"),
        (msgpack.Timestamp(1), "each message is a msgpack map"),
        (msgpack.ExtType(5, b"x"), "each message is a msgpack map"),
        ({"verb": "id"}, "key and value is missing"),
        ({"verb": "bestmove", "move": "a b"}, "move must be one word"),
        ({"verb": "info", "pv": ["a"], "string": "b"}, "a pv or a string"),
        ({"verb": "info", "score": {}}, "centipawns or moves to mate"),
        ({"verb": "option", "name": "", "type": "check"}, "is empty"),
    ],
)
def test_a_faulty_message_is_told_and_the_next_is_heard(value, fault):
    told, after = hear(value, {"verb": "quit"}, reader=Role.SERVER)
    assert fault in told
    assert not told.startswith("!")
    assert after == Quit()
    codec = MsgpackCodec()
    codec.receive_frame(msgpack.packb(value))
    assert fault in drain(codec, Role.SERVER)[0]


def test_text_on_a_stream_of_maps_is_fatal():
    codec = MsgpackCodec()
    codec.receive_data(b"uciok\n")
    codec.receive_data(msgpack.packb({"verb": "uciok"}))
    (told,) = drain(codec)
    assert told.startswith("!")
    assert "plain text to a text port" in told


def test_a_map_that_cannot_be_read_is_told_without_the_secret_in_it():
    for value in ("t0psecret", b"t0psecret", ["t0psecret"], {"a": "t0psecret"}):
        for key in ("token", "resume", 1):
            said = {"verb": "id", "key": key, "value": value, "t0psecret": 1}
            told = [each for each in hear(said, reader=Role.SERVER) if isinstance(each, str)]
            assert "t0p" not in "".join(told)


def test_what_is_not_msgpack_is_fatal_on_a_stream_but_not_in_a_frame():
    codec = MsgpackCodec()
    codec.receive_data(b"\x81\xc1\xc1")
    codec.receive_data(b"\x80")
    (told,) = drain(codec)
    assert told.startswith("!this is not msgpack")
    codec = MsgpackCodec()
    for frame in (b"\xc1", b"\x81", b"", b"\x80\x80", b"\x81\xa4verb\xa1\xff", b"\x81\x01\x01"):
        codec.receive_frame(frame)
    codec.receive_frame(msgpack.packb({"verb": "quit"}))
    *told, last = drain(codec)
    assert len(told) == 6
    assert all(each.startswith("this is not msgpack") for each in told)
    assert last == Quit()


def test_a_text_frame_is_told_where_text_is_spoken():
    codec = MsgpackCodec()
    codec.receive_frame("uciok")
    (told,) = drain(codec)
    assert told.startswith('"uciok": this is a text frame')


def test_a_message_over_the_limit_is_refused():
    big = msgpack.packb({"verb": "id", "key": "name", "value": "x" * 100})
    codec = MsgpackCodec(max_message=50)
    codec.receive_frame(big)
    codec.receive_frame(msgpack.packb({"verb": "quit"}))
    told, after = drain(codec)
    assert told.startswith("a message of more than 50 bytes")
    assert after == Quit()
    for chunk in (1, 7, 50, 10**9):
        codec = MsgpackCodec(max_message=50)
        for at in range(0, len(big), chunk):
            codec.receive_data(big[at : at + chunk])
        (told,) = drain(codec)
        assert told.startswith("!a message of more than 50 bytes")


def test_many_small_messages_in_one_piece_are_no_large_one():
    codec = MsgpackCodec(max_message=50)
    codec.receive_data(msgpack.packb({"verb": "quit"}) * 1000)
    assert drain(codec) == [Quit()] * 1000


def test_the_end_of_the_stream_says_nothing():
    codec = MsgpackCodec()
    codec.receive_data(b"\x81")
    codec.receive_data(b"")
    assert drain(codec) == []


@settings(max_examples=200)
@given(
    st.binary(max_size=100)
    | st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**63), 2**64 - 1)
        | st.floats()
        | st.text()
        | st.binary(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=10,
    ).map(msgpack.packb),
    st.sampled_from(CHUNKS),
    st.sampled_from(Role),
)
def test_garbage_is_read_or_refused(data, chunk, reader):
    codec = MsgpackCodec(max_message=60)
    for at in range(0, len(data), chunk):
        codec.receive_data(data[at : at + chunk])
        drain(codec, reader)
    codec.receive_frame(data)
    drain(codec, reader)


_FIELDS = (
    "move", "key", "value", "name", "type", "text", "blame", "score", "pv", "words", "terms", "id",
    "start", "moves", "more", "string",
)  # fmt: skip
_VALUES = (
    st.none() | st.integers() | st.text(max_size=5) | st.lists(st.text(max_size=3)) | st.just({})
)


@settings(max_examples=200)
@given(
    st.sampled_from([kind.__name__.lower() for kind in SAYINGS]),
    st.dictionaries(
        st.sampled_from(_FIELDS),
        st.none()
        | st.integers()
        | st.text(max_size=5)
        | st.lists(st.text(max_size=3))
        | st.just({}),
    ),
    st.sampled_from(Role),
)
def test_maps_with_anything_in_them_are_read_or_refused(verb, fields, reader):
    codec = MsgpackCodec()
    with contextlib.suppress(OverflowError):
        codec.receive_frame(msgpack.packb({"verb": verb, **fields}))
    for heard in drain(codec, reader):
        if not isinstance(heard, str):
            MsgpackCodec().encode(heard, ULCI.with_lobby())


@pytest.mark.parametrize(
    "data",
    [
        b"\x91" * 600 + b"\xc0",
        b"\x91" * 1000 + b"\xc0",
        b"\x91" * 60_000 + b"\xc0",
        b"\x81\xa1a" * 900 + b"\xc0",
        b"\xdd\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff",
    ],
)
def test_deep_nesting_and_false_promises_are_refused(data):
    codec = MsgpackCodec()
    codec.receive_frame(data)
    codec.receive_data(data)
    told = drain(codec)
    assert told
    assert all(isinstance(each, str) for each in told)


# Writing


@pytest.mark.parametrize(
    "message",
    [
        BestMove("e2 e4"),
        Position(None, ("",)),
        Position("8/8\nquit"),
        Id("na me", "x"),
        Go(wtime=2**64),
        Info(pv=("a",), string="b"),
    ],
)
def test_what_could_not_be_said_in_text_is_our_bug(message):
    with pytest.raises(LocalProtocolError):
        MsgpackCodec().encode(message, ULCI)


def test_moves_that_are_none_are_not_added():
    codec = MsgpackCodec()
    codec.encode(Position(), ULCI)
    for move in ("", "a b", "a\n"):
        with pytest.raises(LocalProtocolError):
            codec.encode(Position(None, (move,)), ULCI)
    assert msgpack.unpackb(codec.encode(Position(None, ("a",)), ULCI))["more"] == ["a"]


def test_an_unread_analysis_is_read_to_be_packed():
    said = msgpack.unpackb(MsgpackCodec().encode(Unread("info depth 3 joho pv a b"), ULCI))
    assert said == {"verb": "info", "depth": 3, "pv": ["a", "b"]}


def test_texts_are_as_harmless_as_in_text():
    codec = MsgpackCodec()
    said = msgpack.unpackb(codec.encode(Report(Blame.SERVER, "depth\n5"), ULCI))
    assert said["text"] == "'depth' 5"
    assert msgpack.unpackb(codec.encode(Info(string="a\n b"), ULCI))["string"] == "a b"
    assert msgpack.unpackb(codec.encode(Go(movestogo=4), ULCI)) == {"verb": "go"}
    assert msgpack.unpackb(codec.encode(Go(movestogo=4), UCI))["movestogo"] == 4

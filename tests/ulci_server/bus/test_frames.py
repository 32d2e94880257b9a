"""Frames: what was written is read, and anything else is refused by a sentence."""

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci_server.bus.frames import (
    LARGEST_FRAME,
    MOST_MESSAGES,
    WAITING_BYTES,
    ForeignError,
    Frames,
)

FRAMES = Frames("the secret of a database")


def sealed(body: bytes) -> bytes:
    """As one who knows the secret writes what is no frame."""
    return FRAMES._seal(body) + body


@given(
    *[st.integers(1, 2**40)] * 2,
    st.integers(1, 2**63 - 1),
    st.integers(0, 2**63 - 1),
    st.lists(st.binary()),
)
def test_what_was_written_is_read(sender, receiver, serial, number, messages) -> None:
    frame = FRAMES.read_untrusted(FRAMES.write(sender, receiver, serial, number, messages))
    assert frame == (sender, receiver, serial, number, tuple(messages))


@given(st.binary())
def test_any_other_bytes_are_foreign(payload) -> None:
    with pytest.raises(ForeignError):
        FRAMES.read_untrusted(payload)


@given(st.binary())
def test_bytes_that_begin_as_a_frame_are_read_or_foreign(payload) -> None:
    try:
        frame = FRAMES.read_untrusted(sealed(b"\x96\x03" + payload))
    except ForeignError:
        return
    assert all(isinstance(message, bytes) for message in frame.messages)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text()
    | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)  # fmt: skip


@given(VALUES, VALUES, VALUES, VALUES, VALUES)
def test_wrong_fields_are_foreign(sender, receiver, serial, number, messages) -> None:
    try:
        frame = FRAMES.read_untrusted(
            sealed(msgpack.packb([3, sender, receiver, serial, number, messages]))
        )
    except ForeignError:
        return
    assert [*map(type, frame[:4])] == [int] * 4
    assert frame.serial >= 1
    assert frame.number >= 0
    assert all(isinstance(message, bytes) for message in frame.messages)


def test_a_frame_of_another_version_says_what_to_do() -> None:
    frames = (
        sealed(msgpack.packb([4, 1, 2, 3, 3, []])),
        sealed(msgpack.packb([2, 1, 2, 3, []])),
        msgpack.packb([1, 1, 2, 3, []]),
    )
    for frame in frames:
        with pytest.raises(ForeignError, match="database must run the same version"):
            FRAMES.read_untrusted(frame)


@given(st.integers(0), st.integers(0, 255))
def test_a_frame_that_was_changed_anywhere_is_foreign(place: int, byte: int) -> None:
    frame = bytearray(FRAMES.write(1, 2, 3, 3, [b"a", b"b"]))
    place %= len(frame)
    if frame[place] == byte:
        return
    frame[place] = byte
    with pytest.raises(ForeignError):
        FRAMES.read_untrusted(bytes(frame))


def test_a_frame_of_one_who_does_not_know_the_secret_is_foreign() -> None:
    with pytest.raises(ForeignError, match="no server of ours sends"):
        FRAMES.read_untrusted(Frames("another one").write(1, 2, 3, 3, [b"a"]))


@pytest.mark.parametrize(
    "payload",
    [
        b"\x96\x03\x01\x02\x03\x03" + b"\x91" * 100_000,  # nested
        b"\x95\x02\x01\x02\x03\xdd\x00\x80\x00\x00" + b"\xc0" * 2**23,  # long
        b"\x96\x03" + bytes(LARGEST_FRAME),
    ],
)
def test_a_payload_that_would_cost_much_is_foreign(payload) -> None:
    for one in (payload, sealed(payload)):
        with pytest.raises(ForeignError):
            FRAMES.read_untrusted(one)


@pytest.mark.parametrize("messages", [(bytes(WAITING_BYTES),), (b"",) * MOST_MESSAGES])
def test_the_largest_batches_are_read(messages) -> None:
    frame = FRAMES.write(2**62, 2**62, 2**62, 2**62, messages)
    assert FRAMES.read_untrusted(frame).messages == messages

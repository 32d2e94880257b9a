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
    read_frame_untrusted,
    write_frame,
)


@given(st.integers(1, 2**40), st.integers(1, 2**40), st.integers(0), st.lists(st.binary()))
def test_what_was_written_is_read(sender, receiver, number, messages) -> None:
    number %= 2**63
    frame = read_frame_untrusted(write_frame(sender, receiver, number, messages))
    assert frame == (sender, receiver, number, tuple(messages))


@given(st.binary())
def test_any_other_bytes_are_foreign(payload) -> None:
    with pytest.raises(ForeignError):
        read_frame_untrusted(payload)


@given(st.binary())
def test_bytes_that_begin_as_a_frame_are_read_or_foreign(payload) -> None:
    try:
        frame = read_frame_untrusted(b"\x95\x01" + payload)
    except ForeignError:
        return
    assert all(isinstance(message, bytes) for message in frame.messages)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text()
    | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)  # fmt: skip


@given(VALUES, VALUES, VALUES, VALUES)
def test_wrong_fields_are_foreign(sender, receiver, number, messages) -> None:
    try:
        frame = read_frame_untrusted(msgpack.packb([1, sender, receiver, number, messages]))
    except ForeignError:
        return
    assert [*map(type, frame[:3])] == [int] * 3
    assert frame.number >= 0
    assert all(isinstance(message, bytes) for message in frame.messages)


def test_a_frame_of_another_version_says_what_to_do() -> None:
    with pytest.raises(ForeignError, match="all servers of one database must run the same version"):
        read_frame_untrusted(msgpack.packb([2, 1, 2, 3, []]))


@pytest.mark.parametrize(
    "payload",
    [
        b"\x95\x01\x01\x02\x03" + b"\x91" * 100_000,  # nested
        b"\x95\x01\x01\x02\x03\xdd\x00\x80\x00\x00" + b"\xc0" * 2**23,  # long
        b"\x95\x01" + bytes(LARGEST_FRAME),
    ],
)
def test_a_payload_that_would_cost_much_is_foreign(payload) -> None:
    with pytest.raises(ForeignError):
        read_frame_untrusted(payload)


@pytest.mark.parametrize("messages", [(bytes(WAITING_BYTES),), (b"",) * MOST_MESSAGES])
def test_the_largest_batches_are_read(messages) -> None:
    assert read_frame_untrusted(write_frame(2**62, 2**62, 2**62, messages)).messages == messages

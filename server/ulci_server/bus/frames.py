"""The layout of a batch: one msgpack array a frame, with the version of the layout first.

    [1, sender, receiver, number, [message, message, …]]

Sender and receiver are runs. Frames with messages are numbered from 1 for each pair of runs. A
frame without messages has the number of the last one, which shows the receiver whether it has that.
"""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import msgspec

VERSION = 1
"""Rises when the layout changes."""

FRAME_BYTES = 256 * 1024
"""Bytes of messages from which a batch is split: to write or read so much takes about 1 ms. One
larger message goes alone."""

OVERHEAD = 64
"""Bytes that a message counts besides its own: so much it takes in memory, and so the number of
tiny messages is bounded, too."""

MOST_MESSAGES = FRAME_BYTES // OVERHEAD
"""Messages of one frame."""

WAITING_BYTES = 8 * 1024 * 1024
"""Bytes that may wait for one run. Beyond, it has not been reached for seconds, and what waits is
old."""

LARGEST_FRAME = WAITING_BYTES + FRAME_BYTES
"""Bytes of a payload that is read at all: nobody sends a larger one, and reading it would hold the
loop."""

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(
    tuple[
        int,
        int,
        int,
        Annotated[int, msgspec.Meta(ge=0)],
        Annotated[tuple[bytes, ...], msgspec.Meta(max_length=MOST_MESSAGES)],
    ]
)
_FIRST_BYTE = 0x95  # msgpack: an array of five


class Frame(NamedTuple):
    """A batch that was heard."""

    sender: int
    receiver: int
    number: int
    messages: tuple[bytes, ...]


class ForeignError(Exception):
    """A payload that is no frame of this version. The text says what it is and what to do."""


def write_frame(sender: int, receiver: int, number: int, messages: Sequence[bytes]) -> bytes:
    return _ENCODER.encode((VERSION, sender, receiver, number, messages))


def read_frame_untrusted(payload: bytes) -> Frame:
    """
    Raises:
        ForeignError: the payload is something else.
    """
    if len(payload) < 2 or payload[0] != _FIRST_BYTE:
        raise ForeignError(NO_FRAME)
    if payload[1] != VERSION:
        raise ForeignError(
            "a frame of another version: all servers of one database must run the same version"
        )
    if len(payload) > LARGEST_FRAME:
        raise ForeignError(NO_FRAME)
    try:
        _, sender, receiver, number, messages = _DECODER.decode(payload)
    except msgspec.DecodeError as error:
        raise ForeignError(NO_FRAME) from error
    return Frame(sender, receiver, number, messages)


NO_FRAME = (
    "a message that no server of ours sends: another program publishes on this channel;"
    " give it another prefix, or this cluster a Redis or a user of its own"
)

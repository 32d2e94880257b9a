"""The layout of a batch: a seal of 16 bytes, and one msgpack array with the version of the layout.

    [3, sender, receiver, serial, number, [message, message, …]]

Sender and receiver are runs. The serial counts all frames of one pair of runs from 1, the number
those with messages: a frame without messages has the number of the last one, which shows the
receiver whether it has that.

The seal is a keyed BLAKE2b (RFC 7693) of all that follows. The key is a secret of the database:
programs that may publish at the hub but cannot read the database can forge no frame. It takes about
1 µs for a frame of a few moves, at either end. An old frame that is published again is dropped and
counted, and is no sign of life: its serial has come already, or it is for another run or for one
that has ended.
"""

from collections.abc import Sequence
from hashlib import blake2b
from hmac import compare_digest
from typing import Annotated, NamedTuple

import msgspec

VERSION = 3
"""Rises when the layout changes, and `messages.SPEAKS` of the cluster with it."""

SEAL_BYTES = 16
"""128 bits, which cannot be guessed."""

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
Layout = tuple[
    int,
    int,
    int,
    Annotated[int, msgspec.Meta(ge=1)],
    Annotated[int, msgspec.Meta(ge=0)],
    Annotated[tuple[bytes, ...], msgspec.Meta(max_length=MOST_MESSAGES)],
]
"""The fields of the array."""

_DECODER = msgspec.msgpack.Decoder(Layout)
_BEFORE = b"\x95\x01"  # a frame of version 1, which had no seal


class Frame(NamedTuple):
    """A received batch."""

    sender: int
    receiver: int
    serial: int
    number: int
    messages: tuple[bytes, ...]


class ForeignError(Exception):
    """A payload that is no frame of this version. The text says what it is and what to do."""


class Frames:
    """Writes and reads the frames of those who know the secret `key`."""

    def __init__(self, key: str) -> None:
        # Not the one of the channels' names: each use has its own.
        self._key = blake2b(key.encode(), digest_size=32, person=b"ulci frames").digest()

    def write(
        self, sender: int, receiver: int, serial: int, number: int, messages: Sequence[bytes]
    ) -> bytes:
        body = _ENCODER.encode((VERSION, sender, receiver, serial, number, messages))
        return self._seal(body) + body

    def read_untrusted(self, payload: bytes) -> Frame:
        """
        Raises:
            ForeignError: the payload is something else.
        """
        if len(payload) > LARGEST_FRAME:
            raise ForeignError(NO_FRAME)
        seal, body = payload[:SEAL_BYTES], payload[SEAL_BYTES:]
        if not compare_digest(seal, self._seal(body)):
            raise ForeignError(OTHER_VERSION if payload.startswith(_BEFORE) else NO_FRAME)
        try:
            version, sender, receiver, serial, number, messages = _DECODER.decode(body)
        except msgspec.DecodeError as error:
            raise ForeignError(OTHER_VERSION) from error
        if version != VERSION:
            raise ForeignError(OTHER_VERSION)
        return Frame(sender, receiver, serial, number, messages)

    def _seal(self, body: bytes) -> bytes:
        return blake2b(body, digest_size=SEAL_BYTES, key=self._key).digest()


OTHER_VERSION = "a frame of another version: all servers of one database must run the same version"
NO_FRAME = (
    "a message that no server of ours sends: another program publishes on this channel;"
    " give it another prefix, or this cluster a Redis or a user of its own"
)

"""Every frame is counted, however the stream is cut into pieces."""

import trio.testing
from hypothesis import given
from hypothesis import strategies as st
from wsproto import ConnectionType
from wsproto.connection import Connection
from wsproto.events import BytesMessage, Event, Ping

from tests.support.wires import HANG
from ulci.net import RateLimit
from ulci.net.limits import Allowance
from ulci.net.websocket_frames import AT_ONCE, Frames, FrameStream

EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(Ping, st.binary(max_size=125)),
    st.sampled_from([0, 1, 125, 126, 127, 65_535, 65_536]).map(lambda n: BytesMessage(b"x" * n)),
)


def wire(events: list[Event]) -> bytes:
    """As a client says it."""
    client = Connection(ConnectionType.CLIENT)
    return b"".join(client.send(event) for event in events)


@given(st.lists(EVENTS, max_size=20), st.integers(1, 5000), st.integers(1, 5))
def test_every_frame_is_counted_once(events: list[Event], piece: int, most: int) -> None:
    frames, data, counted = Frames(), wire(events), 0
    for at in range(0, len(data), piece):
        rest = data[at : at + piece]
        while rest:
            number, end = frames.cut(rest, most)
            assert number <= most
            assert end > 0
            counted, rest = counted + number, rest[end:]
    assert counted == len(events)


async def test_at_most_so_many_frames_are_handled_at_once_and_all_are_charged() -> None:
    near, far = trio.testing.memory_stream_pair()
    stream = FrameStream(near, encrypted=True)
    allowance = Allowance(RateLimit(rate=1.0, burst=0, frame=10, record=5), 0)
    with trio.fail_after(HANG):
        await far.send_all(b"GET / HTTP/1.1\r\n\r\n")
        assert await stream.receive_some() == b"GET / HTTP/1.1\r\n\r\n"
        stream.upgraded()
        await far.send_all(ping := wire([Ping(b"")]))
        assert await stream.receive_some() == ping
        stream.charge(allowance)
        await far.send_all(wire([Ping(b"")] * (AT_ONCE + 1)))
        assert len(await stream.receive_some()) == AT_ONCE * len(ping)
        assert len(await stream.receive_some()) == len(ping)
    assert allowance.pause(0) == 10 * (AT_ONCE + 2) + 5

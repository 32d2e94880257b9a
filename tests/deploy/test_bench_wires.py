"""The bench's players say and hear over every wire what the server's own codecs do."""

import pytest

from deploy.bench.wires import WIRES, TextFrames, Wire, frame
from ulci.protocol import ULCI, MsgpackCodec, TextCodec
from ulci.protocol.messages import BestMove, HelloOk, Id, IsReady, Position, ReadyOk, SetOption

SAID = {
    b"id name p12": Id("name", "p12"),
    b"id feature boardsize": Id("feature", "boardsize"),
    b"uciok": HelloOk(),
    b"readyok": ReadyOk(),
    b"bestmove e2e4": BestMove("e2e4"),
}

HEARD = {
    IsReady(): b"isready",
    SetOption("UCI_Opponent", "none none computer p3"): (
        b"setoption name UCI_Opponent value none none computer p3"
    ),
    Position(None, ()): b"position startpos",
    Position(None, ("e2e4",)): b"position startpos moves e2e4",
    Position(None, ("e2e4", "e7e5")): b"position startpos moves e2e4 e7e5",
    Position("8/8/4k3/8/8/3QK3/8/8 w - - 0 1", ("e3e4",)): (
        b"position fen 8/8/4k3/8/8/3QK3/8/8 w - - 0 1 moves e3e4"
    ),
}


def server_frame(text: bool, payload: bytes) -> bytes:
    """Not masked; of any size."""
    size = len(payload)
    if size < 126:
        head = bytes((size,))
    elif size < 1 << 16:
        head = b"\x7e" + size.to_bytes(2, "big")
    else:
        head = b"\x7f" + size.to_bytes(8, "big")
    return bytes((0x81 if text else 0x82,)) + head + payload


def spoken(wire: str) -> list[bytes]:
    """All of `HEARD`, as a server sends it."""
    codec = MsgpackCodec() if wire == "msgpack" else TextCodec()
    messages = [codec.encode(message, ULCI) for message in HEARD]
    if wire in ("tcp", "plain"):
        return messages
    return [server_frame(wire == "ws", each.removesuffix(b"\n")) for each in messages]


@pytest.mark.parametrize("wire", WIRES)
def test_what_a_server_says_is_heard_as_lines_of_text(wire: str) -> None:
    assert WIRES[wire]().heard(b"".join(spoken(wire))) == [*HEARD.values()]


@pytest.mark.parametrize("wire", WIRES)
def test_a_message_in_pieces_is_heard_when_it_is_whole(wire: str) -> None:
    player: Wire = WIRES[wire]()
    data = b"".join(spoken(wire))
    heard = [line for at in range(len(data)) for line in player.heard(data[at : at + 1])]
    assert heard == [*HEARD.values()]


@pytest.mark.parametrize("size", [125, 126, 65535, 65536])
def test_frames_of_every_size_are_heard(size: int) -> None:
    assert TextFrames().heard(server_frame(True, b"x" * size) * 2) == [b"x" * size] * 2


def test_a_ping_is_no_line() -> None:
    assert TextFrames().heard(b"\x89\x02hi" + server_frame(True, b"uci")) == [b"uci"]


@pytest.mark.parametrize("line", SAID)
def test_what_is_said_in_msgpack_is_what_the_codec_would_say(line: bytes) -> None:
    said = WIRES["msgpack"]().said(line)
    assert said == frame(0x82, MsgpackCodec().encode(SAID[line], ULCI))


def test_lines_are_frames_with_their_length_masked_with_zeros() -> None:
    assert WIRES["ws"]().said(b"readyok") == b"\x81\x87\0\0\0\0readyok"
    assert frame(0x81, b"x" * 126) == b"\x81\xfe\x00\x7e\0\0\0\0" + b"x" * 126

"""Names and texts that people will read cannot steer a terminal, whichever codec they come in."""

from collections.abc import Callable

import msgpack
import pytest

from ulci.protocol import (
    ULCI,
    Codec,
    LocalProtocolError,
    MsgpackCodec,
    RemoteProtocolError,
    Role,
    TextCodec,
)
from ulci.protocol.layout import LAYOUTS, VERBS
from ulci.protocol.messages import Admin, Challenge, Id, Message, Say, Seek, TellPlayer, Terms

Shown = Callable[[str], Message]

DIALECT = ULCI.with_lobby()

# What people read, with a gap for something that a terminal obeys or does not show.
SHOWN = {
    "say": lambda junk: Say(f"good{junk}luck"),
    "tell": lambda junk: TellPlayer("Bob", f"good{junk}luck"),
    "tell, the name": lambda junk: TellPlayer(f"Bo{junk}b", "hello"),
    "challenge": lambda junk: Challenge(f"Bo{junk}b", Terms("chess")),
    "seek": lambda junk: Seek(Terms(f"che{junk}ss", "300+3", start=f"8/8{junk} w")),
    "admin": lambda junk: Admin(("kick", f"Bo{junk}b")),
    "username": lambda junk: Id("username", f"Ad{junk}a"),
    "name": lambda junk: Id("name", f"Deep{junk}Engine"),
}
INVISIBLE = {
    "bidi override": "\u202e",
    "bidi isolate": "\u2067",
    "zero-width space": "\u200b",
    "zero-width joiner": "\u200d",
    "byte order mark": "\ufeff",
    "soft hyphen": "\xad",
    "tag": "\U000e0041",
    "private use": "\ue000",
}
STEERING = {"ESC": "\x1b[2J", "C1 CSI": "\x9b2J", "C1 OSC": "\x9d0;", "BEL": "\x07", "DEL": "\x7f"}
BREAKS = {"newline": "\n", "return": "\r", "both": "\r\n", "form feed": "\f"}


class TextWire:
    """A text line whose sender checks nothing."""

    @staticmethod
    def heard(shown: Shown, junk: str) -> Message | None:
        line = DIALECT.write(shown("GAP")).replace("GAP", junk)
        return told(TextCodec(), f"{line}\n".encode())


class MsgpackWire:
    """The same in msgpack."""

    @staticmethod
    def heard(shown: Shown, junk: str) -> Message | None:
        message = shown(junk)
        kind = type(message)
        packed = {"verb": VERBS[kind], **LAYOUTS[kind].pack(message)}
        return told(MsgpackCodec(), msgpack.packb(packed))


def told(codec: Codec, data: bytes) -> Message | None:
    codec.receive_data(data)
    return codec.next_message(DIALECT, Role.SERVER, defer=False)


@pytest.fixture(params=[TextWire, MsgpackWire])
def wire(request):
    return request.param


@pytest.fixture(params=SHOWN.values(), ids=SHOWN)
def shown(request):
    return request.param


@pytest.mark.parametrize("junk", INVISIBLE.values(), ids=INVISIBLE)
def test_what_nobody_sees_is_left_out(wire, shown, junk):
    assert wire.heard(shown, junk) == shown("")


@pytest.mark.parametrize("junk", STEERING.values(), ids=STEERING)
def test_what_steers_a_terminal_is_refused(wire, shown, junk):
    with pytest.raises(RemoteProtocolError, match=r"control character|one word") as caught:
        wire.heard(shown, junk)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("junk", BREAKS.values(), ids=BREAKS)
def test_a_line_break_ends_the_line_in_text(shown, junk):
    try:
        heard = TextWire.heard(shown, junk)
    except RemoteProtocolError:
        return  # what is left of the line says too little
    assert heard not in (shown(""), shown(junk))


@pytest.mark.parametrize("junk", BREAKS.values(), ids=BREAKS)
def test_a_line_break_inside_a_packed_text_is_refused(shown, junk):
    with pytest.raises(RemoteProtocolError):
        MsgpackWire.heard(shown, junk)


@pytest.mark.parametrize("break_", ["\u2028", "\u2029", "\x85", "\t"])
@pytest.mark.parametrize("kind", [Say, lambda text: Id("name", text)])
def test_every_other_line_break_is_a_blank(wire, kind, break_):
    assert wire.heard(lambda gap: kind(f"good{gap}luck"), break_) == kind("good luck")


@pytest.mark.parametrize("junk", STEERING.values(), ids=STEERING)
def test_we_never_write_what_steers_a_terminal(shown, junk):
    with pytest.raises(LocalProtocolError, match=r"control characters|one word"):
        DIALECT.write(shown(junk))

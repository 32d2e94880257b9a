"""An unparsed analysis is passed on as it came."""

import pytest

from ulci.protocol import (
    UCI,
    ULCI,
    Connection,
    LocalProtocolError,
    MsgpackCodec,
    Role,
    TextCodec,
    Unread,
)
from ulci.protocol.messages import Hello, HelloOk, Info, Quit, Score

LINE = Unread("info  depth 3 nonsense  score cp 20")


def test_in_text_an_unread_analysis_is_passed_on_unchanged():
    connection = Connection(Role.CLIENT, TextCodec())
    assert connection.send(LINE) == b"info  depth 3 nonsense  score cp 20\n"
    assert connection.send_frames(LINE) == ["info  depth 3 nonsense  score cp 20"]


def test_in_msgpack_an_unread_analysis_is_parsed():
    sender = Connection(Role.CLIENT, MsgpackCodec())
    reader = Connection(Role.SERVER, MsgpackCodec())
    reader.receive_data(sender.send(LINE))
    assert reader.next_message() == Info(depth=3, score=Score(cp=20))


@pytest.mark.parametrize(("dialect", "sent"), [(ULCI, True), (UCI, False)])
def test_a_server_says_it_only_to_a_client_that_understands_info(dialect, sent):
    connection = Connection(Role.SERVER, TextCodec(), dialect)
    assert bool(connection.send(LINE)) is sent


def test_after_a_goodbye_it_is_left_out():
    connection = Connection(Role.CLIENT, TextCodec())
    connection.send(Quit())
    assert connection.send(LINE) == b""


def test_an_announcement_does_not_change_the_state():
    connection = Connection(Role.CLIENT, TextCodec())
    with pytest.raises(LocalProtocolError):
        connection.send(LINE, HelloOk())
    connection.receive_data(b"uci\n")
    assert connection.next_message() == Hello()
    assert connection.send(LINE, HelloOk())

"""The messages: one frozen structure per verb, sent by server, client or both."""

import inspect

import pytest
from msgspec import Struct
from msgspec.structs import fields

from ulci.protocol import messages
from ulci.protocol.kinds import Tagged
from ulci.protocol.messages import (
    PLAYER_COMMANDS,
    CurrLine,
    FromClient,
    FromServer,
    Go,
    Info,
    Message,
    Quit,
    Report,
    Score,
    Seek,
    Terms,
    Unknown,
    kinds_of,
)

BASES = {Struct, Tagged, messages.PlayerCommand, messages.GameCommand}
CLASSES = [
    kind
    for _, kind in inspect.getmembers(messages, inspect.isclass)
    if issubclass(kind, Struct) and kind not in BASES
]


def test_every_class_is_a_message_or_a_part_of_one():
    assert set(CLASSES) == set(kinds_of(Message)) | {Score, CurrLine, Terms}
    assert set(kinds_of(Message)) == set(kinds_of(FromServer)) | set(kinds_of(FromClient))


def test_both_say_goodbye_and_inform_and_the_lobbys_words_are_a_clients():
    assert set(kinds_of(FromServer)) & set(kinds_of(FromClient)) == {Quit, Info, Report, Unknown}
    assert set(PLAYER_COMMANDS) < set(kinds_of(FromClient))


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_messages_are_values(kind):
    assert kind.__struct_config__.frozen
    assert not hasattr(kind(*(None for _ in fields(kind))), "__dict__")


def test_what_is_not_set_is_not_said():
    assert Go() == Go(wtime=None, searchmoves=())
    assert Seek() == Seek(Terms(color="random", against="any"))

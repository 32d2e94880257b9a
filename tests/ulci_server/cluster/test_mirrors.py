"""Messages that mirror a method: made from its signature, sent, and heard by calling it."""

from typing import Protocol

import msgspec
import pytest
from msgspec import Struct

from ulci.protocol.messages import Blame
from ulci.rules import Side
from ulci_server.cluster import mirrors


class Board(Protocol):
    """What is mirrored."""

    def report(self, side: Side, text: str, blame: Blame = Blame.CLIENT) -> None:
        """Note a fault."""

    def show(self, side: Side, *, wanted: bool) -> None: ...

    def tell(self, *lines: str) -> None: ...

    def tell_of(self, title: str, *lines: str) -> None: ...


class Message(Struct, frozen=True, tag=True, tag_field="is"):
    pass


class ToBoard(Message, frozen=True):
    game: int
    side: Side


class ToAll(Message, frozen=True):
    game: int


class There:
    """Notes what it is called with."""

    def __init__(self) -> None:
        self.called: list[object] = []

    def __getattr__(self, name: str):
        return lambda *args, **by_name: self.called.append((name, args, by_name))


mirrors.mirror(ToBoard, Board.report)
mirrors.mirror(ToBoard, Board.show)
mirrors.mirror(ToAll, Board.tell)
mirrors.mirror(ToAll, Board.tell_of)


def made_here():
    """An object that sends what it is called with, and all that it has sent."""

    class Here:
        address = (7,)
        report = mirrors.sends(Board.report)
        show = mirrors.sends(Board.show)
        tell = mirrors.sends(Board.tell)
        tell_of = mirrors.sends(Board.tell_of)

        def __init__(self) -> None:
            self.sent: list[Struct] = []

        def send(self, message: Struct) -> None:
            self.sent.append(message)

    return Here()


CALLS = {
    "with a default": (
        lambda board: board.report(Side.BLACK, "late"),
        ("report", (Side.BLACK, "late", Blame.CLIENT), {}),
    ),
    "without it": (
        lambda board: board.report(Side.BLACK, "late", Blame.SERVER),
        ("report", (Side.BLACK, "late", Blame.SERVER), {}),
    ),
    "by name": (
        lambda board: board.show(Side.WHITE, wanted=True),
        ("show", (Side.WHITE,), {"wanted": True}),
    ),
    "any number": (lambda board: board.tell("a", "b"), ("tell", ("a", "b"), {})),
    "none": (lambda board: board.tell(), ("tell", (), {})),
    "any number more": (lambda board: board.tell_of("x", "a"), ("tell_of", ("x", "a"), {})),
}


@pytest.mark.parametrize(("say", "called"), CALLS.values(), ids=CALLS)
def test_what_is_called_here_is_called_there(say, called) -> None:
    here, there = made_here(), There()
    say(here)
    [sent] = here.sent
    read = msgspec.msgpack.decode(msgspec.msgpack.encode(sent), type=type(sent))
    assert read.game == 7
    mirrors.call(there, read)
    assert there.called == [called]


def test_a_message_is_named_and_documented_as_its_method() -> None:
    report = mirrors.kind_of(Board.report)
    assert (report.__name__, report.__doc__) == ("Board.report", "Note a fault.")
    assert msgspec.to_builtins(report(7, Side.BLACK, "late")) == {
        "is": "Board.report",
        "game": 7,
        "side": 1,
        "text": "late",
        "blame": "clienterror",
    }


def test_what_is_no_value_of_a_parameter_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"is": "Board.show", "game": 7, "side": 1}, mirrors.kind_of(Board.show))


def test_they_are_listed_by_their_base() -> None:
    tells = [mirrors.kind_of(Board.tell), mirrors.kind_of(Board.tell_of)]
    assert mirrors.kinds(ToAll) == tells
    assert len(mirrors.kinds(Message)) == 4

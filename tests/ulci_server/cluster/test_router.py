"""Which part of a server hears which message."""

import inspect
from types import SimpleNamespace

import msgspec
import pytest
import trio

from tests.support.cluster import people
from ulci.protocol.kinds import leaves
from ulci.rules import Side
from ulci_server.cluster import messages as said
from ulci_server.cluster.mirrors import kind_of
from ulci_server.cluster.router import Router, routes
from ulci_server.game import Left
from ulci_server.hall.member import HostedMember
from ulci_server.hall.table.interfaces import AnyTable, SeatedPlayer
from ulci_server.storage.membership import Membership

SEVERAL = {
    said.Owned: ["games", "election"],
    said.Ended: ["games", "election"],
    said.Owns: ["games", "election"],
    said.Released: ["games", "claims"],
}
"""What more than one part hears, in this order."""


class Part:
    """A part that notes that it has heard something."""

    def __init__(self, name: str, heard: list[str]) -> None:
        self._name, self._heard = name, heard

    def __getattr__(self, _: str):
        return lambda _run, _message: self._heard.append(self._name)


def noting(heard: list[str]):
    return routes(**{name: Part(name, heard) for name in inspect.signature(routes).parameters})


def hearers(kind: type) -> list[str]:
    heard: list[str] = []
    for hear in noting(heard)[kind]:
        hear(1, None)
    return heard


def test_every_class_of_messages_has_one_hearer_but_for_those_with_several():
    kinds = [*leaves(said.Message)]
    assert {*noting([])} == {*kinds}
    assert {kind: hearers(kind) for kind in kinds if kind in SEVERAL} == SEVERAL
    alone = [kind for kind in kinds if kind not in SEVERAL and kind is not said.Pong]
    assert [kind for kind in alone if len(hearers(kind)) != 1] == []


def test_a_pong_is_heard_by_nobody_as_the_bus_has_noted_that_its_server_lives():
    assert hearers(said.Pong) == []


class Office:
    """The post of server 1, which knows server 2."""

    def __init__(self) -> None:
        self.run = 1
        self.membership = Membership(1)
        self.membership.living = {1: None, 2: None}
        self.sent: list[tuple[int, said.AnyMessage]] = []

    def send(self, run: int, message: said.AnyMessage) -> None:
        self.sent.append((run, message))


class Answers:
    """Notes what was not understood."""

    def __init__(self) -> None:
        self.kinds: list[str] = []

    def here(self, _: int, message: said.Outline, __: str) -> None:
        self.kinds.append(message.kind)


@pytest.fixture
def router():
    """Its messages are heard by a list; a `Drain` raises."""
    heard: list[said.AnyMessage] = []

    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    office, answers = Office(), Answers()
    table = {said.Ping: [lambda _, message: heard.append(message)], said.Drain: [fail]}
    made = Router(office, table, answers)
    return SimpleNamespace(hear=made.hear, heard=heard, office=office, answers=answers)


UNREADABLE = {
    "no message": (b"\xc1", ""),
    "an unknown word": (msgspec.msgpack.encode({"is": "Later", "game": 7}), "Later"),
    "a field of another kind": (msgspec.msgpack.encode({"is": "Drain", "by": 7}), "Drain"),
}


@pytest.mark.parametrize(("data", "kind"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_is_answered(router, data, kind):
    router.hear(2, [data, said.encode(said.Ping())])
    [(run, answer)] = router.office.sent
    assert (run, answer.message.kind) == (2, kind)
    assert router.answers.kinds == [kind]
    assert router.heard == [said.Ping()]


def test_an_answer_that_cannot_be_read_is_not_answered(router):
    router.hear(2, [msgspec.msgpack.encode({"is": "NotUnderstood", "message": 7})])
    assert router.office.sent == []


def test_a_server_that_was_fenced_is_not_heard(router):
    router.hear(3, [said.encode(said.Ping()), b"\xc1"])
    assert (router.heard, router.office.sent) == ([], [])


def test_this_server_hears_itself_before_the_database_names_it(router):
    router.office.membership.living.clear()
    router.hear(1, [said.encode(said.Ping())])
    assert router.heard == [said.Ping()]


def test_a_message_that_fails_is_logged_and_the_next_one_is_heard(router, errors_logged):
    router.hear(2, [said.encode(said.Drain("Root")), said.encode(said.Ping())])
    assert router.heard == [said.Ping()]
    [logged] = errors_logged.take()
    assert "message failed" in logged


UNKNOWN = 999

STRANGE = (
    said.Happening(UNKNOWN, 1, Side.WHITE, Left(Side.WHITE, 0.0, "it left")),
    kind_of(AnyTable.answered_late)(UNKNOWN, 1, Side.WHITE, "e2e4"),
    said.Follow(UNKNOWN, wanted=True),
    kind_of(SeatedPlayer.tell)(UNKNOWN, UNKNOWN, 1, ()),
    said.Look(UNKNOWN, UNKNOWN, 1, 1),
    said.AskUgi(UNKNOWN, 1, ("p1turn",)),
    said.UgiAnswered(UNKNOWN, ()),
    said.Released(UNKNOWN, 1),
    said.RulingHeard(UNKNOWN, 1, None),
    said.LoggedIn(UNKNOWN),
    said.LoseSeat(UNKNOWN),
    kind_of(HostedMember.tell)(UNKNOWN, ()),
    said.Left(UNKNOWN, "it left"),
    said.Free(UNKNOWN),
    said.Seatless(UNKNOWN, UNKNOWN),
    said.Alive(UNKNOWN, alive=True),
    said.NotOpened(UNKNOWN, "no"),
    said.Performed(UNKNOWN),
    said.RollHeard(),
    said.Pong(),
)
"""For a connection, game, member or question that nobody knows."""


async def test_what_is_for_nobody_here_changes_nothing(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await people(a, b)
    for sender, receiver in ((a, b), (b, a)):
        for message in STRANGE:
            sender.node.post.send(receiver.node.run, message)
    await trio.sleep(1)
    await ada.move("e2e4")
    await bob.move("e7e5")
    await ada.be_asked()

"""What everybody is told: a few at a time, once written, and in order."""

import itertools

import pytest
import trio
import trio.testing

from tests.support.clients import memory_client
from tests.support.lobby import lobby_line
from ulci.protocol import AnnouncedLine, Announcement, TextCodec
from ulci.protocol.messages import Admin, Hello, Id, Lobby, Seek, Terms, Unseek
from ulci_server.hall import announcements
from ulci_server.hall.announcements import AT_A_TIME, BATCH, MAX_KEPT, Announcer, no_announcements


class Listener:
    def __init__(self) -> None:
        self.announced = no_announcements
        self.heard: list[Lobby] = []
        self.pieces: list[int] = []
        self.why = ""

    def tell_announced(self, *announcements: Announcement) -> None:
        for announcement in announcements:
            self.pieces.append(len(announcement.lines))
            self.heard += announcement.lines

    def disconnect(self, why: str) -> None:
        self.why = why


def line(number: int) -> Lobby:
    return lobby_line(f"gone {number}")


LINES = [line(number) for number in range(2 * BATCH + 5)]


@pytest.fixture
async def announcer(autojump_clock, nursery) -> Announcer:
    announcer = Announcer()
    nursery.start_soon(announcer.run)
    return announcer


def listeners(announcer: Announcer, number: int) -> list[Listener]:
    crowd = [Listener() for _ in range(number)]
    for listener in crowd:
        announcer.join(listener)
    return crowd


async def test_everybody_hears_everything_in_order_and_in_few_pieces(autojump_clock, announcer):
    crowd = listeners(announcer, 2 * AT_A_TIME + 1)
    for each in LINES:
        announcer.announce(each)
    await trio.testing.wait_all_tasks_blocked()
    assert all(listener.heard == LINES for listener in crowd)
    assert all(listener.pieces == [BATCH, BATCH, 5] for listener in crowd)
    assert announcer._lines == []


async def test_in_one_step_a_few_are_told_a_few_lines(autojump_clock, announcer, nursery):
    crowd = listeners(announcer, 8 * AT_A_TIME)
    steps = []

    async def count():
        while not steps or steps[-1] < len(crowd) * len(LINES):
            steps.append(sum(len(listener.heard) for listener in crowd))
            await trio.lowlevel.checkpoint()

    for each in LINES:
        announcer.announce(each)
    nursery.start_soon(count)
    await trio.testing.wait_all_tasks_blocked()
    told = [after - before for before, after in itertools.pairwise(steps)]
    # Of two tasks that go on, Trio may take either first: two steps may lie between two looks.
    assert max(told) <= 2 * AT_A_TIME * BATCH


async def test_who_comes_in_between_hears_what_follows_and_who_leaves_nothing_more(
    autojump_clock, announcer
):
    [first, second] = listeners(announcer, 2)
    announcer.announce(line(1))
    [late] = listeners(announcer, 1)
    announcer.leave(second)
    announcer.announce(line(2))
    await trio.testing.wait_all_tasks_blocked()
    assert [listener.heard for listener in (first, second, late)] == [
        [line(1), line(2)],
        [],
        [line(2)],
    ]


async def test_who_is_held_hears_all_of_it_in_the_end(autojump_clock, announcer):
    [held, other] = listeners(announcer, 2)
    announcer.hold(held)
    announcer.announce(line(1))
    await trio.testing.wait_all_tasks_blocked()
    assert (held.heard, held.announced(), other.heard) == ([], (), [line(1)])
    announcer.announce(line(2))
    announcer.release(held)
    await trio.testing.wait_all_tasks_blocked()
    assert held.heard == other.heard == [line(1), line(2)]


async def test_who_is_held_for_too_long_is_cut_off_and_nothing_is_kept_for_it(
    autojump_clock, announcer
):
    [held, _] = listeners(announcer, 2)
    announcer.hold(held)
    for number in range(MAX_KEPT + 1):
        announcer.announce(line(number))
    await trio.testing.wait_all_tasks_blocked()
    assert "too slowly" in held.why
    assert announcer._lines == []


async def test_a_listener_that_fails_keeps_the_others_from_nothing(
    autojump_clock, announcer, caplog, monkeypatch
):
    [bad, good] = listeners(announcer, 2)
    monkeypatch.setattr(bad, "tell_announced", lambda *_: 1 / 0)
    monkeypatch.setattr(announcements.LOG, "exception", lambda *_: None)
    announcer.announce(line(1))
    await trio.testing.wait_all_tasks_blocked()
    assert good.heard == [line(1)]
    announcer.announce(line(2))
    await trio.testing.wait_all_tasks_blocked()
    assert good.heard == [line(1), line(2)]


def test_an_announcement_is_written_once_for_all_codecs_of_a_kind(monkeypatch):
    written = []
    announcement = Announcement([*map(AnnouncedLine, LINES[:3])], {})
    for _ in range(5):
        near, _ = memory_client()
        near.connection.dialect = near.connection.dialect.with_lobby()
        near.connection.send(Hello())
        near.connection.receive_data(b"uciok\n")
        near.connection.next_message()
        encode = type(near.connection.codec).encode

        def counted(codec, message, dialect, encode=encode):
            written.append(message)
            return encode(codec, message, dialect)

        with monkeypatch.context() as context:
            counted.__name__ = "encode"
            context.setattr(type(near.connection.codec), "encode", counted)
            said = near.connection.send(announcement)
        assert said == b"lobby gone 0\nlobby gone 1\nlobby gone 2\n"
    assert written == LINES[:3]


async def test_who_is_far_behind_is_told_what_was_written_long_before(
    autojump_clock, server, monkeypatch
):
    """Or whoever is asked for its move at such a moment would hold the loop."""
    monkeypatch.setattr(announcements, "AT_A_TIME", 1)
    async with server() as h:
        ada, bob = await h.person("Ada"), await h.person("Bob")
        h.hall.announcer.announce(line(0))
        await bob.hear_line("gone 0")
        written = []
        write = TextCodec.encode

        def counted(codec, message, dialect):
            written.append(message)
            return write(codec, message, dialect)

        counted.__name__ = write.__name__
        for each in LINES:
            h.hall.announcer.announce(each)
        monkeypatch.setattr(TextCodec, "encode", counted)
        ada.say(Unseek(99))
        await ada.hear_line("error no-such-seek")
        assert not [message for message in written if message in LINES]
        await bob.hear_line(f"gone {len(LINES) - 1}")


async def test_an_answer_comes_behind_what_was_announced_before_it(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.person("Ada"), await h.person("Bob")
        ada.say(Seek(Terms(color="white")), Unseek(99), Unseek(1), Unseek(1))
        await ada.hear_line("error no-such-seek you have no seek 1")
        said = [" ".join(m.words[:2]) for m in ada.heard if isinstance(m, Lobby)]
        assert said[1:] == ["seek 1", "error no-such-seek", "gone 1", "error no-such-seek"]
        await bob.hear_line("gone 1")


async def test_an_administrator_tells_everybody(autojump_clock, server, authenticator):
    async with server(authenticator=authenticator) as h:
        root = await h.person("Root", Id("token", "root-token"))
        people = [await h.person(f"P{number}") for number in range(AT_A_TIME + 2)]
        root.say(Admin(("tell", "all", "it", "ends", "soon")))
        for person in (root, *people):
            assert await person.hear_line("tell Root") == "tell Root it ends soon"

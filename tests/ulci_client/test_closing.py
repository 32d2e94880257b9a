import pytest
import trio

from tests.support.fake_server import fake_server
from ulci.net import DialError
from ulci.protocol import Blame, Go, Hello, Lobby, Message, NewGame, Position, Quit, Report
from ulci_client.closing import PROMPT, Closing, LastWords, not_reached, retry_after, without_hint
from ulci_client.dial import Server

CLOSED = "closed by the other side"


def closing(*said: Message, later: float = 0.0, why: str = CLOSED) -> Closing:
    """What it means that a line ended so long (s) after this was said on it."""
    words = LastWords()
    for message in said:
        words.heard(message, 100.0)
    return words.closing(why, 100.0 + later)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("this server is full; retry-after 5", 5),
        ("retry-after 3600 s", 3600),
        ("Retry-After 90", 90),
        ("retry-after soon", 0),
        ("retry-after 99999999999", 0),
        ("try again", 0),
    ],
)
def test_a_server_may_say_when_to_come_back(text, seconds):
    assert retry_after(text) == seconds


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("this server is full; retry-after 10", "this server is full"),
        ("come back, retry-after 5", "come back"),
        ("this server is full", "this server is full"),
    ],
)
def test_people_are_told_once_when_it_is_tried_again(text, shown):
    assert without_hint(text) == shown


def test_a_line_that_ends_without_a_word_is_lost():
    assert closing(NewGame()) == Closing(CLOSED)


WELCOME = Lobby(("welcome", "name", "Ada", "account", "no", "resume", "s3cret"))
COMPLAINT = Report(Blame.CLIENT, "bestmove e2e4 was said before; go is still open")


@pytest.mark.parametrize("last", [(), (Quit(),)])
def test_who_is_blamed_at_the_door_and_not_asked_to_come_back_is_rejected(last):
    text = "your token is not valid (any more)"
    said = (Hello(), Report(Blame.CLIENT, text), *last)
    assert closing(*said) == Closing(text, text, rejected=True)


@pytest.mark.parametrize("let_in", [WELCOME, NewGame(), Position(None, ()), Go(60_000, 60_000)])
def test_who_was_let_in_is_rejected_only_with_goodbye(let_in):
    text = "you were sent away by Boss: rude"
    said = (Hello(), let_in, Report(Blame.CLIENT, text))
    assert closing(*said, Quit()) == Closing(text, text, rejected=True)
    assert closing(*said) == Closing(CLOSED)


def test_a_line_that_breaks_behind_a_complaint_is_lost():
    assert closing(WELCOME, COMPLAINT) == Closing(CLOSED)


def test_so_is_one_that_a_server_ends_for_itself():
    goodbye = (Report(Blame.SERVER, "shutting down"), Quit())
    assert closing(WELCOME, COMPLAINT, *goodbye) == Closing(*["shutting down"] * 2)


def test_goodbye_long_after_a_complaint_has_nothing_to_do_with_it():
    words = LastWords()
    words.heard(WELCOME, 100.0)
    words.heard(COMPLAINT, 100.0)
    words.heard(Quit(), 100.1 + PROMPT)
    assert words.closing(CLOSED, 100.1 + PROMPT) == Closing(CLOSED)


def test_who_was_sent_away_may_notice_late_that_the_line_is_closed():
    assert closing(WELCOME, COMPLAINT, Quit(), later=60.0).rejected


def test_who_was_let_in_and_is_asked_to_come_back_does_so_when_it_is_asked_to():
    text = "you say too much; retry-after 30"
    assert closing(WELCOME, Report(Blame.CLIENT, text)) == Closing(text, text, 30.0)


@pytest.mark.parametrize("blame", Blame)
def test_who_is_asked_to_come_back_is_not_rejected_whosever_fault_it_is(blame):
    text = "too many of you; retry-after 30"
    assert closing(Report(blame, text)) == Closing(text, text, 30.0)


def test_a_server_in_trouble_of_its_own_rejects_nobody():
    text = "the database is gone"
    assert closing(Report(Blame.SERVER, text)) == Closing(text, text)
    assert closing(Report(Blame.ERROR, text)) == Closing(text, text)


def test_a_refusal_of_the_lobby_explains_the_end_and_may_say_when_to_come_back():
    line = Lobby(("error", "closed", "back", "soon;", "retry-after", "7"))
    assert closing(line) == Closing("back soon; retry-after 7", "back soon; retry-after 7", 7.0)
    assert not closing(Lobby(("error", "no-such-seek", "there", "is", "no", "seek", "3"))).rejected


def test_what_was_complained_of_before_anything_else_was_said_has_nothing_to_do_with_the_end():
    complaint = Report(Blame.CLIENT, "illegal move e2e5")
    assert closing(complaint, NewGame()) == Closing(CLOSED)


def test_nor_has_what_was_complained_of_long_before():
    complaint = Report(Blame.CLIENT, "this line is longer than 8192 bytes and was dropped")
    assert closing(complaint, later=PROMPT + 0.1) == Closing(CLOSED)


def test_half_a_sentence_rejects_nobody():
    words = LastWords()
    words.heard(Report(Blame.CLIENT, "you say too much; retry-"), 1.0, cut=True)
    assert words.closing(CLOSED, 1.0) == Closing(*["you say too much; retry-"] * 2)


def test_a_close_frame_says_that_a_complaint_was_meant():
    why = "closed by the other side with code 1008 you are banned here: spam"
    found = closing(WELCOME, Report(Blame.CLIENT, "you are banned here: spam"), why=why)
    assert (found.said, found.rejected) == ("you are banned here: spam", True)


@pytest.mark.parametrize(
    ("code", "reason", "rejected", "wait"),
    [
        (1008, "you are banned here: spam", True, 0.0),
        (1008, "you say too much; retry-after 60", False, 60.0),
        (1013, "this server is full; retry-after 10", False, 10.0),
        (1011, "the server failed", False, 0.0),
    ],
)
async def test_the_reason_of_a_close_frame_is_heard(code, reason, rejected, wait):
    async with fake_server("ws://127.0.0.1:0") as server, Server(server.address).dial() as peer:
        line = await server.line()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(line.peer._ws.aclose, code, reason)
            assert await peer.receive() is None
        found = LastWords().closing(peer.why, 0.0)
        line.over.set()
    assert (found.said, found.rejected, found.retry_after) == (reason, rejected, wait)


async def test_a_close_frame_without_a_reason_is_a_lost_line():
    async with fake_server("ws://127.0.0.1:0") as server, Server(server.address).dial() as peer:
        line = await server.line()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(line.peer._ws.aclose, 1011)
            assert await peer.receive() is None
        assert LastWords().closing(peer.why, 0.0) == Closing(peer.why)
        line.over.set()


@pytest.mark.parametrize(
    ("error", "found"),
    [
        (DialError("nobody there"), Closing("nobody there")),
        (DialError("too often", 20, 429), Closing("too often", "too often", 20.0)),
        (DialError("not yet", 5, 403), Closing("not yet", "not yet", 5.0)),
        (DialError("who are you", None, 401), Closing("who are you", rejected=True)),
        (DialError("not you", None, 403), Closing("not you", rejected=True)),
        (DialError("full", None, 503), Closing("full")),
    ],
)
def test_a_call_that_leads_to_no_line_is_explained_by_http(error, found):
    assert not_reached(error) == found

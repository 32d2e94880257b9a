import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from tests.support.fake_server import fake_server
from tests.support.lobby import lobby_line
from ulci.net import DialError, Heard, RemoteServer
from ulci.protocol.messages import Blame, Go, Hello, Message, NewGame, Position, Quit, Report
from ulci_client.reconnect import (
    DOUBT,
    FIRST,
    GOOD_LINE,
    LONGEST,
    LONGEST_DOUBTFUL_PAUSE,
    LONGEST_GAME_PAUSE,
    PROMPT,
    Backoff,
    CloseReason,
    LastWords,
    LostConnection,
    RedialPolicy,
    dial_failed,
    retry_after,
    without_hint,
)

CLOSED = "closed by the other side"


def closing(*said: Message, later: float = 0.0, why: str = CLOSED) -> CloseReason:
    """What it means that a line ended so long (s) after this was said on it."""
    words = LastWords()
    for message in said:
        words.heard(Heard(message, 100.0))
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


def test_a_connection_that_ends_without_a_reason_is_lost():
    assert closing(NewGame()) == CloseReason(CLOSED)


WELCOME = lobby_line("welcome name Ada account no resume s3cret")
COMPLAINT = Report(Blame.CLIENT, "bestmove e2e4 was said before; go is still open")


@pytest.mark.parametrize("last", [(), (Quit(),)])
def test_a_clienterror_before_the_welcome_without_retry_after_is_a_rejection(last):
    text = "your token is not valid"
    said = (Hello(), Report(Blame.CLIENT, text), *last)
    assert closing(*said) == CloseReason(text, text, rejected=True)


@pytest.mark.parametrize("let_in", [WELCOME, NewGame(), Position(None, ()), Go(60_000, 60_000)])
def test_after_the_welcome_only_quit_makes_an_error_a_rejection(let_in):
    text = "you were kicked by Boss: rude"
    said = (Hello(), let_in, Report(Blame.CLIENT, text))
    assert closing(*said, Quit()) == CloseReason(text, text, rejected=True)
    assert closing(*said) == CloseReason(CLOSED)


def test_a_connection_that_breaks_after_a_complaint_is_lost_not_rejected():
    assert closing(WELCOME, COMPLAINT) == CloseReason(CLOSED)


def test_a_connection_that_the_server_closes_for_its_own_reasons_is_lost():
    goodbye = (Report(Blame.SERVER, "shutting down"), Quit())
    assert closing(WELCOME, COMPLAINT, *goodbye) == CloseReason(*["shutting down"] * 2)


def test_a_complaint_long_before_goodbye_is_not_the_reason():
    words = LastWords()
    words.heard(Heard(WELCOME, 100.0))
    words.heard(Heard(COMPLAINT, 100.0))
    words.heard(Heard(Quit(), 100.1 + PROMPT))
    assert words.closing(CLOSED, 100.1 + PROMPT) == CloseReason(CLOSED)


def test_a_rejection_counts_even_if_the_connection_closes_late():
    assert closing(WELCOME, COMPLAINT, Quit(), later=60.0).rejected


def test_a_player_with_retry_after_reconnects_at_that_time():
    text = "you send too much; retry-after 30"
    assert closing(WELCOME, Report(Blame.CLIENT, text)) == CloseReason(text, text, 30.0)


@pytest.mark.parametrize("blame", Blame)
def test_with_retry_after_no_error_is_a_rejection(blame):
    text = "too many of you; retry-after 30"
    assert closing(Report(blame, text)) == CloseReason(text, text, 30.0)


def test_a_server_in_trouble_of_its_own_rejects_nobody():
    text = "the database is gone"
    assert closing(Report(Blame.SERVER, text)) == CloseReason(text, text)
    assert closing(Report(Blame.ERROR, text)) == CloseReason(text, text)


def test_a_refusal_of_the_lobby_explains_the_end_and_may_say_when_to_come_back():
    line = lobby_line("error closed back soon; retry-after 7")
    assert closing(line) == CloseReason("back soon; retry-after 7", "back soon; retry-after 7", 7.0)
    assert not closing(lobby_line("error no-such-seek there is no seek 3")).rejected


def test_what_was_complained_of_before_anything_else_was_said_has_nothing_to_do_with_the_end():
    complaint = Report(Blame.CLIENT, "illegal move e2e5")
    assert closing(complaint, NewGame()) == CloseReason(CLOSED)


def test_an_old_complaint_does_not_explain_the_end():
    complaint = Report(Blame.CLIENT, "this line is longer than 8192 bytes and was dropped")
    assert closing(complaint, later=PROMPT + 0.1) == CloseReason(CLOSED)


def test_a_truncated_error_is_not_a_rejection():
    words = LastWords()
    assert words.heard(Heard(Report(Blame.CLIENT, "you send too much; retry-"), 1.0, cut=True))
    assert not LastWords().heard(Heard(Hello(), 1.0, cut=True))
    assert words.closing(CLOSED, 1.0) == CloseReason(*["you send too much; retry-"] * 2)


def test_a_close_frame_says_that_a_complaint_was_meant():
    why = "closed by the other side with code 1008 you are banned here: spam"
    found = closing(WELCOME, Report(Blame.CLIENT, "you are banned here: spam"), why=why)
    assert (found.said, found.rejected) == ("you are banned here: spam", True)


@pytest.mark.parametrize(
    ("code", "reason", "rejected", "wait"),
    [
        (1008, "you are banned here: spam", True, 0.0),
        (1008, "you send too much; retry-after 60", False, 60.0),
        (1013, "this server is full; retry-after 10", False, 10.0),
        (1011, "the server failed", False, 0.0),
    ],
)
async def test_the_reason_of_a_close_frame_is_heard(code, reason, rejected, wait):
    async with (
        fake_server("ws://127.0.0.1:0") as server,
        RemoteServer(server.address).dial() as peer,
    ):
        line = await server.line()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(line.peer._ws.aclose, code, reason)
            assert await peer.receive() is None
        found = LastWords().closing(peer.why, 0.0)
        line.over.set()
    assert (found.said, found.rejected, found.retry_after) == (reason, rejected, wait)


async def test_a_close_frame_without_a_reason_is_a_lost_connection():
    async with (
        fake_server("ws://127.0.0.1:0") as server,
        RemoteServer(server.address).dial() as peer,
    ):
        line = await server.line()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(line.peer._ws.aclose, 1011)
            assert await peer.receive() is None
        assert LastWords().closing(peer.why, 0.0) == CloseReason(peer.why)
        line.over.set()


@pytest.mark.parametrize(
    ("error", "found"),
    [
        (DialError("nobody there"), CloseReason("nobody there")),
        (DialError("too often", 20, 429), CloseReason("too often", "too often", 20.0)),
        (DialError("not yet", 5, 403), CloseReason("not yet", "not yet", 5.0)),
        (DialError("who are you", None, 401), CloseReason("who are you", rejected=True)),
        (DialError("not you", None, 403), CloseReason("not you", rejected=True)),
        (DialError("full", None, 503), CloseReason("full")),
    ],
)
def test_a_failed_upgrade_is_explained_by_its_http_answer(error, found):
    assert dial_failed(error) == found


@pytest.mark.parametrize(
    ("chance", "pauses"), [(1.0, [2, 4, 8, 16, 32, 60, 60]), (0.0, [1, 2, 4, 8, 16, 30, 30])]
)
def test_each_failure_doubles_the_pause_up_to_the_longest(chance, pauses):
    backoff = Backoff(lambda: chance)
    assert [backoff.next() for _ in pauses] == pauses


def test_after_a_success_it_begins_again():
    backoff = Backoff(lambda: 0.0)
    for _ in range(5):
        backoff.next()
    backoff.succeeded()
    assert backoff.next() == FIRST


def test_clients_that_lost_the_same_server_do_not_all_come_back_at_once():
    pauses = [Backoff(lambda chance=chance: chance).next() for chance in (0.0, 0.25, 0.5, 1.0)]
    assert pauses == [1.0, 1.25, 1.5, 2.0]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_whatever_chance_gives_the_pause_stays_within_its_bounds(chances):
    left = iter(chances)
    backoff = Backoff(lambda: next(left))
    assert all(FIRST <= backoff.next() <= LONGEST for _ in chances)


def test_a_server_that_is_gone_for_weeks_overflows_nothing():
    backoff = Backoff(lambda: 1.0)
    assert [backoff.next() for _ in range(5_000)][-1] == LONGEST


def pauses(*losses: LostConnection) -> list[float]:
    redial = RedialPolicy(lambda: 1.0)
    return [redial.pause(lost) for lost in losses]


def test_a_server_that_is_gone_is_called_less_and_less_often() -> None:
    gone = [LostConnection(100.0 * n, greeted=False) for n in range(7)]
    assert pauses(*gone) == [2, 4, 8, 16, 32, 60, 60]


def test_after_a_good_line_it_begins_anew() -> None:
    gone = LostConnection(0.0, greeted=False)
    assert pauses(gone, gone, LostConnection(100.0, GOOD_LINE), gone) == [2, 4, 2, 4]
    hung = LostConnection(100.0, GOOD_LINE, greeted=False)  # a call that nobody took is no line
    assert pauses(gone, gone, hung) == [2, 4, 8]


def test_in_a_game_it_never_waits_for_long() -> None:
    gone = [LostConnection(100.0 * n, greeted=False, in_game=True) for n in range(1, 9)]
    assert pauses(LostConnection(0.0, in_game=True), *gone)[:3] == [0.5, 1, LONGEST_GAME_PAUSE]
    assert pauses(LostConnection(0.0, in_game=True), *gone)[3:] == [LONGEST_GAME_PAUSE] * 6
    assert pauses(gone[0], LostConnection(200.0, in_game=True), gone[1]) == [0.5, 0.5, 1]


def test_it_never_waits_long_where_a_game_may_have_begun() -> None:
    asked = LostConnection(0.0, asked=True)
    gone = [LostConnection(at, greeted=False, asked=True) for at in (1.0, 30.0, DOUBT - 1)]
    assert pauses(asked, *gone) == [0.5, 1, LONGEST_GAME_PAUSE, LONGEST_GAME_PAUSE]


def test_later_it_waits_longer_but_not_as_long_as_a_seat_may_be_kept() -> None:
    asked = LostConnection(0.0, asked=True)
    gone = [LostConnection(DOUBT + 100 * n, greeted=False, asked=True) for n in range(5)]
    most = LONGEST_DOUBTFUL_PAUSE
    assert pauses(asked, *gone) == [0.5, 2, 4, 8, most, most]


def test_a_server_that_crashes_at_every_seek_is_not_hammered() -> None:
    falls = [LostConnection(40.0 * n, asked=True) for n in range(8)]
    assert pauses(*falls) == [0.5, 1, 2, 4, 8, 16, 32, 60]


def test_but_a_good_line_or_a_game_makes_the_next_seek_as_good_as_the_first() -> None:
    first, later = LostConnection(0.0, asked=True), LostConnection(200.0, GOOD_LINE, asked=True)
    assert pauses(first, later) == [0.5, 0.5]
    game, then = LostConnection(100.0, in_game=True), LostConnection(200.0, asked=True)
    assert pauses(first, game, then) == [0.5, 0.5, 1]

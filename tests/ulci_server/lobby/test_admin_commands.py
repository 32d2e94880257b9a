"""The words of those who look after the server."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci.rules import Side
from ulci_server.lobby import admin_commands
from ulci_server.lobby.admin_commands import (
    Abort,
    Adjudicate,
    Asked,
    Ban,
    Drain,
    Games,
    GiveTime,
    Kick,
    ListComplaints,
    ServerStatus,
    SettleComplaint,
    TakeBack,
    TellPlayers,
    Unban,
    Who,
    read_untrusted,
    seconds_untrusted,
)
from ulci_server.lobby.terms import Refusal


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("status", ServerStatus()),
        ("games", Games()),
        ("who", Who()),
        ("complaints", ListComplaints()),
        ("complaints all", ListComplaints(closed=True)),
        ("settle 3", SettleComplaint(3)),
        ("games ada", Games("ada")),
        ("who 192.0.2", Who("192.0.2")),
        ("abort 42 both  agreed by mail", Abort(42, "both agreed by mail")),
        ("adjudicate 42 1-0 a dead lost ending", Adjudicate(42, Side.WHITE, "a dead lost ending")),
        ("adjudicate 42 0-1 x", Adjudicate(42, Side.BLACK, "x")),
        ("adjudicate 42 1/2-1/2 x", Adjudicate(42, None, "x")),
        ("kick Eve rude", Kick("Eve", "rude")),
        ("ban Eve forever rude", Ban("Eve", False, None, "rude")),
        ("ban Eve 1h 2d is too long", Ban("Eve", False, 3600, "2d is too long")),
        ("ban Eve 2d very rude", Ban("Eve", False, 172_800, "very rude")),
        ("ban 10.0.0.7 30m flood", Ban("10.0.0.7", True, 1800, "flood")),
        ("ban 10.0.0.7/8 forever flood", Ban("10.0.0.0/8", True, None, "flood")),
        ("ban 2001:DB8:0::1 forever flood", Ban("2001:db8::1", True, None, "flood")),
        ("unban 2001:db8:0:0::1", Unban("2001:db8::1", True)),
        ("banwide 0.0.0.0/0 1h war", Ban("0.0.0.0/0", True, 3600, "war", wide=True)),
        ("unban Eve", Unban("Eve", False)),
        ("tell Bob mind your depth", TellPlayers("Bob", "mind your 'depth'")),
        ("tell all tea is ready", TellPlayers(None, "tea is ready")),
        ("takeback 42 2 a slip", TakeBack(42, 2, "a slip")),
        ("givetime 42 black 15.5 our fault", GiveTime(42, Side.BLACK, 15_500, "our fault")),
        ("drain", Drain()),
        ("drain the big one", Drain("the big one")),
    ],
)
def test_every_word_is_read(line: str, asked: Asked) -> None:
    assert read_untrusted(line.split()) == asked


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (
            "",
            "no command is given; the commands are: status games who abort adjudicate kick",
        ),
        ("fire 42", 'there is no admin command "fire"; the commands are: status games who'),
        ("games 3 4", '"4" is an extra word; use: admin games'),
        ("abort", "missing: the number of a game; use: admin abort GAME WHY"),
        ("abort x why", '"x" is not the number of a game; use:'),
        ("abort 0 why", '"0" is not the number of a game'),
        ("abort 42", "missing: the reason; use: admin abort GAME WHY"),
        ("adjudicate 42 * why", '"*" is not one of 1-0, 0-1, 1/2-1/2; use: admin adjudicate GAME'),
        ("kick Eve", "missing: the reason; use: admin kick NAME WHY"),
        ("ban Eve 2d", "missing: the reason"),
        ("ban Eve", "missing: the duration; use: admin ban NAME|ADDRESS DURATION|forever WHY"),
        *(
            (
                f"ban Eve {word} test",
                f'"{word}" is not a span of time: write 30m, 12h, 7d or 4w, at most 10y',
            )
            for word in ("xx", "7x", "7", "11y", "0s", "1.5h", "rude", "for")
        ),
        ("banwide Eve 1h war", '"Eve" is not an address; use: admin banwide ADDRESS'),
        ("unban", "missing: the name"),
        ("unban Eve rude", '"rude" is an extra word'),
        ("tell Bob", "missing: the text"),
        ("takeback 42 0 x", '"0" is not a number of plies'),
        ("givetime 42 red 15 x", '"red" is not one of white, black'),
        ("givetime 42 white 0 x", '"0" is not a number of seconds up to 86400'),
        ("givetime 42 white 86401 x", '"86401" is not a number of seconds'),
        ("givetime 42 white 1e3 x", '"1e3" is not a number of seconds'),
    ],
)
def test_what_is_not_used_so_is_refused_with_the_way_to_use_it(line: str, why: str) -> None:
    with pytest.raises(Refusal) as caught:
        read_untrusted(line.split())
    assert why in str(caught.value)
    assert caught.value.line.words[:2] == ("error", "admin-usage")


@given(
    st.lists(
        st.sampled_from([*admin_commands.USAGE, "42", "1-0", "white", "3d", "::1", "\x1b[2J", "x"])
    )
)
def test_whatever_is_said_is_understood_or_refused(words: list[str]) -> None:
    try:
        asked = read_untrusted(words)
    except Refusal:
        return
    for value in (getattr(asked, "why", ""), getattr(asked, "text", "")):
        assert value.isprintable()


def test_answers_are_lines_of_the_lobby() -> None:
    assert admin_commands.answer("game", "42").words == ("admin", "game", "42")
    assert admin_commands.DONE.words == ("admin", "done")


@pytest.mark.parametrize(
    ("word", "seconds"),
    [
        ("1s", 1),
        ("90s", 90),
        ("2m", 120),
        ("3h", 10_800),
        ("2d", 172_800),
        ("4w", 2_419_200),
        ("1y", 31_536_000),
        ("10y", 315_360_000),
        ("3660d", 316_224_000),
        *((word, None) for word in ("3661d", "11y", "0m", "1", "m", "1M", "1.5h", "-1m", "1mm")),
    ],
)
def test_a_span_of_time_is_a_number_and_a_unit(word: str, seconds: int | None) -> None:
    assert seconds_untrusted(word) == seconds

"""Lobby lines of the server: one table reads and writes them."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import NODEFAULT
from msgspec.structs import fields

from tests.support.sayings import LINES, TOKENS, words
from ulci.protocol import LocalProtocolError
from ulci.protocol.lobby.lines import (
    ROWS,
    AdminAnswer,
    AdminDone,
    Chat,
    DrawOffer,
    ErrorLine,
    GameStart,
    Gone,
    IncomingChallenge,
    Line,
    ListedGame,
    MatchGame,
    MatchOver,
    OpenSeek,
    OpponentState,
    PlayerState,
    TakebackOffer,
    TakenBack,
    TimeGift,
    UnknownLine,
    Welcome,
    WentBerserk,
    read_untrusted,
    write,
)

SEEK = "seek 17 player Bob kind engine game chess time 300+3 color random rated yes lag none"
KEYS = sorted({word for row in ROWS for word in (*row.usage.split(), *row.pairs)})


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("welcome name Ada account yes resume 1c0f", Welcome("Ada", True, "1c0f")),
        (
            "error no-such-seek there is no seek 17",
            ErrorLine("no-such-seek", "there is no seek 17"),
        ),
        ("error busy", ErrorLine("busy")),
        (SEEK, OpenSeek(17, "Bob", "engine", "chess", "300+3", "random", True, "none")),
        (
            f"{SEEK} start 8/8_w_-_-",
            OpenSeek(17, "Bob", "engine", "chess", "300+3", "random", True, "none", 1, "8/8 w - -"),
        ),
        ("gone 17", Gone(17)),
        (
            "match 17 game 2 of 4 player Bob chooser Ada within 180000",
            MatchGame(17, 2, 4, "Bob", "Ada", 180_000),
        ),
        ("match 17 game 3 of 4 player Bob", MatchGame(17, 3, 4, "Bob")),
        ("match 17 over played 3 reason left", MatchOver(17, 3, "left")),
        (
            "game 42 playing white Ada black Bob game chess time 300+3 ply 12",
            ListedGame(42, "Ada", "Bob", "chess", "300+3", 12),
        ),
        ("game 42 offer draw from Bob", DrawOffer(42, "Bob")),
        ("game 42 offer takeback 2 from Bob", TakebackOffer(42, 2, "Bob")),
        ("game 42 takeback 2 ply 14", TakenBack(42, 2, 14)),
        ("game 42 givetime 15000 to black from Ada", TimeGift(42, 15_000, "black", "Ada")),
        ("game 42 berserk black from Bob", WentBerserk(42, "black", "Bob")),
        ("game 42 opponent away claim-in 30000", OpponentState(42, "away", 30_000)),
        ("game 42 opponent back", OpponentState(42, "back")),
        ("game 42 white line-down", PlayerState(42, "white", "line-down")),
        ("say Bob good luck", Chat("Bob", "good luck")),
        ("admin status up 3600", AdminAnswer(("status", "up", "3600"))),
        ("admin done", AdminDone()),
        ("", UnknownLine(())),
    ],
)
def test_a_line_is_a_value_of_its_class(text: str, line: Line) -> None:
    assert read_untrusted(text.split()) == line
    assert write(line) == text


@given(st.one_of(*LINES.values()))
def test_what_is_written_is_read_again(line: Line) -> None:
    assert read_untrusted(write(line).split()) == line


@given(st.lists(st.sampled_from(KEYS + sorted(TOKENS) + ["1", "-1", "9" * 20, "_", "x"]) | words))
def test_whatever_a_server_says_is_read_and_can_be_written(said: list[str]) -> None:
    line = read_untrusted(said)
    assert read_untrusted(write(line).split()) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("gone 17 because accepted", Gone(17)),
        ("seek 17 mood good rated maybe player Bob", OpenSeek(17, "Bob")),
        ("challenge 7 player Ada kind", IncomingChallenge(7, "Ada")),
        ("game 1 opponent away claim-in soon", OpponentState(1, "away")),
        ("game 1 start", GameStart(1)),
    ],
)
def test_missing_or_unknown_parts_of_a_line_are_skipped(text: str, line: Line) -> None:
    assert read_untrusted(text.split()) == line


@pytest.mark.parametrize(
    "text",
    [
        "weather rain",
        "gone",
        "gone away",
        "seek 17 kind human",
        "game 42",
        "game 42 adjourned",
        "game 42 offer peace from Bob",
        "game 42 green line-down",
        "game 42 givetime 5 to green from Ada",
        "admin",
        "welcome",
        "welcome account yes",
        "game x over result 1-0",
        "game 1 offer draw",
        "game 1 offer takeback 0 from Bob",
        "game 1 over",
        "game 1 givetime soon to white from Bob",
        "error",
        "seeks many",
        f"game {'9' * 5_000} over result *",
    ],
)
def test_a_line_without_what_it_must_have_is_kept_as_it_is(text: str) -> None:
    assert read_untrusted(text.split()) == UnknownLine(tuple(text.split()))
    assert write(read_untrusted(text.split())) == text


@pytest.mark.parametrize(
    "line",
    [
        DrawOffer(42, "a b"),
        DrawOffer(-1, "Bob"),
        TakebackOffer(42, 0, "Bob"),
        TimeGift(42, 1, "green", "Ada"),
        Chat("", "hi"),
        UnknownLine(("a b",)),
    ],
)
def test_what_could_not_be_read_is_not_written(line: Line) -> None:
    with pytest.raises(LocalProtocolError):
        write(line)


def test_the_table_has_a_row_for_every_line() -> None:
    assert {row.kind for row in ROWS} | {UnknownLine} == set(get_args(Line))


def test_optional_parts_of_a_line_are_pairs_or_bracketed() -> None:
    for row in ROWS:
        for part in row.head:
            if not isinstance(part, str):
                assert part.optional == (part.default is not NODEFAULT), row.usage


def test_every_line_is_a_value() -> None:
    for kind in get_args(Line):
        assert kind.__struct_config__.frozen
        assert not hasattr(kind(*(None for _ in fields(kind))), "__dict__")

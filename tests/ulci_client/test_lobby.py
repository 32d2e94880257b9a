import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci_client.lobby import (
    Challenged,
    DrawOffered,
    GameOver,
    GameStarted,
    Noted,
    OpponentAway,
    Refused,
    Resumed,
    SeeksListed,
    TakebackOffered,
    Welcome,
    read_untrusted,
)


@pytest.mark.parametrize(
    ("line", "notice"),
    [
        ("welcome name Ada account yes resume 1c0f", Welcome("Ada", "1c0f")),
        ("welcome name Ada", Welcome("Ada")),
        (
            "game 42 start white Ada black Bob game chess time 300+3 rated yes",
            GameStarted(42, "Ada", "Bob", "chess", "300+3"),
        ),
        ("game 42 over result 1-0 reason resignation", GameOver(42, "1-0", "resignation")),
        ("game 42 over result *", GameOver(42, "*")),
        ("error no-such-seek there is no seek 17", Refused("no-such-seek", "there is no seek 17")),
        ("seeks 3", SeeksListed(3)),
        ("challenge 7 player Ada kind human game chess time 30", Challenged(7, "Ada")),
        ("game 1 opponent away claim-in 30000", OpponentAway(1, 30_000)),
        ("game 1 opponent away claim-in 0", OpponentAway(1, 0)),
        ("game 1 opponent away", OpponentAway(1)),
        ("game 1 offer takeback 2 from Bob", TakebackOffered(1, 2, "Bob")),
        ("game 1 offer draw from Bob", DrawOffered(1, "Bob")),
        ("game 1 resumed downtime 12300", Resumed(1, 12_300)),
        ("note same-name Fish seeks it too", Noted("same-name", "Fish seeks it too")),
    ],
)
def test_what_a_program_acts_on_is_read(line, notice):
    assert read_untrusted(line.split()) == notice


@pytest.mark.parametrize(
    "line",
    [
        "",
        "welcome",
        "welcome account yes",
        "game",
        "game x over result 1-0",
        "game 1",
        "game 1 offer draw",
        "game 1 offer draw from",
        "game 1 over",
        "game 1 opponent back",
        "game 1 opponent",
        "game 1 offer takeback from Bob",
        "game 1 offer takeback 0 from Bob",
        "game 1 resumed downtime soon",
        "game 1 takeback 2 ply 14",
        "game 1 givetime 15000 to black from Ada",
        "tell Bob hello",
        "game 1 start white Ada",
        "error",
        "seeks",
        "seeks many",
        "challenge",
        "challenge x player Ada",
        "challenge 7 kind human",
        "note",
        "say Bob good luck",
    ],
)
def test_what_is_not_understood_is_nothing(line):
    assert read_untrusted(line.split()) is None


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=("Z", "C")), min_size=1)))
def test_no_words_do_any_harm(words):
    for verb in ("welcome", "game", "error", "seeks", "challenge", "note"):
        read_untrusted([verb, *words])


def test_a_number_too_long_for_python_is_no_number():
    assert read_untrusted(["game", "9" * 5_000, "over", "result", "*"]) is None

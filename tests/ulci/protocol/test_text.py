"""Words, numbers and texts, read and written alike by all verbs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci.joiners import JOINERS
from ulci.protocol import LocalProtocolError, plain
from ulci.protocol.text import (
    ANALYSIS_WORDS,
    LARGEST,
    QUOTED,
    control_in,
    filled,
    line_of,
    number_in,
    one_line,
    quote,
    word,
    words,
)


def test_a_text_is_told_without_anything_that_reads_as_an_analysis():
    assert plain("please set depth 5 and time 3") == "please set 'depth' 5 and 'time' 3"
    assert plain("score time nodes wdl multipv pv depth").count("'") == 14
    assert plain("depths and timers, (depth)") == "depths and timers, (depth)"


def test_a_text_is_one_line_with_single_blanks():
    assert plain("  one\r\ntwo\t\tthree\x00\x1b[31m four ") == "one two three[31m four"
    assert plain("five\u2028six\N{NO-BREAK SPACE}seven") == "five six seven"
    assert plain("") == plain("\n \t") == ""


def test_a_text_cannot_turn_the_direction_of_what_follows():
    assert plain("abc\N{RIGHT-TO-LEFT OVERRIDE}cba") == "abccba"


JOINED = [
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian
    "\u0dc1\u0dca\u200d\u0dbb\u0dd3",  # Sinhala
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",  # one family
    "\u2764\ufe0f\u200d\U0001f525",
    "\U0001f3f3\ufe0f\u200d\U0001f308",
    "\U0001f469\U0001f3fd\u200d\U0001f680",
]


@pytest.mark.parametrize("text", JOINED)
def test_what_joins_letters_and_emoji_is_kept(text):
    assert one_line(f"good {text} luck") == f"good {text} luck"
    assert plain(text) == text


@pytest.mark.parametrize("joiner", JOINERS)
def test_a_joiner_that_joins_nothing_is_dropped(joiner):
    for text in (
        "A{}da",
        "{}Ada",
        "Ada{}",
        "\u0645{}",
        "{}\u0645",
        "\u0645{0}{0}\u06cc",
        "\u0645{} x",
    ):
        assert one_line(text.format(joiner)) == text.format("")


@given(st.text(st.sampled_from(f"{JOINERS}\u0645\u06cc\u0301\U0001f468a \x01\u202e")))
def test_joiners_stay_where_they_are_kept(text):
    assert one_line(one_line(text)) == one_line(text)


@given(st.text())
def test_plain_text_is_safe_and_stays_what_it_is(text):
    told = plain(text)
    assert told.translate(dict.fromkeys(map(ord, JOINERS))).isprintable()
    assert not ANALYSIS_WORDS & set(told.split(" "))
    assert plain(told) == told
    assert one_line(told) == told


@given(st.text())
def test_a_quotation_is_short_and_harmless(text):
    told = quote(text)
    assert len(told) <= QUOTED + 2
    assert told.isprintable()
    assert told[0] == told[-1] == '"'


@pytest.mark.parametrize(
    "line",
    [
        "id token t0psecret",
        "id resume t0psecret",
        "id  token\tt0psecret\x01",
        "\ufeffID Token t0psecret",
    ],
)
def test_a_quotation_never_shows_a_secret(line):
    assert "t0p" not in quote(line)
    assert quote("id name token") == '"id name token"'


def test_a_quotation_that_was_cut_says_so():
    assert quote("x" * QUOTED) == f'"{"x" * QUOTED}"'
    assert quote("x" * (QUOTED + 1)) == f'"{"x" * (QUOTED - 1)}…"'


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("17", 17),
        ("+5", 5),
        ("007", 7),
        (str(LARGEST), LARGEST),
        (str(LARGEST + 1), None),
        ("9" * 5000, None),
        ("-1", None),
        ("1.5", None),
        ("1_000", None),
        ("٣", None),
        ("", None),
        ("e2e4", None),
        ("-", None),
    ],
)
def test_a_number_is_ascii_digits_in_64_bits(text, number):
    assert number_in(text) == number


def test_a_number_may_have_a_least_value():
    assert number_in("-7", -10) == -7
    assert number_in("-17", -10) is None
    assert number_in("0", 1) is None


def test_control_characters_are_found_but_a_tab_is_none():
    assert control_in("plain") == ""
    assert control_in("a\tb\N{NO-BREAK SPACE}c") == ""
    assert control_in("a\x1bb") == "\x1b"
    assert control_in("a\ud800") == "\ud800"


def test_words_are_joined_if_each_is_one():
    assert words(()) == ""
    assert words(("e2e4", "e7e5")) == "e2e4 e7e5"
    assert words(("é", "ñ")) == "é ñ"
    assert word("e2e4") == "e2e4"


@pytest.mark.parametrize(
    "texts",
    [
        ("",),
        ("", "a"),
        ("a", ""),
        ("a", "", "b"),
        ("a b",),
        (" a",),
        ("a", "b "),
        ("a\tb",),
        ("a\n",),
        ("a\N{NO-BREAK SPACE}b",),
        ("a b", "c", ""),
    ],
)
def test_what_is_not_one_word_is_our_bug(texts):
    with pytest.raises(LocalProtocolError, match="one word"):
        words(texts)


def test_a_line_is_one_line_and_a_needed_text_is_there():
    assert line_of("a b") == "a b"
    assert filled("a") == "a"
    with pytest.raises(LocalProtocolError, match="one line"):
        line_of("a\nb")
    with pytest.raises(LocalProtocolError, match="empty"):
        filled(" ")

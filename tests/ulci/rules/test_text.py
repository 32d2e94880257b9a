from ulci.rules import text


def test_a_strangers_text_is_quoted_short_and_printable():
    assert text.quoted("e2e4") == "'e2e4'"
    assert text.quoted("a\nb\x1b") == r"'a\nb\x1b'"
    assert text.quoted("x" * 1000) == "'" + "x" * 39 + "~'"


def test_a_noun_goes_with_its_number():
    assert [text.count(number, "king") for number in range(3)] == ["0 kings", "1 king", "2 kings"]


def test_things_are_listed_as_in_a_sentence():
    assert text.listed("q", "or") == "q"
    assert text.listed("qr", "or") == "q or r"
    assert text.listed("qrb", "and") == "q, r and b"

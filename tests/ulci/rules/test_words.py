from ulci.rules import words


def test_what_a_stranger_wrote_is_repeated_short_and_printable():
    assert words.quoted("e2e4") == "'e2e4'"
    assert words.quoted("a\nb\x1b") == r"'a\nb\x1b'"
    assert words.quoted("x" * 1000) == "'" + "x" * 39 + "~'"


def test_a_noun_goes_with_its_number():
    assert [words.count(number, "king") for number in range(3)] == ["0 kings", "1 king", "2 kings"]


def test_things_are_listed_as_in_a_sentence():
    assert words.listed("q", "or") == "q"
    assert words.listed("qr", "or") == "q or r"
    assert words.listed("qrb", "and") == "q, r and b"

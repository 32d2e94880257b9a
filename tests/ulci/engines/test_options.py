import pytest

from ulci.engines.options import OptionError, Options, describe
from ulci.protocol.messages import Option, OptionType, SetOption

HASH = Option("Hash", OptionType.SPIN, "16", 1, 1024)
STYLE = Option("Style", OptionType.COMBO, "Normal", vars=("Solid", "Normal", "Very Risky"))
PONDER = Option("Ponder", OptionType.CHECK, "false")
CLEAR = Option("Clear Hash", OptionType.BUTTON)
BOOK = Option("Book File", OptionType.STRING, "")
OPTIONS = Options([HASH, STYLE, PONDER, CLEAR, BOOK])


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("Hash=64", SetOption("Hash", "64")),
        (" hash = 0064 ", SetOption("Hash", "64")),
        ("style=very risky", SetOption("Style", "Very Risky")),
        ("PONDER=True", SetOption("Ponder", "true")),
        ("clear hash", SetOption("Clear Hash")),
        ("clear hash=", SetOption("Clear Hash")),
        ("book file=/a/b=c.bin", SetOption("Book File", "/a/b=c.bin")),
        ("Book File=", SetOption("Book File", "")),
    ],
)
def test_a_setting_is_sent_in_the_spelling_of_the_engine(text, setting):
    assert OPTIONS.setting(text) == setting


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Hash=0", "'Hash' cannot be 0 (spin, 1 to 1024)"),
        ("Hash=9999", "'Hash' cannot be 9999"),
        ("Hash=much", "takes a whole number, not 'much'"),
        ("Hash", "'Hash' needs a value (spin, 1 to 1024)"),
        ("Style=Wild", "cannot be 'Wild' (combo, one of: Solid, Normal, Very Risky)"),
        ("Style", "'Style' needs a value"),
        ("Ponder=yes", "'Ponder' is true or false, not 'yes'"),
        ("Clear Hash=now", "is a button"),
        ("Book File", "'Book File' needs a value"),
        ("Hsah=1", "no option 'Hsah'; did you mean 'Hash'?"),
        ("book=1", "no option 'book'; did you mean 'Book File'?"),
        ("Zebra=1", "offers: Book File, Clear Hash, Hash, Ponder, Style"),
        ("=1", "no option ''"),
    ],
)
def test_a_bad_setting_is_refused_with_the_valid_values(text, says):
    with pytest.raises(OptionError) as refusal:
        OPTIONS.setting(text)
    assert says in str(refusal.value)


def test_an_engine_without_options_is_said_to_have_none():
    with pytest.raises(OptionError, match="offers no options"):
        Options().setting("Hash=1")


def test_a_spin_without_bounds_takes_any_number():
    assert Options([Option("Skew", OptionType.SPIN)]).setting("skew=-5") == SetOption("Skew", "-5")


def test_an_option_is_found_by_its_name_in_any_case_or_similar_ones_are_named():
    assert OPTIONS.named("HASH") is HASH
    with pytest.raises(OptionError, match="did you mean 'Hash'"):
        OPTIONS.named("hsah")


@pytest.mark.parametrize(
    ("option", "line"),
    [
        (HASH, "Hash = 16  (spin, 1 to 1024)"),
        (STYLE, "Style = Normal  (combo, one of: Solid, Normal, Very Risky)"),
        (PONDER, "Ponder = false  (check)"),
        (CLEAR, "Clear Hash  (button)"),
        (Option("Clear", OptionType.BUTTON, ""), "Clear  (button)"),
        (Option("Clear", OptionType.BUTTON, "0"), "Clear  (button)"),
        (BOOK, "Book File = <empty>  (string)"),
        (Option("Skew", OptionType.SPIN), "Skew  (spin, any to any)"),
    ],
)
def test_an_option_is_described_in_one_line(option, line):
    assert describe(option) == line


def test_options_are_listed_in_the_order_of_the_engine():
    assert [*OPTIONS] == [HASH, STYLE, PONDER, CLEAR, BOOK]


def test_a_text_that_does_not_fit_in_a_line_is_refused():
    options = Options([Option("EvalFile", OptionType.STRING, "")])
    assert options.setting("EvalFile=/a b/ç.nnue") == SetOption("EvalFile", "/a b/ç.nnue")
    with pytest.raises(OptionError, match="'EvalFile' takes one line of text, not 'a\\\\nquit'"):
        options.setting("EvalFile=a\nquit")


def test_a_combo_without_values_takes_any_and_is_marked_unlisted():
    greed = Option("Greed", OptionType.COMBO, "none")
    options = Options([greed, Option("Style", OptionType.COMBO, "Solid", vars=("Solid", "Risky"))])
    setting = options.setting("greed=mostcaptures")
    assert setting == SetOption("Greed", "mostcaptures")
    assert options.unlisted(setting)
    assert not options.unlisted(options.setting("Style=risky"))
    assert describe(greed) == "Greed = none  (combo, any value)"
    with pytest.raises(OptionError, match="one line of text"):
        options.setting("Greed=a\nb")

import pytest

from ulci.engines.options import OptionError
from ulci.protocol.messages import OptionType
from ulci_client.house_engine.settings import OFFERED, HouseSettings


def test_every_option_starts_with_its_default():
    assert HouseSettings().offered() == list(OFFERED)
    settings = HouseSettings()
    assert (settings.depth, settings.chess960, settings.overhead, settings.seed) == (
        2,
        False,
        0.05,
        0,
    )


def test_names_and_truth_are_read_in_any_case():
    settings = HouseSettings()
    settings.set_untrusted("depth", "5")
    settings.set_untrusted("UCI_CHESS960", "True")
    settings.set_untrusted("move overhead", " 200 ")
    settings.set_untrusted("Seed", "7")
    assert (settings.depth, settings.chess960, settings.overhead, settings.seed) == (
        5,
        True,
        0.2,
        7,
    )


def test_what_was_set_before_the_greeting_is_offered_as_default():
    settings = HouseSettings()
    settings.set_untrusted("Depth", "4")
    settings.set_untrusted("UCI_Chess960", "true")
    defaults = {option.name: option.default for option in settings.offered()}
    assert (defaults["Depth"], defaults["UCI_Chess960"], defaults["Seed"]) == ("4", "true", "0")


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        (
            "Hash",
            "16",
            "no option 'Hash'; it offers: Depth, Move Overhead, Ponder, Seed, Skill",
        ),
        ("Depth", "0", "option 'Depth' cannot be 0 (spin, 1 to 64)"),
        ("Depth", "65", "option 'Depth' cannot be 65 (spin, 1 to 64)"),
        ("Depth", "-1", "option 'Depth' cannot be -1 (spin"),
        ("Depth", "two", "option 'Depth' takes a whole number, not 'two' (spin, 1 to 64)"),
        ("Depth", "²", "option 'Depth' takes a whole number, not '²'"),
        (
            "Depth",
            "9" * 5000,
            "a whole number, not '9999999999999999999999999999999999999999' (spin",
        ),
        ("Depth", None, "option 'Depth' takes a whole number, not ''"),
        ("UCI_Chess960", "yes", "option 'UCI_Chess960' is true or false, not 'yes'"),
        ("UCI_Chess960", None, "option 'UCI_Chess960' is true or false, not ''"),
    ],
)
def test_a_wrong_setting_is_refused_with_what_would_do(name: str, value: str | None, why: str):
    settings = HouseSettings()
    with pytest.raises(OptionError) as caught:
        settings.set_untrusted(name, value)
    assert why in str(caught.value)
    assert settings.offered() == list(OFFERED)


def test_numbers_are_offered_with_their_range():
    for option in OFFERED:
        assert (option.type is OptionType.SPIN) == (option.max is not None)

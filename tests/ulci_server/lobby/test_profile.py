"""What a client says of itself decides what it can be given."""

from dataclasses import replace

import pytest

from ulci.protocol.messages import Id, Option, OptionType
from ulci.rules import GAMES, Needs
from ulci_server.lobby import Introduction, Profile
from ulci_server.lobby.names import looks
from ulci_server.lobby.profile import LINE_COST, MAX_INTRODUCTION


def introduced(*said: Id | Option) -> Profile:
    introduction = Introduction()
    for message in said:
        introduction.hear(message)
    return introduction.profile()


def test_a_client_that_says_nothing_of_ulci_is_a_uci_engine():
    profile = introduced(Id("name", "Glaurung 2.2"), Id("author", "Tord Romstad"))
    assert (profile.name, profile.author, profile.kind) == (
        "Glaurung 2.2",
        "Tord Romstad",
        "engine",
    )
    assert not profile.is_ulci
    assert not profile.follows
    assert not profile.lobby


def test_a_username_makes_a_person():
    profile = introduced(Id("version", "1"), Id("name", "GUI"), Id("username", "Ada"))
    assert (profile.name, profile.kind) == ("Ada", "human")
    assert profile.follows


@pytest.mark.parametrize(
    "name", ["\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\U0001f469\u200d\U0001f680"]
)
def test_a_name_keeps_the_joiners_between_its_letters_and_emoji(name):
    assert introduced(Id("username", name)).name == name
    long = introduced(Id("username", "x" * 62 + name)).name
    assert long == ("x" * 62 + name)[: len(long)]
    assert long[-1] not in "\u200c\u200d"
    assert looks(name) == looks(name.replace("\u200c", "").replace("\u200d", ""))


def test_an_empty_username_is_still_a_person():
    profile = introduced(Id("version", "1"), Id("username", ""))
    assert (profile.name, profile.kind) == ("anonymous", "human")


def test_any_feature_makes_a_client_ulci_and_only_lobby_opens_the_lobby():
    assert introduced(Id("feature", "boardsize")).is_ulci
    assert not introduced(Id("feature", "boardsize")).lobby
    assert introduced(Id("feature", "lobby")).lobby


@pytest.mark.parametrize("version", ["1", "2", "1.0", "beta", ""])
def test_any_version_makes_a_client_ulci(version):
    assert introduced(Id("version", version)).is_ulci


def test_a_name_cannot_hold_control_characters_or_grow_without_end():
    name = introduced(Id("username", "A\x1b[31m" + "x" * 500)).name
    assert name.isprintable()
    assert len(name) <= 64


@pytest.mark.parametrize(
    ("said", "needs", "word"),
    [
        ((), Needs(pieces=frozenset("pk")), None),
        ((), Needs(pieces=frozenset("pkz")), "pieces z"),
        ((Id("pieces", "kmqcaehuriwbznxlop"),), Needs(pieces=frozenset("pkz")), None),
        ((Id("pieces", "kq"),), Needs(pieces=frozenset("pk")), "pieces p"),
        ((), Needs(features=frozenset({"boardsize"})), "features boardsize"),
        ((Id("version", "1"),), Needs(features=frozenset({"boardsize"})), None),
        ((Id("feature", "pawnconfig"),), Needs(features=frozenset({"pawnmoves"})), None),
        ((Id("feature", "multplekings"),), Needs(features=frozenset({"multiplekings"})), None),
        ((), Needs(options={"UCI_Chess960": "true"}), "option UCI_Chess960"),
        (
            (Option("UCI_CHESS960", OptionType.CHECK, "false"),),
            Needs(options={"UCI_Chess960": "true"}),
            None,
        ),
        (
            (Option("UCI_Variant", OptionType.COMBO, "chess", vars=("chess", "atomic")),),
            Needs(options={"UCI_Variant": "atomic"}),
            None,
        ),
        (
            (Option("UCI_Variant", OptionType.COMBO, "chess", vars=("chess", "atomic")),),
            Needs(options={"UCI_Variant": "horde"}),
            "horde as UCI_Variant",
        ),
        ((), Needs(options={"UCI_Variant": "horde"}), "option UCI_Variant"),
        ((Id("username", "Ada"),), Needs(options={"UCI_Variant": "horde"}), "option UCI_Variant"),
        (
            (Id("username", "Ada"), Id("feature", "lobby")),
            Needs(options={"UCI_Variant": "horde"}),
            None,
        ),
    ],
)
def test_what_was_not_declared_is_lacking(said, needs, word):
    why = introduced(*said).lacks(needs)
    assert why is None if word is None else word in (why or "")


def variant(default: str, *values: str) -> Option:
    return Option("UCI_Variant", OptionType.COMBO, default, vars=values)


@pytest.mark.parametrize(
    ("option", "game", "why"),
    [
        (variant("crazyhouse"), "chess", "A plays crazyhouse and does not offer chess"),
        (variant("crazyhouse", "crazyhouse"), "chess", "A plays crazyhouse and does not offer"),
        (variant("crazyhouse", "crazyhouse"), "chess960", "A plays crazyhouse and does not offer"),
        (variant("crazyhouse", "crazyhouse", "chess"), "chess", None),
        (variant("crazyhouse", "crazyhouse", "standard"), "chess", None),
        (variant("crazyhouse", "crazyhouse", "normal"), "chess", None),
        (variant("chess"), "chess", None),
        (variant("standard", "standard", "atomic"), "chess", None),
        (variant("Normal"), "chess", None),
        (variant("", "atomic"), "chess", None),
        (variant("chess", "chess", "threecheck"), "3check", None),
        (variant("chess", "chess", "3check"), "3check", None),
        (variant("chess", "chess", "koth"), "kingofthehill", None),
        (variant("chess", "chess", "threecheck"), "atomic", "A does not offer atomic"),
        (variant("threecheck"), "3check", "A does not offer 3check"),
    ],
)
def test_an_engine_plays_what_it_has_a_name_for(option, game, why):
    chess960 = Option("UCI_Chess960", OptionType.CHECK, "false")
    who = introduced(Id("name", "A"), option, chess960)
    lack = who.lacks(GAMES[game].needs(None))
    assert lack is None if why is None else why in (lack or "")


def test_people_in_the_lobby_judge_themselves_what_their_program_shows():
    person = introduced(Id("username", "Ada"), Id("feature", "lobby"), variant("crazyhouse"))
    assert person.lacks(GAMES["chess"].needs(None)) is None


def test_whoever_listens_in_a_dialect_of_one_game_plays_that_game():
    profile = replace(introduced(Id("name", "Nim")), plays="nim")
    assert profile.lacks(Needs(options={"UCI_Variant": "nim"})) is None
    assert profile.lacks(Needs(options={"UCI_Variant": "go"})) is not None


LONG = 8000

PARTS = {
    "a key": lambda text: Id(text, ""),
    "a value": lambda text: Id("author", text),
    "an option's name": lambda text: Option(text, OptionType.BUTTON),
    "an option's default": lambda text: Option("Log", OptionType.STRING, text),
    "one of an option's values": lambda text: Option("Style", OptionType.COMBO, vars=(text,)),
    "another one": lambda text: Option("Style", OptionType.COMBO, vars=("a", text)),
}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
@pytest.mark.parametrize(("length", "least"), [(LONG, LONG), (0, LINE_COST)])
def test_of_no_part_of_an_introduction_more_is_kept_than_fits(part, length, least):
    introduction = Introduction()
    kept = 0
    while introduction.hear(part("x" * length)):
        kept += 1
        assert kept * least <= MAX_INTRODUCTION
    assert kept > MAX_INTRODUCTION // (least + 8 * LINE_COST), "and not much less"

"""What the server is told of an engine."""

import pytest
from msgspec.structs import replace

from tests.support.engines import scripted
from ulci.net import Address, RemoteServer
from ulci.protocol.messages import HelloOk, Id, Option, OptionType, Terms
from ulci.rules import GAMES
from ulci.rules.liberty import PIECES
from ulci_client.bot.engines import EngineLine
from ulci_client.bridge.settings import (
    HELLO,
    NO_GAME_NAMES,
    BridgeSettings,
    EngineOffer,
    ids_for_server,
    introduction,
    options_for_server,
    united,
)
from ulci_client.engine_settings import ClientEngineSettings
from ulci_server.lobby.profile import Introduction

SERVER = RemoteServer(Address.parse("tcp://127.0.0.1:1"))


def settings(**asked: object) -> BridgeSettings:
    return BridgeSettings((SERVER,), scripted(), **asked)  # type: ignore[arg-type]


def test_by_default_one_engine_plays_for_ever_whatever_the_server_offers():
    default = settings()
    assert (default.games, default.concurrency, default.terms) == (None, 1, Terms())
    assert (default.name, default.hello) == ("", HELLO)


def test_a_pool_is_sought_by_its_name_with_the_other_terms():
    asked = settings(pool="mini", terms=Terms(game="liberty", time="60+1", start="mini"))
    assert asked.sought == Terms(game="mini", time="60+1", start="mini")
    assert asked.terms.game == "liberty"
    assert settings(terms=Terms(game="liberty")).sought == Terms(game="liberty")


def test_any_name_of_one_line_will_do():
    assert settings(name="Élan the 2nd ♟").name == "Élan the 2nd ♟"


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({"name": "a\nb"}, "the name must be one line"),
        ({"name": "a\x1b[2J"}, "the name must be one line"),
        ({"terms": Terms(game="a b")}, "the game must be one word, not 'a b'"),
        ({"terms": Terms(game="")}, "the game must be one word, not ''"),
        ({"terms": Terms(time="60 +1")}, "the time control must be one word, not '60 \\+1'"),
        ({"pool": "my pool"}, "the pool must be one word, not 'my pool'"),
        ({"terms": Terms(start="8/8\n")}, "the start must be one line"),
        ({"terms": Terms(time="60\x00")}, "the time control must be one word"),
    ],
)
def test_what_cannot_be_said_in_a_line_is_refused_before_anything_is_started(asked, complaint):
    with pytest.raises(ValueError, match=complaint):
        settings(**asked)


NAME = Id("name", "Fish")
HASH = Option("Hash", OptionType.SPIN, "16", 1, 1024)
VARIANT = Option("UCI_Variant", OptionType.COMBO, "chess", vars=("chess", "atomic"))


def profile(dialect: str, game: str | None, *said: Id | Option):
    """What a server makes of it."""
    introduction = Introduction()
    ids = [each for each in said if isinstance(each, Id)]
    options = [each for each in said if isinstance(each, Option)]
    for each in (
        *ids_for_server(ids, "", dialect, game),
        *options_for_server(options, dialect, game),
    ):
        introduction.hear(each)
    return introduction.profile()


@pytest.mark.parametrize("game", [*GAMES])
@pytest.mark.parametrize("dialect", sorted(NO_GAME_NAMES))
def test_a_dialect_that_cannot_name_its_game_gets_the_users(dialect, game):
    for start in GAMES[game].starts:
        assert profile(dialect, game, NAME).lacks(GAMES[game].needs(start)) is None


def test_a_game_that_only_the_server_knows_goes_by_its_name():
    [option] = options_for_server([], "ugi", "nim")
    assert option == Option("UCI_Variant", OptionType.COMBO, "nim", vars=("nim",))


def test_a_dialect_that_names_its_game_adds_nothing():
    assert options_for_server([HASH], "uci", "atomic") == [HASH]
    assert options_for_server([VARIANT], "ugi", "atomic") == [VARIANT]
    assert options_for_server([HASH], "ugi", None) == [HASH]
    assert ids_for_server([NAME], "", "uci", "liberty") == [NAME]
    assert ids_for_server([Id("pieces", "kq")], "", "ugi", "liberty")[0] == Id("pieces", "kq")


def test_an_engine_for_liberty_chess_is_announced_with_all_its_pieces():
    assert Id("pieces", PIECES) in ids_for_server([NAME], "", "ugi", "liberty")
    assert ids_for_server([NAME], "", "ugi", "chess") == [NAME]


def test_another_name_comes_first():
    assert ids_for_server([Id("author", "N"), NAME], "Nimzo", "uci", None) == [
        Id("name", "Nimzo"),
        Id("author", "N"),
    ]


@pytest.mark.parametrize(
    ("token", "resume", "proofs"),
    [
        ("", "", []),
        ("t0ken", "", [Id("token", "t0ken")]),
        ("t0ken", "s3cret", [Id("token", "t0ken"), Id("resume", "s3cret")]),
    ],
)
def test_it_says_who_it_is_then_what_proves_it_then_what_it_offers(token, resume, proofs):
    server = RemoteServer(None, token=token)  # type: ignore[arg-type]
    settings = BridgeSettings((server,), ClientEngineSettings(("engine",)), Terms(), name="Nimzo")
    assert introduction(settings, [NAME], [HASH], resume) == [
        Id("name", "Nimzo"),
        Id("feature", "lobby"),
        *proofs,
        HASH,
        HelloOk(),
    ]


def test_several_engines_are_one_to_the_server_that_can_what_any_of_them_can():
    chess = EngineOffer(
        "Fish",
        (Id("name", "Fish"), Id("pieces", "pnbrqk")),
        (Option("Hash", OptionType.SPIN, "16"), VARIANTS),
    )
    other = EngineOffer(
        "Fowl",
        (Id("name", "Fowl"), Id("pieces", "pk"), Id("feature", "boardsize castling")),
        (Option("hash", OptionType.SPIN, "1"), replace(VARIANTS, vars=("chess", "atomic"))),
    )
    third = EngineOffer("Toe", (Id("feature", "castling friendlyfire"),), ())
    lines = [
        EngineLine(ClientEngineSettings(("fish",)), ("chess",)),
        EngineLine(ClientEngineSettings(("fowl",))),
        EngineLine(ClientEngineSettings(("toe",), dialect="ugi"), ("mnk",)),
    ]
    offer = united([chess, other, third], lines)
    assert offer.name == "Fish"
    assert offer.ids == (
        Id("name", "Fish"),
        Id("pieces", "pnbrqk"),
        Id("feature", "boardsize castling friendlyfire"),
    )
    [hash_size, variant] = offer.options
    assert hash_size.default == "16"
    assert {*variant.vars} >= {"chess", "crazyhouse", "atomic", "mnk"}


VARIANTS = Option("UCI_Variant", OptionType.COMBO, "chess", vars=("chess", "crazyhouse"))

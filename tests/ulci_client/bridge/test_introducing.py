"""What the server is told of an engine."""

import pytest

from ulci.protocol import HelloOk, Id, Option, OptionType, Terms
from ulci.rules import GAMES
from ulci.rules.liberty import PIECES
from ulci_client.bridge.introducing import SPEECHLESS, introduction, told_ids, told_options
from ulci_client.bridge.settings import Settings
from ulci_client.dial import Server
from ulci_client.engine import EngineSettings
from ulci_server.lobby.player import Introduction

NAME = Id("name", "Fish")
HASH = Option("Hash", OptionType.SPIN, "16", 1, 1024)
VARIANT = Option("UCI_Variant", OptionType.COMBO, "chess", vars=("chess", "atomic"))


def profile(dialect: str, game: str | None, *said: Id | Option):
    """What a server makes of it."""
    introduction = Introduction()
    ids = [each for each in said if isinstance(each, Id)]
    options = [each for each in said if isinstance(each, Option)]
    for each in (*told_ids(ids, "", dialect, game), *told_options(options, dialect, game)):
        introduction.hear(each)
    return introduction.profile()


@pytest.mark.parametrize("game", [*GAMES])
@pytest.mark.parametrize("dialect", sorted(SPEECHLESS))
def test_who_cannot_say_what_it_plays_is_given_what_its_person_says(dialect, game):
    for start in GAMES[game].starts:
        assert profile(dialect, game, NAME).lacks(GAMES[game].needs(start)) is None


def test_a_game_that_only_the_server_knows_goes_by_its_name():
    [option] = told_options([], "ugi", "nim")
    assert option == Option("UCI_Variant", OptionType.COMBO, "nim", vars=("nim",))


def test_who_can_say_what_it_plays_is_taken_at_its_word():
    assert told_options([HASH], "uci", "atomic") == [HASH]
    assert told_options([VARIANT], "ugi", "atomic") == [VARIANT]
    assert told_options([HASH], "ugi", None) == [HASH]
    assert told_ids([NAME], "", "uci", "liberty") == [NAME]
    assert told_ids([Id("pieces", "kq")], "", "ugi", "liberty")[0] == Id("pieces", "kq")


def test_all_men_of_liberty_chess_are_known_to_who_is_said_to_play_it():
    assert Id("pieces", PIECES) in told_ids([NAME], "", "ugi", "liberty")
    assert told_ids([NAME], "", "ugi", "chess") == [NAME]


def test_another_name_comes_first():
    assert told_ids([Id("author", "N"), NAME], "Nimzo", "uci", None) == [
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
    server = Server(None)  # type: ignore[arg-type]
    settings = Settings(server, EngineSettings(("engine",)), Terms(), name="Nimzo", token=token)
    assert introduction(settings, [NAME], [HASH], resume) == [
        Id("name", "Nimzo"),
        Id("feature", "lobby"),
        *proofs,
        HASH,
        HelloOk(),
    ]

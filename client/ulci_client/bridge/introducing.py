"""What a bridge tells the server of its engine. Pure."""

from collections.abc import Iterator, Sequence

from ulci.protocol import FromClient, HelloOk, Id, Option, OptionType
from ulci.rules import GAMES
from ulci.rules.liberty import FEATURES, LIBERTY_CHESS, PIECES

from .settings import Settings

# What an engine says of itself that holds for us too; a user name or a token is ours to say.
PASSED_ON = frozenset({"name", "author", "version", "pieces", "feature"})

# Dialects in which an engine has no words for the game that it plays. Whoever starts it knows.
SPEECHLESS = frozenset({"ugi"})

# What is played in a dialect that has no words for chess, unless somebody asks for another game.
ONLY_GAME = {"uti": "tictactoe"}

# What a game needs that is no row of our registry: servers may have referees for others.
VARIANT = "UCI_Variant"


def introduction(
    settings: Settings, ids: Sequence[Id], options: Sequence[Option], resume: str
) -> list[FromClient]:
    """All that is answered to ``uci``. resume: proves that a seat is ours, if we have one."""
    dialect, game = settings.engine.dialect, settings.terms.game
    said = told_ids(ids, settings.name, dialect, game)
    said.append(Id("feature", "lobby"))
    if settings.token:
        said.append(Id("token", settings.token))
    if resume:
        said.append(Id("resume", resume))
    return [*said, *told_options(options, dialect, game), HelloOk()]


def told_ids(ids: Sequence[Id], name: str, dialect: str, game: str | None) -> list[Id]:
    """What it says of itself, as `name` if there is one."""
    told = [each for each in ids if each.key in PASSED_ON]
    if name:
        told = [Id("name", name), *(each for each in told if each.key != "name")]
    if dialect in SPEECHLESS and game == LIBERTY_CHESS.name:
        known = {each.key for each in told}
        told += (each for each in _LIBERTY if each.key not in known)
    return told


def told_options(options: Sequence[Option], dialect: str, game: str | None) -> list[Option]:
    """What it offers, and what the server needs to hear of somebody who plays `game`."""
    told = [*options]
    if dialect in SPEECHLESS and game is not None:
        known = {option.name.casefold() for option in options}
        told += (each for each in _needed(game) if each.name.casefold() not in known)
    return told


_LIBERTY = (Id("pieces", PIECES), Id("feature", " ".join(FEATURES)))


def _needed(game: str) -> Iterator[Option]:
    needs = GAMES[game].needs(None).options if game in GAMES else {VARIANT: game}
    for name, value in needs.items():
        if value == "true":
            yield Option(name, OptionType.CHECK, "false")
        else:
            yield Option(name, OptionType.COMBO, value, vars=(value,))

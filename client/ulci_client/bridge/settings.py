"""What a bridge was asked to do, and how it introduces its engine to the server. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from ulci.engines.process import EngineProcess
from ulci.net import RemoteServer
from ulci.protocol.messages import FromClient, HelloOk, Id, Option, OptionType, Terms
from ulci.rules import GAMES
from ulci.rules.liberty import FEATURES, LIBERTY_CHESS, PIECES
from ulci_client.bot.engines import EngineLine
from ulci_client.bot.sections import Config
from ulci_client.engine_settings import ClientEngineSettings

from .server_rights import shown_to_server

# Seconds a server has to send `uci`: that is the first thing a relay sends.
HELLO = 10.0


@dataclass(frozen=True, slots=True)
class BridgeSettings:
    """The settings of a bridge. servers: those of one cluster, or only one. bot: the settings of a
    bot, from a bot.toml; `engine` is its first engine. games_file: where the bot stores the games
    of the last day; None: nowhere.
    terms: what to play. pool: the server's pool to seek in; empty: that of the address. tournament:
    the one that is entered, in place of seeking; empty: none. name:
    replaces the engine's own. games: how many to start in all; None: no limit. concurrency:
    engines at the same time. hello: s for the server's first message, and for each answer it owes.

    Raises:
        ValueError: something of it does not fit in a line.
    """

    servers: tuple[RemoteServer, ...]
    engine: ClientEngineSettings
    terms: Terms = field(default_factory=Terms)
    pool: str = ""
    tournament: str = ""
    name: str = ""
    games: int | None = None
    concurrency: int = 1
    hello: float = HELLO
    bot: Config | None = None
    engines: tuple[EngineLine, ...] = ()
    games_file: Path | None = None

    def __post_init__(self) -> None:
        start = self.terms.start or ""
        for what, text in (("name", self.name), ("start", start)):
            if not text.isprintable():
                raise ValueError(f"the {what} must be one line without control characters")
        for what, word in (
            ("game", self.terms.game),
            ("pool", self.pool or None),
            ("tournament", self.tournament or None),
            ("time control", self.terms.time),
        ):
            if word is not None and (word.split() != [word] or not word.isprintable()):
                raise ValueError(f"the {what} must be one word, not {word!r}")

    @property
    def sought(self) -> Terms:
        """The terms of the seek: the lobby takes a pool's name in place of a game's."""
        return replace(self.terms, game=self.pool) if self.pool else self.terms


@dataclass(frozen=True, slots=True)
class EngineOffer:
    """What an engine says of itself: its name, ids and options."""

    name: str
    ids: tuple[Id, ...]
    options: tuple[Option, ...]


def offer_of(engine: EngineProcess, settings: ClientEngineSettings) -> EngineOffer:
    """What a server sees of this engine: of its options those that it may set."""
    options = shown_to_server(engine.offered, settings.allow_options)
    return EngineOffer(engine.name, tuple(engine.ids), tuple(options))


def united(offers: Sequence[EngineOffer], lines: Sequence[EngineLine]) -> EngineOffer:
    """What a bot with several engines says of itself: what any of them can play. Of an option that
    several have, a combo has the choices of all; else it is that of the first."""
    ids: dict[str, Id] = {}
    options: dict[str, Option] = {}
    for offer, line in zip(offers, lines, strict=True):
        dialect = line.settings.dialect
        for game in line.games or (None,):
            for one in ids_for_server(offer.ids, "", dialect, game):
                known = ids.setdefault(one.key, one)
                if one.key in _SUMMED:
                    ids[one.key] = Id(one.key, _sum(one.key, known.value, one.value))
            for option in options_for_server(offer.options, dialect, game):
                first = options.setdefault(option.name.casefold(), option)
                choices = tuple(dict.fromkeys((*first.vars, *option.vars)))
                options[option.name.casefold()] = replace(first, vars=choices)
    return EngineOffer(offers[0].name, tuple(ids.values()), tuple(options.values()))


# Ids that say what can be played: pieces are letters, features are words.
_SUMMED = {"pieces": "", "feature": " "}


def _sum(key: str, one: str, other: str) -> str:
    between = _SUMMED[key]
    parts = [*(one.split() if between else one), *(other.split() if between else other)]
    return between.join(dict.fromkeys(parts))


# The engine's ids that are passed on; user name and token are the bridge's own.
PASSED_ON = frozenset({"name", "author", "version", "pieces", "feature"})

# Dialects in which an engine cannot name its game: the user must.
NO_GAME_NAMES = frozenset({"ugi"})

# The default game of a dialect that cannot express chess.
ONLY_GAME = {"uti": "tictactoe"}

# The option for games outside our registry: servers may have referees for them.
VARIANT = "UCI_Variant"


def introduction(
    settings: BridgeSettings, ids: Sequence[Id], options: Sequence[Option], resume: str
) -> list[FromClient]:
    """The whole answer to ``uci``. resume: the secret of our seat, if we have one."""
    dialect, game = settings.engine.dialect, settings.terms.game
    said = ids_for_server(ids, settings.name, dialect, game)
    said.append(Id("feature", "lobby"))
    if token := settings.servers[0].token:
        said.append(Id("token", token))
    if resume:
        said.append(Id("resume", resume))
    return [*said, *options_for_server(options, dialect, game), HelloOk()]


def ids_for_server(ids: Sequence[Id], name: str, dialect: str, game: str | None) -> list[Id]:
    """The engine's ids, under `name` if given."""
    told = [each for each in ids if each.key in PASSED_ON]
    if name:
        told = [Id("name", name), *(each for each in told if each.key != "name")]
    if dialect in NO_GAME_NAMES and game == LIBERTY_CHESS.name:
        known = {each.key for each in told}
        told += (each for each in _LIBERTY if each.key not in known)
    return told


def options_for_server(options: Sequence[Option], dialect: str, game: str | None) -> list[Option]:
    """The engine's options, and those that the server requires for `game`."""
    told = [*options]
    if dialect in NO_GAME_NAMES and game is not None:
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

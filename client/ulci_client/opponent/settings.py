"""What an opponent was asked for, by the command line and by the GUI's options."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ulci.engines.options import OptionError
from ulci.net import Address, RemoteServer, context_for, read_token
from ulci.protocol.messages import Color, Option, OptionType, Terms
from ulci.protocol.text import number_in
from ulci.rules import GAMES
from ulci.time_control import TimeError, entered
from ulci_client.account import kept_for_all
from ulci_client.sanitize import clean
from ulci_client.server_address import addresses
from ulci_client.time_cost import costs_untrusted

VARIANT, CHESS960, OPPONENT = "UCI_Variant", "UCI_Chess960", "UCI_Opponent"

STANDARD = "chess"
VARIANTS = (
    STANDARD,
    *(
        name
        for name, rules in GAMES.items()
        if rules.needs(None).pieces and VARIANT in rules.needs(None).options
    ),
)
"""Games that a GUI may name; Chess960 has an option of its own."""

DEFAULT_NAME = "GUI"
"""The name of the player at the GUI, unless the GUI tells it."""

RESIGN, OFFER_DRAW, ACCEPT_DRAW, CLAIM_WIN = "Resign", "OfferDraw", "AcceptDraw", "ClaimWin"
BUTTONS = (RESIGN, OFFER_DRAW, ACCEPT_DRAW, CLAIM_WIN)

COLORS: Mapping[str, Color] = {"auto": "later", "white": "white", "black": "black"}
"""The GUI's colour, by the option's value; auto: what the GUI's first ``go`` shows."""

OTHER_COLOR: Mapping[Color, Color] = {"later": "later", "white": "black", "black": "white"}
"""The colour of every second game of a match."""

MOST_LEVEL = 8
"""Levels of strength that an engine of a server may have."""

RATED: Mapping[str, bool | None] = {"server": None, "yes": True, "no": False}


# Between two addresses: a path may hold a comma.
_COMMA = re.compile(r"\s*,\s*(?=[a-z]+://)", re.IGNORECASE)


@dataclass(slots=True)
class OpponentSettings:
    """`servers`: of one cluster, or only one. `opponent`: whom to challenge; empty: anybody, by a
    seek. `pool`: of the server, or a game; empty: the GUI's variant. `time`: empty: the GUI's clock
    where it is known, otherwise the pool's. `level`: of an engine of the server; 0: its full
    strength. `games`: of a match. `name`, `human`: of the player at the GUI. `resign_on_quit`:
    resign a game that the GUI leaves, instead of being away. `cafile`, `insecure`,
    `token_in_clear`: what the command line says about servers, and holds for those that the GUI
    names.
    """

    servers: tuple[RemoteServer, ...]
    cafile: Path | None = None
    insecure: bool = False
    token_in_clear: bool = False
    opponent: str = ""
    pool: str = ""
    time: str = ""
    rated: str = "server"
    color: str = "auto"
    level: int = 0
    games: int = 1
    name: str = ""
    human: bool = False
    resign_on_quit: bool = False
    chess960: bool = False
    variant: str = STANDARD

    @property
    def game(self) -> str:
        """The name of the game that the GUI plays."""
        return "chess960" if self.chess960 and self.variant == STANDARD else self.variant

    @property
    def server_names(self) -> str:
        """The servers' addresses, as the option Server has them."""
        return ",".join(str(server.address) for server in self.servers)

    @property
    def identity(self) -> object:
        """The player and the server: with another introduction it is another player."""
        servers = tuple((server.address, server.token) for server in self.servers)
        return servers, self.name, self.human

    @property
    def wish(self) -> object:
        """Whom to play, and on what terms: a game that was asked for otherwise is another one."""
        game = self.pool or self.game
        return self.opponent, game, self.time, self.rated, self.color, self.level

    def terms(self, clock: str, begun: int) -> Terms:
        """What to ask the lobby for. `clock`: the GUI's time control, if it is known; `begun`:
        games of a match that the GUI has begun, where the rest is to be played."""
        color = COLORS[self.color]
        return Terms(
            game=self.pool or self.game,
            time=self.time or clock or None,
            color=OTHER_COLOR[color] if begun % 2 else color,
            rated=RATED[self.rated],
            games=self.games - begun,
            level=self.level or None,
        )

    def offered(self) -> list[Option]:
        """The GUI's options, with the present values as defaults, and the buttons."""
        return [
            Option("Server", OptionType.STRING, self.server_names),
            Option("TokenFile", OptionType.STRING, ""),
            Option("Opponent", OptionType.STRING, self.opponent),
            Option("Pool", OptionType.STRING, self.pool),
            Option("Time", OptionType.STRING, self.time),
            Option("Rated", OptionType.COMBO, self.rated, vars=(*RATED,)),
            Option("Color", OptionType.COMBO, self.color, vars=(*COLORS,)),
            Option("Level", OptionType.SPIN, str(self.level), 0, MOST_LEVEL),
            Option(CHESS960, OptionType.CHECK, "false"),
            Option(VARIANT, OptionType.COMBO, STANDARD, vars=VARIANTS),
            Option(OPPONENT, OptionType.STRING, ""),
            *(Option(button, OptionType.BUTTON) for button in BUTTONS),
        ]

    def set_untrusted(self, name: str, value: str | None) -> None:
        """Set an option of the GUI's; names are case-insensitive (UCI, setoption).

        Raises:
            OptionError: unknown option or bad value.
        """
        setter = _SETTERS.get(name.casefold())
        if setter is None:
            names = ", ".join(option.name for option in self.offered())
            raise OptionError(f"there is no option {name!r}, only {names}")
        text = (value or "").strip()
        setter(self, "" if text == "<empty>" else text)

    def play_variant_untrusted(self, name: str) -> None:
        """The GUI plays this game, by any of the names that GUIs have for it."""
        self.chess960 = name in _CHESS960
        self.variant = (
            STANDARD if self.chess960 else _choice(VARIANT, _SPELLED.get(name, name), VARIANTS)
        )

    def _set_server(self, text: str) -> None:
        if text == self.server_names:
            return
        try:
            named = addresses(_COMMA.split(text))
            self._set_token(tuple(map(self._server_at, named)), kept_for_all(named))
        except ValueError as error:
            raise OptionError(str(error)) from error

    def _server_at(self, address: Address) -> RemoteServer:
        """Raises ValueError: what the command line says does not fit."""
        cafile, insecure = (self.cafile, self.insecure) if address.tls else (None, False)
        context = context_for(address, cafile, insecure=insecure)
        msgpack = self.servers[0].msgpack and address.websocket
        return replace(self.servers[0], address=address, ssl_context=context, msgpack=msgpack)

    def _set_token_file(self, text: str) -> None:
        if not text:
            return
        try:
            self._set_token(self.servers, read_token(Path(text)))
        except ValueError as error:
            raise OptionError(str(error)) from error

    def _set_token(self, servers: tuple[RemoteServer, ...], token: str) -> None:
        for server in servers:
            if token and not (server.is_private or self.token_in_clear):
                raise OptionError(
                    f"anybody on the way to {server.address} could read your token: use tls:// or"
                    " wss://"
                )
        self.servers = tuple(replace(server, token=token) for server in servers)

    def _set_opponent(self, text: str) -> None:
        self.opponent = _word("Opponent", text)

    def _set_pool(self, text: str) -> None:
        self.pool = _word("Pool", text)

    def _set_time(self, text: str) -> None:
        if text == self.time:  # the GUI repeats what it was offered
            return
        try:
            said = entered(text) if text else ""
        except TimeError as error:
            raise OptionError(f"Time: {error}") from error
        if said and not costs_untrusted(said):
            raise OptionError(
                f"Time is {text[:40]!r}, expected a time and what each move adds, such as 5m+3s,"
                " 300+3 (seconds), 40/90m+30s:15m or 3days"
            )
        self.time = said

    def _set_rated(self, text: str) -> None:
        self.rated = _choice("Rated", text, RATED)

    def _set_color(self, text: str) -> None:
        self.color = _choice("Color", text, COLORS)

    def _set_level(self, text: str) -> None:
        level = number_in(text, 0)
        if level is None or level > MOST_LEVEL:
            raise OptionError(
                f"Level is {text[:40]!r}, expected 1 (weakest) to {MOST_LEVEL}, or 0 for full"
                " strength"
            )
        self.level = level

    def _set_chess960(self, text: str) -> None:
        self.chess960 = _choice(CHESS960, text, ("true", "false")) == "true"

    def _set_variant(self, text: str) -> None:
        if text in _CHESS960:
            self.chess960 = True
        else:
            self.variant = _choice(VARIANT, _SPELLED.get(text, text), VARIANTS)

    def _set_gui_player(self, text: str) -> None:
        """``[title|none] [rating|none] computer|human NAME`` (UCI, UCI_Opponent)."""
        words = text.split(maxsplit=3)
        if len(words) == 4:
            self.human, self.name = words[2] == "human", clean(words[3])


_CHESS960 = ("chess960", "fischerandom")

# XBoard's names, and those of older UCI GUIs.
_SPELLED = {
    "normal": STANDARD,
    "threecheck": "3check",
}

_SETTERS: Mapping[str, Callable[[OpponentSettings, str], None]] = {
    "server": OpponentSettings._set_server,
    "tokenfile": OpponentSettings._set_token_file,
    "opponent": OpponentSettings._set_opponent,
    "pool": OpponentSettings._set_pool,
    "time": OpponentSettings._set_time,
    "rated": OpponentSettings._set_rated,
    "color": OpponentSettings._set_color,
    "level": OpponentSettings._set_level,
    "uci_chess960": OpponentSettings._set_chess960,
    "uci_variant": OpponentSettings._set_variant,
    "uci_opponent": OpponentSettings._set_gui_player,
}


def _word(name: str, text: str) -> str:
    if len(text.split()) > 1 or not text.isprintable():
        raise OptionError(f"{name} is {text[:40]!r}, expected one word")
    return text


def _choice(name: str, text: str, choices: Collection[str]) -> str:
    if text.lower() not in choices:
        raise OptionError(f"{name} is {text[:40]!r}, expected {' or '.join(choices)}")
    return text.lower()

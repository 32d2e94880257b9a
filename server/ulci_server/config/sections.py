"""The settings: a class a table of the file, each with its default, unit and bounds."""

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainValidator, field_validator

from ulci.net import LOOPBACK, GateLimits, Limits, RateLimit, own_names
from ulci.net.gate import Network
from ulci.rules import GAMES, Rules
from ulci.rules.refereed import RefereedRules
from ulci.settings import SettingsTable
from ulci.wire_log import FILES, SIZE
from ulci_server.bus import HubError, check_hub_url
from ulci_server.game import Timeouts
from ulci_server.game.adjudication import MOST_PLIES
from ulci_server.lobby import BoardLimits, Pool
from ulci_server.storage import LONGEST_PV, Durability, StorageError, check_url, fold

from .engine_table import EngineTable
from .fields import Seconds, text
from .listener import Listener
from .pool_table import PoolTable, TablebasesTable
from .refereed import RefereedGame

DEFAULT_DATABASE = "sqlite:///ulci.db"
"""A file in the folder in which the server is started."""

RATE = 256 * 1024
"""Bytes a second of a client, besides those that its searches allow: more than engines send in
analysis, and less than a hundredth of the rate that a server can read."""

_NET, _RATE_LIMIT, _GATE, _BOARD = Limits(), RateLimit(), GateLimits(), BoardLimits()
_TIMEOUTS = Timeouts()


def _network(said: Any) -> Network:
    if isinstance(said, Network):
        return said
    what = "an address or a network such as 192.0.2.0/24"
    try:
        return ipaddress.ip_network(text(said, what), strict=False)
    except ValueError as error:
        raise ValueError(f"expected {what} in quotes: {error}") from None


Count = Annotated[int, Field(ge=1)]

Networks = Annotated[tuple[Annotated[Network, PlainValidator(_network)], ...], Field(strict=False)]


class Database(SettingsTable):
    """Where games are kept."""

    url: str = DEFAULT_DATABASE
    """``sqlite:///file``, ``postgresql://user:password@host/name`` or ``memory:``."""
    durability: Durability = "power"
    """The failure that a move survives once the opponent has seen it: the loss of power, or only of
    the process."""
    migrate: bool | None = None
    """Whether the server brings old tables up to date; None: on SQLite only."""

    @field_validator("url")
    @classmethod
    def _possible(cls, url: str) -> str:
        try:
            check_url(url)
        except StorageError as error:
            raise ValueError(str(error)) from None
        return url


class Play(SettingsTable):
    """The settings of all games."""

    claims: bool = False
    """Whether threefold repetition and fifty moves end a game only when claimed."""
    ready: Seconds = _TIMEOUTS.ready
    """Seconds for ``readyok`` before the game; after that it is aborted."""
    away: Seconds = _TIMEOUTS.away
    """Seconds, at most, after which the opponent of a disconnected player may claim the game; fewer
    in short games."""
    delay: Annotated[float, Field(ge=0, le=3600)] = 10.0
    """Seconds by which spectators get the engines' analysis later."""


class Clients(SettingsTable):
    """How long clients may take, and how often they may err."""

    guests: bool = True
    """Whether players without an account may enter."""
    sign_up: Literal["open", "invite", "off"] = "off"
    """Who may make an account on the page /account, with a password: anybody, people with a code
    from ``ulci-server player invite``, or nobody. off: nobody signs in by a password either."""
    handshake: Seconds = 10.0
    """Seconds from the server's first line to ``uciok``."""
    drain: Seconds = 300.0
    """Seconds after a game for ``readyok`` and an owed ``bestmove``."""
    nonsense: Annotated[int, Field(ge=1)] = 100
    """Meaningless lines in a row after which a client is disconnected."""
    pause: Annotated[float, Field(ge=0, le=3600)] = 10.0
    """Seconds between two games of a person whose program has no lobby."""


class LimitsTable(SettingsTable):
    """The limits of connections and games. Sizes in bytes."""

    line: Annotated[int, Field(ge=256, le=1_000_000)] = 8192
    """The longest line or message of a client."""
    outbox: Annotated[int, Field(ge=65_536)] = _NET.outbox
    """Sent to a client and not yet taken by it; a client with more is disconnected."""
    connections: Count = _NET.connections
    """Open at once at one listener."""
    address_connections: Count = _GATE.connections
    """Open at once from one address, at all listeners together."""
    address_rate: Annotated[float, Field(gt=0, allow_inf_nan=False)] = _GATE.rate
    """New connections a second from one address, on average."""
    address_burst: Count = _GATE.burst
    """New connections at once from one address."""
    address_openings: Count = _GATE.openings
    """Handshakes under way from one address."""
    openings: Count = _GATE.all_openings
    """Handshakes under way from everywhere."""
    exempt: Networks = _GATE.exempt
    """Addresses and networks that do not count in these limits. They get no other right: see
    `Web.proxies`."""
    rate: Annotated[float, Field(ge=1024, allow_inf_nan=False)] = RATE
    """Bytes that a client may send a second, on average."""
    burst: Annotated[int, Field(ge=65_536)] = _RATE_LIMIT.burst
    """Bytes that a client may send at once."""
    line_cost: Annotated[int, Field(ge=0)] = _RATE_LIMIT.line
    """Bytes that each line counts in addition to its own."""
    search: Annotated[int, Field(ge=1024)] = _RATE_LIMIT.search
    """Bytes that each ``go`` allows in addition."""
    patience: Seconds = _RATE_LIMIT.patience
    """How long (s) a client may continue to send too much."""
    retry_after: Count = _RATE_LIMIT.retry_after
    """Seconds after which such a client may come back."""
    board_area: Annotated[int, Field(ge=64, le=4096)] = _BOARD.squares
    """Squares of the largest board that a player may ask for."""
    board_kings: Annotated[int, Field(ge=1, le=256)] = _BOARD.kings
    """Kings of one side on it."""
    plies: Annotated[int, Field(ge=100, le=20_000)] = MOST_PLIES
    """Plies of a game after which it is a draw."""
    pv: Annotated[int, Field(ge=0, le=2000)] = LONGEST_PV
    """Characters of a main variation that are kept with a move."""
    listed: Annotated[int, Field(ge=10, le=1000)] = 50
    """Lines of a list that are sent at once."""
    opening: Seconds = _NET.opening
    """For TLS and the WebSocket upgrade together, in seconds."""
    ping_interval: Seconds = _NET.ping_interval
    """Silence on a WebSocket before it is pinged, in seconds."""
    ping_timeout: Seconds = _NET.ping_timeout
    """For the answer to such a ping, in seconds."""

    def of_net(self) -> Limits:
        """The limits for `ulci.net`."""
        return Limits(
            opening=self.opening,
            outbox=self.outbox,
            # A frame is bounded for the memory's sake; a line that is too long gets an answer.
            max_frame=max(_NET.max_frame, 2 * self.line),
            connections=self.connections,
            ping_interval=self.ping_interval,
            ping_timeout=self.ping_timeout,
            rate_limit=RateLimit(
                rate=self.rate,
                burst=self.burst,
                line=self.line_cost,
                search=self.search,
                patience=self.patience,
                retry_after=self.retry_after,
            ),
        )

    def of_boards(self) -> BoardLimits:
        """The limits of boards that players may ask for, for the lobby."""
        return BoardLimits(self.board_area, self.board_kings)

    def of_gate(self) -> GateLimits:
        """The limits of an address, for `ulci.net`."""
        return GateLimits(
            connections=self.address_connections,
            openings=self.address_openings,
            all_openings=self.openings,
            rate=self.address_rate,
            burst=self.address_burst,
            exempt=self.exempt,
        )


class ShutdownTable(SettingsTable):
    """The end of the server."""

    grace: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 30.0
    """For running games, in seconds; then they are paused until the next start."""


class ClusterTable(SettingsTable):
    """Several servers that act as one."""

    bus: str = ""
    """Where the servers of the cluster talk to each other: redis://host, or with TLS
    rediss://user:password@host. Empty: this server is alone."""
    name: Annotated[str, Field(max_length=64)] = ""
    """The name of this server, which no other server has; empty: the machine's name and the number
    of the process."""
    owns: bool = True
    """Whether games are played here; otherwise it only has connections."""
    shared_ports: bool = False
    """Whether other servers of this machine may listen at the same addresses; the system spreads
    connections over them."""

    @field_validator("bus")
    @classmethod
    def _possible(cls, url: str) -> str:
        try:
            if url:
                check_hub_url(url)
        except HubError as error:
            raise ValueError(str(error)) from None
        return url


class Web(SettingsTable):
    """The page, the API and the metrics, at every ws and wss listener."""

    serve: Literal["off", "watch", "play"] = "play"
    """What the page offers: nothing, games to watch, or also play in a browser."""
    names: Annotated[tuple[str, ...], Field(strict=False)] = ()
    """Names of this server, such as games.example, in addition to those that it knows itself."""
    public: bool = False
    """Whether the page is played on under any name by which a browser reached it."""
    origins: Annotated[tuple[str, ...], Field(strict=False)] = ()
    """Origins whose pages may open the WebSocket, too: https://example.org, or * for any."""
    proxies: Networks = _GATE.proxies
    """Addresses and networks of reverse proxies, whose X-Forwarded-For is believed; those on other
    machines are exempt, too."""
    embed: bool = False
    """Whether pages of other sites may show a game in a frame."""
    opinions: bool = True
    """Whether visitors may ask the engines of this server for their opinion of a position."""
    metrics: Literal["local", "all", "off"] = "local"
    """Readers of /metrics: programs of this machine, everybody, or nobody."""

    @field_validator("names")
    @classmethod
    def _names(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if not _NAME.fullmatch(name):
                raise ValueError(
                    "expected a name as it stands in the browser's address bar before the port,"
                    f" such as games.example, found {name!r}"
                )
        return names

    @field_validator("origins")
    @classmethod
    def _origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for origin in origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise ValueError(
                    f"expected an origin such as https://example.org, or *, found {origin!r}"
                )
        return origins


class TournamentsTable(SettingsTable):
    """Tournaments that directors make and direct in place of the operator."""

    directors: Annotated[tuple[str, ...], Field(strict=False)] = ()
    """Accounts that may do so by the API and the page /direct; empty: nobody."""

    @field_validator("directors")
    @classmethod
    def _accounts(cls, directors: tuple[str, ...]) -> tuple[str, ...]:
        known: set[str] = set()
        for name in directors:
            if not name.strip() or not name.isprintable():
                raise ValueError(f"expected the name of an account, found {name!r}")
            if fold(name) in known:
                raise ValueError(f"{name} is named twice")
            known.add(fold(name))
        return directors

    def allows(self, account: str) -> bool:
        """Whether the account of that name may direct."""
        return fold(account) in map(fold, self.directors)


_NAME = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
"""RFC 1123 section 2.1, and the underscore that some networks have; other letters as xn--…."""

_ORIGIN = re.compile(r"https?://[^\s/?#@]+")
"""RFC 6454 section 6.2: scheme, host and port, without a path."""


class Log(SettingsTable):
    """What the server writes to its standard error."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["console", "json"] = "console"
    """For people, or a JSON object a line."""


class WireLogTable(SettingsTable):
    """A file of all lines sent and received."""

    file: str = ""
    """Empty: none. {name} in it is the name of the server in its cluster."""
    size: Annotated[int, Field(ge=1, le=100_000)] = SIZE // 1_000_000
    """The size of a file in MB after which the next one begins."""
    files: Annotated[int, Field(ge=1, le=1000)] = FILES
    """The number of files that are kept, including the one that is being written."""


def _some(said: Any) -> Any:
    if isinstance(said, list) and not said:
        raise ValueError("expected at least one, found an empty list")
    return said


class Config(SettingsTable):
    """All settings of the file."""

    listen: Annotated[tuple[Listener, ...], Field(strict=False), BeforeValidator(_some)] = (
        Listener.at("tcp://127.0.0.1:25565"),
        Listener.at("ws://127.0.0.1:25566"),
    )
    database: Database = Database()
    play: Play = Play()
    clients: Clients = Clients()
    limits: LimitsTable = LimitsTable()
    shutdown: ShutdownTable = ShutdownTable()
    log: Log = Log()
    wire_log: WireLogTable = WireLogTable()
    cluster: ClusterTable = ClusterTable()
    web: Web = Web()
    tournaments: TournamentsTable = TournamentsTable()
    tablebases: TablebasesTable = TablebasesTable()
    game: Annotated[tuple[RefereedGame, ...], Field(strict=False)] = ()
    engine: Annotated[tuple[EngineTable, ...], Field(strict=False)] = ()
    pool: Annotated[tuple[PoolTable, ...], Field(strict=False), BeforeValidator(_some)] = (
        PoolTable(name="chess"),
        PoolTable(name="chess960", game="chess960"),
    )

    def games(self) -> Mapping[str, Rules]:
        """The rules of all games that can be played, by name: those of the server, and those with a
        referee."""
        refereed = {
            table.name: RefereedRules(table.name, self._starts_of(table.name))
            for table in self.game
        }
        return {**GAMES, **refereed}

    def pools(self, games: Mapping[str, Rules] | None = None) -> tuple[Pool, ...]:
        """The pools for the lobby, with the rules of `games`; the first is the default."""
        games = self.games() if games is None else games
        return tuple(table.as_pool(games) for table in self.pool)

    def of_gate(self) -> GateLimits:
        """The bounds of an address, as `ulci.net` knows them, with the reverse proxies."""
        return replace(self.limits.of_gate(), exempt=self.exempt(), proxies=self.web.proxies)

    def exempt(self) -> tuple[Network, ...]:
        """Networks that do not count in limits: exempt ones, and reverse proxies on other
        machines."""
        remote = (proxy for proxy in self.web.proxies if proxy not in LOOPBACK)
        return tuple(dict.fromkeys((*self.limits.exempt, *remote)))

    def offered(self) -> tuple[frozenset[str], frozenset[str]]:
        """The names of its pools, and of its engines."""
        engines = frozenset(table.offer().name for table in self.engine)
        return frozenset(pool.name for pool in self.pool), engines

    def own_names(self) -> frozenset[str]:
        """The names under which browsers reach this server, as far as it can know."""
        addresses = (listener.address for listener in self.listen)
        return own_names(addresses, self.web.origins, self.web.names)

    def _starts_of(self, game: str) -> tuple[str | None, ...]:
        """Where games of that name may begin by what the pools say."""
        said = [start for pool in self.pool if pool.game == game for start in pool.said or (None,)]
        return tuple(dict.fromkeys(said)) or (None,)

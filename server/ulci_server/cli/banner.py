"""The banner of a server that is ready: its addresses, and how to connect to play."""

import shutil
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from ulci.net import Address
from ulci.net.address import in_brackets
from ulci_server.config import Config, Dialect, Listener
from ulci_server.config.engine_table import EngineTable, Meets
from ulci_server.storage import MEMORY, masked, parse_url

_STOCKFISH = ("chess", "chess960")
"""What it plays."""

EVERY_HOST = ("*", "0.0.0.0", "::")  # noqa: S104 - recognised, not bound to


def banner(config: Config, addresses: Sequence[Address], folder: Path) -> str:
    """`addresses` are those that are really bound; `folder` is where the server was started."""
    bound = [*zip(addresses, (listener.dialect for listener in config.listen), strict=True)]
    ways = {
        dialect: [_from_elsewhere(a) for a, spoken in bound if spoken == dialect]
        for _, dialect in bound
    }
    games = {
        _from_elsewhere(address): _game(config, listener)
        for address, listener in zip(addresses, config.listen, strict=True)
    }
    return "\n".join(
        [
            f"ulci-server {version('ulci-relay')} listens at",
            *(
                f"    {address}{spoken_at(listener.dialect)}{_played_at(listener)}"
                for address, listener in zip(addresses, config.listen, strict=True)
            ),
            *(f"page     {page}" for page in _pages(config, addresses)),
            f"offers   {offers(config)}",
            *(
                f"decides  {pool.name} early by {pool.pool_rules.adjudication}"
                for pool in config.pools()
                if pool.pool_rules.adjudication
            ),
            *(f"plays    {engine_offered(table)}" for table in config.engine),
            f"keeps    games in {kept_in(config.database.url, folder)}",
            *_ways_in(ways.pop("uci", []), games),
            *(_way_in(dialect, there) for dialect, there in ways.items()),
        ]
    )


def _pages(config: Config, addresses: Sequence[Address]) -> list[str]:
    """Where a browser shows the page, if it is wanted, or what it lacks."""
    if config.web.serve == "off":
        return []
    found = [
        f"http{'s' if here.tls else ''}://{in_brackets(here.host)}:{here.port}/"
        for here in map(_from_elsewhere, addresses)
        if here.websocket
    ]
    if found:
        return found
    beside = Address.parse(f"ws://{in_brackets(config.listen[0].address.host)}")
    return [f"none; it needs a listener for WebSocket: --listen 'ws://{beside.host}:{beside.port}'"]


def spoken_at(dialect: Dialect) -> str:
    """Printed after the address of a listener with a less common protocol."""
    return "" if dialect == "uci" else f" in {dialect.upper()}"


def _played_at(listener: Listener) -> str:
    """Printed after the address of a listener with its own pool."""
    return f" (pool {listener.pool})" if listener.pool else ""


def offers(config: Config) -> str:
    """The pools: ``chess 180+2, blitz (chess960 60+1)``."""
    return ", ".join(
        f"{pool.game.name} {pool.control}"
        if pool.name == pool.game.name
        else f"{pool.name} ({pool.game.name} {pool.control})"
        for pool in config.pools()
    )


_ASKED: Mapping[Meets, str] = {
    "people": "people who seek against an engine",
    "engines": "engines",
    "all": "engines, and people who seek against one",
}


def engine_offered(table: EngineTable) -> str:
    """An engine of the server: ``stockfish against engines, 2 games at once``."""
    name = table.name or Path(table.command[0]).name
    at_once = "" if table.boards == 1 else f", {table.boards} games at once"
    return f"{name} against {_ASKED[table.meets]}{at_once}"


def kept_in(url: str, folder: Path) -> str:
    """Where the games are, in a form in which it may be shown: without a password."""
    if url == MEMORY:
        return "memory, and forgets them when it ends"
    address = parse_url(url)
    if address.get_backend_name() == "sqlite":
        return str(folder / (address.database or ""))
    return masked(address)


def _game(config: Config, listener: Listener) -> str:
    """The game of a player there who seeks nothing."""
    pools = config.pools()
    named = {pool.name: pool for pool in pools}
    return named.get(listener.pool or "", pools[0]).game.name


def _ways_in(addresses: Sequence[Address], games: Mapping[Address, str]) -> list[str]:
    """How to connect: with nothing but socat where that is possible, and with our own client. The
    engine is one that many have, where it plays the game."""
    plain = next((address for address in addresses if address.scheme == "tcp"), None)
    best = plain or next(iter(addresses), None)
    if best is None:
        return []
    game, ulci = games[best], command_line("ulci")
    engine = "stockfish" if game in _STOCKFISH else f"ENGINE (it plays {game})"
    lines = [] if plain is None else [f"engine   {_socat(plain, engine)}"]
    lines.append(f"{'or' if lines else 'engine':8} {ulci} bridge --server {best} -- {engine}")
    return [*lines, f"you      {ulci} play --server {best}"]


def _socat(plain: Address, engine: str) -> str:
    """Without ``nodelay`` socat holds moves back, which the engine's clock pays for."""
    return f"socat TCP:{plain.host}:{plain.port},nodelay EXEC:{engine}"


def _way_in(dialect: Dialect, addresses: Sequence[Address]) -> str:
    """How an engine of another protocol comes in."""
    first = addresses[0]
    plain = next((address for address in addresses if address.scheme == "tcp"), None)
    how = _socat(plain, "ENGINE") if plain else f"at {first}"
    return f"{dialect.upper():8} {how}"


def _from_elsewhere(address: Address) -> Address:
    """Every interface is no place to connect to; the machine's name is."""
    return replace(address, host=socket.gethostname()) if address.host in EVERY_HOST else address


def command_line(name: str) -> str:
    """How our command of that name is called in the shell of whoever runs this one."""
    if shutil.which(name):
        return name
    beside = Path(sys.executable).parent / name
    if not beside.exists():
        return name
    here = Path.cwd()
    return str(beside.relative_to(here) if beside.is_relative_to(here) else beside)

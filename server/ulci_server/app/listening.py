"""The listeners of a server, and the page that they show."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import structlog
import trio

from ulci.net import Address, ExhaustedError, Gate, HandshakeError, Peer, Site, Turns, listen
from ulci.net.http_origin import ANY_NAME
from ulci.rules import Rules
from ulci.wire_log import WireLog
from ulci_server.cluster import Node
from ulci_server.config import Config, Listener
from ulci_server.hall import Authenticator, Hall, Referee
from ulci_server.storage import Database, Journal
from ulci_server.tournament import StandingsSource
from ulci_server.web import PROMPT, make_site

from .factory import make_connection, plays
from .reload import Reload

LOG = structlog.get_logger("ulci_server.app")


GATE_SETTINGS = (
    "limits.address_connections",
    "limits.address_openings",
    "limits.address_rate",
    "limits.address_burst",
    "limits.openings",
)
"""The settings of `Gate` that may change while the server runs. The exempt networks may not,
because other rooms have them, too."""


async def open_listeners(
    config: Config,
    hall: Hall,
    journal: Journal,
    database: Database,
    games: Mapping[str, Rules],
    referees: Sequence[Referee],
    nursery: trio.Nursery,
    *,
    reload: Reload,
    wire_log: WireLog | None = None,
    cluster: Node | None = None,
    authenticator: Authenticator | None = None,
    standings: StandingsSource | None = None,
) -> list[Address]:
    """Let clients in, and show the page at all listeners that can. wire_log:
    gets all lines. cluster: this server among those that act as one. authenticator: of
    those who direct tournaments; None: nobody does. standings: what the page shows
    of a match or tournament. Returns where it listens."""
    gate = Gate(config.of_gate())
    for name in GATE_SETTINGS:
        reload.appliers[name] = partial(_change_gate, gate)
    site, turns = None, Turns()
    if config.web.serve != "off":
        app = make_site(
            config,
            hall,
            journal,
            database,
            games,
            nursery=nursery,
            gate=gate,
            turns=turns,
            referees=referees,
            cluster=cluster,
            authenticator=authenticator,
            standings=standings,
        )
        names = config.own_names() | ({ANY_NAME} if config.web.public else frozenset())
        site = Site(app, frozenset(config.web.origins), names, turns, PROMPT)
    return [
        await nursery.start(_listen_at, config, listener, hall, gate, reload, wire_log, site)
        for listener in config.listen
    ]


async def _listen_at(
    config: Config,
    listener: Listener,
    hall: Hall,
    gate: Gate,
    reload: Reload,
    wire_log: WireLog | None,
    site: Site | None,
    *,
    task_status: trio.TaskStatus[Address],
) -> None:
    async def welcome(peer: Peer) -> None:
        if wire_log is not None:
            wire_log.follow(peer)
        await hall.welcome(
            peer,
            pool.name,
            plays=plays(config, pool.name, listener.dialect),
            tournament=listener.tournament,
        )

    pool = next(table for table in config.pool if listener.pool in (None, table.name))
    if warning := listener.warning():
        LOG.warning("not encrypted", advice=warning)
    if (certificates := listener.certificates()) is not None:
        certificates.tell()
        reload.certificates.append(certificates.read_again)
    await listen(
        listener.address,
        welcome,
        partial(make_connection, config, listener.dialect),
        limits=config.limits.of_net(),
        ssl_context=certificates,
        gate=gate,
        site=site,
        shared=config.cluster.shared_ports,
        on_error=_report,
        task_status=task_status,
    )


def _change_gate(gate: Gate, config: Config) -> None:
    asked, now = config.of_gate(), gate.limits
    gate.change(replace(asked, exempt=now.exempt, proxies=now.proxies))


def _report(who: str, error: BaseException) -> None:
    """Log a failed connection: a peer's fault as info, anything unexpected as an error."""
    if isinstance(error, HandshakeError):
        LOG.info("no connection", peer=who, why=str(error))
    elif isinstance(error, ExhaustedError):
        LOG.error("no connection", listener=who, why=error.strerror)
    else:
        LOG.error("connection failed", peer=who, exc_info=error)

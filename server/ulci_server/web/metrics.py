"""What Prometheus reads, in a registry of our own.

Everything is read from the server when it is asked for: nothing is counted here. No label names a
player or a game.
"""

import ipaddress
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from itertools import accumulate

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ulci.net import Gate, is_own_host
from ulci_server.hall import Referee
from ulci_server.storage.durations import BOUNDS, Durations

from .answers import NO_STORE, host
from .context import Context

PROXIED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
"""Headers of a request that somebody else sent through a proxy of this machine."""


class Metrics(Collector):
    """The metrics of one server. gate: what refuses connections, if anything does."""

    def __init__(
        self, context: Context, gate: Gate | None = None, referees: Sequence[Referee] = ()
    ) -> None:
        self._context = context
        self._gate = gate
        self._referees = referees
        self._names = context.config.own_names()
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(self)
        ProcessCollector(registry=self._registry)

    async def answer(self, request: Request) -> Response:
        """For those who may read it."""
        allowed = self._context.config.web.metrics
        if allowed == "off":
            raise HTTPException(404, "there are no metrics here")
        if allowed == "local" and not self._is_local(request):
            raise HTTPException(403, 'metrics are for this machine: [web] metrics = "all"')
        encoder, content_type = choose_encoder(request.headers.get("accept", ""))
        return Response(encoder(self._registry), 200, {**NO_STORE, "Content-Type": content_type})

    def _is_local(self, request: Request) -> bool:
        """Whether a program of this machine asks, and not for somebody else: neither as a proxy,
        nor as a browser that takes this server for that of a foreign page."""
        if any(name in request.headers for name in PROXIED):
            return False
        named = request.headers.get("host", "localhost")
        if request.scope["scheme"] != "https" and not is_own_host(named, self._names):
            return False
        try:
            return ipaddress.ip_address(host(request).partition("%")[0]).is_loopback
        except ValueError:
            return False

    def collect(self) -> Iterator[Metric]:
        hall, journal = self._context.hall, self._context.journal
        yield InfoMetricFamily("ulci_build", "The server.", {"version": version("ulci-relay")})
        yield self._connections()
        tables = [*hall.tables.values()]
        watchers = sum(len(table.spectators) for table in tables)
        yield GaugeMetricFamily("ulci_watchers", "Who watches, a game's page once.", watchers)
        streams = self._context.limits.streams
        yield GaugeMetricFamily("ulci_event_streams", "Open event streams.", streams)
        running = Counter(table.offer.pool for table in tables)
        yield _gauges("ulci_games_running", "Games being played.", ["pool"], running)
        pending = journal.pending
        yield GaugeMetricFamily("ulci_journal_pending", "Facts that are not durable.", pending)
        help_text = "Games that ended."
        yield _counters("ulci_games_finished", help_text, ["pool", "reason"], hall.finished)
        yield CounterMetricFamily("ulci_moves", "Moves made durable.", journal.moves)
        yield _counters("ulci_resumes", "Clients that asked to resume.", ["result"], hall.resumes)
        refused = Counter[str]() if self._gate is None else self._gate.refused
        yield _counters("ulci_refusals", "Connections refused at the gate.", ["why"], refused)
        yield CounterMetricFamily(
            "ulci_slow_clients_dropped", "Cut off, as they read too slowly.", hall.slow_dropped
        )
        restarts = sum(max(0, referee.service.starts - 1) for referee in self._referees)
        yield CounterMetricFamily("ulci_referee_restarts", "Referees started again.", restarts)
        help_text = (
            "Once for each commit: from the noting of its oldest fact, mostly a move that was just"
            " read, until all of the commit were told. No move in it took longer."
        )
        yield _histogram("ulci_move_delay_seconds", help_text, journal.delays)
        yield _histogram("ulci_commit_seconds", "Time that a commit took.", journal.commits)
        yield CounterMetricFamily(
            "ulci_stall_seconds", "For which the server stood still.", hall.stalled
        )
        returned = {"network": journal.lag / 1000, "server": journal.stall / 1000}
        yield _counters("ulci_time_returned_seconds", "Given back to players.", ["cause"], returned)

    def _connections(self) -> Metric:
        connected = Counter(
            (session.peer.label.partition(" ")[0], session.peer.connection.dialect.name)
            for session in self._context.hall.connected
        )
        return _gauges(
            "ulci_connections", "Open connections of players.", ["transport", "dialect"], connected
        )


def _gauges(
    name: str, text: str, labels: list[str], values: Counter[str] | Counter[tuple[str, str]]
) -> Metric:
    family = GaugeMetricFamily(name, text, labels=labels)
    for key, value in values.items():
        family.add_metric([key] if isinstance(key, str) else [*key], value)
    return family


def _counters(
    name: str,
    text: str,
    labels: list[str],
    values: "dict[str, float] | Counter[str] | Counter[tuple[str, str]]",
) -> Metric:
    family = CounterMetricFamily(name, text, labels=labels)
    for key, value in values.items():
        family.add_metric([key] if isinstance(key, str) else [*key], value)
    return family


def _histogram(name: str, text: str, durations: Durations) -> Metric:
    bounds = [*(str(bound) for bound in BOUNDS), "+Inf"]
    buckets = [*zip(bounds, accumulate(durations.counts), strict=True)]
    return HistogramMetricFamily(name, text, buckets=buckets, sum_value=durations.total)

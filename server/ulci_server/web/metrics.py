"""The server's metrics for Prometheus, in a registry of our own.

Each request reads the values from the server: this module counts nothing. The hall, the journal and
the gate count what happens to them. No label names a player or a game. Give each new metric a panel
in ``deploy/metrics/dashboard.json``, too.
"""

import ipaddress
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import accumulate
from typing import Protocol

import trio
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
from ulci_server.bus import Bus
from ulci_server.hall import Referee
from ulci_server.storage.journal_counts import BOUNDS, Durations

from .answers import NO_STORE, SiteContext, host

PROXIED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
"""Headers of a request that came through a proxy on this machine."""


class ClusterServer(Protocol):
    """This server as a part of its cluster."""

    @property
    def claimed(self) -> int:
        """How many games this server took over."""
        ...

    @property
    def fenced(self) -> int:
        """How often other servers declared this one dead."""
        ...

    @property
    def fences(self) -> int:
        """How many servers this one declared dead."""
        ...

    @property
    def bus(self) -> Bus | None: ...

    @property
    def servers(self) -> int:
        """How many servers live, as far as this one knows."""
        ...

    @property
    def hosts_lobby(self) -> bool: ...

    @property
    def games_without_owner(self) -> int: ...


class Metrics(Collector):
    """The metrics of one server. gate: refuses connections. cluster: None if the server is
    alone."""

    def __init__(
        self,
        context: SiteContext,
        gate: Gate,
        referees: Sequence[Referee] = (),
        cluster: ClusterServer | None = None,
    ) -> None:
        self._context = context
        self._gate = gate
        self._referees = referees
        self._cluster = cluster
        self._names = context.config.own_names()
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(self)
        self._process = ProcessCollector(registry=None)
        self._of_process: Sequence[Metric] = ()

    async def answer(self, request: Request) -> Response:
        """The metrics, if this client may read them. Raises `HTTPException`."""
        allowed = self._context.config.web.metrics
        if allowed == "off":
            raise HTTPException(404, "there are no metrics here")
        if allowed == "local" and not self._is_local(request):
            raise HTTPException(403, 'metrics are for this machine: [web] metrics = "all"')
        # To list 10,000 open files takes 7 ms.
        self._of_process = await trio.to_thread.run_sync(lambda: [*self._process.collect()])
        encoder, content_type = choose_encoder(request.headers.get("accept", ""))
        return Response(encoder(self._registry), 200, {**NO_STORE, "Content-Type": content_type})

    def _is_local(self, request: Request) -> bool:
        """Whether a program on this machine asks for itself: not a proxy for another client, and
        not a browser that a foreign page has misled to this server (DNS rebinding)."""
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
        yield from self._of_process
        yield self._connections()
        tables = [*hall.tables.values()]
        watchers = sum(len(board.spectators) for board in hall.all_tables())
        help_text = "Who watches; a game's page and another server once."
        yield GaugeMetricFamily("ulci_watchers", help_text, watchers)
        streams = self._context.quotas.streams
        yield GaugeMetricFamily("ulci_event_streams", "Open event streams.", streams)
        running = Counter(table.agreement.pool for table in tables)
        yield _gauges("ulci_games_running", "Games being played here.", ["pool"], running)
        pending = journal.pending
        yield GaugeMetricFamily("ulci_journal_pending", "Facts that are not durable.", pending)
        help_text = "Games that ended."
        yield _counters("ulci_games_finished", help_text, ["pool", "reason"], hall.finished)
        yield CounterMetricFamily("ulci_moves", "Moves made durable.", journal.counts.moves)
        yield _counters("ulci_resumes", "Clients that asked to resume.", ["result"], hall.resumes)
        help_text = "Connections refused at the gate."
        yield _counters("ulci_refusals", help_text, ["why"], self._gate.refused)
        yield CounterMetricFamily(
            "ulci_slow_clients_dropped", "Cut off, as they read too slowly.", hall.slow_dropped
        )
        restarts = sum(max(0, referee.service.starts - 1) for referee in self._referees)
        yield CounterMetricFamily("ulci_referee_restarts", "Referees started again.", restarts)
        help_text = (
            "Once for each commit: from the noting of its oldest fact, mostly a move that was just"
            " read, until all of the commit were told. No move in it took longer."
        )
        yield _histogram("ulci_move_delay_seconds", help_text, journal.counts.delays)
        yield _histogram("ulci_commit_seconds", "Time that a commit took.", journal.counts.commits)
        yield CounterMetricFamily(
            "ulci_stall_seconds", "For which the server stood still.", hall.stalled
        )
        returned = {"network": journal.counts.lag / 1000, "server": journal.counts.stall / 1000}
        yield _counters("ulci_time_returned_seconds", "Given back to players.", ["cause"], returned)
        if self._cluster is not None:
            yield from _of_cluster(self._cluster)
            if self._cluster.bus is not None:
                yield from _of_bus(self._cluster.bus)

    def _connections(self) -> Metric:
        connected = Counter(
            (peer.label.partition(" ")[0], peer.connection.dialect.name)
            for peer in (session.connection.peer for session in self._context.hall.connected)
        )
        return _gauges(
            "ulci_connections", "Open connections of players.", ["transport", "dialect"], connected
        )


def _of_cluster(cluster: ClusterServer) -> Iterator[Metric]:
    servers, hosts, orphans = cluster.servers, cluster.hosts_lobby, cluster.games_without_owner
    help_text = "Servers that live, as far as this one knows."
    yield GaugeMetricFamily("ulci_cluster_servers", help_text, servers)
    help_text = "1 if this server hosts the lobby of all."
    yield GaugeMetricFamily("ulci_cluster_hosts_lobby", help_text, hosts)
    help_text = "Running games that no server plays yet, as far as this one knows."
    yield GaugeMetricFamily("ulci_cluster_games_without_owner", help_text, orphans)
    help_text = "Games that this server took over, each with a new epoch."
    yield CounterMetricFamily("ulci_cluster_games_claimed", help_text, cluster.claimed)
    help_text = "Times that others declared this server dead while it lived."
    yield CounterMetricFamily("ulci_cluster_fenced", help_text, cluster.fenced)
    help_text = "Servers that this one declared dead."
    yield CounterMetricFamily("ulci_cluster_fences", help_text, cluster.fences)


def _of_bus(bus: Bus) -> Iterator[Metric]:
    """The metrics of the bus. Their counters begin with the server's run: after the server was
    declared dead, a new run begins."""
    counts, silence = bus.counters, bus.silence
    yield GaugeMetricFamily("ulci_bus_up", "1 while the bus can be used.", not bus.trouble)
    help_text = "Of the last ping from here through the bus and back."
    yield GaugeMetricFamily("ulci_bus_lag_seconds", help_text, bus.lag)
    help_text = "Since the last own ping was heard: above 2 s the server is cut off from others."
    yield GaugeMetricFamily("ulci_bus_silence_seconds", help_text, silence)
    out_and_in = ["direction"]
    messages = {"out": counts.messages_out, "in": counts.messages_in}
    yield _counters("ulci_bus_messages", "Messages between servers.", out_and_in, messages)
    batches = {"out": counts.batches_out, "in": counts.batches_in}
    yield _counters("ulci_bus_batches", "Batches of messages.", out_and_in, batches)
    size = {"out": counts.bytes_out, "in": counts.bytes_in}
    yield _counters("ulci_bus_bytes", "Bytes of batches.", out_and_in, size)
    yield CounterMetricFamily("ulci_bus_dropped", "Messages that were not sent.", counts.dropped)
    help_text = "Gaps in what another server said, after which both say anew what is the case."
    yield CounterMetricFamily("ulci_bus_lost", help_text, counts.lost)
    help_text = "Batches that were heard before, or overtaken, and were dropped."
    yield CounterMetricFamily("ulci_bus_repeated", help_text, counts.repeated)
    help_text = "Batches of a server that is not known to live, or of no server."
    yield CounterMetricFamily("ulci_bus_foreign", help_text, counts.foreign)


Labelled = Mapping[str, float] | Mapping[tuple[str, str], float]
"""Values by one label or by two."""


def _gauges(name: str, text: str, labels: list[str], values: Labelled) -> Metric:
    return _filled(GaugeMetricFamily(name, text, labels=labels), values)


def _counters(name: str, text: str, labels: list[str], values: Labelled) -> Metric:
    return _filled(CounterMetricFamily(name, text, labels=labels), values)


def _filled(family: GaugeMetricFamily | CounterMetricFamily, values: Labelled) -> Metric:
    for key, value in values.items():
        family.add_metric([key] if isinstance(key, str) else [*key], value)
    return family


def _histogram(name: str, text: str, durations: Durations) -> Metric:
    bounds = [*(str(bound) for bound in BOUNDS), "+Inf"]
    buckets = [*zip(bounds, accumulate(durations.counts), strict=True)]
    return HistogramMetricFamily(name, text, buckets=buckets, sum_value=durations.total)

"""The server's metrics, and what an expression of PromQL asks for."""

import re
from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

from prometheus_client import ProcessCollector
from prometheus_client.core import Metric
from prometheus_client.registry import CollectorRegistry

from tests.support.memory_hub import MemoryHub
from ulci.net import Gate, GateLimits
from ulci_server.bus import Bus
from ulci_server.storage import Journal, MemoryDatabase
from ulci_server.web.metrics import Metrics


def _of_a_server_without_players(*, alone: bool) -> list[Metric]:
    hall = SimpleNamespace(
        tables={}, all_tables=list, connected=(), finished=Counter(), resumes=Counter(),
        slow_dropped=0, stalled=0.0,
    )  # fmt: skip
    journal = Journal(MemoryDatabase())
    context = SimpleNamespace(
        hall=hall, journal=journal, quotas=SimpleNamespace(streams=0),
        config=SimpleNamespace(own_names=frozenset),
    )  # fmt: skip
    bus = Bus(MemoryHub(), "key", 1, heard=print, lost=print, deaf=print)
    cluster = SimpleNamespace(
        bus=bus, servers=1, hosts_lobby=True, games_without_owner=0, claimed=0, fenced=0, fences=0
    )
    metrics = Metrics(
        cast("Any", context),
        Gate(GateLimits()),
        cluster=None if alone else cast("Any", cluster),
    )
    return [*metrics.collect()]


ALONE = {metric.name: metric for metric in _of_a_server_without_players(alone=True)}
"""Those of a server that is alone, from its registry."""

METRICS = {metric.name: metric for metric in _of_a_server_without_players(alone=False)}
"""Those of a server among several."""

PROCESS = {
    metric.name: metric for metric in ProcessCollector(registry=CollectorRegistry()).collect()
}
"""Those of every process."""

SUFFIXES = {
    "gauge": ("",),
    "info": ("_info",),
    "counter": ("_total",),
    "histogram": ("_bucket", "_count", "_sum"),
}

SCRAPED = frozenset({"job", "instance"})
"""Labels that Prometheus adds to whatever it reads."""


def series() -> dict[str, frozenset[str]]:
    """The labels of every series that Prometheus can ask a server for, and of its own ``up``."""
    found = {"up": SCRAPED}
    for name, metric in (METRICS | PROCESS).items():
        sampled = {label for sample in metric.samples for label in sample.labels} - {"le"}
        labels = SCRAPED | sampled | {*getattr(metric, "_labelnames", ())}
        for suffix in SUFFIXES[metric.type]:
            found[name + suffix] = labels | {"le"} if suffix == "_bucket" else labels
    return found


# What stands in an expression beside names of series and functions.
_NOISE = re.compile(r'"[^"]*"|\[[^\]]*\]|\b\d+(?:\.\d+)?[a-z]*\b')
_GROUPING = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)")
_SELECTOR = re.compile(r"([a-zA-Z_:][\w:]*)\s*(?:\{([^}]*)\})?(?!\s*\(|\w)")
_WORDS = frozenset({"and", "or", "unless", "offset", "bool"})


class Asked(NamedTuple):
    """A series in an expression, with the labels that select from it or group it."""

    name: str
    labels: frozenset[str]


def asked(expression: str) -> Iterator[Asked]:
    """What an expression asks for. Labels that group are those of every series in it."""
    bare = _NOISE.sub("", expression)
    grouping = {
        label.strip() for found in _GROUPING.finditer(bare) for label in found[1].split(",")
    } - {""}
    for found in _SELECTOR.finditer(_GROUPING.sub("", bare)):
        name, braces = found[1], found[2] or ""
        if name not in _WORDS:
            matched = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", braces))
            yield Asked(name, frozenset(matched | grouping))

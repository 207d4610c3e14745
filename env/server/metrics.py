"""What a server counts, in Prometheus's words. Labels have few values: no ids, no questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

_BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0)


class Metrics:
    """The metrics of one server."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self.sessions = Gauge(
            "deskgym_sessions", "Sessions that are open.", ["kind"], registry=registry
        )
        self.sessions_ended = Counter(
            "deskgym_sessions_ended", "Sessions that ended.", ["cause"], registry=registry
        )
        self.episodes_begun = Counter(
            "deskgym_episodes_begun", "Episodes that began.", registry=registry
        )
        self.episodes_ended = Counter(
            "deskgym_episodes_ended", "Episodes that ended.", ["how"], registry=registry
        )
        self.resets = Histogram(
            "deskgym_reset_seconds", "How long resets took.", buckets=_BUCKETS, registry=registry
        )
        self.steps = Histogram(
            "deskgym_step_seconds",
            "How long steps took.",
            ["tool"],
            buckets=_BUCKETS,
            registry=registry,
        )
        self.errors = Counter(
            "deskgym_errors", "Errors that clients were told of.", ["code"], registry=registry
        )
        self.desk_failures = Counter(
            "deskgym_desk_failures", "Desks that failed.", ["error"], registry=registry
        )
        self.draining = Gauge(
            "deskgym_draining", "Whether the server takes no new sessions.", registry=registry
        )

    def watch_desks(self, count: Callable[[], dict[str, float]]) -> None:
        """Ask ``count`` for the pool's figures, by name, whenever the metrics are read."""
        self.registry.register(_Desks(count))

    def text(self) -> bytes:
        """All of them in Prometheus's text format."""
        return generate_latest(self.registry)


class _Desks(Collector):
    def __init__(self, count: Callable[[], dict[str, float]]) -> None:
        self._count = count

    def collect(self) -> Iterator[Metric]:
        family = GaugeMetricFamily("deskgym_pool", "The pool of desks.", labels=["figure"])
        for name, value in sorted(self._count().items()):
            family.add_metric([name], value)
        yield family

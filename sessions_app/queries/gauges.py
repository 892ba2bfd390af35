"""Prometheus gauges from the database: workspaces, open turns and open calls by state, and the nodes."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, QuerySet
from django.utils import timezone
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from sessions_app.models import Node, ToolCall, Turn, Workspace


class Rows(Collector):
    def collect(self) -> Iterable[GaugeMetricFamily]:
        yield _states(
            Workspace.objects.all(), "agentsite_workspaces", "Workspaces by state.", tuple(Workspace.State.values)
        )
        yield _states(Turn.objects.all(), "agentsite_open_turns", "Open turns by state.", Turn.OPEN)
        yield _states(ToolCall.objects.all(), "agentsite_open_tool_calls", "Open tool calls by state.", ToolCall.OPEN)
        seen = GaugeMetricFamily("agentsite_node_seen_seconds", "Since a node was last heard of.", labels=["node"])
        now = timezone.now()
        for name, seen_at in Node.objects.values_list("name", "seen_at"):
            seen.add_metric([name], (now - seen_at).total_seconds())
        yield seen


def gauges() -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(Rows())
    return registry


def _states(rows: QuerySet[Any], name: str, help_text: str, states: tuple[str, ...]) -> GaugeMetricFamily:
    """Return a gauge with every state, including those with no rows, because a missing series cannot be monitored."""
    family = GaugeMetricFamily(name, help_text, labels=["state"])
    counted = rows.filter(state__in=states).order_by().values_list("state").annotate(Count("pk"))
    found: dict[str, int] = dict(counted)
    for state in states:
        family.add_metric([str(state)], found.get(state, 0))
    return family

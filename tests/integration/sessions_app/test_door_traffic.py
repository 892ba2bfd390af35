"""Traffic counts of each workspace at the door (the network proxy) are stored, shown on pages, and kept while the
database is unavailable."""

from typing import Any, NoReturn

import pytest
from django.db import OperationalError

from agentsite.base.background import background
from agentsite.base.metrics import exposition
from sessions_app.models import Workspace, WorkspaceTraffic
from sessions_app.workers.door import traffic
from sessions_app.workers.door.traffic import TrafficCount, save_traffic
from tests.support.builders import browser_of
from tests.support.session_site import SessionSite


@pytest.fixture
def count(site: SessionSite) -> TrafficCount:
    counted = TrafficCount(site.workspace.public_id)
    counted.connections, counted.refused = 3, 1
    background.run(counted.meter.receive(1000))
    background.run(counted.meter.send(200))
    return counted


def shown(site: SessionSite, path: str) -> Any:
    return browser_of(site.user).get(f"/api/v1/{path}").json()


def both(site: SessionSite) -> list[Any]:
    """Return the traffic counts that the pages of the workspace and of its project show."""
    return [
        shown(site, f"workspaces/{site.workspace.public_id}")["network"],
        shown(site, f"projects/{site.project.public_id}/network")["traffic"],
    ]


def test_a_workspace_that_never_connected_shows_zero(site: SessionSite) -> None:
    assert both(site) == [{"received": 0, "sent": 0, "connections": 0, "refused": 0}] * 2


def test_traffic_is_added_up_over_doors_that_come_and_go(site: SessionSite, count: TrafficCount) -> None:
    background.run(save_traffic([count]))
    count.connections += 1
    background.run(count.meter.receive(24))
    background.run(save_traffic([count]))
    assert both(site) == [{"received": 1024, "sent": 200, "connections": 4, "refused": 1}] * 2
    after_restart = TrafficCount(site.workspace.public_id)
    after_restart.connections = 1
    background.run(save_traffic([after_restart]))
    assert both(site)[0]["connections"] == 5


def test_the_project_shows_the_sum_of_its_workspaces(site: SessionSite, count: TrafficCount) -> None:
    other = Workspace.objects.create(project=site.project, name="other")
    WorkspaceTraffic.objects.create(workspace=other, received=7)
    background.run(save_traffic([count]))
    assert [each["received"] for each in both(site)] == [1000, 1007]


def test_nothing_is_written_where_nothing_passed(site: SessionSite) -> None:
    background.run(save_traffic([TrafficCount(site.workspace.public_id)]))
    assert not WorkspaceTraffic.objects.exists()


def test_traffic_is_kept_while_the_database_is_away(
    site: SessionSite, count: TrafficCount, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Any) -> NoReturn:
        raise OperationalError("away")

    with monkeypatch.context() as away:
        away.setattr(traffic, "_store", fail)
        background.run(save_traffic([count]))
    count.connections += 1
    background.run(save_traffic([count]))
    assert both(site)[0] == {"received": 1000, "sent": 200, "connections": 4, "refused": 1}


def test_traffic_of_a_deleted_workspace_is_dropped(site: SessionSite, count: TrafficCount) -> None:
    gone = TrafficCount(f"{Workspace.PREFIX}_{'0' * 32}")
    gone.connections = 1
    background.run(save_traffic([gone, count]))
    assert WorkspaceTraffic.objects.get().connections == 3


def test_a_directory_that_is_no_workspace_stops_nothing(count: TrafficCount) -> None:
    stranger = TrafficCount("wsp_backup")
    stranger.connections = 1
    background.run(save_traffic([stranger, count]))
    assert WorkspaceTraffic.objects.get().connections == 3


def test_traffic_is_in_the_metrics(count: TrafficCount) -> None:
    def of(line: str) -> float:
        found = [each for each in exposition().decode().splitlines() if each.startswith(line)]
        return float(found[0].rpartition(" ")[2]) if found else 0.0

    names = (
        'agentsite_door_bytes_total{direction="received"}',
        'agentsite_door_bytes_total{direction="sent"}',
        'agentsite_door_connections_total{outcome="refused"}',
        'agentsite_door_connections_total{outcome="accepted"}',
    )
    before = [of(name) for name in names]
    background.run(save_traffic([count]))
    assert [of(name) - old for name, old in zip(names, before, strict=True)] == [1000, 200, 1, 2]

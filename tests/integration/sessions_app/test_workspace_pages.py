"""The workspace's page over the API: details, lists, current usage and background calls."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from sessions_app.models import Node, Workspace
from sessions_app.transport.rest import workspaces as workspaces_rest
from tests.support.builders import make_member, make_project, make_team
from tests.support.deadline import wait_until
from tests.support.rest_api import RestApi as Api
from tests.support.session_site import SessionSite
from tests.support.threads import at_work

USAGE = {
    **{name: {"used": 1, "limit": 100} for name in ("memory", "pids", "disk", "inodes", "tmp")},
    "cpu_seconds": 2.5,
    "cpus": 2.0,
    "at": 1_700_000_000.0,
}


@pytest.fixture
def api(site: SessionSite) -> Api:
    return Api(site.user)


def path_of(site: SessionSite) -> str:
    return f"/workspaces/{site.workspace.public_id}"


def ask(site: SessionSite, api: Api, path: str) -> Any:
    """Send a GET request whose response needs the workspace's node, run the node's tasks meanwhile, and return the
    response."""
    answers: list[Any] = []
    with at_work(lambda: answers.append(api("get", path))):
        wait_until(lambda: bool(site.pump.waiting), "the node is asked", seconds=12)
        site.pump.run()
    return answers[0]


def test_a_workspace_is_shown_with_its_node_limits_and_sessions(site: SessionSite, api: Api) -> None:
    Node.objects.create(name=site.workspace.node, seen_at=timezone.now(), started_at=timezone.now())
    site.open_session()
    site.open_session()
    view = api("get", path_of(site))
    assert (view["team_id"], view["project_name"]) == (site.team.public_id, site.project.name)
    assert (view["node"]["name"], view["node"]["alive"], view["session_count"]) == (site.workspace.node, True, 2)
    assert view["limits"]["memory_mib"] == {"value": 1024, "source": "default"}
    assert view["limits"]["keep_days"] == {"value": 7, "source": "default"}
    assert (view["usage"], view["self_check"], view["archive"], view["outdated"]) == (None, None, None, False)


@pytest.mark.parametrize("lost", [False, True])
def test_a_node_that_was_not_heard_of_lately_is_not_alive(site: SessionSite, api: Api, lost: bool) -> None:
    now = timezone.now()
    seen = now if lost else now - timedelta(minutes=1)
    Node.objects.create(name=site.workspace.node, seen_at=seen, started_at=now, lost_at=now if lost else None)
    assert api("get", path_of(site))["node"]["alive"] is False


def test_workspaces_are_found_by_project_and_state(site: SessionSite, api: Api) -> None:
    other = make_project(site.team)
    Workspace.objects.create(project=other, name="other", state=Workspace.State.STOPPED)

    def found(query: str) -> list[str]:
        return [item["name"] for item in api("get", f"/workspaces{query}")["items"]]

    assert found("") == ["other", "main"]
    assert found(f"?project={other.public_id}") == ["other"]
    assert found("?state=running") == ["main"]
    assert Api(make_member(make_team()))("get", "/workspaces")["items"] == []
    api.error("get", "/workspaces?project=prj_0", expect=404)


def test_a_longer_list_asks_the_database_no_more_often(site: SessionSite, api: Api) -> None:
    few = queries(api)
    for _ in range(5):
        project = make_project(site.team)
        Workspace.objects.create(project=project, name="one of many", node="elsewhere")
    assert queries(api) == few


def queries(api: Api) -> int:
    api("get", "/workspaces")
    with CaptureQueriesContext(connection) as captured:
        api("get", "/workspaces")
    return len(captured)


# live


def test_use_is_asked_of_the_workspace_and_kept(site: SessionSite, api: Api) -> None:
    site.open_session()
    site.pump.run()
    answer = ask(site, api, f"{path_of(site)}/usage")
    assert answer["live"] is True
    assert answer["usage"]["cpus"] > 0
    assert Workspace.objects.get().usage["cpus"] == answer["usage"]["cpus"]


def test_looking_at_a_workspace_whose_container_is_gone_does_not_start_it(site: SessionSite, api: Api) -> None:
    Workspace.objects.update(usage=USAGE)
    asked = len(site.deployment.specs)
    answer = ask(site, api, f"{path_of(site)}/usage")
    assert (answer["live"], answer["usage"]["cpu_seconds"]) == (False, 2.5)
    assert ask(site, api, f"{path_of(site)}/background") == {"items": []}
    assert len(site.deployment.specs) == asked


def test_a_stopped_workspace_shows_what_was_seen_last_and_asks_nobody(site: SessionSite, api: Api) -> None:
    Workspace.objects.update(state=Workspace.State.STOPPED, usage=USAGE)
    answer = api("get", f"{path_of(site)}/usage")
    assert (answer["live"], answer["usage"]["memory"]) == (False, {"used": 1, "limit": 100})
    assert answer["usage"]["at"] == "2023-11-14T22:13:20Z"
    assert api("get", f"{path_of(site)}/background") == {"items": []}
    assert not site.pump.waiting


def test_a_node_that_is_silent_leaves_what_was_seen_last(
    site: SessionSite, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspaces_rest, "QUICK_TIMEOUT", 0.05)
    Workspace.objects.update(usage=USAGE)
    assert api("get", f"{path_of(site)}/usage")["live"] is False
    error = api.error("get", f"{path_of(site)}/background", expect=503)
    assert error["code"] == "workspace_silent"

"""Projects and teams are deleted in two steps: deactivated at once, and deleted after the grace period."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agentsite.tenancy.models import AuditEntry, Membership, Project, Team
from agentsite.tenancy.roles import Role
from sessions_app.actions.deletion import delete_due_projects_and_teams
from sessions_app.models import Session, Turn, Workspace
from sessions_app.tasks import site_housekeeping
from tests.support.builders import make_project
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite

REMOVING = Workspace.State.REMOVING


@pytest.fixture
def api(site: SessionSite) -> RestApi:
    return RestApi(site.user)


def path_of(row: Team | Project) -> str:
    kind = "teams" if isinstance(row, Team) else "projects"
    return f"/{kind}/{row.public_id}"


def end(api: RestApi, row: Team | Project) -> dict[str, Any]:
    answer: dict[str, Any] = api("post", f"{path_of(row)}/deletion", {"name": row.name}, expect=202)
    return answer


def state_of(site: SessionSite) -> str:
    return Workspace.objects.get(pk=site.workspace.pk).state


def days_are_over(*rows: Team | Project) -> None:
    past = timezone.now() - timedelta(seconds=1)
    for row in rows:
        type(row)._base_manager.filter(pk=row.pk).update(remove_at=past)
    Workspace.objects.filter(state=REMOVING).update(remove_at=past)


def test_before_it_is_deleted_one_is_told_what_is_lost(site: SessionSite, api: RestApi) -> None:
    site.open_session()
    loss = api("get", f"{path_of(site.project)}/deletion")
    assert (loss["asked"], loss["workspaces"], loss["sessions"]) == (False, 1, 1)
    whole = api("get", f"{path_of(site.team)}/deletion")
    assert (whole["projects"], whole["members"]) == (1, 1)


@pytest.mark.parametrize("kind", ["project", "team"])
def test_the_wrong_name_deletes_nothing(site: SessionSite, api: RestApi, kind: str) -> None:
    row = getattr(site, kind)
    error = api.error("post", f"{path_of(row)}/deletion", {"name": row.name.lower()}, expect=400)
    assert "name" in error["fields"]
    row.refresh_from_db()
    assert row.remove_at is None


def test_a_deleted_project_is_out_of_use_at_once(site: SessionSite, api: RestApi) -> None:
    session = site.open_session()
    turn = site.prompt(session)
    assert end(api, site.project)["remove_at"] is not None
    turn.refresh_from_db()
    assert turn.state == Turn.State.ABORTED
    assert state_of(site) == REMOVING
    error = api.error("post", f"/projects/{site.project.public_id}/sessions", {}, expect=409)
    assert error["code"] == "project_removing"
    assert api("get", f"/sessions/{session.public_id}")["id"] == session.public_id
    assert api.error("post", f"/workspaces/{site.workspace.public_id}/keep", expect=409)["code"] == "project_removing"


@pytest.mark.parametrize("kind", ["project", "team"])
def test_what_is_kept_comes_back_with_its_workspaces(site: SessionSite, api: RestApi, kind: str) -> None:
    row = getattr(site, kind)
    end(api, row)
    assert state_of(site) == REMOVING
    assert api("delete", f"{path_of(row)}/deletion")["remove_at"] is None
    assert state_of(site) != REMOVING
    api.error("delete", f"{path_of(row)}/deletion", expect=409)


def test_a_workspace_that_was_removed_before_stays_removed(site: SessionSite, api: RestApi) -> None:
    api("delete", f"/workspaces/{site.workspace.public_id}", expect=202)
    end(api, site.project)
    api("delete", f"{path_of(site.project)}/deletion")
    assert state_of(site) == REMOVING


def test_in_a_team_that_is_being_deleted_nothing_is_done_and_everything_is_seen(
    site: SessionSite, api: RestApi
) -> None:
    session = site.open_session()
    admin = RestApi(site.member(Role.ADMIN))
    end(api, site.team)
    assert admin("get", f"/sessions/{session.public_id}/snapshot")["can_act"] is False
    for method, path, body in (
        ("post", f"/sessions/{session.public_id}/prompts", {"text": "x"}),
        ("patch", f"/teams/{site.team.public_id}", {"name": "x"}),
        ("post", f"/teams/{site.team.public_id}/invitations", {"email": "a@example.org"}),
    ):
        assert admin.error(method, path, body, expect=409)["code"] == "team_removing"
    admin.error("delete", f"{path_of(site.team)}/deletion", expect=403)


def test_when_its_days_are_over_a_team_goes_with_everything(site: SessionSite, api: RestApi) -> None:
    site.open_session()
    end(api, site.team)
    site.pump.run()
    assert delete_due_projects_and_teams(timezone.now()) == 0
    days_are_over(site.team)
    for _ in range(3):
        site_housekeeping()
        site.pump.run()
    assert not Team.objects.filter(pk=site.team.pk).exists()
    assert not Session.objects.exists()
    assert not Membership.objects.exists()
    entry = AuditEntry.objects.get(action="team.deleted")
    assert entry.data["name"] == site.team.name
    assert len(entry.data["head"]) == 64


def test_when_its_days_are_over_a_project_goes_and_the_others_stay(site: SessionSite, api: RestApi) -> None:
    other = make_project(site.team)
    end(api, site.project)
    site.pump.run()
    days_are_over(site.project)
    for _ in range(2):
        site_housekeeping()
        site.pump.run()
    assert list(Project.objects.all()) == [other]
    actions = set(AuditEntry.objects.values_list("action", flat=True))
    assert {"project.removing", "project.deleted", "workspace.deleted"} <= actions


def test_a_workspace_that_a_dying_process_forgot_follows_its_project(site: SessionSite) -> None:
    Project.objects.filter(pk=site.project.pk).update(remove_at=timezone.now() + timedelta(days=1))
    delete_due_projects_and_teams(timezone.now())
    assert state_of(site) == REMOVING

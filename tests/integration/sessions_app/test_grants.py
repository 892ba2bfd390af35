"""Grants by the answer "always": their content and scope, who may give them, their list, and how they are revoked."""

from typing import Any

import pytest
from django.test import Client

from agentsite.base.errors import Missing, NotAllowed
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Role
from sessions_app.actions.grants import revoke_grant
from sessions_app.actions.permissions import reply_permission
from sessions_app.models import Grant, PermissionRequest, Turn, Workspace
from tests.support.asking import DEPLOYS, approved_by, audited, deployed, go_on, set_policy, waiting_turn
from tests.support.builders import browser_of, make_member, make_project, make_team
from tests.support.model_server import calls, text
from tests.support.session_site import SessionSite
from tests.support.threads import of_kind, race

SCOPES = ["session", "project", "team"]


def always(site: SessionSite, person: User, scope: str) -> PermissionRequest:
    return reply_permission(actor=person, request=site.open_request(), reply="always", scope=scope)


def asks_again(site: SessionSite) -> bool:
    """Return whether the call that `waiting_turn` makes needs a decision when another session makes it."""
    site.script(calls(DEPLOYS), text("Done."))
    return site.run_prompt().state == Turn.State.WAITING


@pytest.fixture
def waiting(site: SessionSite) -> Turn:
    return waiting_turn(site)


# scopes


@pytest.mark.parametrize(
    ("scope", "has_project", "has_session"),
    [("session", True, True), ("project", True, False), ("team", False, False)],
)
def test_a_grant_carries_its_team_its_project_and_its_session(
    site: SessionSite, waiting: Turn, scope: str, has_project: bool, has_session: bool
) -> None:
    always(site, site.user, scope)
    grant = Grant.objects.get()
    assert grant.team == site.team
    assert grant.project == (site.project if has_project else None)
    assert grant.session_id == (waiting.session_id if has_session else None)


def test_a_teams_grant_reaches_its_other_projects_and_no_other_team(site: SessionSite, waiting: Turn) -> None:
    always(site, site.user, "team")
    go_on(site, waiting)
    site.project = make_project(site.team)
    Workspace.objects.filter(pk=site.workspace.pk).update(project=site.project)
    site.workspace.refresh_from_db()
    assert not asks_again(site)
    Grant.objects.update(team=make_team())
    assert asks_again(site)


def test_a_member_gives_for_session_and_project_but_not_for_the_team(site: SessionSite, waiting: Turn) -> None:
    with pytest.raises(NotAllowed) as caught:
        always(site, site.member(), "team")
    assert "Admins of the team are" in caught.value.message
    assert caught.value.hint == "Allow this call once or always for the session or project."
    assert site.open_request().state == "open"
    assert always(site, site.member(), "project").state == "always"


@pytest.mark.parametrize("scope", SCOPES)
def test_what_the_policy_leaves_to_admins_only_they_give(site: SessionSite, scope: str) -> None:
    approved_by(site.team, "member", session="admin", project="admin")
    waiting_turn(site)
    with pytest.raises(NotAllowed):
        always(site, site.member(), scope)
    assert always(site, site.member(Role.ADMIN), scope).scope == scope


def test_what_the_policy_lets_nobody_give_is_not_offered_and_refused(site: SessionSite) -> None:
    approved_by(site.project, "member", team="nobody", project="nobody")
    waiting_turn(site)
    assert site.open_request().scopes == ["session"]
    for scope in ("project", "team"):
        with pytest.raises(NotAllowed):
            always(site, site.user, scope)
    assert always(site, site.user, "session").state == "always"


def test_a_policy_that_took_a_scope_away_meanwhile_counts(site: SessionSite, waiting: Turn) -> None:
    approved_by(site.team, "member", project="nobody")
    with pytest.raises(NotAllowed):
        always(site, site.user, "project")


def test_of_two_people_each_must_be_allowed_to_give_what_they_say(site: SessionSite) -> None:
    approved_by(site.team, "two_people")
    waiting_turn(site)
    always(site, site.user, "team")
    with pytest.raises(NotAllowed):
        always(site, site.member(), "team")
    assert always(site, site.member(), "project").scope == "project"


def test_what_is_granted_already_is_not_granted_twice(site: SessionSite) -> None:
    """A call that is already granted is not granted twice. A limit asks again although the call is granted; a second
    grant would need a second click to revoke."""
    set_policy(site.team, enforced=[{"permission": "bash", "pattern": "*", "action": "ask"}])
    for _ in range(2):
        turn = waiting_turn(site)
        always(site, site.user, "project")
        go_on(site, turn)
    assert Grant.objects.count() == len(audited(site.team, "grant.added")) == 1


# lists


@pytest.fixture
def granted(site: SessionSite) -> dict[str, Grant]:
    """Return one grant of each scope, all from one request, among grants of another project and another team."""
    turn = waiting_turn(site)
    request = always(site, site.user, "session")
    go_on(site, turn)
    own = Grant.objects.get()
    common = {"team": site.team, "permission": "bash", "granted_by": site.user, "from_request": request}
    project = Grant.objects.create(scope="project", project=site.project, pattern="project", **common)
    team = Grant.objects.create(scope="team", pattern="team", **common)
    other = make_project(site.team)
    Grant.objects.create(scope="project", project=other, pattern="other", **common)
    Grant.objects.create(scope="team", **(common | {"team": make_team(), "pattern": "foreign"}))
    return {"session": own, "project": project, "team": team}


def listed(client: Client, path: str) -> list[dict[str, Any]]:
    answer = client.get(f"/api/v1/{path}/grants")
    assert answer.status_code == 200
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def test_each_place_lists_what_counts_in_it(site: SessionSite, granted: dict[str, Grant]) -> None:
    client = browser_of(site.user)
    session = granted["session"].session
    assert session is not None
    places = {
        f"sessions/{session.public_id}": SCOPES,
        f"projects/{site.project.public_id}": ["project", "team"],
        f"teams/{site.team.public_id}": ["team"],
    }
    for path, scopes in places.items():
        expected = {granted[scope].public_id for scope in scopes}
        assert {item["id"] for item in listed(client, path)} == expected, path


def test_a_listed_grant_says_who_when_and_from_which_request(site: SessionSite, granted: dict[str, Grant]) -> None:
    (item,) = listed(browser_of(site.user), f"teams/{site.team.public_id}")
    request = PermissionRequest.objects.get()
    assert (item["granted_by"]["id"], item["request_id"]) == (site.user.public_id, request.public_id)
    assert item["created_at"]


def test_for_strangers_there_is_no_such_list_and_no_such_grant(site: SessionSite, granted: dict[str, Grant]) -> None:
    client = browser_of(make_member(make_team()))
    for path in (f"projects/{site.project.public_id}/grants", f"teams/{site.team.public_id}/grants"):
        assert client.get(f"/api/v1/{path}").status_code == 404
    assert client.delete(f"/api/v1/grants/{granted['team'].public_id}").status_code == 404
    assert Grant.objects.filter(pk=granted["team"].pk).exists()


# revoking


def test_a_revoked_grant_asks_again_from_the_next_call_on(site: SessionSite, waiting: Turn) -> None:
    always(site, site.user, "project")
    go_on(site, waiting)
    assert not asks_again(site)
    path = f"/api/v1/grants/{Grant.objects.get().public_id}"
    assert browser_of(site.user).delete(path).status_code == 204
    assert asks_again(site)
    assert deployed(site) == 2


@pytest.mark.parametrize(("scope", "may"), [("session", True), ("project", True), ("team", False)])
def test_a_member_takes_back_what_a_member_may_give(
    site: SessionSite, granted: dict[str, Grant], scope: str, may: bool
) -> None:
    if may:
        revoke_grant(actor=site.member(), grant=granted[scope])
    else:
        with pytest.raises(NotAllowed):
            revoke_grant(actor=site.member(), grant=granted[scope])
    assert Grant.objects.filter(pk=granted[scope].pk).exists() is not may


def test_an_admin_takes_back_what_nobody_may_give_any_more(site: SessionSite, granted: dict[str, Grant]) -> None:
    approved_by(site.team, "member", project="nobody")
    with pytest.raises(NotAllowed):
        revoke_grant(actor=site.member(), grant=granted["project"])
    revoke_grant(actor=site.member(Role.ADMIN), grant=granted["project"])
    assert not Grant.objects.filter(pk=granted["project"].pk).exists()


def test_of_people_who_revoke_at_the_same_moment_one_did_it(site: SessionSite, granted: dict[str, Grant]) -> None:
    outcomes = race(*(lambda: revoke_grant(actor=site.user, grant=granted["project"]) for _ in range(3)))
    assert outcomes.count(None) == 1
    assert len(of_kind(outcomes, Missing)) == 2
    assert len(audited(site.team, "grant.revoked")) == 1


def test_giving_and_taking_back_are_in_the_audit_log(site: SessionSite, waiting: Turn) -> None:
    request = always(site, site.user, "project")
    grant = Grant.objects.get()
    other = site.member()
    revoke_grant(actor=other, grant=grant)
    (added,), (revoked,) = audited(site.team, "grant.added"), audited(site.team, "grant.revoked")
    assert (added.actor, added.subject) == (site.user.public_id, request.public_id)
    assert added.data["rules"] == [["bash", grant.pattern]]
    assert (revoked.actor, revoked.subject) == (other.public_id, grant.public_id)
    assert (revoked.data["pattern"], revoked.data["request"]) == (grant.pattern, request.public_id)

"""Every route of the API, tried by everybody who has no right to it. A route without a row here fails the test."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from agentsite.api import api
from agentsite.ids import to_public
from agentsite.tenancy.actions.tokens import create_token
from agentsite.tenancy.models import Project
from agentsite.tenancy.roles import Role
from sessions_app.actions.agents import create_agent
from sessions_app.actions.sessions import open_child_session
from sessions_app.agent.documents import AgentDocument
from sessions_app.models import Agent, Attachment, Grant, Session, Workspace
from tests.support.builders import browser_of, make_member, make_project, make_team
from tests.support.model_server import calls, tool_call
from tests.support.session_site import SessionSite, snapshot_of
from tests.support.uploads import attach
from tools_app.models import PolicyVersion
from tools_app.policies.actions import save_policy
from tools_app.policies.documents import PolicyDocument
from tools_app.policies.places import Place

ASK = tool_call("question", questions=[{"question": "Tea?", "header": "Tea", "options": []}])
STREAM = "stream"
ASKS = "asks"  # the workspace itself, which nobody runs here


@dataclass(frozen=True)
class Route:
    """What to send (a JSON body, or a `file`), what a viewer of the team gets, and what a stranger gets (an empty list,
    or 404)."""

    name: str
    body: dict[str, Any] | None = None
    viewer: int = 200
    stranger: int = 404
    query: str = ""
    kind: str = field(default="")
    file: bool = False


PUBLIC = ("get_live", "get_ready", "get_site", "get_metrics")  # metrics have a token of their own
OWN = (  # the same for everybody; whose session or project `explain` asks about stands in its body: see test_explain;
    # the site's agents are for those who run it: see test_agents
    "get_me",
    "create_token",
    "list_tokens",
    "create_socket_ticket",
    "list_agents",
    "list_site_agents",
    "create_site_agent",
    "list_presets",
    "list_tools",
    "get_tool",
    "explain",
)
ROUTES = (
    Route("list_projects", stranger=200),
    Route("get_project"),
    Route("delete_token", viewer=404),
    Route("list_workspaces"),
    Route("create_workspace", {"name": "x"}, viewer=403),
    Route("get_workspace"),
    Route("start_workspace", {}, viewer=403),
    Route("stop_workspace", {}, viewer=403),
    Route("restart_workspace", {}, viewer=403),
    Route("rebuild_workspace", {}, viewer=403),
    Route("check_workspace", {}, viewer=403),
    Route("remove_workspace", viewer=403),
    Route("keep_workspace", {}, viewer=403),
    Route("export_workspace", {}, viewer=403),
    Route("download_workspace", viewer=403),
    Route("list_all_workspaces", stranger=200),
    Route("get_workspace_usage", kind=ASKS),
    Route("list_background_calls", kind=ASKS),
    Route("stop_background_call", {}, viewer=403),
    Route("list_project_sessions"),
    Route("create_session", {"title": "x"}, viewer=403),
    Route("list_sessions", stranger=200),
    Route("get_session"),
    Route("list_child_sessions"),
    Route("update_session", {"title": "x"}, viewer=403),
    Route("delete_session", viewer=403),
    Route("get_snapshot"),
    Route("abort_session", {}, viewer=403),
    Route("get_session_diff", kind=ASKS),
    Route("submit_prompt", {"text": "x"}, viewer=403),
    Route("upload_attachment", viewer=403, file=True),
    Route("download_attachment"),
    Route("delete_attachment", viewer=403),
    Route("compact_session", {}, viewer=403),
    Route("summarize_session", {}, viewer=403),
    Route("list_messages"),
    Route("list_team_agents"),
    Route("create_team_agent", {"name": "x", "document": {}}, viewer=403),
    Route("list_project_agents"),
    Route("create_project_agent", {"name": "x", "document": {}}, viewer=403),
    Route("get_agent"),
    Route("update_agent", {"document": {}}, viewer=403),
    Route("delete_agent", viewer=403),
    Route("list_session_agents"),
    Route("list_session_tools"),
    Route("explain_agent", query="?name=build"),
    Route("list_permission_requests", stranger=200),
    Route("get_permission_request"),
    Route("reply_permission_request", {"reply": "once"}, viewer=403),
    Route("list_questions", stranger=200),
    Route("answer_question", {"answers": [["yes"]]}, viewer=403),
    Route("dismiss_question", {}, viewer=403),
    Route("get_call_why"),
    Route("get_session_rules"),
    Route("get_policy"),
    Route("put_policy", {"document": {}, "base_version": 1}, viewer=403),
    Route("list_policy_versions"),
    Route("get_policy_version"),
    Route("rollback_policy", {"version": 0, "base_version": 1}, viewer=403),
    Route("check_policy", {"document": {}}, viewer=403),
    Route("simulate_policy", {"document": {}}, viewer=403),
    Route("list_audit", viewer=403),
    Route("verify_audit", {}, viewer=403),
    Route("list_grants"),
    Route("list_project_grants"),
    Route("list_team_grants"),
    Route("revoke_grant", viewer=403),
    Route("stream_events", kind=STREAM),
)
BY_NAME = {route.name: route for route in ROUTES}


@cache
def operations() -> Mapping[str, tuple[str, str]]:
    """Method and path of every operation, from the API itself."""
    paths = api.get_openapi_schema(path_prefix="/api/v1/")["paths"]
    return {
        operation["operationId"]: (method, path)
        for path, methods in paths.items()
        for method, operation in methods.items()
    }


@dataclass
class World:
    """A team with one of everything, and its ids by the names that paths use."""

    site: SessionSite
    ids: dict[str, str]
    session: Session

    def request(self, client: Client, route: Route, **headers: str) -> Any:
        method, path = operations()[route.name]
        address = path.format(**self.ids) + route.query
        send = getattr(client, method)
        if route.file:
            return send(address, {"file": SimpleUploadedFile("a.txt", b"x")}, headers=headers)
        if route.body is None:
            return send(address, headers=headers)
        return send(address, route.body, content_type="application/json", headers=headers)

    def state(self) -> Any:
        kept = (Session, Workspace, Project, Grant, PolicyVersion, Agent, Attachment)
        counts = [model.objects.count() for model in kept]
        return [snapshot_of(self.session.id), counts, len(self.site.pump.waiting)]


@pytest.fixture
def world(site: SessionSite) -> World:
    site.script(calls(tool_call("bash", command="make hi"), ASK))
    turn = site.run_prompt()
    open_child_session(actor=site.user, parent=turn.session, agent="general")
    grant = Grant.objects.create(
        team=site.project.team, project=site.project, scope="project", permission="bash", pattern="ls"
    )
    Grant.objects.create(team=site.team, scope="team", permission="bash", pattern="ls")
    save_policy(actor=site.user, place=Place("project", site.project), document=PolicyDocument(), base_version=0)
    team_place = Place("team", site.team)
    agent = create_agent(actor=site.user, place=team_place, name="review", document=AgentDocument(steps=3))
    token = create_token(actor=site.user, name="own").token
    ids = {
        "team_id": site.team.public_id,
        "place": site.project.public_id,
        "tool_id": "bash",
        "version": "1",
        "call_id": site.calls(turn)[0].public_id,
        "project_id": site.project.public_id,
        "workspace_id": site.workspace.public_id,
        "session_id": turn.session.public_id,
        "request_id": site.open_request().public_id,
        "question_id": site.open_question().public_id,
        "grant_id": grant.public_id,
        "attachment_id": attach(site, turn.session, "a.txt", b"x").public_id,
        "agent_id": agent.public_id,
        "token_id": token.public_id,
    }
    return World(site, ids, turn.session)


def assert_error(answer: Any, status: int, code: str) -> None:
    assert answer.status_code == status, answer.content
    error = answer.json()["error"]
    assert set(error) == {"code", "message", "hint", "fields", "request_id"}
    assert error["code"] == code
    assert error["message"]
    assert error["hint"]


def _is_json(answer: Any) -> bool:
    return "json" in answer.headers["Content-Type"]


def test_every_route_of_the_api_has_a_row() -> None:
    assert set(BY_NAME) | set(OWN) | set(PUBLIC) == set(operations())


def test_every_id_in_a_path_has_a_row_to_point_at(world: World) -> None:
    for _, path in operations().values():
        path.format(**world.ids)


def test_nobody_gets_anything_without_signing_in(world: World) -> None:
    before = world.state()
    for name in [*BY_NAME, *OWN]:
        route = BY_NAME.get(name, Route(name))
        assert_error(world.request(Client(), route), 401, "not_signed_in")
        assert_error(world.request(Client(), route, Authorization="Bearer nonsense"), 401, "not_signed_in")
    assert world.state() == before


def test_the_public_routes_need_no_sign_in_and_tell_nothing_of_teams(world: World) -> None:
    for name in PUBLIC:
        answer = world.request(Client(), Route(name))
        assert answer.status_code in ((404,) if name == "get_metrics" else (200, 503))
        assert world.site.team.name not in answer.content.decode()


def test_somebody_of_another_team_finds_nothing(world: World) -> None:
    stranger = browser_of(make_member(make_team(), Role.OWNER))
    before = world.state()
    for route in ROUTES:
        answer = world.request(stranger, route)
        if route.stranger == 404:
            assert_error(answer, 404, "not_found")
        else:
            assert answer.status_code == 200, route.name
            assert answer.json()["items"] == [], route.name
    assert world.state() == before


def test_what_belongs_to_another_team_and_what_is_not_there_look_the_same(world: World) -> None:
    stranger = browser_of(make_member(make_team(), Role.OWNER))
    absent = {name: to_public(public.partition("_")[0], uuid.uuid4()) for name, public in world.ids.items()}
    for route in ROUTES:
        if route.stranger != 404:
            continue
        foreign = world.request(stranger, route).json()["error"]
        missing = World(world.site, absent, world.session).request(stranger, route).json()["error"]
        for error in (foreign, missing):
            del error["request_id"]
            error["message"] = error["message"].rpartition("'")[0].partition("'")[0]
        assert foreign == missing, route.name


@pytest.mark.parametrize("junk", ["x", "ses_", "ses_" + "g" * 32, "0" * 300, "..%2f..", "%00", "ses_%F0%9F%8D%B5"])
def test_malformed_ids_are_simply_not_there(world: World, junk: str) -> None:
    owner = browser_of(world.site.user)
    before = world.state()
    for route in ROUTES:
        if "{" in operations()[route.name][1]:
            assert (
                World(world.site, dict.fromkeys(world.ids, junk), world.session).request(owner, route).status_code
                == 404
            ), route.name
    assert world.state() == before


def test_a_viewer_sees_everything_and_changes_nothing(world: World) -> None:
    viewer = browser_of(world.site.member(Role.VIEWER))
    before = world.state()
    for route in ROUTES:
        if route.kind in (STREAM, ASKS):
            continue  # they have tests of their own: they wait for something
        answer = world.request(viewer, route)
        assert answer.status_code == route.viewer, (route.name, answer.content)
        if route.viewer == 403:
            assert_error(answer, 403, "not_allowed")
        elif route.viewer == 200 and _is_json(answer) and "items" in answer.json():
            assert answer.json()["items"], f"{route.name} hides the team's own from a viewer"
    assert world.state() == before


def test_a_former_member_finds_nothing_any_more(world: World) -> None:
    member = world.site.member()
    client = browser_of(member)
    assert world.request(client, BY_NAME["get_session"]).status_code == 200
    member.memberships.all().delete()
    for route in ROUTES:
        assert world.request(client, route).status_code == (404 if route.stranger == 404 else 200), route.name


def test_a_session_cannot_be_opened_in_another_teams_workspace(world: World) -> None:
    team = make_team()
    outsider = make_member(team, Role.OWNER)
    own = make_project(team)
    answer = browser_of(outsider).post(
        f"/api/v1/projects/{own.public_id}/sessions",
        {"workspace_id": world.site.workspace.public_id},
        content_type="application/json",
    )
    assert_error(answer, 404, "not_found")
    assert not Session.objects.filter(project=own).exists()


def test_a_session_cannot_be_opened_in_a_workspace_of_another_project_of_the_same_team(world: World) -> None:
    other = make_project(world.site.team)
    answer = browser_of(world.site.user).post(
        f"/api/v1/projects/{other.public_id}/sessions",
        {"workspace_id": world.site.workspace.public_id},
        content_type="application/json",
    )
    assert_error(answer, 404, "not_found")


def test_requests_are_not_listed_by_another_teams_session(world: World) -> None:
    stranger = browser_of(make_member(make_team(), Role.OWNER))
    answer = stranger.get(f"/api/v1/permission-requests?session_id={world.ids['session_id']}")
    assert_error(answer, 404, "not_found")


def test_a_signed_in_browser_must_send_the_csrf_token(world: World) -> None:
    client = browser_of(world.site.user, csrf=True)
    before = world.state()
    for route in ROUTES:
        if operations()[route.name][0] != "get":
            assert_error(world.request(client, route), 403, "csrf_failed")
    assert world.state() == before

"""Every route of the API, asked by nobody, by a stranger and by a viewer.

The list comes from the API's own document, so a new route is swept before anybody thinks of it.
"""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from agentsite.api import api
from agentsite.ids import new_id, to_public
from agentsite.tenancy.actions.tokens import create_token
from agentsite.tenancy.roles import Role
from sessions_app.models import (
    Agent,
    Attachment,
    Grant,
    Message,
    Part,
    PermissionRequest,
    Question,
    Session,
    ToolCall,
    Turn,
    Workspace,
)
from tests.support.builders import browser_of, make_member, make_project, make_team
from tools_app.models import PolicyVersion

pytestmark = pytest.mark.django_db

PUBLIC: Final = {"/api/v1/site", "/api/v1/health/live", "/api/v1/health/ready", "/api/v1/metrics"}
# A body that would be accepted, so that only the row's owner can be the reason to refuse.
BODIES: Final[dict[str, Any]] = {
    "/api/v1/sessions/{session_id}/prompts": {"text": "hello"},
    "/api/v1/permission-requests/{request_id}/reply": {"reply": "once"},
    "/api/v1/questions/{question_id}/reply": {"answers": [["yes"]]},
    "/api/v1/tokens": {"name": "x"},
    "/api/v1/policies/{place}": {"document": {}, "base_version": 0},
    "/api/v1/policies/{place}/rollback": {"version": 0, "base_version": 0},
    "/api/v1/policies/{place}/check": {"document": {}},
    "/api/v1/policies/{place}/simulate": {"document": {}},
    "/api/v1/teams/{team_id}/agents": {"name": "helper", "document": {}},
    "/api/v1/projects/{project_id}/agents": {"name": "helper", "document": {}},
    "/api/v1/agents/{agent_id}": {"document": {}},
}
QUERIES: Final = {"/api/v1/sessions/{session_id}/agents/explain": "?name=build"}
UPLOADS: Final = {"/api/v1/sessions/{session_id}/attachments"}


@dataclass(frozen=True)
class Route:
    method: str
    path: str

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    def ask(self, browser: Client, ids: dict[str, str]) -> Any:
        path = self.path.format(**ids) + QUERIES.get(self.path, "")
        if self.path in UPLOADS and self.method == "POST":
            return browser.post(path, {"file": SimpleUploadedFile("a.txt", b"tea")})
        body = BODIES.get(self.path, {})
        return browser.generic(self.method, path, _json(body), content_type="application/json")


def _json(body: Any) -> bytes:
    return json.dumps(body).encode()


def _routes() -> list[Route]:
    paths = api.get_openapi_schema()["paths"]
    return [Route(method.upper(), path) for path, methods in paths.items() for method in methods]


ROUTES: Final = _routes()
PRIVATE: Final = [route for route in ROUTES if route.path not in PUBLIC]
OF_ONE_ROW: Final = [route for route in ROUTES if "{" in route.path]
LISTS: Final = [route for route in PRIVATE if route.method == "GET" and "{" not in route.path]
PREFIXES: Final = {
    "project_id": "prj",
    "workspace_id": "wsp",
    "session_id": "ses",
    "request_id": "per",
    "question_id": "que",
    "grant_id": "gra",
    "token_id": "tok",
    "team_id": "tea",
    "call_id": "call",
    "place": "prj",
    "version": "pol",
    "tool_id": "tool",
    "agent_id": "agt",
    "attachment_id": "att",
}


@dataclass(frozen=True)
class Tenant:
    """A team with one row of each kind. `ids` are named as the routes name them."""

    viewer: Client
    ids: dict[str, str]


@pytest.fixture
def tenant() -> Tenant:
    team = make_team()
    owner, viewer = make_member(team, Role.OWNER), make_member(team, Role.VIEWER)
    project = make_project(team)
    workspace = Workspace.objects.create(project=project, name="main")
    session = Session.objects.create(project=project, workspace=workspace, created_by=owner)
    turn = Turn.objects.create(session=session, started_by=owner)
    message = Message.objects.create(session=session, turn=turn, role="assistant")
    part = Part.objects.create(session=session, message=message, index=0, type="tool")
    call = ToolCall.objects.create(session=session, turn=turn, part=part, message=message, provider_id="1", tool="bash")
    asked = {"session": session, "turn": turn, "call": call}
    rows: dict[str, Any] = {
        "project_id": project,
        "workspace_id": workspace,
        "session_id": session,
        "request_id": PermissionRequest.objects.create(
            **asked, call_hash="0", title="Run it", expires_at=timezone.now() + timedelta(days=1)
        ),
        "question_id": Question.objects.create(**asked),
        "grant_id": Grant.objects.create(
            team=project.team, project=project, session=session, scope="session", permission="bash", pattern="*"
        ),
        "token_id": create_token(actor=owner, name="mine").token,
    }
    rows["attachment_id"] = Attachment.objects.create(
        session=session, name="a.txt", media_type="text/plain", size=3, sha256="0", place="nowhere"
    )
    rows["agent_id"] = Agent.objects.create(
        place=project.public_id, project=project, name="helper", changed_at=timezone.now()
    )
    PolicyVersion.objects.create(place=project.public_id, version=1, project=project)
    rows |= {"team_id": team, "call_id": call, "place": project}
    return Tenant(
        browser_of(viewer),
        {"version": "1", "tool_id": "tool_none", **{name: row.public_id for name, row in rows.items()}},
    )


@pytest.fixture
def stranger() -> Client:
    """Somebody with a team, but not this one."""
    return browser_of(make_member(make_team(), Role.OWNER))


def test_the_sweep_knows_every_kind_of_id() -> None:
    named = {word.strip("{}") for route in ROUTES for word in route.path.split("/") if word.startswith("{")}
    assert named == set(PREFIXES)


@pytest.mark.parametrize("route", PRIVATE, ids=str)
def test_nobody_gets_in_without_signing_in(route: Route) -> None:
    ids = {name: to_public(prefix, new_id()) for name, prefix in PREFIXES.items()}
    answer = route.ask(Client(), ids)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "not_signed_in")


@pytest.mark.parametrize("route", OF_ONE_ROW, ids=str)
def test_a_strangers_row_is_as_missing_as_one_that_never_was(route: Route, tenant: Tenant, stranger: Client) -> None:
    unknown = {name: to_public(prefix, new_id()) for name, prefix in PREFIXES.items()}
    foreign, missing = route.ask(stranger, tenant.ids), route.ask(stranger, unknown)
    assert (foreign.status_code, missing.status_code) == (404, 404)
    assert foreign.json()["error"]["code"] == missing.json()["error"]["code"]


@pytest.mark.parametrize("route", LISTS, ids=str)
def test_no_list_shows_a_strangers_row(route: Route, tenant: Tenant, stranger: Client) -> None:
    answer = route.ask(stranger, {})
    assert answer.status_code == 200
    ids = [public_id for name, public_id in tenant.ids.items() if name != "version"]
    assert not [public_id for public_id in ids if public_id in answer.content.decode()]


@pytest.mark.parametrize("route", [one for one in OF_ONE_ROW if one.method != "GET"], ids=str)
def test_a_viewer_changes_nothing(route: Route, tenant: Tenant) -> None:
    answer = route.ask(tenant.viewer, tenant.ids)
    assert answer.status_code == (404 if "token_id" in route.path else 403)


@pytest.mark.parametrize("route", OF_ONE_ROW, ids=str)
def test_an_id_that_is_none_is_missing_and_no_failure(route: Route, stranger: Client) -> None:
    answer = route.ask(stranger, dict.fromkeys(PREFIXES, "ses_nonsense"))
    assert answer.status_code == 404

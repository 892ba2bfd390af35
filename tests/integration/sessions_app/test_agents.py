"""Agents over REST: definitions of site, team and project, the rights to change them, and the merged results."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from pytest_django import Settings

from agentsite.tenancy.models import AuditEntry, Project, Team, User
from agentsite.tenancy.roles import Role
from sessions_app.actions.sessions import create_session
from sessions_app.models import Agent, Session, Workspace
from tests.support.builders import make_member, make_project, make_team, make_user
from tests.support.rest_api import RestApi

pytestmark = pytest.mark.django_db

DENY_EDIT = {"permission": "edit", "pattern": "*", "action": "deny"}
REVIEW = {
    "description": "Reviews changes.",
    "mode": "all",
    "prompt": "You review.",
    "temperature": 0.2,
    "top_p": 0.9,
    "steps": 12,
    "color": "#336699",
    "variant": "high",
    "options": {"seed": 7},
    "permission": [DENY_EDIT],
}


@dataclass
class Office:
    team: Team
    project: Project
    owner: User
    api: RestApi

    @property
    def team_agents(self) -> str:
        return f"/teams/{self.team.public_id}/agents"

    @property
    def project_agents(self) -> str:
        return f"/projects/{self.project.public_id}/agents"

    def create(self, path: str, name: str = "review", **document: Any) -> dict[str, Any]:
        made: dict[str, Any] = self.api("post", path, {"name": name, "document": document or REVIEW}, expect=201)
        return made

    @staticmethod
    def said(row: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in row["document"].items() if value is not None}

    def listed(self, path: str) -> dict[str, dict[str, Any]]:
        return {item["name"]: item for item in self.api("get", path)["items"]}

    def open_session(self, **fields: Any) -> Session:
        workspace = Workspace.objects.create(project=self.project, name="main", seeded=True, **fields)
        return create_session(actor=self.owner, project=self.project, workspace=workspace)


@pytest.fixture
def office() -> Office:
    team = make_team()
    owner = make_member(team, Role.OWNER)
    return Office(team, make_project(team), owner, RestApi(owner))


def test_an_agent_is_made_changed_and_removed(office: Office) -> None:
    made = office.create(office.team_agents)
    assert (made["name"], office.said(made), made["version"], made["can_edit"]) == ("review", REVIEW, 1, True)
    address = f"/agents/{made['id']}"
    changed = office.api("patch", address, {"document": {"steps": 3, "temperature": None}, "base_version": 1})
    assert office.said(changed) == {**{k: v for k, v in REVIEW.items() if k != "temperature"}, "steps": 3}
    assert changed["version"] == 2
    assert office.api("get", address)["changed_by"]["email"] == office.owner.email
    office.api("delete", address, expect=204)
    office.api.error("get", address, expect=404)
    actions = AuditEntry.objects.filter(chain__team=office.team, action__startswith="agent.").order_by("seq")
    assert list(actions.values_list("action", flat=True)) == ["agent.created", "agent.changed", "agent.removed"]


def test_a_project_has_the_agents_of_all_places_with_their_sources(office: Office) -> None:
    team_row = office.create(office.team_agents)
    own_row = office.create(office.project_agents, steps=5)
    office.create(office.project_agents, "build", prompt="Build our way.")
    found = office.listed(office.project_agents)
    assert (found["review"]["steps"], found["review"]["prompt"]) == (5, "You review.")
    assert [(source["origin"], source["id"]) for source in found["review"]["sources"]] == [
        ("team", team_row["id"]),
        ("project", own_row["id"]),
    ]
    assert found["build"]["prompt"] == "Build our way."
    assert found["build"]["built_in"]
    assert office.listed(office.team_agents)["build"]["prompt"] != "Build our way."


def test_an_agent_of_one_project_is_not_in_another(office: Office) -> None:
    office.create(office.project_agents)
    other = make_project(office.team)
    assert "review" not in office.listed(f"/projects/{other.public_id}/agents")
    assert "review" not in office.listed(office.team_agents)


def test_what_is_disabled_is_listed_and_cannot_be_worked_with(office: Office) -> None:
    office.create(office.team_agents, "plan", disable=True)
    assert office.listed(office.project_agents)["plan"]["disabled"]
    session = office.open_session()
    assert "plan" not in office.listed(f"/sessions/{session.public_id}/agents")
    error = office.api.error("patch", f"/sessions/{session.public_id}", {"agent": "plan"}, expect=400)
    assert error["fields"] == {"agent": "unknown"}


def test_the_site_speaks_to_everybody_and_only_operators_speak_for_it(office: Office) -> None:
    operator = make_user()
    operator.is_staff = True
    operator.save()
    office.api.error("post", "/site/agents", {"name": "review", "document": {}}, expect=403)
    made = RestApi(operator)("post", "/site/agents", {"name": "review", "document": REVIEW}, expect=201)
    assert office.listed(office.project_agents)["review"]["sources"][0]["id"] == made["id"]
    assert office.api("get", f"/agents/{made['id']}")["can_edit"] is False
    office.api.error("delete", f"/agents/{made['id']}", expect=403)
    assert [office.api("get", path)["can_edit"] for path in ("/site/agents", office.team_agents)] == [False, True]


@pytest.mark.parametrize("role", [Role.MEMBER, Role.VIEWER])
def test_who_may_not_change_policies_may_not_change_agents(office: Office, role: Role) -> None:
    made = office.create(office.team_agents)
    member = RestApi(make_member(office.team, role))
    assert member("get", office.team_agents)["can_edit"] is False
    for method, path, body in (
        ("post", office.team_agents, {"name": "x", "document": {}}),
        ("patch", f"/agents/{made['id']}", {"document": {"steps": 1}}),
        ("delete", f"/agents/{made['id']}", None),
    ):
        member.error(method, path, body, expect=403)
    assert Agent.objects.get().document == REVIEW


@pytest.mark.parametrize("name", ["", " ", "a b", "../x", "x" * 65, "a@b", "nul\0"])
def test_a_name_that_cannot_be_called_is_refused(office: Office, name: str) -> None:
    office.api.error("post", office.team_agents, {"name": name, "document": {}}, expect=400)


@pytest.mark.parametrize(
    "document",
    [
        {"mode": "boss"},
        {"temperature": 3},
        {"temperature": "hot"},
        {"top_p": 0},
        {"steps": 0},
        {"steps": 1001},
        {"color": "red"},
        {"prompt": "x" * 40_000},
        {"options": {"api_base": "http://evil"}},
        {"options": {"seed": "x"}},
        {"permission": [{"permission": "edit", "pattern": "*", "action": "maybe"}]},
        {"permission": {"edit": "deny"}},
        {"model": "nobody/has-it"},
        [],
    ],
)
def test_a_document_that_means_nothing_is_refused_with_the_field(office: Office, document: Any) -> None:
    error = office.api.error("post", office.team_agents, {"name": "x", "document": document}, expect=400)
    assert error["fields"]
    assert not Agent.objects.exists()


def test_an_unknown_field_of_a_document_is_refused_by_name(office: Office) -> None:
    body = {"name": "x", "document": {"surprise": 1}}
    error = office.api.error("post", office.team_agents, body, expect=422)
    assert (error["code"], list(error["fields"])) == ("unknown_field", ["document.surprise"])
    assert not Agent.objects.exists()


def test_the_same_name_twice_in_one_place_is_refused(office: Office) -> None:
    office.create(office.team_agents)
    office.api.error("post", office.team_agents, {"name": "review", "document": {}}, expect=409)


def test_a_change_on_top_of_an_older_version_is_refused(office: Office) -> None:
    address = f"/agents/{office.create(office.team_agents)['id']}"
    office.api("patch", address, {"document": {"steps": 2}, "base_version": 1})
    error = office.api.error("patch", address, {"document": {"steps": 3}, "base_version": 1}, expect=409)
    assert error["code"] == "stale_agent"


def test_an_agent_may_ask_for_the_models_of_the_site_only(office: Office, settings: Settings) -> None:
    settings.MODEL_CHOICES = ["large"]
    assert "large" in office.api("get", office.team_agents)["models"]
    office.create(office.team_agents, model="large")
    assert office.listed(office.project_agents)["review"]["model"] == "large"
    settings.MODEL_CHOICES = []
    found = office.listed(office.project_agents)["review"]
    assert found["model"] == ""
    assert "not offered" in found["problems"][0]


def test_a_session_knows_its_agents_and_whom_they_may_call(office: Office) -> None:
    office.create(office.team_agents)
    office.create(office.team_agents, "inner", mode="subagent", hidden=True)
    session = office.open_session()
    answer = office.api("get", f"/sessions/{session.public_id}/agents")
    assert answer["current"] == "build"
    assert [item["name"] for item in answer["items"]] == ["build", "plan", "general", "explore", "inner", "review"]
    assert answer["callable"] == ["general", "explore", "review"]


def test_whom_an_agent_may_not_call_is_not_offered_to_it(office: Office) -> None:
    office.create(
        office.team_agents, "build", permission=[{"permission": "task", "pattern": "general", "action": "deny"}]
    )
    session = office.open_session()
    assert office.api("get", f"/sessions/{session.public_id}/agents")["callable"] == ["explore"]


def test_an_agent_is_explained_with_what_binds_it(office: Office) -> None:
    office.create(office.team_agents)
    session = office.open_session()
    found = office.api("get", f"/sessions/{session.public_id}/agents/explain?name=review")
    assert found["agent"]["permission"] == [DENY_EDIT]
    assert "agent review" in [layer["name"] for layer in found["preferences"]]
    assert DENY_EDIT in next(layer["rules"] for layer in found["limits"] if layer["name"] == "agent review")
    assert {"edit", "write", "plan_enter", "plan_exit"} <= set(found["hidden_tools"])
    assert "read" in found["tools"]
    office.api.error("get", f"/sessions/{session.public_id}/agents/explain?name=nobody", expect=404)


def default_in_file(name: str) -> dict[str, Any]:
    text = json.dumps({"default_agent": name})
    return {"documents": [{"path": "opencode.json", "text": text, "problem": ""}]}


def test_a_session_that_names_nobody_gets_who_the_project_or_its_repository_says(office: Office) -> None:
    said = {"path": "opencode.json", "name": "fast", "fields": {"mode": "primary"}, "rules": [], "problems": []}
    files = {"project_agents": {"agents": [said]}, "configuration": default_in_file("fast")}
    assert office.open_session(**files).agent == "fast"
    Project.objects.update(default_agent="plan")
    office.project.refresh_from_db()
    assert office.open_session(**files).agent == "plan"


def test_a_default_that_is_no_agent_for_people_is_passed_over(office: Office) -> None:
    assert office.open_session(configuration=default_in_file("explore")).agent == "build"
    office.create(office.team_agents, "build", disable=True)
    assert office.open_session().agent == "plan"


def test_agents_of_another_team_are_not_there(office: Office) -> None:
    made = office.create(office.team_agents)
    stranger = RestApi(make_member(make_team(), Role.OWNER))
    for method, body in (("get", None), ("patch", {"document": {}}), ("delete", None)):
        stranger.error(method, f"/agents/{made['id']}", body, expect=404)


def test_what_agents_there_are_takes_two_queries(office: Office, django_assert_num_queries: Any) -> None:
    from sessions_app.agents import effective_agents

    office.create(office.team_agents)
    session = office.open_session()
    with django_assert_num_queries(2):  # configuration documents, and agents of the site, the team and the project
        assert "review" in effective_agents(session)

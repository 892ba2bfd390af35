"""Stored configuration documents: of the site, a team, a project, a person and one session."""

import io
import json
import zipfile
from typing import Any

import pytest

from agentsite.tenancy.models import AuditEntry, Project
from agentsite.tenancy.roles import Role
from sessions_app.actions.sessions import create_session
from sessions_app.configured import configuration_of, stored_instructions
from sessions_app.models import Session
from sessions_app.queries.account_export import write_export
from tests.support.builders import make_member, make_project, make_team, make_user
from tests.support.rest_api import RestApi

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]


class Office:
    """A team with an owner, a member and a project."""

    def __init__(self) -> None:
        self.team = make_team()
        self.project: Project = make_project(self.team)
        self.owner, self.member = make_member(self.team, Role.OWNER), make_member(self.team, Role.MEMBER)
        self.api, self.members_api = RestApi(self.owner), RestApi(self.member)

    def save(self, place: str, *, base: int = 0, expect: int = 200, **fields: Any) -> dict[str, Any]:
        if "document" in fields:
            fields["text"] = json.dumps(fields.pop("document"))
        body = {**fields, "base_version": base}
        found: dict[str, Any] = self.api("put", f"/configurations/{place}", body, expect=expect)
        return found

    def open_session(self, **fields: Any) -> Session:
        return create_session(actor=self.owner, project=self.project, new_workspace=True, **fields)


@pytest.fixture
def office() -> Office:
    return Office()


def test_documents_of_team_project_and_person_apply_in_their_order(office: Office) -> None:
    for place, reserved in ((office.team, 1), (office.owner, 2), (office.project, 3)):
        saved = office.save(place.public_id, document={"compaction": {"reserved": reserved, "auto": reserved != 2}})
        assert (saved["version"], saved["changed_by"]["email"]) == (1, office.owner.email)
    merged = configuration_of(office.open_session())
    assert merged.value("compaction", "reserved") == 3
    overridden = merged.effective["compaction", "reserved"].overridden
    assert [each.source.origin for each in overridden] == ["team", "person"]
    of_member = create_session(actor=office.member, project=office.project)
    overridden = configuration_of(of_member).effective["compaction", "reserved"].overridden
    assert [each.source.origin for each in overridden] == ["team"]


def test_instructions_of_every_level_are_read_by_agents_from_the_weakest_on(office: Office) -> None:
    office.save(office.project.public_id, instructions="Use tabs.")
    office.save(office.team.public_id, instructions="Be brief.")
    office.save(office.owner.public_id, instructions="Answer in English.")
    assert stored_instructions(office.open_session()) == [
        {"path": "the configuration of the team", "text": "Be brief."},
        {"path": "the configuration of the person", "text": "Answer in English."},
        {"path": "the configuration of the project", "text": "Use tabs."},
    ]


FILES = {"instructions": ["docs/*.md"], "skills": {"paths": ["skills"]}, "mcp": {"x": {"url": "https://x.example"}}}


def test_what_does_not_apply_is_named_with_its_reason(office: Office) -> None:
    document = {"agent": {"x": {"prompt": "y"}}, "permission": {"bash": "allow"}, "theme": "dark", "modell": "x"}
    notes = office.save(office.team.public_id, document=document)["notes"]
    assert {each["key"]: (each["status"], each["reason"]) for each in notes} == {
        "agent.x.prompt": ("elsewhere", "Agents of the site, a team or a project are defined on the page Agents."),
        "permission.bash": ("elsewhere", "Rules of the site, a team or a project are part of its policy."),
        "theme": ("elsewhere", "It is a setting of OpenCode's terminal; this site is used in a browser."),
        "modell": ("unknown", "There is no such key. Did you mean `model`?"),
    }
    own = office.save(office.owner.public_id, document={**document, **FILES})["notes"]
    assert {each["key"] for each in own} == {"theme", "modell", "instructions", "skills.paths", "mcp.x.url"}
    ours = office.save(office.project.public_id, document=FILES)["notes"]
    assert [each["key"] for each in ours] == ["mcp.x.url"]


WITH_KEY = '{"provider": {"x": {"options": {"apiKey": "sk-1"}}}}'


@pytest.mark.parametrize("text", ["{", "[]", WITH_KEY, "x" * 70_000], ids=["broken", "list", "key", "long"])
def test_a_text_that_is_no_document_or_has_a_key_is_refused(office: Office, text: str) -> None:
    error = office.save(office.team.public_id, text=text, expect=400)["error"]
    assert list(error["fields"]) == ["text"]
    assert office.api("get", f"/configurations/{office.team.public_id}")["version"] == 0


def test_somebody_elses_change_is_not_overwritten(office: Office) -> None:
    place = office.project.public_id
    office.save(place, instructions="One.")
    error = office.save(place, instructions="Two.", expect=409)["error"]
    assert error["code"] == "stale_configuration"
    assert office.save(place, base=1, instructions="Three.")["version"] == 2


def test_members_read_the_teams_document_and_nobody_reads_another_persons(office: Office) -> None:
    office.save(office.team.public_id, instructions="Ours.")
    found = office.members_api("get", f"/configurations/{office.team.public_id}")
    assert (found["instructions"], found["can_edit"]) == ("Ours.", False)
    body = {"instructions": "Mine.", "base_version": 1}
    office.members_api.error("put", f"/configurations/{office.team.public_id}", body, expect=403)
    office.members_api.error("get", f"/configurations/{office.owner.public_id}", expect=404)
    office.members_api.error("put", "/configurations/site", {**body, "base_version": 0}, expect=403)
    stranger = RestApi(make_user())
    stranger.error("get", f"/configurations/{office.team.public_id}", expect=404)
    stranger.error("get", "/configurations/nonsense", expect=404)


def test_agents_commands_and_rules_of_a_person_follow_into_every_project_and_nobody_else(office: Office) -> None:
    document = {
        "agent": {"tea": {"prompt": "Talk of tea.", "mode": "primary"}},
        "command": {"brew": {"template": "Brew $1."}},
        "permission": {"bash": "deny"},
    }
    office.save(office.owner.public_id, document=document)
    other = make_project(office.team)
    mine = [create_session(actor=office.owner, project=each, new_workspace=True) for each in (office.project, other)]
    theirs = create_session(actor=office.member, project=office.project, new_workspace=True)
    seen = []
    for api, session in [*((office.api, each) for each in mine), (office.members_api, theirs)]:
        path = f"/sessions/{session.public_id}"
        commands = {each["name"] for each in api("get", f"{path}/commands")["items"]}
        agents = {each["name"] for each in api("get", f"{path}/agents")["items"]}
        hidden = api("get", f"{path}/agents/explain?name=build")["hidden_tools"]
        seen.append(("tea" in agents, "brew" in commands, "bash" in hidden))
    assert seen == [(True, True, True), (True, True, True), (False, False, False)]


def test_saving_is_audited_without_what_a_person_configures_for_themselves(office: Office) -> None:
    office.save(office.team.public_id, document={"share": "disabled"})
    office.save(office.owner.public_id, document={"share": "disabled"})
    entries = AuditEntry.objects.filter(action="configuration_document.saved").order_by("id")
    assert sorted(entry.data["keys"] for entry in entries) == [[], ["share"]]


def test_a_session_has_a_configuration_of_its_own(office: Office) -> None:
    office.save(office.project.public_id, document={"compaction": {"reserved": 3}})
    config = {
        "compaction": {"reserved": 7},
        "agent": {"tea": {"prompt": "Talk of tea.", "mode": "primary"}},
        "default_agent": "tea",
        "permission": {"bash": "deny"},
        "mcp": FILES["mcp"],
    }
    path = f"/projects/{office.project.public_id}/sessions"
    made = office.api("post", path, {"new_workspace": True, "config": config}, expect=201)
    assert made["agent"] == "tea"
    session = Session.objects.select_related("project", "workspace").get()
    assert configuration_of(session).value("compaction", "reserved") == 7
    shown = office.api("get", f"/sessions/{session.public_id}/config")["items"]
    assert {each["key"]: each["status"] for each in shown}["mcp.x.url"] == "elsewhere"
    explained = office.api("get", f"/sessions/{session.public_id}/agents/explain?name=tea")
    assert "bash" in explained["hidden_tools"]


def test_a_configuration_of_a_session_that_is_not_understood_is_refused(office: Office) -> None:
    path = f"/projects/{office.project.public_id}/sessions"
    error = office.api.error("post", path, {"config": {"modle": "x", "share": 3}}, expect=400)
    assert set(error["fields"]) == {"config.modle", "config.share"}
    error = office.api.error("post", path, {"config": {"default_agent": "nobody"}}, expect=400)
    assert "nobody" in error["message"]


def test_a_persons_document_is_in_the_export_of_their_data(office: Office) -> None:
    office.save(office.owner.public_id, document={"share": "disabled"}, instructions="Be kind.")
    office.save(office.team.public_id, instructions="Ours.")
    packed = io.BytesIO()
    write_export(office.owner, packed)
    (row,) = json.loads(zipfile.ZipFile(packed).read("configuration.json"))
    assert (json.loads(row["text"]), row["instructions"]) == ({"share": "disabled"}, "Be kind.")

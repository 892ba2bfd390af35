"""Configuration defaults that an organisation publishes at a URL are read by a guarded process. If this fails, the
stored defaults remain in use."""

import json
from collections.abc import Iterator
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agentsite.base.background import background
from agentsite.tenancy.models import AuditEntry
from agentsite.tenancy.roles import Role
from sessions_app.actions import defaults as actions
from sessions_app.actions.sessions import create_session
from sessions_app.agents import effective_agents
from sessions_app.configured import configuration_of, document_rules
from sessions_app.models import Configuration, Session
from sessions_app.workers.door import defaults as door
from tests.support.builders import make_member, make_project, make_team, make_user
from tests.support.rest_api import RestApi
from tests.support.web_server import WebServer, page, serving

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]

PUBLISHED = {
    "auth": {"command": ["company", "login"], "env": "COMPANY_TOKEN"},
    "config": {
        "compaction": {"reserved": 5, "tail_turns": 3},
        "command": {"ticket": {"template": "Write a ticket."}},
        "agent": {"scribe": {"prompt": "You write.", "mode": "primary"}},
        "permission": {"webfetch": "deny", "bash": "allow"},
        "mcp": {"jira": {"type": "remote", "url": "https://jira.example/mcp", "headers": {"X-Key": "planted"}}},
        "theme": "dark",
    },
}


class Office:
    """A team with an owner, a member and a project, and a web server that publishes the team's defaults."""

    def __init__(self, server: WebServer) -> None:
        self.server, self.address = server, f"http://{server.place}"
        self.team = make_team()
        self.project = make_project(self.team)
        self.owner, self.member = make_member(self.team, Role.OWNER), make_member(self.team, Role.MEMBER)
        self.api = RestApi(self.owner)
        self.path = f"/configurations/{self.team.public_id}"

    def publish(self, document: Any) -> None:
        said = document if isinstance(document, bytes) else page(json.dumps(document), "application/json")
        self.server.pages = {"/.well-known/opencode": said}

    def read(self, address: str = "") -> dict[str, Any]:
        """Set the address of the defaults, let the door (the network proxy) read them, and return the stored
        document."""
        self.api("put", f"{self.path}/defaults", {"address": address or self.address})
        self.refresh()
        found: dict[str, Any] = self.api("get", self.path)
        return found

    def refresh(self) -> None:
        door.refresh_defaults(Configuration.objects.get(place=self.team.public_id).pk)

    def session(self) -> Session:
        return create_session(actor=self.owner, project=self.project, new_workspace=True)


@pytest.fixture
def office(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    monkeypatch.setattr(door, "is_first", lambda *_: True)
    stack = AsyncExitStack()
    server = background.run(stack.enter_async_context(serving({})))
    settings.WEB_ALLOW = [server.place]
    yield Office(server)
    background.run(stack.aclose())


def test_they_are_the_weakest_level_of_every_project(office: Office) -> None:
    office.publish(PUBLISHED)
    shown = office.read()["defaults"]
    assert (shown["address"], shown["problem"]) == (office.address, "")
    assert shown["read_at"] == shown["tried_at"] or shown["read_at"] > shown["tried_at"]
    assert "planted" not in json.dumps(shown)
    assert {note["key"]: note["status"] for note in shown["notes"]} == {
        "mcp.jira.type": "elsewhere", "mcp.jira.url": "elsewhere", "mcp.jira.headers": "elsewhere",
        "theme": "elsewhere",
    }  # fmt: skip
    office.api("put", office.path, {"text": '{"compaction": {"reserved": 9}}', "base_version": 0})
    session = office.session()
    merged = configuration_of(session)
    assert (merged.value("compaction", "reserved"), merged.value("compaction", "tail_turns")) == (9, 3)
    assert merged.effective["compaction", "reserved"].overridden[0].source.name == office.address
    assert merged.value("command", "ticket", "template") == "Write a ticket."
    assert effective_agents(session)["scribe"].is_selectable
    assert [(rule.permission, rule.action) for rule in document_rules(session)] == [
        ("webfetch", "deny"), ("bash", "allow"),
    ]  # fmt: skip


def test_the_last_ones_stay_while_the_address_is_down_and_the_pages_say_so(office: Office) -> None:
    office.publish(PUBLISHED)
    before = office.read()["defaults"]
    for broken in (page("", status="503 Down"), page("<h1>Hello</h1>"), page(b"\x89PNG\r\n\x1a\n", "image/png")):
        office.publish(broken)
        office.refresh()
        after = office.api("get", office.path)["defaults"]
        assert (after["text"], after["read_at"]) == (before["text"], before["read_at"])
        assert after["problem"].endswith(".")
        assert after["tried_at"] > before["tried_at"]
    session = office.session()
    assert configuration_of(session).value("compaction", "reserved") == 5
    problems = office.api("get", f"/sessions/{session.public_id}/config")["problems"]
    (said,) = [each["problem"] for each in problems if each["place"] == office.address]
    assert "still apply" in said
    office.publish({"config": {"compaction": {"reserved": 6}}})
    office.api("post", f"{office.path}/defaults/read", expect=202)
    office.refresh()
    assert office.api("get", office.path)["defaults"]["problem"] == ""
    assert configuration_of(office.session()).value("compaction", "reserved") == 6


def test_an_address_that_was_never_read_says_so(office: Office) -> None:
    assert "answered 404" in office.read()["defaults"]["problem"]
    session = office.session()
    (problem,) = office.api("get", f"/sessions/{session.public_id}/config")["problems"]
    assert "never been read" in problem["problem"]


@pytest.mark.parametrize(
    ("target", "why"),
    [("http://169.254.169.254/latest/meta-data/", "is refused"), ("https://elsewhere.example/", "another host")],
)
def test_a_redirect_to_another_host_is_not_followed(target: str, why: str, office: Office) -> None:
    office.publish(page("", status="302 Found", Location=target))
    assert why in office.read()["defaults"]["problem"]


def test_another_address_forgets_the_old_defaults_and_none_removes_them(office: Office) -> None:
    office.publish(PUBLISHED)
    office.read()
    office.api("put", f"{office.path}/defaults", {"address": "https://other.example/.well-known/opencode"})
    found = office.api("get", office.path)["defaults"]
    assert (found["address"], found["text"], found["read_at"]) == ("https://other.example", "", None)
    assert office.api("put", f"{office.path}/defaults", {"address": ""})["defaults"] is None
    assert configuration_of(office.session()).value("compaction", "reserved") is None
    office.api.error("post", f"{office.path}/defaults/read", expect=404)
    entries = AuditEntry.objects.filter(action="configuration_defaults.chosen").order_by("seq")
    assert [entry.data["address"] for entry in entries] == [office.address, "https://other.example", ""]


@pytest.mark.parametrize(
    "address",
    [
        "http://company.example", "company.example", "https://169.254.169.254", "https://localhost",
        "https://10.0.0.1", "https://company.example/config", "https://a:b@company.example", "ftp://x.example",
        "https://company.example:22",
    ],
)  # fmt: skip
def test_an_address_that_cannot_be_used_is_refused_with_the_reason(address: str, office: Office) -> None:
    error = office.api.error("put", f"{office.path}/defaults", {"address": address}, expect=400)
    assert error["fields"]["address"].endswith(".")
    assert not Configuration.objects.exclude(defaults_address="").exists()


def test_admins_choose_for_their_team_and_operators_for_the_site(office: Office) -> None:
    body = {"address": "https://company.example"}
    RestApi(office.member).error("put", f"{office.path}/defaults", body, expect=403)
    office.api.error("put", "/configurations/site/defaults", body, expect=403)
    for place in (office.project.public_id, office.owner.public_id):
        office.api.error("put", f"/configurations/{place}/defaults", body, expect=400)
    operator = make_user()
    operator.is_staff = True
    operator.save()
    assert RestApi(operator)("put", "/configurations/site/defaults", body)["defaults"]["address"] == body["address"]


def test_they_are_read_every_hour_and_sooner_after_a_failure(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    office.publish(PUBLISHED)
    office.read()
    enqueued: list[Any] = []
    monkeypatch.setattr(actions, "enqueue_defaults", enqueued.append)
    now = timezone.now()
    actions.enqueue_due_defaults(now + timedelta(minutes=30))
    assert enqueued == []
    actions.enqueue_due_defaults(now + timedelta(minutes=90))
    assert len(enqueued) == 1
    Configuration.objects.update(defaults_problem="It is down.")
    actions.enqueue_due_defaults(now + timedelta(minutes=6))
    assert len(enqueued) == 2

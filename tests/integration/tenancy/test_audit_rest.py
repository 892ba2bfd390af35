import csv
import io
import json
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from django.utils import timezone

from agentsite.tenancy.audit import record
from agentsite.tenancy.models import AuditEntry, Team, User
from agentsite.tenancy.roles import Role
from tests.support.builders import browser_of, make_member, make_project, make_team, make_user

pytestmark = pytest.mark.django_db

ACTIONS = ("policy.saved", "policy.rolled_back", "request.answered", "policyish")


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def owner(team: Team) -> User:
    owner = make_member(team, Role.OWNER)
    for action in ACTIONS:
        record(team_id=team.pk, actor=owner, action=action, subject="x", data={"reason": action})
    record(team_id=team.pk, actor=None, action="request.expired")
    record(team_id=make_team().pk, actor=owner, action="elsewhere")
    return owner


def get(user: User, path: str) -> Any:
    return browser_of(user).get(f"/api/v1/teams/{path}")


def listed(answer: Any) -> list[str]:
    return [item["action"] for item in answer.json()["items"]]


def test_the_log_is_listed_newest_first(team: Team, owner: User) -> None:
    answer = get(owner, f"{team.public_id}/audit")
    assert listed(answer) == ["request.expired", *reversed(ACTIONS)]
    entry = answer.json()["items"][-1]
    assert (entry["seq"], entry["actor"], entry["data"]) == (1, owner.public_id, {"reason": "policy.saved"})
    assert len(entry["digest"]) == 64


def test_it_is_narrowed_by_action_or_kind_of_action(team: Team, owner: User) -> None:
    assert listed(get(owner, f"{team.public_id}/audit?action=policy.saved")) == ["policy.saved"]
    assert listed(get(owner, f"{team.public_id}/audit?action=policy")) == ["policy.rolled_back", "policy.saved"]
    assert listed(get(owner, f"{team.public_id}/audit?action=nothing")) == []


def test_it_is_narrowed_by_who_did_it(team: Team, owner: User) -> None:
    assert listed(get(owner, f"{team.public_id}/audit?actor=site")) == ["request.expired"]
    assert len(listed(get(owner, f"{team.public_id}/audit?actor={owner.public_id}"))) == len(ACTIONS)


@pytest.mark.parametrize("name", ["action", "actor"])
def test_a_filter_that_no_database_takes_is_refused(team: Team, owner: User, name: str) -> None:
    assert get(owner, f"{team.public_id}/audit?{name}=%00").status_code == 400


def test_pages_follow_each_other(team: Team, owner: User) -> None:
    first = get(owner, f"{team.public_id}/audit?limit=3").json()
    rest = get(owner, f"{team.public_id}/audit?limit=3&cursor={first['next_cursor']}").json()
    assert [item["seq"] for item in first["items"] + rest["items"]] == [5, 4, 3, 2, 1]
    assert rest["next_cursor"] is None


@pytest.mark.parametrize("role", [Role.MEMBER, Role.VIEWER])
def test_only_those_who_run_the_team_read_and_verify_it(team: Team, owner: User, role: Role) -> None:
    browser: Client = browser_of(make_member(team, role))
    assert browser.get(f"/api/v1/teams/{team.public_id}/audit").status_code == 403
    assert browser.post(f"/api/v1/teams/{team.public_id}/audit/verify").status_code == 403


def verification(team: Team, user: User) -> Any:
    return browser_of(user).post(f"/api/v1/teams/{team.public_id}/audit/verify").json()


def test_a_whole_chain_has_no_faults(team: Team, owner: User) -> None:
    last = AuditEntry.objects.filter(chain__team=team).order_by("seq").last()
    assert last is not None
    assert verification(team, owner) == {"entries": 5, "head": last.digest, "faults": []}


def test_the_faults_of_a_broken_one_are_told(team: Team, owner: User) -> None:
    AuditEntry.objects.filter(chain__team=team, seq=2).update(actor_name="Eve")
    faults = verification(team, owner)["faults"]
    assert faults == [{"seq": 2, "problem": "its content is not what was recorded"}]


def test_a_team_without_entries_has_an_empty_chain() -> None:
    team = make_team()
    assert verification(team, make_member(team, Role.ADMIN)) == {"entries": 0, "head": "", "faults": []}


def entry_at(team: Team, owner: User, days: int, **fields: Any) -> AuditEntry:
    """Create an audit entry that is `days` old. With it, the audit chain no longer verifies, which does not affect
    reading."""
    made = record(team_id=team.pk, actor=owner, action="call.decided", **fields)
    AuditEntry.objects.filter(pk=made.pk).update(at=timezone.now() - timedelta(days=days))
    return made


def test_it_is_narrowed_by_what_it_is_about_and_by_project(team: Team, owner: User) -> None:
    project = make_project(team)
    record(team_id=team.pk, actor=owner, action="call.decided", subject="call_1", project_id=project.pk)
    assert listed(get(owner, f"{team.public_id}/audit?subject=call_1")) == ["call.decided"]
    assert listed(get(owner, f"{team.public_id}/audit?project={project.public_id}")) == ["call.decided"]


def test_it_is_narrowed_by_time(team: Team, owner: User) -> None:
    entry_at(team, owner, 10)
    since = (timezone.now() - timedelta(days=5)).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert listed(get(owner, f"{team.public_id}/audit?until={since}")) == ["call.decided"]
    assert "call.decided" not in listed(get(owner, f"{team.public_id}/audit?since={since}"))
    assert get(owner, f"{team.public_id}/audit?since=yesterday").status_code == 400
    assert get(owner, f"{team.public_id}/audit?since=2026-01-01T00:00:00").status_code == 400


@pytest.mark.parametrize("text", ["teapot", "TEAPOT", "Küche 🍵", "a\\b", '"quoted"', "100%", "x_y"])
def test_it_is_searched_for_a_text(team: Team, owner: User, text: str) -> None:
    record(team_id=team.pk, actor=owner, action="call.decided", data={"pattern": f"the {text.lower()} is hot"})
    wanted = text if text.isascii() else text.lower()
    found = get(owner, f"{team.public_id}/audit?{urlencode({'text': wanted})}")
    assert listed(found) == ["call.decided"]


def private_entry(team: Team, creator: User) -> AuditEntry:
    data = {"session": "ses_1", "tool": "bash", "pattern": "rm secret-plan", "action": "ask"}
    return record(team_id=team.pk, actor=creator, action="call.decided", data=data, private_to=creator.public_id)


def test_of_a_private_session_others_read_that_something_happened_and_not_what(team: Team, owner: User) -> None:
    private_entry(team, make_member(team))
    entry = get(owner, f"{team.public_id}/audit?action=call.decided").json()["items"][0]
    assert (entry["private"], entry["data"]) == (True, {"private": True, "session": "ses_1", "action": "ask"})
    assert listed(get(owner, f"{team.public_id}/audit?text=secret-plan")) == []


def test_who_started_a_private_session_reads_all_of_it(team: Team, owner: User) -> None:
    private_entry(team, owner)
    entry = get(owner, f"{team.public_id}/audit?text=secret-plan").json()["items"][0]
    assert (entry["private"], entry["data"]["pattern"]) == (False, "rm secret-plan")


def exported(user: User, team: Team, query: str) -> Any:
    answer = get(user, f"{team.public_id}/audit/export?{query}")
    assert answer.status_code == 200, answer
    return answer


def body_of(answer: Any) -> str:
    async def read() -> bytes:
        return b"".join([piece async for piece in answer])

    return async_to_sync(read)().decode()


def test_it_is_exported_oldest_first_and_that_is_recorded(team: Team, owner: User) -> None:
    answer = exported(owner, team, "format=jsonl&action=policy")
    rows = [json.loads(line) for line in body_of(answer).splitlines()]
    assert [row["action"] for row in rows] == ["policy.saved", "policy.rolled_back"]
    assert answer.headers["Content-Disposition"] == 'attachment; filename="audit.jsonl"'
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    last = AuditEntry.objects.filter(chain__team=team).order_by("-seq").first()
    assert last is not None
    assert (last.action, last.data) == ("audit.exported", {"format": "jsonl", "filter": {"action": "policy"}})


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_of_an_export_is_a_formula(team: Team, owner: User, start: str) -> None:
    text = f'{start}HYPERLINK("https://evil.example")'
    record(team_id=team.pk, actor=make_user(name=text), action="call.decided", subject=text[:60], data={"x": text})
    rows = list(csv.DictReader(io.StringIO(body_of(exported(owner, team, "format=csv&action=call")), newline="")))
    assert rows[0]["actor_name"] == f"'{text}"
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_an_export_keeps_private_what_is_private(team: Team, owner: User) -> None:
    private_entry(team, make_member(team))
    assert "secret-plan" not in body_of(exported(owner, team, "format=csv")) + body_of(exported(owner, team, ""))


def test_a_long_log_is_exported_whole(team: Team, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentsite.tenancy.audit_export.PAGE_SIZE", 2)
    rows = [json.loads(line) for line in body_of(exported(owner, team, "")).splitlines()]
    assert [row["seq"] for row in rows] == [1, 2, 3, 4, 5, 6]


def test_how_long_it_is_kept_is_told_and_changed(team: Team, owner: User) -> None:
    path = f"/api/v1/teams/{team.public_id}/audit/retention"
    browser = browser_of(owner)
    assert browser.get(path).json() == {"days": None, "in_force": None, "cut_seq": 0}
    assert browser.put(path, {"days": 5}, content_type="application/json").status_code == 400
    told = browser.put(path, {"days": 90}, content_type="application/json").json()
    assert told == {"days": 90, "in_force": 90, "cut_seq": 0}
    admin = browser_of(make_member(team, Role.ADMIN))
    assert admin.put(path, {"days": None}, content_type="application/json").status_code == 403

from typing import Any

import pytest
from django.test import Client

from agentsite.tenancy.audit import record
from agentsite.tenancy.models import AuditEntry, Team, User
from agentsite.tenancy.roles import Role
from tests.support.builders import browser_of, make_member, make_team

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

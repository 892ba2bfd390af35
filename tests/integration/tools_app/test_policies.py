"""Saving, reading, comparing and rolling back policies, through the API as people do."""

from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from agentsite.tenancy.models import AuditEntry, Project, Team, User
from agentsite.tenancy.roles import Role
from tests.support.builders import browser_of, make_member, make_project, make_team, make_user
from tools_app.models import PolicyVersion
from tools_app.policies.current import current_policies, policies_of_projects

pytestmark = pytest.mark.django_db


@dataclass
class Office:
    """A team with an owner and a project, and requests of its people."""

    team: Team
    project: Project
    owner: User

    def call(self, method: str, path: str, body: Any = None, *, by: User | None = None) -> Any:
        browser: Client = browser_of(by or self.owner)
        return getattr(browser, method)(f"/api/v1{path}", body, content_type="application/json")

    def save(self, place: str, document: dict[str, Any], base: int = 0, *, by: User | None = None, **more: Any) -> Any:
        body = {"document": document, "base_version": base, **more}
        return self.call("put", f"/policies/{place}", body, by=by)


@pytest.fixture
def office() -> Office:
    team = make_team()
    return Office(team, make_project(team), make_member(team, Role.OWNER))


def rule(action: str, pattern: str, permission: str = "bash") -> dict[str, str]:
    return {"permission": permission, "pattern": pattern, "action": action}


def rules(*found: dict[str, str]) -> dict[str, Any]:
    return {"rules": list(found)}


def test_a_place_without_a_policy_shows_an_empty_one(office: Office) -> None:
    view = office.call("get", f"/policies/{office.team.public_id}").json()
    assert (view["version"], view["rules"], view["author"], view["created_at"]) == (0, [], None, None)
    assert (view["can_edit"], view["inherited"]) == (True, {"preset": "balanced", "preset_from": "default"})


def test_a_saved_policy_is_in_force_and_remembered_with_its_author_and_reason(office: Office) -> None:
    place = office.project.public_id
    view = office.save(place, rules(rule("deny", "rm *")), reason=" Too risky. ").json()
    assert (view["version"], view["reason"], view["author"]["id"]) == (1, "Too risky.", office.owner.public_id)
    assert office.call("get", f"/policies/{place}").json() == view
    policies = current_policies(team_id=office.team.pk, project_id=office.project.pk)
    assert [item.pattern for item in policies.rules("project")] == ["rm *"]
    assert policies.versions == (0, 0, 1)


def test_the_preset_above_is_named_with_who_chose_it(office: Office) -> None:
    office.save(office.team.public_id, {"preset": "cautious"})
    inherited = office.call("get", f"/policies/{office.project.public_id}").json()["inherited"]
    assert inherited == {"preset": "cautious", "preset_from": "team"}
    assert office.call("get", f"/policies/{office.team.public_id}").json()["inherited"]["preset"] == "balanced"


def test_who_looked_at_an_older_version_overwrites_nothing(office: Office) -> None:
    place = office.team.public_id
    office.save(place, rules(rule("deny", "a")))
    for base in (0, 2):
        answer = office.save(place, rules(rule("allow", "b")), base)
        error = answer.json()["error"]
        assert (answer.status_code, error["code"], error["fields"]) == (409, "stale_policy", {"version": "1"})
    assert PolicyVersion.objects.count() == 1


@pytest.mark.parametrize(
    ("document", "field"),
    [
        (rules({"permission": "bash", "pattern": "x", "action": "maybe"}), "document.rules.0.action"),
        (rules({"permission": "", "pattern": "x", "action": "ask"}), "document.rules.0.permission"),
        (rules({"permission": "bash", "pattern": "x" * 2001, "action": "ask"}), "document.rules.0.pattern"),
        (rules(*[rule("ask", "x")] * 501), "document.rules"),
        ({"enforced": [rule("ask", "x"), {"permission": "bash"}]}, "document.enforced.1.action"),
        ({"preset": "reckless"}, "document.preset"),
        ({"surprise": 1}, "document.surprise"),
        ({"options": {"wait_hours": 0}}, "document.options.wait_hours"),
        ({"options": {"wait_hours": 1e300}}, "document.options.wait_hours"),
        ({"options": {"always": {"team": "everybody"}}}, "document.options.always.team"),
        ({"options": {"loosenable": [{"permission": "bash"}]}}, "options.loosenable"),
        ({"expectations": [{"expect": "ask"}]}, "document.expectations.0"),
    ],
)
def test_a_document_that_means_nothing_is_refused_with_the_place(
    office: Office, document: dict[str, Any], field: str
) -> None:
    answer = office.save(office.project.public_id, document)
    assert answer.status_code == (422 if field == "document.surprise" else 400), answer.content
    assert field in answer.json()["error"]["fields"]
    assert not PolicyVersion.objects.exists()


@pytest.mark.parametrize("body", [{}, {"document": {}}, {"document": [], "base_version": 0}, {"base_version": 10**40}])
def test_a_body_that_is_none_is_refused(office: Office, body: Any) -> None:
    assert office.call("put", f"/policies/{office.team.public_id}", body).status_code == 400
    long = {"document": {}, "base_version": 0, "reason": "x" * 501}
    assert office.call("put", f"/policies/{office.team.public_id}", long).status_code == 400


def test_a_policy_that_breaks_its_own_expectation_is_not_saved(office: Office) -> None:
    document = {
        **rules(rule("allow", "rm *")),
        "expectations": [
            {"expect": "allow", "command": "rm -r x"},
            {"expect": "deny", "permission": "bash", "pattern": "rm -rf /"},
        ],
    }
    answer = office.save(office.team.public_id, document)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "expectation_failed")
    assert error["fields"] == {"expectations.1": "expected deny, would be allow: rule `allow bash rm *` of team"}
    assert not PolicyVersion.objects.exists()


def test_expectations_of_a_project_are_judged_under_the_team_and_the_site(office: Office) -> None:
    office.save(office.team.public_id, {"enforced": [rule("deny", "rm *")]})
    expecting = {**rules(rule("allow", "*")), "expectations": [{"expect": "deny", "command": "rm -r x"}]}
    assert office.save(office.project.public_id, expecting).status_code == 200


def test_members_read_policies_and_only_admins_change_them(office: Office) -> None:
    for role in (Role.MEMBER, Role.VIEWER):
        person = make_member(office.team, role)
        for place in (office.team.public_id, office.project.public_id):
            assert office.call("get", f"/policies/{place}", by=person).json()["can_edit"] is False
            assert office.save(place, {}, by=person).status_code == 403
            for verb, body in (("rollback", {"version": 0, "base_version": 0}), ("check", {"document": {}})):
                assert office.call("post", f"/policies/{place}/{verb}", body, by=person).status_code == 403
    admin = make_member(office.team, Role.ADMIN)
    assert office.save(office.project.public_id, {}, by=admin).status_code == 200


def test_the_sites_policy_belongs_to_the_people_who_run_the_site(office: Office) -> None:
    assert office.call("get", "/policies/site").json()["can_edit"] is False
    assert office.save("site", {}).status_code == 403
    operator = make_user()
    operator.is_staff = True
    operator.save()
    assert office.save("site", rules(rule("deny", "rm *")), by=operator).json()["version"] == 1
    assert current_policies(team_id=office.team.pk).rules("site")[0].pattern == "rm *"
    entry = AuditEntry.objects.get()
    assert (entry.chain.key, entry.chain.team, entry.actor) == ("site", None, operator.public_id)


def test_saving_leaves_an_audit_entry_with_the_difference(office: Office) -> None:
    place = office.project.public_id
    office.save(place, rules(rule("ask", "rm *")), reason="first")
    office.save(place, rules(rule("deny", "rm *")), 1, reason="second")
    entry = AuditEntry.objects.order_by("seq").last()
    assert entry is not None
    assert (entry.action, entry.actor, entry.chain.team) == ("policy.saved", office.owner.public_id, office.team)
    assert (entry.data["place"], entry.data["version"], entry.data["reason"]) == (place, 2, "second")
    assert "-ask bash rm *\n+deny bash rm *\n" in entry.data["diff"]


def test_rolling_back_is_a_new_version_that_says_the_old_thing(office: Office) -> None:
    place = office.team.public_id
    office.save(place, {**rules(rule("ask", "a")), "preset": "cautious"})
    office.save(place, rules(rule("allow", "b")), 1)
    body = {"version": 1, "base_version": 2, "reason": "That was a mistake."}
    view = office.call("post", f"/policies/{place}/rollback", body).json()
    assert (view["version"], view["restored_from"], view["reason"]) == (3, 1, "That was a mistake.")
    assert (view["preset"], [item["pattern"] for item in view["rules"]]) == ("cautious", ["a"])
    entry = AuditEntry.objects.order_by("seq").last()
    assert entry is not None
    assert (entry.action, entry.data["restored_from"]) == ("policy.rolled_back", 1)
    assert office.call("post", f"/policies/{place}/rollback", body).status_code == 409
    missing = {**body, "version": 9, "base_version": 3}
    assert office.call("post", f"/policies/{place}/rollback", missing).status_code == 404


def test_rolling_back_to_before_the_first_version_empties_the_policy(office: Office) -> None:
    office.save(office.team.public_id, rules(rule("ask", "a")))
    body = {"version": 0, "base_version": 1}
    assert office.call("post", f"/policies/{office.team.public_id}/rollback", body).json()["rules"] == []


def test_versions_are_listed_newest_first_with_what_they_changed(office: Office) -> None:
    place = office.team.public_id
    office.save(place, rules(rule("ask", "a")))
    office.save(place, rules(rule("ask", "a"), rule("deny", "b")), 1)
    office.save(place, {"preset": "cautious"}, 2)
    page = office.call("get", f"/policies/{place}/versions?limit=2").json()
    assert [(item["version"], item["changes"]) for item in page["items"]] == [
        (3, "2 rules removed, preset cautious"),
        (2, "1 rule added"),
    ]
    rest = office.call("get", f"/policies/{place}/versions?limit=2&cursor={page['next_cursor']}").json()
    assert [(item["version"], item["changes"]) for item in rest["items"]] == [(1, "1 rule added")]
    assert rest["next_cursor"] is None


def test_two_versions_are_compared(office: Office) -> None:
    place = office.team.public_id
    for base, pattern in enumerate(("a", "b", "c")):
        office.save(place, rules(rule("ask", pattern)), base)
    compared = office.call("get", f"/policies/{place}/versions/3").json()
    assert compared["policy"]["version"] == 3
    assert "-ask bash b\n+ask bash c\n" in compared["diff"]
    assert "-ask bash a\n+ask bash c\n" in office.call("get", f"/policies/{place}/versions/3?against=1").json()["diff"]
    assert "+ask bash c\n" in office.call("get", f"/policies/{place}/versions/3?against=0").json()["diff"]


@pytest.mark.parametrize("version", ["0", "2", "-1", "x", "9" * 40, "1.0", "1e3"])
def test_a_version_that_is_none_is_missing(office: Office, version: str) -> None:
    office.save(office.team.public_id, {})
    place = f"/policies/{office.team.public_id}/versions"
    assert office.call("get", f"{place}/{version}").status_code == 404
    if version not in ("0", "2"):
        assert office.call("get", f"{place}/1?against={version}").status_code == 404


@pytest.mark.parametrize("place", ["nowhere", "tea_x", "prj_", "usr_" + "0" * 32, "SITE", "tea_" + "0" * 32])
def test_a_place_that_is_none_is_missing(office: Office, place: str) -> None:
    assert office.call("get", f"/policies/{place}").status_code == 404
    assert office.save(place, {}).status_code == 404


def test_a_draft_is_checked_without_being_saved(office: Office) -> None:
    place = office.project.public_id
    draft = {**rules(rule("deny", "rm *")), "expectations": [{"expect": "ask", "command": "rm -r x"}]}
    answer = office.call("post", f"/policies/{place}/check", {"document": draft}).json()
    assert answer["problems"] == []
    (checked,) = answer["expectations"]
    assert (checked["ok"], checked["expect"], checked["action"]) == (False, "ask", "deny")
    assert (checked["decision"]["layer"], checked["decision"]["rule"]["pattern"]) == ("project", "rm *")
    assert not PolicyVersion.objects.exists()


def test_the_problems_of_a_draft_are_listed_by_field(office: Office) -> None:
    draft = {"rules": [rule("never", "x")], "preset": 7}
    answer = office.call("post", f"/policies/{office.project.public_id}/check", {"document": draft}).json()
    assert sorted(item["field"] for item in answer["problems"]) == ["preset", "rules.0.action"]
    loosening = {"options": {"loosenable": [{"permission": "bash", "pattern": "*"}]}}
    answer = office.call("post", f"/policies/{office.project.public_id}/check", {"document": loosening}).json()
    assert [item["field"] for item in answer["problems"]] == ["options.loosenable"]


def test_presets_are_listed_with_their_rules(office: Office) -> None:
    items = office.call("get", "/presets").json()["items"]
    assert [item["name"] for item in items] == ["cautious", "balanced", "autonomous", "contained"]
    assert all(item["rules"] and item["description"] for item in items)


# what a workspace may use


def sandbox(**options: Any) -> dict[str, Any]:
    return {"options": {"sandbox": options}}


def test_limits_of_workspaces_are_kept_shown_and_compared(office: Office) -> None:
    place = office.team.public_id
    office.save(place, sandbox(memory_mib=2048, runtime="runsc"))
    view = office.call("get", f"/policies/{place}").json()
    assert view["options"]["sandbox"]["memory_mib"] == 2048
    document = {name: view[name] for name in ("preset", "rules", "enforced", "options", "expectations")}
    document["options"]["sandbox"]["memory_mib"] = 1024
    assert office.save(place, document, base=1).status_code == 200
    diff = office.call("get", f"/policies/{place}/versions/2").json()["diff"]
    assert "-sandbox.memory_mib = 2048" in diff
    assert "+sandbox.memory_mib = 1024" in diff
    policies = current_policies(team_id=office.team.pk, project_id=office.project.pk)
    assert (policies.sandbox().limits.memory_mib, policies.sandbox().runtime) == (1024, "runsc")


def test_a_limit_out_of_range_is_refused_with_its_field(office: Office) -> None:
    answer = office.save(office.team.public_id, sandbox(memory_mib=1))
    assert answer.status_code == 400
    assert "memory_mib" in str(answer.json()["error"]["fields"])


def test_a_project_does_not_say_how_many_workspaces_its_team_may_have(office: Office) -> None:
    answer = office.save(office.project.public_id, sandbox(workspaces=3))
    assert answer.status_code == 400
    assert list(answer.json()["error"]["fields"]) == ["options.sandbox.workspaces"]


def test_the_policies_of_many_projects_take_one_query(office: Office, django_assert_num_queries: Any) -> None:
    office.save(office.team.public_id, sandbox(pids=100))
    office.save(office.project.public_id, sandbox(pids=50))
    projects = [office.project, *(make_project(office.team) for _ in range(4)), make_project(make_team())]
    with django_assert_num_queries(1):
        found = policies_of_projects(projects)
    assert [found[project.pk].sandbox().limits.pids for project in projects] == [50, 100, 100, 100, 100, 512]

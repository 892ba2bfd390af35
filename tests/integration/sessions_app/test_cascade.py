"""The answer "always" also settles other permission requests that its grant fully allows, if the same people could
answer them."""

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from agentsite.tenancy.roles import Role
from sessions_app.actions import grants
from sessions_app.actions.permissions import reply_permission
from sessions_app.models import Grant, PermissionRequest, Turn, Workspace
from tests.support.asking import DEPLOYS, approved_by, audited, deployed, go_on, set_policy, waiting_turn
from tests.support.builders import make_project
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, snapshot_of, verify_events
from tests.support.threads import race


def request_of(turn: Turn) -> PermissionRequest:
    row: PermissionRequest = PermissionRequest.objects.select_related("session__project").get(turn=turn)
    return row


def two_waiting(site: SessionSite) -> tuple[PermissionRequest, PermissionRequest]:
    """Create permission requests for the same call in two sessions of the project."""
    first, second = waiting_turn(site), waiting_turn(site)
    return request_of(first), request_of(second)


def state_of(request: PermissionRequest) -> str:
    request.refresh_from_db()
    return request.state


def test_the_other_is_told_settled_and_run(site: SessionSite) -> None:
    first, other = two_waiting(site)
    before = snapshot_of(other.session_id)
    site.reply("always", scope="project", request=first)
    assert state_of(other) == "always"
    assert (other.answered_by, other.scope) == (site.user, "")
    assert "decision on another request" in other.message
    go_on(site, other.turn)
    assert deployed(site) == 2
    verify_events(other.session_id, before)


def test_a_teams_grant_settles_requests_of_its_other_projects(site: SessionSite) -> None:
    first = request_of(waiting_turn(site))
    site.project = make_project(site.team)
    Workspace.objects.filter(pk=site.workspace.pk).update(project=site.project)
    site.workspace.refresh_from_db()
    other = request_of(waiting_turn(site))
    assert other.session.project == site.project
    Workspace.objects.filter(pk=site.workspace.pk).update(project=first.session.project)
    site.reply("always", scope="team", request=first)
    assert state_of(other) == "always"


def test_what_needs_more_than_was_granted_waits_on(site: SessionSite) -> None:
    turn = waiting_turn(site, tool_call("bash", command="make deploy", workdir="/etc"))
    first, other = site.open_requests()
    site.reply("always", scope="project", request=first)
    assert state_of(other) == "open"
    assert go_on(site, turn).state == Turn.State.WAITING


def test_what_a_limit_asks_for_waits_on(site: SessionSite) -> None:
    first, other = two_waiting(site)
    set_policy(site.team, enforced=[{"permission": "bash", "pattern": "*", "action": "ask"}])
    site.reply("always", scope="project", request=first)
    assert state_of(other) == "open"


def test_what_an_admin_must_answer_is_not_settled_by_a_member(site: SessionSite) -> None:
    approved_by(site.team, "starter")
    site.user = site.member()
    mine = request_of(waiting_turn(site))
    site.user = site.member()
    theirs = request_of(waiting_turn(site))
    assert mine.started_by is not None
    reply_permission(actor=mine.started_by, request=mine, reply="always", scope="project")
    assert (state_of(mine), state_of(theirs)) == ("always", "open")


def test_an_admin_settles_what_belongs_to_others(site: SessionSite) -> None:
    approved_by(site.team, "starter")
    admin, site.user = site.member(Role.ADMIN), site.member()
    first, other = two_waiting(site)
    reply_permission(actor=admin, request=first, reply="always", scope="project")
    assert state_of(other) == "always"


def test_a_policy_that_became_stricter_meanwhile_counts_for_the_others_too(site: SessionSite) -> None:
    member = site.member()
    first, other = two_waiting(site)
    PermissionRequest.objects.filter(pk=other.pk).update(approvers="admin")
    reply_permission(actor=member, request=first, reply="always", scope="project")
    assert state_of(other) == "open"


def test_what_two_people_must_answer_is_settled_by_what_two_people_gave(site: SessionSite) -> None:
    approved_by(site.team, "two_people")
    first, other = two_waiting(site)
    site.reply("always", scope="project", request=first)
    assert state_of(other) == "open"
    reply_permission(actor=site.member(), request=first, reply="always", scope="project")
    assert (state_of(first), state_of(other)) == ("always", "always")


def test_what_two_people_must_answer_is_not_settled_by_what_one_gave(site: SessionSite) -> None:
    first, other = two_waiting(site)
    PermissionRequest.objects.filter(pk=other.pk).update(approvers="two_people")
    site.reply("always", scope="project", request=first)
    assert (state_of(first), state_of(other)) == ("always", "open")


def test_the_audit_log_says_which_answer_covered_it(site: SessionSite) -> None:
    first, other = two_waiting(site)
    site.reply("always", scope="project", request=first)
    entries = {entry.subject: entry.data for entry in audited(site.team, "request.answered")}
    assert entries[other.public_id]["covered_by"] == first.public_id
    assert "covered_by" not in entries[first.public_id]


def test_what_goes_wrong_with_another_leaves_it_waiting_and_the_answer_standing(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OperationalError("the database is busy")

    first, other = two_waiting(site)
    monkeypatch.setattr(grants, "judge_stored", fail)
    site.reply("always", scope="project", request=first)
    assert (state_of(first), state_of(other)) == ("always", "open")


def test_people_who_give_the_same_at_once_settle_everything_once(site: SessionSite) -> None:
    turns = [waiting_turn(site) for _ in range(4)]
    requests = [request_of(turn) for turn in turns]
    race(
        *(
            lambda request=request: reply_permission(actor=site.user, request=request, reply="always", scope="project")
            for request in requests
        )
    )
    assert {state_of(request) for request in requests} == {"always"}
    site.script(*[text("Done.")] * len(turns))
    for turn in turns:
        assert go_on(site, turn).state == Turn.State.COMPLETED
    assert deployed(site) == 4
    assert Grant.objects.count() >= 1


def test_requests_that_a_grant_does_not_speak_about_cost_nothing(site: SessionSite) -> None:
    """The answer "always" needs fewer than 40 database queries, although its grant does not cover fifty other open
    requests."""
    site.write("Makefile", "deploy:\n\ttrue\n")
    others = [tool_call("bash", command=f"./target{number}.sh") for number in range(50)]
    site.script(calls(DEPLOYS, *others), text("Done."))
    site.run_prompt()
    rows = list(site.open_requests())
    with CaptureQueriesContext(connection) as queries:
        site.reply("always", scope="session", request=rows[0])
    assert len(queries) < 40
    assert sum(row.state == "open" for row in site.open_requests()) == 50


def test_one_answer_looks_at_a_limited_number(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grants, "MAX_SETTLED", 2)
    turn = waiting_turn(site, *[DEPLOYS] * 5)
    site.reply("always", request=site.open_requests()[0])
    assert [row.state for row in PermissionRequest.objects.filter(turn=turn).order_by("id")] == [
        "always", "always", "always", "open", "open", "open",
    ]  # fmt: skip

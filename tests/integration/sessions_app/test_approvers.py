"""The policies at the time of a request and at the time of its answer decide who may answer; the stricter one
applies."""

import pytest

from agentsite.base.errors import Missing, NotAllowed, Stale
from agentsite.tenancy.models import Membership, User
from agentsite.tenancy.roles import Role
from sessions_app.actions.permissions import reply_permission
from sessions_app.actions.prompts import submit_prompt
from sessions_app.models import Grant, PermissionRequest, Turn
from tests.support.asking import DEPLOYS, approved_by, audited, deployed, go_on, waiting_turn
from tests.support.model_server import tool_call
from tests.support.session_site import SessionSite, snapshot_of, verify_events


def answer(person: User, site: SessionSite, reply: str = "once", **words: str) -> PermissionRequest:
    return reply_permission(actor=person, request=site.open_request(), reply=reply, **words)


def refused(person: User, site: SessionSite, reply: str = "once", **words: str) -> NotAllowed:
    with pytest.raises(NotAllowed) as caught:
        answer(person, site, reply, **words)
    assert site.open_request().approvals == []
    return caught.value


# starter, admin


def test_a_request_says_who_may_answer_and_who_started_the_turn(site: SessionSite) -> None:
    approved_by(site.team, "starter")
    turn = waiting_turn(site)
    (view,) = snapshot_of(turn.session_id)["permission_requests"]
    assert (view["approvers"], view["started_by_id"]) == ("starter", site.user.public_id)


def test_only_the_starter_or_an_admin_answers_where_the_policy_says_so(site: SessionSite) -> None:
    approved_by(site.project, "starter")
    starter, other = site.member(), site.member()
    site.user = starter
    turn = waiting_turn(site)
    assert "the person who started this turn, or an admin" in refused(other, site).message
    answer(starter, site)
    assert go_on(site, turn).state == Turn.State.COMPLETED


def test_an_admin_answers_for_the_starter(site: SessionSite) -> None:
    approved_by(site.team, "starter")
    site.user = site.member()
    waiting_turn(site)
    assert answer(site.member(Role.ADMIN), site).state == "once"


def test_whoever_joins_a_turn_with_a_prompt_did_not_start_it(site: SessionSite) -> None:
    approved_by(site.team, "starter")
    turn = waiting_turn(site)
    other = site.member()
    submit_prompt(actor=other, session=turn.session, text="Me too.")
    refused(other, site)


@pytest.mark.parametrize("reply", ["once", "always", "reject"])
def test_only_an_admin_gives_any_answer_where_the_policy_says_so(site: SessionSite, reply: str) -> None:
    approved_by(site.team, "admin")
    site.user = site.member()
    waiting_turn(site)
    assert refused(site.user, site, reply).message == "Only an admin of the team can answer this request."
    assert answer(site.member(Role.ADMIN), site, reply).state != "open"


def test_rights_are_those_of_the_moment_of_the_answer(site: SessionSite) -> None:
    approved_by(site.team, "admin")
    waiting_turn(site)
    person = site.member(Role.ADMIN)
    mine = Membership.objects.filter(user=person)
    mine.update(role=Role.MEMBER)
    refused(person, site)
    mine.delete()
    with pytest.raises(Missing):
        answer(person, site)


def test_the_strictest_of_the_policies_counts(site: SessionSite) -> None:
    approved_by(site.team, "admin")
    approved_by(site.project, "member")
    waiting_turn(site)
    assert site.open_request().approvers == "admin"


def test_a_policy_that_became_stricter_while_a_request_waits_counts_and_is_recorded(site: SessionSite) -> None:
    waiting_turn(site)
    approved_by(site.team, "admin")
    refused(site.member(), site)
    assert answer(site.user, site).approvers == "admin"
    (entry,) = audited(site.team, "request.answered")
    assert (entry.data["asked_under"], entry.data["approvers"]) == ("member", "admin")


def test_a_policy_that_became_looser_while_a_request_waits_does_not_count(site: SessionSite) -> None:
    approved_by(site.team, "admin")
    waiting_turn(site)
    approved_by(site.team, "member")
    refused(site.member(), site)


# two people


@pytest.fixture
def shared(site: SessionSite) -> Turn:
    approved_by(site.team, "two_people")
    return waiting_turn(site)


def test_a_first_yes_of_two_is_told_and_leaves_the_request_open(site: SessionSite, shared: Turn) -> None:
    before = snapshot_of(shared.session_id)
    row = answer(site.user, site)
    assert (row.state, row.answered_by) == ("open", None)
    assert go_on(site, shared).state == Turn.State.WAITING
    assert deployed(site) == 0
    (view,) = snapshot_of(shared.session_id)["permission_requests"]
    (approval,) = view["approvals"]
    assert (approval["person"]["id"], approval["reply"]) == (site.user.public_id, "once")
    verify_events(shared.session_id, before)


def test_the_second_yes_of_another_person_settles_it(site: SessionSite, shared: Turn) -> None:
    before = snapshot_of(shared.session_id)
    second = site.member()
    answer(site.user, site)
    row = answer(second, site)
    assert (row.state, row.answered_by, len(row.approvals)) == ("once", second, 2)
    assert go_on(site, shared).state == Turn.State.COMPLETED
    assert deployed(site) == 1
    verify_events(shared.session_id, before)


def test_nobody_says_yes_twice(site: SessionSite, shared: Turn) -> None:
    answer(site.user, site)
    with pytest.raises(Stale) as caught:
        answer(site.user, site, "always")
    assert caught.value.code == "already_approved"
    assert len(site.open_request().approvals) == 1


@pytest.mark.parametrize("change", [{"role": Role.VIEWER}, {"may_approve": False}, None])
def test_a_first_yes_of_somebody_who_may_no_longer_answer_is_none(
    site: SessionSite, shared: Turn, change: dict[str, object] | None
) -> None:
    gone, second, third = site.member(), site.member(), site.member()
    answer(gone, site)
    membership = Membership.objects.filter(user=gone)
    membership.update(**change) if change else membership.delete()
    row = answer(second, site)
    assert (row.state, [given["person"]["id"] for given in row.approvals]) == ("open", [second.public_id])
    assert answer(third, site).state == "once"


def test_two_people_of_one_policy_are_no_way_around_the_admin_of_another(site: SessionSite) -> None:
    approved_by(site.team, "admin")
    approved_by(site.project, "two_people")
    waiting_turn(site)
    assert refused(site.member(), site).message == "Only an admin of the team can answer this request."
    first = site.member(Role.ADMIN)
    answer(first, site)
    Membership.objects.filter(user=first).update(role=Role.MEMBER)
    assert answer(site.member(Role.ADMIN), site).state == "open"
    assert answer(site.member(Role.ADMIN), site).state == "once"


def test_who_said_yes_may_still_say_no(site: SessionSite, shared: Turn) -> None:
    answer(site.user, site)
    assert answer(site.user, site, "reject").state == "rejected"
    assert go_on(site, shared).state == Turn.State.ABORTED


def test_one_reject_is_enough(site: SessionSite, shared: Turn) -> None:
    answer(site.user, site)
    answer(site.member(), site, "reject", message="Not today.")
    assert go_on(site, shared).state == Turn.State.COMPLETED
    assert deployed(site) == 0


def test_once_and_always_count_as_once(site: SessionSite, shared: Turn) -> None:
    answer(site.user, site, "always", scope="project")
    assert answer(site.member(), site, "once").state == "once"
    assert not Grant.objects.exists()


def test_two_always_count_for_the_narrower_scope(site: SessionSite, shared: Turn) -> None:
    answer(site.user, site, "always", scope="team")
    row = answer(site.member(), site, "always", scope="session")
    assert (row.state, row.scope) == ("always", "session")
    assert Grant.objects.get().session_id == shared.session_id


def test_a_viewer_is_none_of_the_two(site: SessionSite, shared: Turn) -> None:
    assert "two of them" in refused(site.member(Role.VIEWER), site).message


def test_a_policy_that_comes_to_want_two_people_makes_the_next_yes_the_first(site: SessionSite) -> None:
    waiting_turn(site)
    approved_by(site.team, "two_people")
    row = answer(site.user, site)
    assert (row.state, row.approvers) == ("open", "two_people")
    assert answer(site.member(), site).state == "once"


def test_a_first_yes_does_not_outlive_the_time_limit(site: SessionSite, shared: Turn) -> None:
    answer(site.user, site)
    assert site.recover(later=24 * 3600 + 60)["requests"] == 1
    assert go_on(site, shared).state == Turn.State.COMPLETED
    assert deployed(site) == 0


def test_both_yeses_are_in_the_audit_log(site: SessionSite, shared: Turn) -> None:
    second = site.member()
    answer(site.user, site)
    row = answer(second, site)
    (approved,), (answered,) = audited(site.team, "request.approved"), audited(site.team, "request.answered")
    assert (approved.actor, approved.subject) == (site.user.public_id, row.public_id)
    assert (answered.actor, answered.data["first"]) == (second.public_id, site.user.public_id)


def test_several_waiting_calls_of_a_turn_are_answered_one_by_one(site: SessionSite) -> None:
    """Several waiting calls of a turn are answered one by one. A rejection with a reason settles its own request only;
    the turn continues when the last request is answered."""
    turn = waiting_turn(site, tool_call("bash", command="make clean"), DEPLOYS)
    first, second, third = site.open_requests()
    site.reply("reject", request=first, message="Not this one.")
    site.reply("reject", request=second, message="Nor this.")
    assert go_on(site, turn).state == Turn.State.WAITING
    site.reply("once", request=third)
    assert go_on(site, turn).state == Turn.State.COMPLETED
    assert [call.state for call in site.calls(turn)] == ["error", "error", "completed"]
    assert deployed(site) == 1

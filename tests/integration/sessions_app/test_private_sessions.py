"""A private session is visible only to its owner and the people they added, over every interface."""

from typing import Any

import pytest

from agentsite.base.errors import BadInput, Missing, NotAllowed
from agentsite.tenancy.models import AuditEntry, User
from agentsite.tenancy.roles import Role
from sessions_app.actions.audience import set_audience
from sessions_app.actions.permissions import reply_permission
from sessions_app.actions.questions import answer_question
from sessions_app.actions.sessions import create_session, update_session
from sessions_app.audience import readers_of
from sessions_app.models import (
    Attachment,
    Grant,
    Message,
    Part,
    PermissionRequest,
    Question,
    Session,
    ToolCall,
    Turn,
    WorkspaceNote,
)
from tests.support.builders import browser_of
from tests.support.model_server import calls, tool_call
from tests.support.session_site import SessionSite, open_child_session, snapshot_of, verify_events
from tests.support.sockets import do, open_socket, path_of
from tests.support.uploads import attach

BOUND = (Session, Turn, Message, Part, ToolCall, PermissionRequest, Question, Grant, Attachment, WorkspaceNote)
ASK = tool_call("question", questions=[{"question": "Tea?", "header": "Tea", "options": []}])


def private(site: SessionSite, *people: User) -> Session:
    """Create a private session that is shared with `people` and has database rows of many kinds: calls, a grant, a
    file, a note, a sub-agent's session."""
    site.script(calls(tool_call("bash", command="make secret"), ASK))
    turn = site.run_prompt("The word is saffron.")
    session = turn.session
    Grant.objects.create(
        team=site.team, project=site.project, session=session, scope="session", permission="bash", pattern="make secret"
    )
    attach(site, session, "saffron.txt", b"x")
    WorkspaceNote.objects.create(session=session, workspace=site.workspace, kind="started", text="saffron")
    open_child_session(actor=site.user, parent=session, agent="general", title="saffron below")
    ids = [person.public_id for person in people]
    return set_audience(actor=site.user, session=session, shared_with="private", people=ids)


def seen(model: Any, user: User) -> int:
    return int(model.objects.visible_to(user).count())


@pytest.mark.parametrize("model", BOUND, ids=lambda model: model.__name__)
def test_its_rows_are_seen_by_its_starter_and_guests_alone(site: SessionSite, model: Any) -> None:
    guest, admin, member = site.member(Role.VIEWER), site.member(Role.ADMIN), site.member()
    private(site, guest)
    assert seen(model, site.user) == seen(model, guest) > 0
    assert (seen(model, admin), seen(model, member)) == (0, 0)


def test_a_grant_for_the_project_is_seen_by_all_wherever_it_was_given(site: SessionSite) -> None:
    private(site)
    Grant.objects.create(team=site.team, project=site.project, scope="project", permission="bash", pattern="ls")
    assert list(Grant.objects.visible_to(site.member()).values_list("pattern", flat=True)) == ["ls"]


def test_no_route_that_lists_names_it_to_others(site: SessionSite) -> None:
    session = private(site)
    browser = browser_of(site.member(Role.ADMIN))
    for path in (
        "sessions",
        f"projects/{site.project.public_id}/sessions",
        "permission-requests",
        "questions",
        f"projects/{site.project.public_id}/grants",
        f"teams/{site.team.public_id}/grants",
    ):
        answer = browser.get(f"/api/v1/{path}")
        assert (answer.status_code, answer.json()["items"]) == (200, []), path
    assert browser.get(f"/api/v1/sessions/{session.public_id}/snapshot").status_code == 404


def test_a_guest_who_left_the_team_sees_nothing(site: SessionSite) -> None:
    guest = site.member()
    session = private(site, guest)
    assert set(readers_of(session)) == {site.user, guest}
    guest.memberships.all().delete()
    assert not Session.objects.visible_to(guest).exists()
    assert set(readers_of(session)) == {site.user}


def test_sub_agents_of_a_private_session_are_private_whoever_started_their_turn(site: SessionSite) -> None:
    guest = site.member()
    session = private(site, guest)
    child = open_child_session(actor=guest, parent=session, agent="general")
    grandchild = open_child_session(actor=guest, parent=child, agent="general")
    assert (child.shared_with, grandchild.shared_with, grandchild.root_id) == ("private", "private", session.pk)
    set_audience(actor=site.user, session=session, shared_with="private")
    assert not Session.objects.visible_to(guest).exists()


def test_a_child_cannot_be_shared_by_itself(site: SessionSite) -> None:
    child = open_child_session(actor=site.user, parent=site.open_session(), agent="general")
    with pytest.raises(BadInput):
        set_audience(actor=site.user, session=child, shared_with="private")


def test_going_private_and_back_is_told_in_the_log_of_it_and_its_children(site: SessionSite) -> None:
    session = site.open_session()
    child = open_child_session(actor=site.user, parent=session, agent="general")
    before, below = snapshot_of(session.pk), snapshot_of(child.pk)
    set_audience(actor=site.user, session=session, shared_with="private")
    verify_events(session.pk, before)
    verify_events(child.pk, below)
    assert (before["session"]["shared_with"], below["session"]["shared_with"]) == ("private", "private")
    set_audience(actor=site.user, session=session, shared_with="team")
    assert Session.objects.visible_to(site.member()).count() == 2


def test_each_change_is_in_the_audit_log_and_the_same_again_is_none(site: SessionSite) -> None:
    guest, session = site.member(), site.open_session()
    for _ in range(2):
        set_audience(actor=site.user, session=session, shared_with="private", people=[guest.public_id])
    entry = AuditEntry.objects.get(action="session.audience_changed")
    assert (entry.subject, entry.actor) == (session.public_id, site.user.public_id)
    assert entry.data == {"from": "team", "to": "private", "added": [guest.public_id], "removed": []}


def test_only_the_starter_says_who_sees_it(site: SessionSite) -> None:
    session = site.open_session()
    with pytest.raises(NotAllowed):
        set_audience(actor=site.member(Role.OWNER), session=session, shared_with="private")


@pytest.mark.parametrize("people", [["usr_" + "0" * 32], ["nonsense"], ["usr_\0"]])
def test_who_is_not_in_the_team_cannot_be_added(site: SessionSite, people: list[str]) -> None:
    with pytest.raises(BadInput):
        set_audience(actor=site.user, session=site.open_session(), shared_with="private", people=people)


def test_requests_and_questions_are_answered_by_those_who_see_it(site: SessionSite) -> None:
    admin, guest = site.member(Role.ADMIN), site.member()
    private(site, guest)
    request, question = site.open_request(), site.open_question()
    with pytest.raises(Missing):
        reply_permission(actor=admin, request=request, reply="once")
    with pytest.raises(Missing):
        answer_question(actor=admin, question=question, answers=[["yes"]])
    assert reply_permission(actor=guest, request=request, reply="once").state == "once"


def test_an_always_of_somebody_who_does_not_see_it_leaves_its_request_waiting(site: SessionSite) -> None:
    private(site)
    hidden = site.open_request()
    other = site.member(Role.ADMIN)
    site.script(calls(tool_call("bash", command="make secret")))
    site.run_prompt(session=create_session(actor=other, project=site.project, workspace=site.workspace))
    request = site.open_requests().exclude(pk=hidden.pk).get()
    reply_permission(actor=other, request=request, reply="always", scope="project")
    hidden.refresh_from_db()
    assert hidden.state == "open"


def test_admins_learn_that_it_is_there_and_may_stop_and_delete_it(site: SessionSite) -> None:
    session = private(site)
    browser = browser_of(site.member(Role.ADMIN))
    path = f"/api/v1/teams/{site.team.public_id}/private-sessions"
    answer = browser.get(path)
    (item,) = answer.json()["items"]
    assert item["id"] == session.public_id
    assert item["created_by"]["id"] == site.user.public_id
    assert "saffron" not in answer.content.decode()
    assert browser.post(f"{path}/{session.public_id}/abort").status_code == 202
    assert browser.delete(f"{path}/{session.public_id}").status_code == 204
    assert not Session.objects.filter(pk=session.pk).exists()


def test_members_do_not_even_learn_that_it_is_there(site: SessionSite) -> None:
    private(site)
    answer = browser_of(site.member()).get(f"/api/v1/teams/{site.team.public_id}/private-sessions")
    assert answer.status_code == 403


def test_an_admin_cannot_use_that_way_for_sessions_of_the_team(site: SessionSite) -> None:
    session = site.open_session()
    path = f"/api/v1/teams/{site.team.public_id}/private-sessions/{session.public_id}"
    assert browser_of(site.member(Role.ADMIN)).delete(path).status_code == 404


def test_the_audience_over_rest(site: SessionSite) -> None:
    guest, session = site.member(), site.open_session()
    path = f"/api/v1/sessions/{session.public_id}/audience"
    change = {"shared_with": "private", "people": [guest.public_id]}
    answer = browser_of(site.user).put(path, change, content_type="application/json")
    assert answer.status_code == 200, answer.content
    view = browser_of(guest).get(path).json()
    assert (view["shared_with"], view["may_change"]) == ("private", False)
    assert [person["id"] for person in view["people"]] == [guest.public_id]


async def test_a_socket_of_somebody_who_may_not_see_it_any_more_closes_at_once(site: SessionSite) -> None:
    member = await do(site.member)
    session = await do(site.open_session)
    async with open_socket(path_of(session), user=member) as socket:
        await socket.ask("hello", after=None)
        await do(set_audience, actor=site.user, session=session, shared_with="private")
        assert await socket.close_code() == 4404


async def test_notices_of_it_reach_those_who_see_it_and_nobody_else(site: SessionSite) -> None:
    member, guest = await do(site.member), await do(site.member)
    session, other = await do(site.open_session), await do(site.open_session)
    people = [guest.public_id]
    async with open_socket("/ws/me", user=member) as outside, open_socket("/ws/me", user=guest) as inside:
        await outside.ask("hello")
        await inside.ask("hello")
        await do(set_audience, actor=site.user, session=session, shared_with="private", people=people)
        await inside.wait_for("notice", kind="session.audience")
        await outside.wait_for("notice", kind="session.audience")
        await do(update_session, actor=site.user, session=session, title="saffron")
        told = await inside.wait_for("notice", kind="session.updated")
        assert told["data"]["title"] == "saffron"
        await do(update_session, actor=site.user, session=other, title="for all")
        await outside.wait_for("notice", session_id=other.public_id)
        assert "saffron" not in str(outside.seen)

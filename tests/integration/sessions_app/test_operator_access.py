"""Operators see no conversation, except one session for an hour, with a recorded reason that its team can see."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agentsite.tenancy.models import AuditEntry, User
from agentsite.tenancy.roles import Role
from sessions_app.models import OperatorAccess, Session
from tests.support.builders import bearer, browser_of, make_user
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite, snapshot_of, verify_events

REASON = "The session does not end, ticket 7"


@pytest.fixture
def session(site: SessionSite) -> Session:
    return site.open_session("Secret plans")


@pytest.fixture
def operator(transactional_db: None) -> User:
    user = make_user(name="Olga Operator")
    user.is_staff = True
    user.save()
    return user


def send(browser: Client, method: str, path: str, body: Any = None, *, expect: int = 200) -> Any:
    options = {} if body is None else {"data": body, "content_type": "application/json"}
    answer = getattr(browser, method)(f"/api/v1{path}", **options)
    assert answer.status_code == expect, answer.content
    return answer.json() if answer.content else None


def open_access(operator: User, session: Session, **more: Any) -> dict[str, Any]:
    body = {"session_id": session.public_id, "reason": REASON, **more}
    made: dict[str, Any] = send(browser_of(operator), "post", "/operator-accesses", body, expect=201)
    return made


def read(operator: User, access: dict[str, Any], *, expect: int = 200) -> Any:
    return send(browser_of(operator), "get", f"/operator-accesses/{access['id']}/snapshot", expect=expect)


def actions_of(team_id: Any) -> list[str]:
    rows = AuditEntry.objects.filter(action__startswith="operator.", chain__team=team_id).order_by("seq")
    return list(rows.values_list("action", flat=True))


def test_an_operator_reads_one_session_and_everybody_can_see_it(
    site: SessionSite, session: Session, operator: User
) -> None:
    before = snapshot_of(session.pk)
    access = open_access(operator, session)
    snapshot = read(operator, access)
    read(operator, access)

    assert snapshot["session"]["title"] == "Secret plans"
    assert snapshot["can_act"] is False
    notes = [note["text"] for note in snapshot_of(session.pk)["workspace_notes"] if note["kind"] == "operator"]
    assert notes[1] == f"An operator read this session: {REASON}"
    assert len(notes) == 2
    for chain in (site.team.pk, None):
        assert actions_of(chain) == ["operator.access_opened", "operator.session_read", "operator.session_read"]
    listed = RestApi(site.member(Role.ADMIN))("get", f"/teams/{site.team.public_id}/operator-accesses")["items"]
    assert (listed[0]["reason"], listed[0]["readings"]) == (REASON, 2)
    of_session = RestApi(site.member(Role.VIEWER))("get", f"/sessions/{session.public_id}/operator-accesses")
    assert of_session["items"][0]["operator"]["name"] == "Olga Operator"
    verify_events(session.pk, before)


def test_nothing_else_opens_with_it(site: SessionSite, session: Session, operator: User) -> None:
    open_access(operator, session)
    browser = browser_of(operator)
    for path in (
        f"/sessions/{session.public_id}",
        f"/sessions/{session.public_id}/messages",
        f"/teams/{site.team.public_id}",
    ):
        send(browser, "get", path, expect=404)
    assert send(browser, "get", "/sessions")["items"] == []


def test_an_access_ends_after_its_time(session: Session, operator: User) -> None:
    access = open_access(operator, session, minutes=5)
    OperatorAccess.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert read(operator, access, expect=409)["error"]["code"] == "access_over"


@pytest.mark.parametrize("change", [{"minutes": 61}, {"minutes": 0}, {"reason": "because"}, {"reason": " " * 30}])
def test_it_is_short_and_has_a_reason(session: Session, operator: User, change: dict[str, Any]) -> None:
    body = {"session_id": session.public_id, "reason": REASON, **change}
    error = send(browser_of(operator), "post", "/operator-accesses", body, expect=400)["error"]
    assert set(change) <= set(error["fields"])
    assert not OperatorAccess.objects.exists()


def test_an_admin_of_the_team_ends_it_at_once(site: SessionSite, session: Session, operator: User) -> None:
    access = open_access(operator, session)
    path = f"/operator-accesses/{access['id']}"
    RestApi(site.member())("delete", path, expect=403)
    RestApi(site.member(Role.ADMIN))("delete", path, expect=204)
    read(operator, access, expect=409)
    assert actions_of(site.team.pk)[-1] == "operator.access_ended"


def test_who_is_no_operator_opens_nothing_not_even_as_an_owner(site: SessionSite, session: Session) -> None:
    body = {"session_id": session.public_id, "reason": REASON}
    send(browser_of(site.user), "post", "/operator-accesses", body, expect=403)


def test_who_stops_being_an_operator_reads_no_more(session: Session, operator: User) -> None:
    access = open_access(operator, session)
    operator.is_staff = False
    operator.save()
    read(operator, access, expect=404)


def test_an_access_is_of_the_operator_who_opened_it(session: Session, operator: User) -> None:
    access = open_access(operator, session)
    other = make_user()
    other.is_staff = True
    other.save()
    read(other, access, expect=404)


def test_a_token_does_not_do_it_for_an_operator(session: Session, operator: User) -> None:
    body = {"session_id": session.public_id, "reason": REASON}
    headers = bearer(operator)
    answer = Client().post("/api/v1/operator-accesses", body, content_type="application/json", headers=headers)
    assert answer.status_code == 403


def test_a_private_session_says_it_too(site: SessionSite, session: Session, operator: User) -> None:
    Session.objects.filter(pk=session.pk).update(shared_with="private")
    assert read(operator, open_access(operator, session))["session"]["id"] == session.public_id
    listed = RestApi(site.member(Role.ADMIN))("get", f"/teams/{site.team.public_id}/operator-accesses")["items"]
    assert [row["session_id"] for row in listed] == [session.public_id]
    assert "Secret plans" not in str(listed)

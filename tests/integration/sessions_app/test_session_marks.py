"""Labels of a session, and the marks of each person: pinned and read."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from agentsite.base.errors import BadInput
from agentsite.tenancy.roles import Role
from sessions_app.actions.audience import set_audience
from sessions_app.actions.sessions import create_session, update_session
from sessions_app.models import Session, SessionMark, Turn
from tests.support.builders import browser_of
from tests.support.session_site import SessionSite


@pytest.fixture
def session(site: SessionSite) -> Session:
    return create_session(actor=site.user, project=site.project, title="tea")


def put_mark(browser: Client, session: Session, **change: bool) -> dict[str, object]:
    response = browser.put(f"/api/v1/sessions/{session.public_id}/mark", change, content_type="application/json")
    assert response.status_code == 200, response.content
    found: dict[str, object] = response.json()
    return found


def listed(browser: Client, query: str) -> list[str]:
    return [item["title"] for item in browser.get(f"/api/v1/sessions?{query}").json()["items"]]


def end_a_turn(session: Session) -> None:
    Turn.objects.create(session=session, state=Turn.State.COMPLETED, ended_at=timezone.now() + timedelta(seconds=1))


def test_a_pin_is_of_one_person_alone(site: SessionSite, session: Session) -> None:
    mine, other = browser_of(site.user), browser_of(site.member(Role.VIEWER))
    create_session(actor=site.user, project=site.project, title="coffee")
    assert put_mark(mine, session, pinned=True) == {"session_id": session.public_id, "pinned": True, "unread": False}
    assert listed(mine, "pinned=true") == ["tea"]
    assert listed(mine, "pinned=false") == ["coffee"]
    assert listed(other, "pinned=true") == []
    assert other.get("/api/v1/session-marks").json()["items"] == []
    put_mark(mine, session, pinned=False)
    assert listed(mine, "pinned=true") == []


def test_a_session_is_unread_after_a_turn_has_ended_until_one_looks(site: SessionSite, session: Session) -> None:
    browser = browser_of(site.user)
    assert browser.get("/api/v1/session-marks").json()["items"] == []
    put_mark(browser, session, seen=True)
    end_a_turn(session)
    [mark] = browser.get("/api/v1/session-marks").json()["items"]
    assert mark == {"session_id": session.public_id, "pinned": False, "unread": True}
    SessionMark.objects.update(seen_at=timezone.now() + timedelta(seconds=2))
    assert browser.get("/api/v1/session-marks").json()["items"] == []
    assert put_mark(browser, session, seen=False)["unread"] is True
    assert put_mark(browser, session, pinned=True)["unread"] is True


def test_a_mark_goes_with_the_right_to_see_the_session(site: SessionSite, session: Session) -> None:
    other = browser_of(site.member())
    put_mark(other, session, pinned=True)
    set_audience(actor=site.user, session=session, shared_with="private", people=[])
    assert other.get("/api/v1/session-marks").json()["items"] == []
    response = other.put(
        f"/api/v1/sessions/{session.public_id}/mark", {"pinned": False}, content_type="application/json"
    )
    assert response.status_code == 404


def test_labels_are_changed_by_every_member_and_found_as_a_whole(site: SessionSite, session: Session) -> None:
    row = update_session(actor=site.member(), session=session, labels=[" bug ", "ready to ship", "bug"])
    assert row.label_list == ["bug", "ready to ship"]
    browser = browser_of(site.user)
    assert listed(browser, "label=bug") == ["tea"]
    assert listed(browser, "label=ready") == []
    update_session(actor=site.user, session=session, labels=[])
    assert Session.objects.get().label_list == []
    assert listed(browser, "label=bug") == []


@pytest.mark.parametrize("labels", [[""], ["x" * 41], ["two\nlines"], [str(number) for number in range(11)]])
def test_a_label_that_cannot_be_used_is_refused(site: SessionSite, session: Session, labels: list[str]) -> None:
    with pytest.raises(BadInput):
        update_session(actor=site.user, session=session, labels=labels)

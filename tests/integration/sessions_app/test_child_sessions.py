"""A sub-agent's session inherits the denials of its parent session, but none of its permissions."""

from typing import Any

import pytest

from sessions_app.models import Grant, Session, SessionEvent
from sessions_app.policy import judge_needs, session_layers
from tests.support.asking import set_policy
from tests.support.builders import browser_of
from tests.support.session_site import SessionSite, open_child_session, snapshot_of
from tools_app.spec import PermissionNeed


def rule(permission: str, pattern: str, action: str) -> dict[str, str]:
    return {"permission": permission, "pattern": pattern, "action": action}


def child_of(site: SessionSite, parent: Session, agent: str = "build") -> Session:
    child = open_child_session(actor=site.user, parent=parent, agent=agent, title="Look around")
    return reloaded(child)


def reloaded(session: Session) -> Session:
    row: Session = Session.objects.select_related("project", "workspace").get(pk=session.pk)
    return row


def action(session: Session, permission: str, pattern: str) -> str:
    return judge_needs(session, [PermissionNeed(permission, (pattern,))]).action


@pytest.fixture
def parent(site: SessionSite) -> Session:
    session = site.open_session("Parent")
    session.rules = [rule("edit", "src/*", "deny"), rule("webfetch", "*", "allow")]
    session.save()
    return reloaded(session)


def test_what_the_parent_is_denied_the_child_is_denied(site: SessionSite, parent: Session) -> None:
    child = child_of(site, parent)
    assert action(child, "edit", "src/a.py") == "deny"
    child.rules = [rule("*", "*", "allow")]
    assert action(child, "edit", "src/a.py") == "deny"


def test_what_the_parent_is_allowed_does_not_reach_the_child(site: SessionSite, parent: Session) -> None:
    Grant.objects.create(
        team=site.team, project=site.project, session=parent, scope="session", permission="bash", pattern="./deploy *"
    )
    child = child_of(site, parent)
    for permission, pattern in (("webfetch", "https://example.org"), ("bash", "./deploy all")):
        assert action(parent, permission, pattern) == "allow"
        assert action(child, permission, pattern) == "ask"


def test_the_childs_own_agent_still_binds_it(site: SessionSite, parent: Session) -> None:
    assert action(child_of(site, parent, "plan"), "edit", "a.py") == "deny"


def test_a_child_of_a_bound_agent_is_bound_too(site: SessionSite) -> None:
    child = child_of(site, reloaded(site.open_session(agent="plan")))
    assert action(child, "edit", "a.py") == "deny"


def test_what_was_inherited_stays_when_the_parent_changes(site: SessionSite, parent: Session) -> None:
    child = child_of(site, parent)
    parent.rules = []
    parent.save()
    assert action(reloaded(child), "edit", "src/a.py") == "deny"


def test_bounds_are_handed_down_to_the_grandchild(site: SessionSite, parent: Session) -> None:
    grandchild = child_of(site, child_of(site, parent))
    assert action(grandchild, "edit", "src/a.py") == "deny"
    assert grandchild.workspace == parent.workspace


def test_limits_of_the_policies_bind_the_child_even_when_they_are_lifted_later(site: SessionSite) -> None:
    set_policy(site.team, enforced=[rule("bash", "rm *", "deny")])
    child = child_of(site, reloaded(site.open_session()))
    set_policy(site.team, enforced=[])
    assert action(child, "bash", "rm x") == "deny"


def test_the_child_is_shown_with_its_parent_and_its_bounds(site: SessionSite, parent: Session) -> None:
    child = child_of(site, parent)
    browser = browser_of(site.user)
    assert browser.get(f"/api/v1/sessions/{child.public_id}").json()["parent_id"] == parent.public_id
    assert snapshot_of(child.pk)["session"]["parent_id"] == parent.public_id
    assert snapshot_of(parent.pk)["session"]["parent_id"] is None
    shown = browser.get(f"/api/v1/sessions/{child.public_id}/rules").json()
    assert shown["inherited"] == child.inherited
    assert rule("edit", "src/*", "deny") in shown["inherited"][-1]["rules"]
    assert {layer["name"] for layer in shown["inherited"]} <= {layer["name"] for layer in shown["limits"]}


def test_the_log_of_the_child_begins_with_its_opening(site: SessionSite, parent: Session) -> None:
    child = child_of(site, parent)
    event = SessionEvent.objects.get(session=child)
    assert (event.type, event.data["parent_id"], child.last_seq) == ("session.created", parent.public_id, 1)


def test_reading_the_rules_of_a_session_takes_three_queries(
    site: SessionSite, parent: Session, django_assert_num_queries: Any
) -> None:
    set_policy(site.team, rules=[rule("bash", "rm *", "deny")])
    set_policy(site.project, rules=[rule("bash", "make *", "ask")])
    session = reloaded(parent)
    session_layers(session)  # what the versions say is read once and remembered
    with django_assert_num_queries(3):
        preferences, _ = session_layers(session)
    assert {"team", "project", "session"} <= {layer.name for layer in preferences}

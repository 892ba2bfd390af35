"""Webhooks in the API, and the deliveries that are stored for them."""

import json
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.core import mail
from django.db import transaction
from django.utils import timezone

from agentsite.base.errors import TooMany
from agentsite.tenancy.encryption import unseal
from agentsite.tenancy.models import AuditEntry, OutgoingMail, Team, User
from agentsite.tenancy.roles import Role
from sessions_app.webhooks.actions import MAX_WEBHOOKS_PER_TEAM, create_webhook
from sessions_app.webhooks.deliveries import (
    AttemptOutcome,
    claim_delivery,
    delete_old_deliveries,
    settle_delivery,
    wake_webhooks,
)
from sessions_app.webhooks.models import Delivery, Webhook
from sessions_app.webhooks.outbox import queue_webhook_deliveries
from tests.support.builders import browser_of, make_member, make_project, make_team
from tests.support.threads import of_kind, race

pytestmark = pytest.mark.django_db

URL = "https://hooks.example.org/agentsite"
TAKEN, FAILED = AttemptOutcome(204, 12), AttemptOutcome(500, 12, answer="sorry")


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def admin(team: Team) -> User:
    return make_member(team, Role.ADMIN)


def ask(user: User, method: str, path: str, body: Any = None) -> Any:
    return getattr(browser_of(user), method)(f"/api/v1{path}", body or {}, content_type="application/json")


def make(admin: User, team: Team, **fields: Any) -> dict[str, Any]:
    body = {"name": "CI", "url": URL, "events": ["turn.ended"], **fields}
    answer = ask(admin, "post", f"/teams/{team.public_id}/webhooks", body)
    assert answer.status_code == 201, answer.content
    made: dict[str, Any] = answer.json()
    return made


def tell(team: Team, *, line: str = "", place: int = 0, kind: str = "turn.ended", **more: Any) -> None:
    with transaction.atomic():
        queue_webhook_deliveries(kind, team_id=team.pk, data={"n": place}, line=line, place=place, **more)


def claim(at: Any = None) -> Delivery | None:
    return claim_delivery(Webhook.objects.get().pk, at or timezone.now())


def settle(outcome: AttemptOutcome, at: Any = None) -> Delivery:
    row = claim(at)
    assert row is not None
    settle_delivery(row, outcome, at or timezone.now())
    row.refresh_from_db()
    return row


# --- making and changing ------------------------------------------------------------------------------------------
def test_the_secret_is_shown_once_and_kept_sealed(team: Team, admin: User) -> None:
    made = make(admin, team)
    row = Webhook.objects.get()
    assert made["secret"].startswith("whsec_")
    assert made["secret"] not in row.secret
    assert unseal(row.secret) == made["secret"]
    assert "secret" not in ask(admin, "get", f"/webhooks/{made['id']}").json()


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://localhost/", "http://169.254.169.254/latest", "http://[::1]/", "http://10.0.0.1/",
        "https://hooks.example.org:22/", "ftp://hooks.example.org/", "https://user:pw@hooks.example.org/",
        "http://2130706433/", "http://intranet/", "http://db.internal/", "javascript:alert(1)", "x" * 2001, "a\tb",
    ],
)  # fmt: skip
def test_what_can_never_be_reached_is_refused_at_once(team: Team, admin: User, url: str) -> None:
    body = {"name": "x", "url": url, "events": ["turn.ended"]}
    answer = ask(admin, "post", f"/teams/{team.public_id}/webhooks", body)
    assert answer.status_code == 400
    assert "url" in answer.json()["error"]["fields"]


@pytest.mark.parametrize("events", [[], ["nonsense"], ["turn.ended", "nonsense"], ["ping"]])
def test_events_that_there_are_not_are_refused(team: Team, admin: User, events: list[str]) -> None:
    body = {"name": "x", "url": URL, "events": events}
    assert ask(admin, "post", f"/teams/{team.public_id}/webhooks", body).status_code == 400


def test_members_and_strangers_neither_see_nor_make_webhooks(team: Team, admin: User) -> None:
    made = make(admin, team)
    member, stranger = make_member(team), make_member(make_team(), Role.OWNER)
    for path in (f"/teams/{team.public_id}/webhooks", f"/webhooks/{made['id']}", f"/webhooks/{made['id']}/deliveries"):
        assert ask(member, "get", path).status_code == 403
        assert ask(stranger, "get", path).status_code == 404


def test_there_is_an_end_to_the_webhooks_of_a_team(team: Team, admin: User) -> None:
    for _ in range(20):
        make(admin, team)
    body = {"name": "x", "url": URL, "events": ["turn.ended"]}
    assert ask(admin, "post", f"/teams/{team.public_id}/webhooks", body).status_code == 429


@pytest.mark.django_db(transaction=True)
def test_requests_at_once_do_not_pass_the_limit_of_a_team(team: Team, admin: User) -> None:
    for _ in range(MAX_WEBHOOKS_PER_TEAM - 1):
        make(admin, team)
    one = partial(create_webhook, actor=admin, team=team, name="x", url=URL, events=["turn.ended"])
    outcomes = race(*[one] * 4)
    assert len(of_kind(outcomes, TooMany)) == 3
    assert Webhook.objects.count() == MAX_WEBHOOKS_PER_TEAM


def test_changes_are_recorded(team: Team, admin: User) -> None:
    made = make(admin, team)
    ask(admin, "patch", f"/webhooks/{made['id']}", {"name": "Build"})
    ask(admin, "post", f"/webhooks/{made['id']}/rotate")
    ask(admin, "delete", f"/webhooks/{made['id']}")
    actions = AuditEntry.objects.filter(subject=made["id"]).values_list("action", flat=True)
    assert list(actions) == ["webhook.created", "webhook.changed", "webhook.rotated", "webhook.deleted"]


def test_after_a_rotation_both_secrets_are_good_for_a_day(team: Team, admin: User) -> None:
    made = make(admin, team)
    rotated = ask(admin, "post", f"/webhooks/{made['id']}/rotate").json()
    row = Webhook.objects.get()
    assert (unseal(row.secret), unseal(row.old_secret)) == (rotated["secret"], made["secret"])
    assert row.old_secret_until is not None
    assert timedelta(hours=23) < row.old_secret_until - timezone.now() <= timedelta(days=1)


# --- the outbox ---------------------------------------------------------------------------------------------------
def test_only_those_that_want_it_are_told(team: Team, admin: User) -> None:
    project, other = make_project(team), make_project(team)
    everything, one = make(admin, team), make(admin, team, project_id=project.public_id)
    make(admin, team, project_id=other.public_id)
    make(admin, team, events=["session.created"])
    ask(admin, "patch", f"/webhooks/{make(admin, team)['id']}", {"enabled": False})
    tell(team, project_id=project.pk)
    told = {delivery.webhook.public_id for delivery in Delivery.objects.all()}
    assert told == {everything["id"], one["id"]}
    assert Delivery.objects.values("event_id").distinct().count() == 1


def test_what_is_rolled_back_is_not_told(team: Team, admin: User) -> None:
    make(admin, team)
    with transaction.atomic():
        queue_webhook_deliveries("turn.ended", team_id=team.pk, data={})
        transaction.set_rollback(True)
    assert not Delivery.objects.exists()


def test_a_body_says_what_where_and_when(team: Team, admin: User) -> None:
    make(admin, team)
    tell(team, path="/sessions/ses_1")
    row = Delivery.objects.get()
    body = json.loads(row.body)
    assert (body["id"], body["type"], body["team_id"]) == (row.event_id, "turn.ended", team.public_id)
    assert body["url"].endswith("/sessions/ses_1")


# --- deliveries ---------------------------------------------------------------------------------------------------
def test_the_events_of_a_session_go_one_after_the_other(team: Team, admin: User) -> None:
    make(admin, team)
    for place in (1, 2, 3):
        tell(team, line="ses_1", place=place)
    first = claim()
    assert first is not None
    assert claim() is None
    settle_delivery(first, TAKEN, timezone.now())
    assert [settle(TAKEN).place, settle(TAKEN).place] == [2, 3]


def test_one_that_failed_holds_up_its_own_session_only(team: Team, admin: User) -> None:
    make(admin, team)
    tell(team, line="ses_1", place=1)
    settle(FAILED)
    tell(team, line="ses_1", place=2)
    tell(team, line="ses_2", place=1)
    assert settle(TAKEN).line == "ses_2"
    assert claim() is None


def test_a_claimed_delivery_comes_back_when_its_worker_died(team: Team, admin: User) -> None:
    make(admin, team)
    tell(team)
    assert claim() is not None
    assert claim() is None
    assert claim(timezone.now() + timedelta(minutes=2)) is not None


def test_two_at_once_are_enough_for_one_receiver(team: Team, admin: User) -> None:
    make(admin, team)
    for number in range(3):
        tell(team, line=f"ses_{number}", place=1)
    assert [claim() is not None for _ in range(3)] == [True, True, False]


def test_a_failure_is_tried_again_later_and_written_down(team: Team, admin: User) -> None:
    made = make(admin, team)
    tell(team)
    row = settle(FAILED)
    assert (row.state, row.attempts) == ("waiting", 1)
    assert row.due_at > timezone.now()
    (listed,) = ask(admin, "get", f"/webhooks/{made['id']}/deliveries").json()["items"]
    assert (listed["last"]["status"], listed["last"]["answer"]) == (500, "sorry")
    details = ask(admin, "get", f"/deliveries/{listed['id']}").json()
    assert (details["body"], len(details["tries"])) == (row.body, 1)


def test_after_a_day_it_is_given_up(team: Team, admin: User) -> None:
    make(admin, team)
    tell(team)
    Delivery.objects.update(retry_since=timezone.now() - timedelta(hours=25))
    assert settle(FAILED).state == "given_up"


def test_it_can_be_sent_once_more(team: Team, admin: User) -> None:
    make(admin, team)
    tell(team, line="ses_1", place=1)
    row = settle(TAKEN)
    answer = ask(admin, "post", f"/deliveries/{row.public_id}/redeliver")
    assert (answer.status_code, answer.json()["state"], answer.json()["event_id"]) == (202, "waiting", row.event_id)
    assert settle(TAKEN).attempts == 2


def test_a_ping_waits_to_be_sent(team: Team, admin: User) -> None:
    made = make(admin, team)
    answer = ask(admin, "post", f"/webhooks/{made['id']}/ping")
    assert (answer.status_code, answer.json()["type"]) == (202, "ping")
    for _ in range(4):
        ask(admin, "post", f"/webhooks/{made['id']}/ping")
    assert ask(admin, "post", f"/webhooks/{made['id']}/ping").status_code == 429


def test_switched_off_it_is_neither_told_nor_pinged(team: Team, admin: User) -> None:
    made = make(admin, team)
    tell(team)
    ask(admin, "patch", f"/webhooks/{made['id']}", {"enabled": False})
    tell(team)
    assert [row.state for row in Delivery.objects.all()] == ["given_up"]
    assert ask(admin, "post", f"/webhooks/{made['id']}/ping").json()["error"]["code"] == "webhook_disabled"


def test_a_receiver_that_takes_nothing_for_days_is_switched_off_and_its_admins_told(team: Team, admin: User) -> None:
    make(admin, team)
    make_member(team)
    tell(team, line="ses_1", place=1)
    tell(team, line="ses_2", place=1)
    settle(FAILED)
    Webhook.objects.update(failing_since=timezone.now() - timedelta(days=3, minutes=1))
    settle(FAILED)
    row = Webhook.objects.get()
    assert not row.enabled
    assert row.disabled_why
    assert {each.state for each in Delivery.objects.all()} == {"given_up"}
    assert [letter.to for letter in OutgoingMail.objects.all()] + [to for one in mail.outbox for to in one.to] == [
        admin.email
    ]
    assert AuditEntry.objects.filter(action="webhook.disabled").exists()


def test_a_receiver_that_answers_410_is_switched_off_at_once(team: Team, admin: User) -> None:
    make(admin, team)
    tell(team)
    settle(AttemptOutcome(410, 1))
    assert not Webhook.objects.get().enabled


def test_one_that_takes_something_again_is_no_longer_failing(team: Team, admin: User) -> None:
    make(admin, team)
    tell(team)
    tell(team)
    settle(FAILED)
    assert Webhook.objects.get().failing_since is not None
    settle(TAKEN)
    assert Webhook.objects.get().failing_since is None


def test_what_is_due_is_woken_and_what_is_old_goes(team: Team, admin: User) -> None:
    make(admin, team)
    tell(team)
    assert wake_webhooks(timezone.now()) == 1
    settle(TAKEN)
    assert wake_webhooks(timezone.now()) == 0
    delete_old_deliveries(timezone.now() + timedelta(days=29))
    assert Delivery.objects.exists()
    delete_old_deliveries(timezone.now() + timedelta(days=31))
    assert not Delivery.objects.exists()

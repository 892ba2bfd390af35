"""Claim deliveries, record their attempts, schedule retries and delete old ones.

A delivery is leased to the worker that sends it. If the worker dies, the lease expires and the delivery is sent again:
receivers may get an event twice, but do not miss one within a day.
"""

import random
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from agentsite.base.ids import to_public
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.mail import send_mail_later
from agentsite.tenancy.models import Membership
from agentsite.tenancy.roles import PERMITTED, Act
from sessions_app.queueing import enqueue_webhook
from sessions_app.webhooks.actions import cancel_waiting_deliveries
from sessions_app.webhooks.models import Delivery, DeliveryAttempt, Webhook
from sessions_app.webhooks.retries import DISABLE_AFTER, GIVE_UP_AFTER, next_try

LEASE: Final = timedelta(seconds=90)
MAX_CONCURRENT: Final = 2  # deliveries of one webhook in progress
KEEP_FOR: Final = timedelta(days=30)
BATCH: Final = 500
HTTP_GONE: Final = 410
WAITING: Final = Delivery.State.WAITING


@dataclass(frozen=True, slots=True)
class AttemptOutcome:
    """The outcome of one attempt to send a delivery. If there was no response, `status` is 0 and `problem` says why."""

    status: int
    milliseconds: int
    answer: str = ""
    problem: str = ""

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300


def claim_delivery(webhook_id: uuid.UUID, now: datetime) -> Delivery | None:
    """Lease and return the next due delivery of a webhook; None if none is due, or if enough deliveries of the webhook
    are in progress."""
    with sqlite_write_lock(), transaction.atomic():
        hook = Webhook.objects.select_for_update(no_key=True).filter(pk=webhook_id, enabled=True).first()
        if hook is None or _waiting(hook.pk).filter(lease_until__gt=now).count() >= MAX_CONCURRENT:
            return None
        row = due_deliveries(now).filter(webhook=hook).order_by("due_at", "id").first()
        if row is not None:
            row.webhook, row.lease_until = hook, now + LEASE
            row.save(update_fields=["lease_until"])
        return row


def due_deliveries(now: datetime) -> QuerySet[Delivery]:
    """Return the deliveries of enabled webhooks that are due and leased by no worker. A delivery with a `line` is left
    out while an earlier delivery of the same line is waiting."""
    earlier = Delivery.objects.filter(
        webhook=OuterRef("webhook"), line=OuterRef("line"), state=WAITING, place__lt=OuterRef("place")
    )
    free = Q(lease_until=None) | Q(lease_until__lte=now)
    first = Q(line="") | ~Exists(earlier)
    return Delivery.objects.filter(free, first, state=WAITING, due_at__lte=now, webhook__enabled=True)


def settle_delivery(delivery: Delivery, outcome: AttemptOutcome, now: datetime) -> None:
    """Record an attempt to send a delivery. If the attempt failed, schedule the next one, give up the delivery, or
    disable the webhook."""
    with sqlite_write_lock(), transaction.atomic():
        hook = Webhook.objects.select_for_update(no_key=True).filter(pk=delivery.webhook_id).first()
        row = Delivery.objects.filter(pk=delivery.pk).first()
        if hook is None or row is None:
            return
        row.attempts += 1
        DeliveryAttempt.objects.create(
            delivery=row, number=row.attempts, at=now, milliseconds=outcome.milliseconds, status=outcome.status,
            answer=outcome.answer, problem=outcome.problem[:300],
        )  # fmt: skip
        _move_on(row, outcome, now)
        row.save(update_fields=["attempts", "state", "due_at", "settled_at", "lease_until"])
        _judge(hook, outcome, now)


def _move_on(row: Delivery, outcome: AttemptOutcome, now: datetime) -> None:
    row.lease_until = None
    if outcome.is_success:
        row.state, row.settled_at = Delivery.State.DELIVERED, now
        return
    if row.state != WAITING:  # was cancelled in the meantime
        return
    spread = random.random()  # noqa: S311 - spreads load, keeps no secret
    again = next_try(attempts=row.attempts, since=row.retry_since, now=now, spread=spread)
    if again is None:
        row.state, row.settled_at = Delivery.State.GIVEN_UP, now
    else:
        row.due_at = again


def _judge(hook: Webhook, outcome: AttemptOutcome, now: datetime) -> None:
    if outcome.is_success:
        if hook.failing_since is not None:
            Webhook.objects.filter(pk=hook.pk).update(failing_since=None)
        return
    since = hook.failing_since or now
    if outcome.status == HTTP_GONE:
        _disable(hook, "The receiver answered 410 (Gone).")
    elif now - since >= DISABLE_AFTER:
        _disable(hook, f"It has accepted no delivery for {DISABLE_AFTER.days} days.")
    elif hook.failing_since is None:
        Webhook.objects.filter(pk=hook.pk).update(failing_since=now)


def _disable(hook: Webhook, why: str) -> None:
    if not hook.enabled:
        return
    Webhook.objects.filter(pk=hook.pk).update(enabled=False, disabled_why=why)
    cancel_waiting_deliveries(hook)
    for person in Membership.objects.filter(
        team=hook.team_id, role__in=PERMITTED[Act.MANAGE_WEBHOOKS], user__is_active=True, user__service_team=None
    ).select_related("user", "team"):
        send_mail_later(
            to=person.user.email,
            subject=f"A webhook of {person.team.name} was switched off",
            text=f"The webhook {hook.name!r} was switched off. {why}\n\nSwitch it on again on the team's page when its"
            " receiver works. Events from before that are not sent.\n",
        )
    data = {"name": hook.name, "why": why}
    subject = to_public(Webhook.PREFIX, hook.pk)
    audit.record(team_id=hook.team_id, actor=None, action="webhook.disabled", subject=subject, data=data)


def wake_webhooks(now: datetime) -> int:
    """Enqueue sending for each webhook with due deliveries that no worker is sending. Returns the number of these
    webhooks."""
    found = due_deliveries(now).order_by().values_list("webhook_id", flat=True).distinct()[:BATCH]
    ids = list(found)
    for webhook_id in ids:
        enqueue_webhook(webhook_id)
    return len(ids)


def delete_old_deliveries(now: datetime) -> None:
    """Delete deliveries that ended more than a month ago, at most `BATCH` in each call, and give up waiting deliveries
    whose day of retries has passed."""
    old = Delivery.objects.exclude(state=WAITING).filter(settled_at__lt=now - KEEP_FOR)
    stale = Delivery.objects.filter(state=WAITING, retry_since__lt=now - GIVE_UP_AFTER - LEASE, lease_until=None)
    with sqlite_write_lock():
        Delivery.objects.filter(pk__in=list(old.values_list("pk", flat=True)[:BATCH])).delete()
        stale.update(state=Delivery.State.GIVEN_UP, settled_at=timezone.now())


def _waiting(webhook_id: uuid.UUID) -> QuerySet[Delivery]:
    return Delivery.objects.filter(webhook=webhook_id, state=WAITING)

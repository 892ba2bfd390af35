"""Create, change, test and remove webhooks of a team."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Stale, TooMany
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.team_lock import team_write
from agentsite.tenancy.encryption import seal
from agentsite.tenancy.models import Project, Team, User
from agentsite.tenancy.roles import Act
from sessions_app.queueing import enqueue_webhook
from sessions_app.webhooks.event_types import webhook_events
from sessions_app.webhooks.models import Delivery, Webhook
from sessions_app.webhooks.outbox import queue_ping
from sessions_app.webhooks.signing import new_webhook_secret

MAX_WEBHOOKS_PER_TEAM: Final = 20
MAX_WAITING_PINGS: Final = 5  # for one webhook
OLD_SECRET_TTL: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class IssuedWebhook:
    """A webhook with its `secret`, which is available only here and cannot be shown again."""

    webhook: Webhook
    secret: str


def create_webhook(
    *, actor: User, team: Team, name: str, url: str, events: Sequence[str], project: Project | None = None
) -> IssuedWebhook:
    """Create a webhook. `url` is normalized by `sessions_app.webhooks.addresses`; the network address of its host is
    checked again with every delivery."""
    require(actor, Act.MANAGE_WEBHOOKS, team_id=team.pk)
    known, secret = _known(events), new_webhook_secret()
    with team_write(team.pk):
        if Webhook.objects.filter(team=team).count() >= MAX_WEBHOOKS_PER_TEAM:
            raise TooMany(
                f"A team can have at most {MAX_WEBHOOKS_PER_TEAM} webhooks.",
                hint="Remove a webhook that is not needed.",
            )
        webhook = Webhook.objects.create(
            team=team, project=project, name=name, url=url, events=known, secret=seal(secret), created_by=actor
        )
        _record(webhook, "webhook.created", actor, url=url, events=webhook.events)
    return IssuedWebhook(webhook, secret)


@transaction.atomic
def update_webhook(
    *,
    actor: User,
    webhook: Webhook,
    name: str | None = None,
    url: str | None = None,
    events: Sequence[str] | None = None,
    enabled: bool | None = None,
) -> Webhook:
    """Change the webhook. Switching the webhook off cancels its waiting deliveries; while it is off, no deliveries are
    created."""
    require(actor, Act.MANAGE_WEBHOOKS, team_id=webhook.team_id)
    row = _locked(webhook)
    row.name = row.name if name is None else name
    row.url = row.url if url is None else url
    row.events = row.events if events is None else _known(events)
    if enabled is not None and enabled != row.enabled:
        row.enabled, row.disabled_why, row.failing_since = enabled, "", None
    if not row.enabled:
        cancel_waiting_deliveries(row)
    row.save()
    _record(row, "webhook.changed", actor, url=row.url, events=row.events, enabled=row.enabled)
    return row


@transaction.atomic
def delete_webhook(*, actor: User, webhook: Webhook) -> None:
    require(actor, Act.MANAGE_WEBHOOKS, team_id=webhook.team_id)
    Webhook.objects.filter(pk=webhook.pk).delete()
    _record(webhook, "webhook.deleted", actor, url=webhook.url)


@transaction.atomic
def rotate_webhook_secret(*, actor: User, webhook: Webhook) -> IssuedWebhook:
    """Replace the secret of a webhook by a new secret. For one day, deliveries are signed with the previous secret too,
    so that the receiver can be updated."""
    require(actor, Act.MANAGE_WEBHOOKS, team_id=webhook.team_id)
    row, secret = _locked(webhook), new_webhook_secret()
    row.old_secret, row.old_secret_until = row.secret, timezone.now() + OLD_SECRET_TTL
    row.secret = seal(secret)
    row.save(update_fields=["secret", "old_secret", "old_secret_until"])
    _record(row, "webhook.rotated", actor)
    return IssuedWebhook(row, secret)


@transaction.atomic
def ping_webhook(*, actor: User, webhook: Webhook) -> Delivery:
    require(actor, Act.MANAGE_WEBHOOKS, team_id=webhook.team_id)
    row = _locked(webhook)
    _require_enabled(row)
    waiting = Delivery.objects.filter(webhook=row, kind="ping", state=Delivery.State.WAITING).count()
    if waiting >= MAX_WAITING_PINGS:
        raise TooMany("Too many pings of this webhook are waiting.", hint="Check their deliveries first.")
    return queue_ping(row)


@transaction.atomic
def redeliver(*, actor: User, delivery: Delivery) -> Delivery:
    """Send a delivery again with the same event id and body, and retry for another day. Later deliveries do not wait
    for it."""
    webhook = delivery.webhook
    require(actor, Act.MANAGE_WEBHOOKS, team_id=webhook.team_id)
    _require_enabled(_locked(webhook))
    now = timezone.now()
    Delivery.objects.filter(pk=delivery.pk, lease_until=None).update(
        state=Delivery.State.WAITING, due_at=now, retry_since=now, settled_at=None, line=""
    )
    transaction.on_commit(partial(enqueue_webhook, webhook.pk))
    delivery.refresh_from_db()
    return delivery


def cancel_waiting_deliveries(webhook: Webhook) -> None:
    """Cancel the waiting deliveries of a webhook, inside the caller's transaction."""
    waiting = Delivery.objects.filter(webhook=webhook, state=Delivery.State.WAITING)
    waiting.update(state=Delivery.State.GIVEN_UP, settled_at=timezone.now(), lease_until=None)


def _locked(webhook: Webhook) -> Webhook:
    """Lock the row of a webhook in this transaction against other changes. New deliveries of the webhook are not
    blocked."""
    return Webhook.objects.select_for_update(no_key=True).get(pk=webhook.pk)


def _require_enabled(webhook: Webhook) -> None:
    if not webhook.enabled:
        raise Stale("This webhook is switched off.", code=ErrorCode.WEBHOOK_DISABLED, hint="Switch it on first.")


def _known(events: Sequence[str]) -> list[str]:
    chosen = [kind for kind in webhook_events() if kind in events]
    if not chosen or len(chosen) < len(set(events)):
        raise BadInput(
            "Choose at least one event, and only known events.",
            fields={"events": "empty, or contains an unknown event"},
        )
    return chosen


def _record(webhook: Webhook, action: str, actor: User | None, **data: Any) -> None:
    data = {"name": webhook.name, **data}
    audit.record(team_id=webhook.team_id, actor=actor, action=action, subject=webhook.public_id, data=data)

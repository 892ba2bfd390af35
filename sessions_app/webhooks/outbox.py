"""Queue webhook deliveries as rows, in the transaction of the change, so that none is lost."""

import json
import uuid
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from agentsite.base.ids import new_id, to_public
from agentsite.tenancy.models import Project, Team
from sessions_app.queueing import enqueue_webhook
from sessions_app.webhooks.event_types import PING
from sessions_app.webhooks.models import Delivery, Webhook


def queue_webhook_deliveries(
    kind: str,
    *,
    team_id: uuid.UUID,
    project_id: uuid.UUID | None = None,
    data: Mapping[str, Any],
    path: str = "",
    line: str = "",
    place: int = 0,
    at: datetime | None = None,
) -> None:
    """Create a delivery for every enabled webhook of the team that has this event type and all projects or this one,
    inside the caller's transaction. `data` has ids and small facts, never texts of people or agents; `path` is the page
    with details."""
    scope = Q(project=None) | Q(project=project_id) if project_id else Q(project=None)
    hooks = Webhook.objects.filter(scope, team_id=team_id, enabled=True).only("id", "events")
    wanting = [hook.pk for hook in hooks if kind in hook.events]
    if not wanting:
        return
    event_id = to_public("evt", new_id())
    places = _ids(team_id, project_id, path)
    body = _body({"id": event_id, "type": kind, "timestamp": _text(at or timezone.now()), **places}, data)
    Delivery.objects.bulk_create(
        Delivery(webhook_id=hook_id, event_id=event_id, kind=kind, body=body, line=line, place=place)
        for hook_id in wanting
    )
    for hook_id in wanting:
        transaction.on_commit(partial(enqueue_webhook, hook_id))


def queue_ping(webhook: Webhook) -> Delivery:
    """Create a test delivery, inside the caller's transaction."""
    event_id = to_public("evt", new_id())
    places = _ids(webhook.team_id, webhook.project_id, "")
    head = {"id": event_id, "type": PING, "timestamp": _text(timezone.now()), **places}
    body = _body(head, {"webhook_id": webhook.public_id})
    delivery = Delivery.objects.create(webhook=webhook, event_id=event_id, kind=PING, body=body)
    transaction.on_commit(partial(enqueue_webhook, webhook.pk))
    return delivery


def _ids(team_id: uuid.UUID, project_id: uuid.UUID | None, path: str) -> dict[str, str | None]:
    return {
        "team_id": to_public(Team.PREFIX, team_id),
        "project_id": None if project_id is None else to_public(Project.PREFIX, project_id),
        "url": f"{settings.SITE_URL.rstrip('/')}{path}",
    }


def _text(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def _body(head: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    return json.dumps({**head, "data": dict(data)}, separators=(",", ":"))

"""Queue webhook deliveries as rows, in the transaction of the change, so that none is lost.

Events of a session's log are converted to webhook events here.
"""

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from agentsite.base.ids import from_public, new_id, to_public
from agentsite.tenancy.models import Project, Team
from sessions_app.events.log import StoredEvents
from sessions_app.models import Comparison, Revert, ReviewComment, Session, SessionEvent, Turn
from sessions_app.queueing import enqueue_webhook
from sessions_app.webhooks import event_types
from sessions_app.webhooks.models import Delivery, Webhook

Facts = Mapping[str, Any]
WebhookEvent = tuple[str, Facts]
ENDED: Final = frozenset({"completed", "aborted", "failed"})
NOTES: Final = {"lost": event_types.WORKSPACE_LOST, "restored": event_types.WORKSPACE_RESTORED}


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
    hooks: Sequence[Webhook] | None = None,
) -> None:
    """Create a delivery of an event for each enabled webhook that receives its type: webhooks for all projects of the
    team, and webhooks for `project_id`. Runs inside the caller's transaction. `data` has ids and small facts, never
    texts of people or agents; `path` is the page with details. `hooks` are the enabled webhooks, if the caller has read
    them."""
    if hooks is None:
        hooks = _enabled_hooks(team_id, project_id)
    wanting = [hook.pk for hook in hooks if kind in hook.events]
    if not wanting:
        return
    event_id = to_public("evt", new_id())
    places = _ids(team_id, project_id, path)
    body = _body({"id": event_id, "type": kind, "timestamp": _timestamp(at or timezone.now()), **places}, data)
    Delivery.objects.bulk_create(
        Delivery(webhook_id=hook_id, event_id=event_id, kind=kind, body=body, line=line, place=place)
        for hook_id in wanting
    )
    for hook_id in wanting:
        transaction.on_commit(partial(enqueue_webhook, hook_id))


def _enabled_hooks(team_id: uuid.UUID, project_id: uuid.UUID | None) -> list[Webhook]:
    scope = Q(project=None) | Q(project=project_id) if project_id else Q(project=None)
    return list(Webhook.objects.filter(scope, team_id=team_id, enabled=True).only("id", "events"))


def queue_ping(webhook: Webhook) -> Delivery:
    """Create a test delivery of a webhook, inside the caller's transaction."""
    event_id = to_public("evt", new_id())
    places = _ids(webhook.team_id, webhook.project_id, "")
    head = {"id": event_id, "type": event_types.PING, "timestamp": _timestamp(timezone.now()), **places}
    body = _body(head, {"webhook_id": webhook.public_id})
    delivery = Delivery.objects.create(webhook=webhook, event_id=event_id, kind=event_types.PING, body=body)
    transaction.on_commit(partial(enqueue_webhook, webhook.pk))
    return delivery


def _ids(team_id: uuid.UUID, project_id: uuid.UUID | None, path: str) -> dict[str, str | None]:
    return {
        "team_id": to_public(Team.PREFIX, team_id),
        "project_id": None if project_id is None else to_public(Project.PREFIX, project_id),
        "url": f"{settings.SITE_URL.rstrip('/')}{path}",
    }


def _timestamp(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def _body(head: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    return json.dumps({**head, "data": dict(data)}, separators=(",", ":"))


def queue_deliveries(stored: StoredEvents) -> None:
    """Queue the deliveries for a session's events, inside the transaction that stores them. Private sessions have
    none."""
    if stored.no_webhooks:
        return
    converted = [(row, event) for row in stored.rows if (event := _to_webhook_event(row)) is not None]
    if not converted or stored.session.is_private:
        return
    hooks = _enabled_hooks(stored.session.project.team_id, stored.session.project_id)
    for row, (kind, facts) in converted:
        _queue(stored.session, kind, facts, place=row.seq, at=row.at, hooks=hooks)
        if kind == event_types.TURN_ENDED and any(event_types.REVIEW_DONE in hook.events for hook in hooks):
            _queue_review_done(stored.session, row, hooks)
        comparison_id = stored.session.comparison_id if kind == event_types.TURN_ENDED else None
        if comparison_id and any(event_types.COMPARISON_ENDED in hook.events for hook in hooks):
            _queue_comparison_ended(comparison_id, hooks)


def _queue_review_done(session: Session, row: SessionEvent, hooks: Sequence[Webhook]) -> None:
    """Queue the webhook deliveries for the end of a turn that was started with review comments."""
    comments = ReviewComment.objects.filter(turn=from_public(Turn.PREFIX, row.data["id"])).count()
    if comments:
        facts = {"turn_id": row.data["id"], "state": row.data["state"], "comments": comments}
        _queue(session, event_types.REVIEW_DONE, facts, place=row.seq, at=row.at, hooks=hooks)


def queue_review_requested(session: Session, turn: Turn, *, comments: int) -> None:
    """Queue the webhook deliveries about review comments, inside the transaction that sends the comments to an
    agent."""
    if not session.is_private:
        facts = {"turn_id": turn.public_id, "comments": comments}
        _queue(session, event_types.REVIEW_REQUESTED, facts, place=session.last_seq + 1)


def queue_reverted(session: Session, row: Revert, *, files: int) -> None:
    """Queue the webhook deliveries about a revert that is applied or undone, inside the same transaction."""
    if session.is_private:
        return
    subject = row if row.undoes is None else row.undoes
    facts = {
        "revert_id": subject.public_id,
        "message_id": None if subject.message_id is None else to_public("msg", subject.message_id),
        "turn_id": None if subject.turn_id is None else to_public(Turn.PREFIX, subject.turn_id),
        "answer_id": None if subject.answer_id is None else to_public(Turn.PREFIX, subject.answer_id),
        "files": files,
    }
    kind = event_types.SESSION_REVERTED if row.undoes is None else event_types.SESSION_UNREVERTED
    _queue(session, kind, facts, place=session.last_seq + 1)


def _queue_comparison_ended(comparison_id: uuid.UUID, hooks: Sequence[Webhook]) -> None:
    """Queue the webhook deliveries about the end of a comparison, only once: when its last attempt has ended. The
    comparison's row is locked: if two attempts end at the same time, the second transaction sees that the first attempt
    has ended."""
    rows = Comparison.objects.select_for_update(of=("self",)).select_related("session__project")
    comparison = rows.get(pk=comparison_id)
    turns = Turn.objects.filter(session__comparison=comparison, root=None)
    if comparison.ended_at is not None or turns.filter(state__in=Turn.OPEN).exists() or comparison.session.is_private:
        return
    comparison.ended_at = timezone.now()
    comparison.save(update_fields=["ended_at"])
    attempts = Session.objects.filter(comparison=comparison).count()
    facts = {"comparison_id": comparison.public_id, "attempts": attempts}
    session = comparison.session
    _queue(session, event_types.COMPARISON_ENDED, facts, place=session.last_seq + 1, hooks=hooks)


def queue_session_deleted(session: Session) -> None:
    """Queue the webhook deliveries about the deletion of a session. Called inside the transaction that deletes the
    session, while its row still exists."""
    if not session.is_private:
        _queue(session, event_types.SESSION_DELETED, {}, place=session.last_seq + 1)


def _queue(session: Session, kind: str, facts: Facts, *, place: int, **more: Any) -> None:
    session_id = session.public_id
    parent = None if session.parent_id is None else to_public(Session.PREFIX, session.parent_id)
    queue_webhook_deliveries(
        kind,
        team_id=session.project.team_id,
        project_id=session.project_id,
        data={"session_id": session_id, "parent_session_id": parent, **facts},
        path=f"/sessions/{session_id}",
        line=session_id,
        place=place,
        **more,
    )


def _to_webhook_event(row: SessionEvent) -> WebhookEvent | None:
    convert = _CONVERTERS.get(row.type)
    return None if convert is None else convert(row.data)


def _created(data: Facts) -> WebhookEvent:
    return event_types.SESSION_CREATED, {"agent": data["agent"]}


def _turn(data: Facts) -> WebhookEvent | None:
    if data["state"] not in ENDED or data["ended_at"] is None:
        return None
    error = data["error"]["code"] if data["error"] else None
    facts = {"turn_id": data["id"], "state": data["state"], "error_code": error, "steps": data["step_count"]}
    return event_types.TURN_ENDED, facts


def _permission(kind: str) -> Callable[[Facts], WebhookEvent]:
    def convert(data: Facts) -> WebhookEvent:
        permissions = sorted({need["permission"] for need in data["needs"]})
        facts = {name: data[name] for name in ("turn_id", "call_id", "tool", "state", "approvers", "expires_at")}
        answered = data["answered_by"]["id"] if data["answered_by"] else None
        return kind, {"request_id": data["id"], **facts, "permissions": permissions, "answered_by": answered}

    return convert


def _question(kind: str) -> Callable[[Facts], WebhookEvent]:
    def convert(data: Facts) -> WebhookEvent:
        facts = {name: data[name] for name in ("turn_id", "state", "expires_at")}
        return kind, {"question_id": data["id"], **facts}

    return convert


def _note(data: Facts) -> WebhookEvent | None:
    kind = NOTES.get(data["kind"])
    return None if kind is None else (kind, {"workspace_id": data["workspace_id"]})


_CONVERTERS: Final[Mapping[str, Callable[[Facts], WebhookEvent | None]]] = {
    "session.created": _created,
    "turn.updated": _turn,
    "permission.asked": _permission(event_types.PERMISSION_ASKED),
    "permission.settled": _permission(event_types.PERMISSION_SETTLED),
    "question.asked": _question(event_types.QUESTION_ASKED),
    "question.settled": _question(event_types.QUESTION_SETTLED),
    "workspace.noted": _note,
}

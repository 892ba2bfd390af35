"""Webhook deliveries for a session's events: ids and small facts only. Private sessions have none."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from agentsite.base.ids import to_public
from sessions_app.audience import is_private
from sessions_app.events.log import StoredEvents
from sessions_app.models import Session, SessionEvent
from sessions_app.webhooks import event_types
from sessions_app.webhooks.outbox import queue_webhook_deliveries

Facts = Mapping[str, Any]
WebhookEvent = tuple[str, Facts]
ENDED: Final = frozenset({"completed", "aborted", "failed"})
NOTES: Final = {"lost": event_types.WORKSPACE_LOST, "restored": event_types.WORKSPACE_RESTORED}


def queue_deliveries(stored: StoredEvents) -> None:
    """Queue the deliveries for a session's events, inside the transaction that stores them. Private sessions have
    none."""
    if stored.no_webhooks:
        return
    converted = [(row, event) for row in stored.rows if (event := _to_webhook_event(row)) is not None]
    if not converted or is_private(stored.session):
        return
    for row, (kind, facts) in converted:
        _queue(stored.session, kind, facts, place=row.seq, at=row.at)


def queue_session_deleted(session: Session) -> None:
    """Queue the deliveries inside the transaction that deletes the session, before it is deleted."""
    if not is_private(session):
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

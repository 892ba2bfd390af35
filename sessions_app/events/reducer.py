"""Apply events to a snapshot, as every client does. Tests use it to prove that the events are complete."""

from typing import Any, Final

COLLECTIONS: Final = {
    "turn.updated": "turns",
    "alternatives.updated": "alternatives",
    "message.updated": "messages",
    "part.updated": "parts",
    "call.updated": "calls",
    "permission.asked": "permission_requests",
    "permission.updated": "permission_requests",
    "permission.settled": "permission_requests",
    "question.asked": "questions",
    "question.settled": "questions",
    "workspace.noted": "workspace_notes",
}
SINGLES: Final = {
    "session.created": "session",
    "session.updated": "session",
    "workspace.updated": "workspace",
    "pull_request.updated": "pull_request",
}
READ_APART: Final = frozenset({"review_comment.updated", "file_approval.updated"})
"""Events about rows that no snapshot contains: clients request them when they show a review."""


def apply_event(snapshot: dict[str, Any], *, seq: int, event_type: str, data: dict[str, Any]) -> None:
    """Apply an event to the snapshot (in its JSON form), which is changed in place. Unknown event types only change
    `seq`."""
    snapshot["seq"] = seq
    snapshot["session"]["last_seq"] = seq
    if event_type in COLLECTIONS:
        _upsert(snapshot[COLLECTIONS[event_type]], data)
    elif event_type in SINGLES:
        snapshot[SINGLES[event_type]] = dict(data)
    elif event_type == "todos.updated":
        snapshot["todos"] = data["todos"]
    elif event_type == "messages.reverted":
        _mark_reverted(snapshot["messages"], data)
    elif event_type == "messages.removed":
        snapshot["messages"] = [each for each in snapshot["messages"] if each["id"] not in data["message_ids"]]
        snapshot["parts"] = [each for each in snapshot["parts"] if each["id"] not in data["part_ids"]]
    elif event_type == "calls.pruned":
        for call in snapshot["calls"]:
            call["pruned"] = call["pruned"] or call["id"] in data["call_ids"]


def _mark_reverted(messages: list[dict[str, Any]], data: dict[str, Any]) -> None:
    for message in messages:
        if message["id"] in data["message_ids"]:
            message["reverted"] = data["reverted"]


def _upsert(items: list[dict[str, Any]], item: dict[str, Any]) -> None:
    for place, existing in enumerate(items):
        if existing["id"] == item["id"]:
            items[place] = item
            return
    items.append(item)

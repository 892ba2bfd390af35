"""The event types of webhooks. Modules register theirs with `webhook_event` when they are imported."""

from typing import Final

PING: Final = "ping"

_MEANINGS: Final[dict[str, str]] = {}


def webhook_event(kind: str, meaning: str) -> str:
    """Register a webhook event type with its meaning, and return the type. Raises ValueError if it is registered with
    another meaning."""
    if kind == PING or _MEANINGS.setdefault(kind, meaning) != meaning:
        raise ValueError(f"{kind} is taken")
    return kind


def webhook_events() -> dict[str, str]:
    """Return {event type: meaning}, in the order of registration."""
    return dict(_MEANINGS)


SESSION_CREATED: Final = webhook_event("session.created", "a session was created")
SESSION_DELETED: Final = webhook_event("session.deleted", "a session was deleted")
TURN_ENDED: Final = webhook_event("turn.ended", "an agent is done, was stopped, or failed")
PERMISSION_ASKED: Final = webhook_event("permission.asked", "a call waits for permission")
PERMISSION_SETTLED: Final = webhook_event("permission.settled", "a permission request was answered, or expired")
QUESTION_ASKED: Final = webhook_event("question.asked", "an agent waits for the answer to a question")
QUESTION_SETTLED: Final = webhook_event("question.settled", "a question was answered, or expired")
REVIEW_REQUESTED: Final = webhook_event("review.requested", "review comments were sent to an agent")
REVIEW_DONE: Final = webhook_event("review.done", "the turn that got review comments has ended")
SESSION_REVERTED: Final = webhook_event("session.reverted", "file changes were taken back, or messages hidden")
SESSION_UNREVERTED: Final = webhook_event("session.unreverted", "a revert was undone")
COMPARISON_ENDED: Final = webhook_event("comparison.ended", "all attempts at one prompt have ended")
WORKSPACE_LOST: Final = webhook_event("workspace.lost", "the workspace of a session was lost with its node")
WORKSPACE_RESTORED: Final = webhook_event("workspace.restored", "a lost workspace was restored from its last archive")
BUDGET_NEARLY_USED: Final = webhook_event("budget.nearly_used", "80 % of a budget is used")
BUDGET_USED_UP: Final = webhook_event("budget.used_up", "a budget is used up; if it is hard, agents wait for it")
BUDGET_RAISED: Final = webhook_event("budget.raised", "the limit of a budget was raised")

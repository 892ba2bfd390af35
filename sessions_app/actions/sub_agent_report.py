"""Build the report on a sub-agent's work. It is shown in the tool call that started the sub-agent."""

from decimal import Decimal
from typing import Any, Final

from agentsite.base.ids import to_public
from sessions_app.models import Message, Part, PermissionRequest, Question, ToolCall, Turn
from tools_app.suspension import AwaitChild
from tools_app.text import counted, first_line
from tools_app.truncation import truncate

MAX_LISTED_CALLS: Final = 20
MAX_LISTED_WAITING: Final = 20
MAX_TITLE_CHARACTERS: Final = 200


def first_report(session_id: str, wait: AwaitChild) -> dict[str, Any]:
    """Return the metadata of the `task` call while its sub-agent's session `session_id` is about to start."""
    return {
        "session_id": session_id,
        "agent": wait.agent,
        "description": wait.description,
        "command": wait.command or "",
        "state": Turn.State.QUEUED.value,
        "steps": 0,
        "summary": [],
        "waiting": [],
        "stopped": None,
        "cost": 0.0,
        "unpriced_calls": 0,
        "tokens": {},
    }


def report_of(turn: Turn) -> dict[str, Any]:
    """Return the current metadata of the sub-agent: {state, steps, summary, waiting, stopped, cost, unpriced_calls,
    tokens}.

    `summary` has the last calls, the newest last. `waiting` are the requests and questions that a person must answer
    before the sub-agent continues: [{kind, id, session_id, tool, title}], including requests of its own sub-agents. If
    a budget blocks the sub-agent or a sub-agent below it, `stopped` says why: {session_id, code, message, hint};
    otherwise it is None.
    """
    rows = ToolCall.objects.filter(turn=turn).order_by("-id").values_list("id", "tool", "title", "state")
    newest = [
        {"call_id": to_public("call", call_id), "tool": tool, "title": title[:MAX_TITLE_CHARACTERS], "state": state}
        for call_id, tool, title, state in rows[:MAX_LISTED_CALLS]
    ]
    cost, unpriced, tokens = _spent(turn)
    return {
        "state": str(turn.state),
        "steps": turn.step_count,
        "summary": newest[::-1],
        "waiting": _waiting(turn),
        "stopped": _stopped(turn),
        "cost": float(cost),
        "unpriced_calls": unpriced,
        "tokens": tokens,
    }


def _spent(turn: Turn) -> tuple[Decimal, int, dict[str, int]]:
    """Return the sum of the costs of a sub-agent's turn, the number of its model calls with an unknown price, and its
    token counts by kind."""
    cost, unpriced, tokens = Decimal(0), 0, dict[str, int]()
    answers = Message.objects.filter(turn=turn, role=Message.Role.ASSISTANT)
    for spent, unknown, counts in answers.values_list("cost", "unpriced_calls", "tokens"):
        cost, unpriced = cost + spent, unpriced + unknown
        for name, count in counts.items():
            tokens[name] = tokens.get(name, 0) + count
    return cost, unpriced, tokens


def _waiting(turn: Turn) -> list[dict[str, Any]]:
    if turn.state != Turn.State.WAITING:
        return []
    requests = PermissionRequest.objects.filter(turn=turn, state=PermissionRequest.State.OPEN).order_by("id")
    questions = Question.objects.filter(turn=turn, state=Question.State.OPEN).order_by("id")
    below = ToolCall.objects.filter(turn=turn, state=ToolCall.State.WAITING, waits_for=ToolCall.CHILD).order_by("id")
    session_id = to_public("ses", turn.session_id)
    found = [
        *(_item("permission", session_id, row, row.call.tool, row.title) for row in requests.select_related("call")),
        *(_item("question", session_id, row, "question", row.questions[0]["header"]) for row in questions),
        *(item for call in below for item in call.metadata.get("waiting", ())),
    ]
    return found[:MAX_LISTED_WAITING]


def _stopped(turn: Turn) -> dict[str, Any] | None:
    if turn.state != Turn.State.WAITING:
        return None
    if turn.waits_for:
        return {"session_id": to_public("ses", turn.session_id), **(turn.error or {})}
    below = ToolCall.objects.filter(turn=turn, state=ToolCall.State.WAITING, waits_for=ToolCall.CHILD).order_by("id")
    return next((stopped for call in below if (stopped := call.metadata.get("stopped"))), None)


def _item(kind: str, session_id: str, row: Any, tool: str, title: str) -> dict[str, Any]:
    return {
        "kind": kind,
        "id": row.public_id,
        "session_id": session_id,
        "tool": tool,
        "title": title[:MAX_TITLE_CHARACTERS],
    }


def closing_words(turn: Turn) -> str:
    """Return the last text that the sub-agent wrote in this turn, not counting reasoning and compaction summaries; ""
    if there is none."""
    answers = Message.objects.filter(turn=turn, role=Message.Role.ASSISTANT, state=Message.State.COMPLETE)
    last = answers.exclude(parts__type=Part.Type.COMPACTION).last()
    if last is None:
        return ""
    texts = Part.objects.filter(message=last, type=Part.Type.TEXT).order_by("index").values_list("text", flat=True)
    return "\n\n".join(text for text in texts if text.strip())


def result_for_model(turn: Turn) -> str:
    """Return the output of a call whose sub-agent has ended: the sub-agent's last text, and the id to continue it."""
    session_id = to_public("ses", turn.session_id)
    words = _bounded(closing_words(turn), session_id) or "(The sub-agent wrote no text.)"
    problem = f"{_problem(turn)}\n" if turn.state != Turn.State.COMPLETED else ""
    return f"task_id: {session_id}\n{problem}<task_result>\n{words}\n</task_result>"


def _bounded(words: str, session_id: str) -> str:
    cut = truncate(words)
    if not cut.truncated:
        return words
    kept = cut.text or first_line(words, 2000)
    missing = counted(cut.removed, cut.unit.removesuffix("s"))
    return f"{kept}\n\n({missing} left out. Call `task` again with task_id {session_id} to ask for what is missing.)"


def _problem(turn: Turn) -> str:
    error = turn.error or {}
    if turn.state == Turn.State.FAILED:
        return f"The sub-agent could not finish: {error.get('message', 'it failed.')}"
    if error.get("code") in STOPPED_BY_PERSON:
        return STOPPED_BY_PERSON[error["code"]]
    return "A person stopped the sub-agent. Do not start it again unless you are told to; state what is missing."


STOPPED_BY_PERSON: Final = {
    "rejected": (
        "A person rejected what the sub-agent wanted to do, so it stopped. Do not try the same in another way; state "
        "what is missing."
    ),
    "dismissed": "A person dismissed a question of the sub-agent, so it stopped. Continue without its answer.",
}

"""Calls that another call creates (a batch): separate rows that pass the permission check like any call, while the
outer call waits.

When the last of them ends, the outer call is enqueued again and reads their outcomes.
"""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from agentsite.base.ids import new_id, to_public
from sessions_app.actions.calls import HeldCall, inner_call_lines, park_call
from sessions_app.agent.answer import DraftCall
from sessions_app.events import views
from sessions_app.events.log import session_write
from sessions_app.models import ToolCall
from sessions_app.queueing import enqueue_call
from tools_app.spec import CallOutcome


def make_inner_calls(held: HeldCall, calls: Sequence[Mapping[str, Any]], *, title: str) -> bool:
    """Make the call wait for inner calls, and create these, each from {tool, arguments}. Returns False if another
    process has ended the call."""
    with session_write(held.row.session_id, related=("workspace",)) as write:
        rows = _rows(held.row, calls)
        metadata = {"calls": inner_call_lines(rows)}
        if not park_call(write, held, ToolCall.INNER, title=title[:400], metadata=metadata):
            return False
        node = write.session.workspace.node
        for row in ToolCall.objects.bulk_create(rows):
            write.emit("call.updated", views.call(row))
            write.after_commit(partial(enqueue_call, row.id, node=node))
        return True


def _rows(outer: ToolCall, calls: Sequence[Mapping[str, Any]]) -> list[ToolCall]:
    """Return a new row for each inner call, with ascending ids in the order of the calls."""
    rows: list[ToolCall] = []
    last = outer.id
    for each in calls:
        last = new_id(after=last)
        draft = DraftCall(last, "", each["tool"], json.dumps(each["arguments"], ensure_ascii=False))
        rows.append(
            ToolCall(
                id=last, session_id=outer.session_id, turn_id=outer.turn_id, message_id=outer.message_id, outer=outer,
                tool=draft.name, raw_arguments=draft.arguments, arguments=draft.parsed(),
            )
        )  # fmt: skip
    return rows


def outcomes_of(outer: ToolCall) -> tuple[CallOutcome, ...]:
    """Return the outcomes of the inner calls, in their order; empty if there are none."""
    return tuple(
        CallOutcome(to_public("call", row.id), row.tool, row.title, row.state, row.output, tuple(row.attachments))
        for row in ToolCall.objects.filter(outer=outer).order_by("id")
    )

"""Store the changes that tool calls made in the workspace, as patch parts of the calls' messages."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from agentsite.base.errors import Missing
from agentsite.base.prepared import insert_rows
from sessions_app.agent.patches import patch_index
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import Part, ToolCall


def store_patch(write: SessionWrite, call: ToolCall, patch: Mapping[str, Any]) -> None:
    """Add the patch part with a call's changes, or replace the existing one."""
    part = Part(
        pk=call.pk,
        session_id=call.session_id,
        message_id=call.message_id,
        index=patch_index(call.pk),
        type=Part.Type.PATCH,
        data={"call_id": call.public_id, **patch},
    )
    insert_rows([part], unique="id", replacing=("data",))
    write.emit("part.updated", views.part(part))


def keep_patch(call: ToolCall, patch: Mapping[str, Any]) -> None:
    """Store the changes that a call made in the workspace, if the call ended or waits without a result."""
    with suppress(Missing), session_write(call.session_id) as write:
        store_patch(write, call, patch)

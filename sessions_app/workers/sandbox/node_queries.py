"""What an operator asks a node: what it holds, whether a workspace is as it must be, and to tidy up now."""

import uuid
from dataclasses import asdict
from typing import Any

from django.conf import settings

from agentsite.base.background import background
from sandbox.errors import NotFound
from sessions_app.models import Workspace
from sessions_app.workers.sandbox.container_cleanup import reap_leftovers
from sessions_app.workers.sandbox.deployment import deployment, runtime_of
from sessions_app.workers.sandbox.replies import reply


def answer_query(question: dict[str, Any], reply_to: str) -> None:
    reply(reply_to, lambda: _answer(question))


def _answer(question: dict[str, Any]) -> Any:
    match question:
        case {"kind": "list"}:
            return {status.workspace_id: status.state for status in background.run(deployment().list())}
        case {"kind": "check", "workspace": workspace_id}:
            return asdict(background.run(runtime_of(_own(workspace_id)).check()))
        case {"kind": "reap"}:
            return asdict(reap_leftovers(settings.NODE_NAME))
    raise NotFound(f"There is no question '{question.get('kind')}'.")


def _own(workspace_id: str) -> Workspace:
    row: Workspace | None = Workspace.objects.select_related("project__team").filter(pk=uuid.UUID(workspace_id)).first()
    if row is None or row.node != settings.NODE_NAME:
        raise NotFound("This workspace is not on this node any more.")
    return row

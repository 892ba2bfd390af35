"""Answer an operator's queries about this node: list its containers, check a workspace's confinement, test an image, or
remove leftovers."""

import uuid
from dataclasses import asdict
from typing import Any

from agentsite.base.background import background
from sandbox.errors import NotFound
from sessions_app.models import Workspace
from sessions_app.queries.questions import (
    NODE_QUESTIONS,
    CheckQuestion,
    ImageQuestion,
    ListQuestion,
    NodeQuestion,
    ReapQuestion,
)
from sessions_app.workers.sandbox.container_cleanup import remove_leftovers
from sessions_app.workers.sandbox.deployment import deployment, runtime_of
from sessions_app.workers.sandbox.images import try_image
from sessions_app.workers.sandbox.replies import parse, reply


def answer_query(*, question: dict[str, Any], reply_to: str, node: str) -> None:
    reply(reply_to, lambda: _answer(parse(NODE_QUESTIONS, question), node))


def _answer(question: NodeQuestion, node: str) -> Any:
    match question:
        case ListQuestion():
            return {status.workspace_id: status.state for status in background.run(deployment().list())}
        case CheckQuestion(workspace=workspace_id):
            return asdict(background.run(runtime_of(_own(workspace_id, node)).check()))
        case ImageQuestion(image=image_id):
            return try_image(image_id)
        case ReapQuestion():
            return asdict(remove_leftovers(node))


def _own(workspace_id: uuid.UUID, node: str) -> Workspace:
    row = Workspace.objects.select_related("project__team").filter(pk=workspace_id).first()
    if row is None or row.node != node:
        raise NotFound("This workspace is on another node now.")
    return row

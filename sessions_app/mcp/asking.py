"""Send the steps of a sign-in at an MCP server to the door process, and wait for its answer."""

import uuid
from functools import partial
from typing import Any, Final, Literal

from pydantic import TypeAdapter

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Stale
from sessions_app.mcp.remote import NO_DOOR
from sessions_app.queries.live import send_query
from sessions_app.queries.questions import Query
from sessions_app.queueing import enqueue_mcp_sign_in

TIMEOUT_SECONDS: Final = 75.0


class SignInQuestion(Query):
    """Request for a step of the sign-in with this key. The answer is {url} to `begin` and {} to `finish`; if the step
    fails, it is {problem}."""

    kind: Literal["begin", "finish"]
    sign_in: uuid.UUID


SIGN_IN_QUESTION: Final = TypeAdapter(SignInQuestion)


async def ask_sign_in(kind: Literal["begin", "finish"], sign_in: uuid.UUID) -> dict[str, Any]:
    """Ask a door process to perform a step of a sign-in, and return its answer. Raises Stale with the reason if the
    step fails, and Unavailable if no door answers."""
    question = SignInQuestion(kind=kind, sign_in=sign_in)
    enqueue = partial(enqueue_mcp_sign_in, question=question.model_dump(mode="json"))
    answer: dict[str, Any] = await send_query(enqueue, TIMEOUT_SECONDS, NO_DOOR, ErrorCode.MCP_SERVER_SILENT)
    if problem := answer.get("problem"):
        raise Stale(problem, code=ErrorCode.MCP_SIGN_IN_FAILED)
    return answer

"""Call a tool of an MCP server for a person, outside of any session."""

import time
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.core.cache import cache
from redis.exceptions import RedisError

from sandbox.errors import SandboxError
from sandbox.ports import Runtime
from sessions_app.models import Session, ToolCall, Turn, Workspace
from sessions_app.queries.questions import McpTryQuestion
from sessions_app.revisions import TurnPerson
from sessions_app.toolset import session_catalogue
from sessions_app.variables.given import masks_of
from sessions_app.workers.sandbox.mcp_servers import SessionServers
from tools_app import chain
from tools_app.chain import Prepared
from tools_app.mcp.tool import CHANGED_TOOL, McpTool
from tools_app.policies.dry_run import sessionless_context
from tools_app.registry import Catalogue
from tools_app.spec import ToolContext, ToolError

TAKEN_TTL: Final = 3600  # seconds
NOT_AGAIN: Final = "This call was taken before, or nobody waits for it any more. It was not made now."
ACCOUNT: Final = "This call would use somebody's account, who has to agree. Let an agent make it in a session."
CHANGED: Final = "The server has changed this tool meanwhile. The call was not made. Look at the tool again."


async def try_tool(question: McpTryQuestion, workspace: Workspace, runtime: Runtime) -> dict[str, Any]:
    """Call a tool once for a person, and return {title, output, structured, failed, truncated, seconds}. Raises
    SandboxError."""
    if time.time() > question.until or not await sync_to_async(_is_first, thread_sensitive=False)(question.id):
        raise SandboxError(NOT_AGAIN)
    session, person = Session(project=workspace.project, workspace=workspace), TurnPerson(question.person)
    tools = await sync_to_async(session_catalogue, thread_sensitive=False)(session, person)
    masks = await sync_to_async(masks_of, thread_sensitive=False)(workspace.project)
    call = ToolCall(session=session, turn=Turn(session=session, started_by_id=question.person))
    servers = SessionServers(call, session, runtime, person)
    ctx = sessionless_context(runtime, mcp=lambda: servers, masks=masks)
    began = time.monotonic()
    try:
        result = await chain.run(await _prepared(question, ctx, tools), ctx)
    except ToolError as error:
        text = masks.mask(error.message)
        found = {"title": "", "output": text, "structured": None, "failed": True, "truncated": False}
    else:
        found = {"title": result.title, "output": result.output, "failed": False, "truncated": result.truncated}
        found["structured"] = result.metadata.get("mcp", {}).get("structured")
    return {**found, "seconds": round(time.monotonic() - began, 3)}


async def _prepared(question: McpTryQuestion, ctx: ToolContext, tools: Catalogue) -> Prepared:
    """Return the prepared call if the tool still has the definition that the person has seen. Raises ToolError."""
    prepared = await chain.prepare(question.tool, question.arguments, ctx, tools)
    if not isinstance(prepared.tool, McpTool) or prepared.tool.tool.digest != question.digest:
        raise ToolError(CHANGED)
    if {need.permission for need in prepared.needs} - {prepared.tool.permission, CHANGED_TOOL}:
        raise ToolError(ACCOUNT)
    return prepared


def _is_first(question_id: str) -> bool:
    """Return whether this worker is the first to take the request with this id. Returns False if the cache cannot be
    reached, because a call must not be made twice."""
    try:
        return bool(cache.add(f"mcp-tried:{question_id}", 1, TAKEN_TTL))
    except (OSError, RedisError):
        return False

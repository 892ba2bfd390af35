"""Answer requests of people about the local MCP servers of a workspace."""

import uuid
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, TypeVar

import structlog
from asgiref.sync import sync_to_async

from sandbox.errors import LimitReached, SandboxError, SandboxRefused
from sandbox.ports import Runtime
from sessions_app.models import McpServer, Workspace
from sessions_app.queries.questions import McpCompletionQuestion, McpLogQuestion, McpPromptQuestion, McpQuestion
from sessions_app.server_tools import ServerScope, nearest_servers
from sessions_app.variables.given import masks_of
from sessions_app.workers.sandbox.mcp_servers import ReadFailed, read_of_server, start_local
from tools_app.mcp.launch import ServerFailed, log_path
from tools_app.mcp.local_pool import servers_in
from tools_app.text import clean, clean_value

MAX_LOG_BYTES: Final = 64 << 10  # of a server's stderr that people see
T = TypeVar("T")

logger = structlog.get_logger(__name__)


async def answer(question: McpQuestion, workspace: Workspace, runtime: Runtime) -> dict[str, Any]:
    """Answer a request about a local server that the workspace's project uses. Raises SandboxError."""
    row = await _thread(partial(_find_server, question.server, workspace))
    if isinstance(question, McpLogQuestion):
        return await log_of(row, workspace, runtime)
    if isinstance(question, McpPromptQuestion):
        asking = read_of_server(row, workspace, runtime, ask="prompt", name=question.name, arguments=question.arguments)
        return await _read(asking, workspace)
    if isinstance(question, McpCompletionQuestion):
        wanted = {"argument": question.argument, "value": question.value, "others": question.others}
        asking = read_of_server(row, workspace, runtime, ask="completion", name=question.name, arguments=wanted)
        return await _read(asking, workspace)
    servers_in(runtime).stop(row.public_id)
    try:
        await start_local(row, workspace, runtime)
    except ServerFailed as error:
        logger.info("mcp_server_check_failed", server=row.public_id, error=str(error))
    return {}


async def _read(asking: Awaitable[Mapping[str, Any]], workspace: Workspace) -> dict[str, Any]:
    """Await the answer of an MCP server. Return {answer} with secrets masked, or {problem} if the server could not
    answer."""
    try:
        found = await asking
    except ReadFailed as error:
        return {"problem": str(error)}
    masks = await _thread(partial(masks_of, workspace.project))
    return {"answer": masks.mask_value(clean_value(found))}


async def log_of(row: McpServer, workspace: Workspace, runtime: Runtime) -> dict[str, Any]:
    """Return {events, stderr, running} of a server: its history in this worker, and the beginning of its stderr."""
    pool = servers_in(runtime)
    masks = await _thread(partial(masks_of, workspace.project))
    return {
        "events": [masks.mask(clean(line)) for line in pool.log_of(row.public_id)],
        "stderr": masks.mask(clean(await _stderr(row.public_id, runtime))),
        "running": pool.is_running(row.public_id),
    }


async def _stderr(server_id: str, runtime: Runtime) -> str:
    path = log_path(server_id)
    try:
        size = (await runtime.stat(path)).size
        found = await runtime.read(path, offset=max(0, size - MAX_LOG_BYTES), limit=MAX_LOG_BYTES)
    except (SandboxRefused, LimitReached):
        return ""
    return found.content.decode("utf-8", "replace")


def _find_server(server_id: uuid.UUID, workspace: Workspace) -> McpServer:
    """Return an MCP server that the workspace's project uses. Raises SandboxError."""
    for row in nearest_servers(ServerScope.of(workspace)):
        if row.pk == server_id and row.kind == McpServer.Kind.LOCAL:
            return row
    raise SandboxError("This workspace has no such local MCP server.")


async def _thread(function: Callable[[], T]) -> T:
    return await sync_to_async(function, thread_sensitive=False)()

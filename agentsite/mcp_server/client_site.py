"""The tools and resources that the scopes of an MCP client's API token allow."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from asgiref.sync import sync_to_async

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Missing, SiteError
from agentsite.mcp_server.operations import operation
from agentsite.mcp_server.resources import TEMPLATES, find_template, session_resource
from agentsite.mcp_server.rest_calls import RestAnswer, RestCaller, RestRequest
from agentsite.mcp_server.tools import BY_NAME, TOOLS, WAIT_TOOL, SiteTool, served
from agentsite.mcp_server.waiting import wait_for_turn
from agentsite.tenancy.scopes import scope_of_operation
from tools_app.mcp.served import NotServed, Progress, ServedAnswer, ServedResource, ServedTool

RESOURCES_PER_PAGE: Final = 50


class ClientSite:
    """The implementation of `Served` that offers a client the tools and resources that the client's API token
    allows."""

    def __init__(self, caller: RestCaller, scopes: Sequence[str]) -> None:
        self._caller = caller
        self._scopes = frozenset(scopes)

    async def tools(self) -> list[ServedTool]:
        offered = [tool for tool in TOOLS if scope_of_operation(tool.operation) in self._scopes]
        return await sync_to_async(lambda: [served(tool) for tool in offered], thread_sensitive=False)()

    async def call(self, name: str, arguments: Mapping[str, Any], progress: Progress | None) -> ServedAnswer:
        tool = BY_NAME.get(name)
        if tool is None:
            raise NotServed(f"There is no tool '{name[:64]}'.", {"code": ErrorCode.NOT_FOUND})
        try:
            answer = await self._send(tool, arguments, progress)
        except SiteError as error:
            return _failed(_shape(error))
        if answer.error is not None:
            return _failed(answer.error)
        if answer.body is None:  # the rights of the client ended while it waited
            return _failed(_shape(Missing("This is not there any more, or you may no longer see it.")))
        return ServedAnswer(answer.body, str(answer.body[tool.text_field]) if tool.text_field else "")

    async def _send(self, tool: SiteTool, arguments: Mapping[str, Any], progress: Progress | None) -> RestAnswer:
        request = await _request(tool.operation, {**tool.defaults, **arguments})
        if tool.name == WAIT_TOOL and progress is not None:
            return await wait_for_turn(self._caller, request, str(arguments.get("turn_id")), progress)
        return await self._caller.call(request)

    def templates(self) -> list[ServedResource]:
        return [template.shown for template in TEMPLATES]

    async def resources(self, cursor: str | None) -> tuple[list[ServedResource], str | None]:
        more = {} if cursor is None else {"cursor": cursor}
        page = await self._read("list_sessions", {"limit": RESOURCES_PER_PAGE, **more})
        return [session_resource(session) for session in page["items"]], page["next_cursor"]

    async def read(self, uri: str) -> tuple[str, str]:
        found = find_template(uri)
        if found is None:
            raise NotServed("There is no resource with this address.", {"code": ErrorCode.NOT_FOUND, "uri": uri[:2000]})
        template, arguments = found
        content = await self._read(template.operation, arguments)
        text = content[template.text_field] if template.text_field else json.dumps(content, ensure_ascii=False)
        return template.shown.media_type, text

    async def _read(self, operation_id: str, arguments: Mapping[str, Any]) -> Any:
        """Call an operation, and return its answer. Raises NotServed with the error if the operation fails."""
        try:
            answer = await self._caller.call(await _request(operation_id, arguments))
        except SiteError as error:
            raise NotServed(error.message, _shape(error)) from error
        if answer.error is not None:
            raise NotServed(answer.error["message"], answer.error)
        return answer.body


async def _request(operation_id: str, arguments: Mapping[str, Any]) -> RestRequest:
    return await sync_to_async(lambda: operation(operation_id).request(arguments), thread_sensitive=False)()


def _shape(error: SiteError) -> dict[str, Any]:
    return {"code": str(error.code), "message": error.message, "hint": error.hint, "fields": error.fields}


def _failed(error: Mapping[str, Any]) -> ServedAnswer:
    fields = [f"{name}: {problem}" for name, problem in (error.get("fields") or {}).items()]
    text = " ".join(filter(None, [error["message"], error.get("hint", ""), f"(code: {error['code']})"]))
    return ServedAnswer({"error": dict(error)}, "\n".join([text, *fields]), is_error=True)

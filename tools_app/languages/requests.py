"""Execute a request of the tool `lsp`: send the protocol's request and convert the response to results."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from lsprotocol import types

from sandbox.errors import SandboxError
from sandbox.ports import FileContent, Runtime
from tools_app.arguments import ResolvedPath, resolve
from tools_app.languages import protocol
from tools_app.languages.client import LanguageClient
from tools_app.languages.documents import Document, to_document
from tools_app.languages.file_events import send_file_changes
from tools_app.languages.jsonrpc import RequestRefused, ServerFailed
from tools_app.languages.positions import to_characters, to_units
from tools_app.languages.programs import Consent
from tools_app.languages.protocol import Position
from tools_app.languages.request_types import WITHOUT_POSITION, LspAnswer, LspRequest, LspResult, MayRead, Operation
from tools_app.languages.server_pool import running_in

METHODS: Final[dict[Operation, tuple[str, str]]] = {
    "goToDefinition": (types.TEXT_DOCUMENT_DEFINITION, "definition_provider"),
    "findReferences": (types.TEXT_DOCUMENT_REFERENCES, "references_provider"),
    "hover": (types.TEXT_DOCUMENT_HOVER, "hover_provider"),
    "documentSymbol": (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, "document_symbol_provider"),
    "workspaceSymbol": (types.WORKSPACE_SYMBOL, "workspace_symbol_provider"),
    "goToImplementation": (types.TEXT_DOCUMENT_IMPLEMENTATION, "implementation_provider"),
    "prepareCallHierarchy": (types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY, "call_hierarchy_provider"),
    "incomingCalls": (types.CALL_HIERARCHY_INCOMING_CALLS, "call_hierarchy_provider"),
    "outgoingCalls": (types.CALL_HIERARCHY_OUTGOING_CALLS, "call_hierarchy_provider"),
}
"""The protocol's request for each operation, and the capability that a server needs for it."""

MAX_RESULTS: Final = 100
MAX_FILE_BYTES: Final = 1 << 20
MAX_FILES_READ: Final = 30  # for the lines that are shown with results
MAX_LINE_CHARACTERS: Final = 200  # of a line that is shown with a result


async def execute(
    request: LspRequest,
    target: ResolvedPath,
    found: FileContent,
    runtime: Runtime,
    *,
    consent: Consent,
    may_read: MayRead,
) -> LspAnswer:
    """Send a request to the language server of a file and return at most 100 results.

    Raises ServerFailed if there is no server or it does not answer, ToolError if the position does not exist.
    """
    running = await running_in(runtime).client_for(target, runtime, consent)
    if running is None:
        raise ServerFailed("is no longer available")
    client, folder = running
    document = to_document(target, found)
    client.sync_document(document, folder)
    await send_file_changes(client, runtime)
    try:
        spots = await _send(client, request, document)
    except ServerFailed as failure:
        raise ServerFailed(f"{client.spec.id} {failure.message}") from failure
    if request.operation == "hover" and spots and not await _may_show(client, spots[0], document, runtime, may_read):
        spots = []
    shown = await _to_results(spots[:MAX_RESULTS], document, runtime, may_read)
    return LspAnswer(client.spec.id, shown, max(0, len(spots) - MAX_RESULTS))


async def _send(client: LanguageClient, request: LspRequest, document: Document) -> list[Position]:
    """Send a request about a file that the server has open, and return the resulting positions, this file's first.

    Raises RequestRefused if the server does not support the operation, ToolError if the position does not exist.
    """
    method, ability = METHODS[request.operation]
    if not protocol.supports(client.capabilities, ability):
        raise RequestRefused(f"does not support {request.operation}")
    if request.operation in WITHOUT_POSITION:
        return await _request_symbols(client, method, request, document)
    line, unit = to_units(document.lines, request.line, request.character)
    position = protocol.position_params(document.path, line, unit)
    if request.operation == "hover":
        text = protocol.to_text(await client.request(method, position))
        return [Position(document.path, line, unit, text)] if text else []
    if request.operation in {"prepareCallHierarchy", "incomingCalls", "outgoingCalls"}:
        return await _request_calls(client, method, position)
    if request.operation == "findReferences":
        position["context"] = {"includeDeclaration": True}
    spots = protocol.to_spots(await client.request(method, position))
    return sorted(spots, key=lambda spot: (spot.path != document.path, spot.path, spot.line, spot.unit))


async def _request_symbols(
    client: LanguageClient, method: str, request: LspRequest, document: Document
) -> list[Position]:
    if request.operation == "workspaceSymbol":
        return protocol.to_symbols(document.path, await client.request(method, {"query": request.query}))
    params = {"textDocument": {"uri": protocol.to_uri(document.path)}}
    return protocol.to_symbols(document.path, await client.request(method, params))


async def _request_calls(client: LanguageClient, method: str, position: Any) -> list[Position]:
    """Return the function at the position, or its callers or callees, depending on `method`."""
    items = await client.request(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY, position) or []
    if method == types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY:
        return protocol.to_callables(items)
    calls = [call for item in items for call in await client.request(method, {"item": protocol.plain(item)}) or []]
    incoming = method == types.CALL_HIERARCHY_INCOMING_CALLS
    return protocol.to_callables(call.from_ if incoming else call.to for call in calls)


async def _may_show(
    client: LanguageClient, spot: Position, document: Document, runtime: Runtime, may_read: MayRead
) -> bool:
    """Return whether the server's text about a symbol may be shown. Such a text may quote the files that define the
    symbol, so the agent must be allowed to read these files. True if the server knows no definitions."""
    method, ability = METHODS["goToDefinition"]
    if not protocol.supports(client.capabilities, ability):
        return True
    response = await client.request(method, protocol.position_params(document.path, spot.line, spot.unit))
    paths = {each.path for each in protocol.to_spots(response)} - {document.path}
    return not any(await asyncio.gather(*(_is_hidden(path, runtime, may_read) for path in paths)))


async def _is_hidden(path: str, runtime: Runtime, may_read: MayRead) -> bool:
    """Return whether the agent must ask a person before it reads this file of the workspace, or must not read it."""
    try:
        target = await resolve(path, runtime)
        return target.inside and not await may_read(target)
    except SandboxError:
        return True


async def _to_results(
    spots: Sequence[Position], document: Document, runtime: Runtime, may_read: MayRead
) -> list[LspResult]:
    """Convert positions to results. A position without a description gets its line as the text, if the agent may read
    the file. In workspace files that the agent may not read, positions get neither a line nor a description, because
    names of symbols are content, too."""
    paths = [path for path in dict.fromkeys(spot.path for spot in spots) if path != document.path]
    hidden = await asyncio.gather(*(_is_hidden(path, runtime, may_read) for path in paths))
    without_text = {path for path, is_hidden in zip(paths, hidden, strict=True) if is_hidden}
    spots = [replace(spot, text="") if spot.path in without_text else spot for spot in spots]
    read = await asyncio.gather(*(_lines_of(path, runtime, may_read) for path in paths[:MAX_FILES_READ]))
    known = {document.path: (document.shown, document.lines), **dict(zip(paths, read, strict=False))}
    return [_to_result(spot, *known.get(spot.path, (spot.path, []))) for spot in spots]


def _to_result(spot: Position, shown: str, lines: list[str]) -> LspResult:
    line, character = to_characters(lines, spot.line, spot.unit)
    there = lines[spot.line].strip()[:MAX_LINE_CHARACTERS] if 0 <= spot.line < len(lines) else ""
    return LspResult(shown, line, character, spot.text or there, spot.depth)


async def _lines_of(path: str, runtime: Runtime, may_read: MayRead) -> tuple[str, list[str]]:
    """Return the displayed path and the lines of a file; no lines if the agent may not or cannot read it."""
    try:
        target = await resolve(path, runtime)
        if not await may_read(target):
            return target.shown, []
        found = await runtime.read(target.real, limit=MAX_FILE_BYTES)
    except SandboxError:
        return path, []
    return target.shown, found.content.decode("utf-8", "replace").split("\n")

"""Putting a question to a language server: the protocol's request for it, and its answer as places that people know."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from lsprotocol import types

from sandbox.errors import SandboxError
from sandbox.ports import FileContent, Runtime
from tools_app.arguments import Place, resolve
from tools_app.languages import protocol
from tools_app.languages.client import LanguageClient
from tools_app.languages.documents import Document, to_document
from tools_app.languages.file_events import note_changes
from tools_app.languages.jsonrpc import Refused, ServerFailed
from tools_app.languages.positions import to_characters, to_units
from tools_app.languages.programs import Consent
from tools_app.languages.protocol import Spot
from tools_app.languages.request_types import WITHOUT_PLACE, Answer, MayRead, Operation, Question, Result
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
"""The request, and the ability of a server that can answer it."""

MOST_RESULTS: Final = 100
LARGEST_READ: Final = 1 << 20
MOST_FILES_READ: Final = 30
LONGEST_LINE: Final = 200


async def answer(
    question: Question, place: Place, found: FileContent, runtime: Runtime, *, consent: Consent, may_read: MayRead
) -> Answer:
    """At most 100 results. ServerFailed when there is no server or it does not answer, ToolError for a wrong place."""
    running = await running_in(runtime).client_for(place, runtime, consent)
    if running is None:
        raise ServerFailed("is not there any more")
    client, folder = running
    document = to_document(place, found)
    client.show(document, folder)
    await note_changes(client, runtime)
    try:
        spots = await _ask(client, question, document)
    except ServerFailed as failure:
        raise ServerFailed(f"{client.spec.id} {failure.message}") from failure
    shown = await _to_results(spots[:MOST_RESULTS], document, runtime, may_read)
    return Answer(client.spec.id, shown, max(0, len(spots) - MOST_RESULTS))


async def _ask(client: LanguageClient, question: Question, document: Document) -> list[Spot]:
    """About a file that it was shown, whose own places come first. Refused when the server cannot do that, ToolError
    for a wrong place."""
    method, ability = METHODS[question.operation]
    if not protocol.supports(client.capabilities, ability):
        raise Refused(f"does not know {question.operation}")
    if question.operation in WITHOUT_PLACE:
        return await _ask_for_symbols(client, method, question, document)
    line, unit = to_units(document.lines, question.line, question.character)
    position = protocol.position_params(document.path, line, unit)
    if question.operation == "hover":
        text = protocol.to_text(await client.ask(method, position))
        return [Spot(document.path, line, unit, text)] if text else []
    if question.operation in {"prepareCallHierarchy", "incomingCalls", "outgoingCalls"}:
        return await _ask_for_calls(client, method, position)
    if question.operation == "findReferences":
        position["context"] = {"includeDeclaration": True}
    spots = protocol.to_spots(await client.ask(method, position))
    return sorted(spots, key=lambda spot: (spot.path != document.path, spot.path, spot.line, spot.unit))


async def _ask_for_symbols(client: LanguageClient, method: str, question: Question, document: Document) -> list[Spot]:
    if question.operation == "workspaceSymbol":
        return protocol.to_symbols(document.path, await client.ask(method, {"query": question.query}))
    params = {"textDocument": {"uri": protocol.to_uri(document.path)}}
    return protocol.to_symbols(document.path, await client.ask(method, params))


async def _ask_for_calls(client: LanguageClient, method: str, position: Any) -> list[Spot]:
    """Of the function at that place, as the server itself names it."""
    items = await client.ask(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY, position) or []
    if method == types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY:
        return protocol.to_callables(items)
    calls = [call for item in items for call in await client.ask(method, {"item": protocol.plain(item)}) or []]
    incoming = method == types.CALL_HIERARCHY_INCOMING_CALLS
    return protocol.to_callables(call.from_ if incoming else call.to for call in calls)


async def _to_results(spots: Sequence[Spot], document: Document, runtime: Runtime, may_read: MayRead) -> list[Result]:
    """With the line of each place that says nothing of itself, as far as the agent may read the file."""
    paths = [path for path in dict.fromkeys(spot.path for spot in spots) if path != document.path]
    read = await asyncio.gather(*(_lines_of(path, runtime, may_read) for path in paths[:MOST_FILES_READ]))
    known = {document.path: (document.shown, document.lines), **dict(zip(paths, read, strict=False))}
    return [_to_result(spot, *known.get(spot.path, (spot.path, []))) for spot in spots]


def _to_result(spot: Spot, shown: str, lines: list[str]) -> Result:
    line, character = to_characters(lines, spot.line, spot.unit)
    there = lines[spot.line].strip()[:LONGEST_LINE] if 0 <= spot.line < len(lines) else ""
    return Result(shown, line, character, spot.text or there, spot.depth)


async def _lines_of(path: str, runtime: Runtime, may_read: MayRead) -> tuple[str, list[str]]:
    """The path as people see it. No lines of what may not or cannot be read."""
    try:
        place = await resolve(path, runtime)
        if not await may_read(place):
            return place.shown, []
        found = await runtime.read(place.real, limit=LARGEST_READ)
    except SandboxError:
        return path, []
    return place.shown, found.content.decode("utf-8", "replace").split("\n")

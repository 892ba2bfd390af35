"""Conversions between the Language Server Protocol and our types, with the types and validation of lsprotocol.

lsprotocol takes half a second to import, so this module and `languages.client` are imported when a server is first
needed.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, unquote_to_bytes, urlsplit

from lsprotocol import types
from lsprotocol.converters import get_converter

from tools_app.languages.jsonrpc import ServerFailed
from tools_app.languages.servers import ServerSpec

CONVERTER: Final = get_converter()
MAX_ITEMS: Final = 10_000  # of one response
MAX_NESTING: Final = 50  # levels of symbols

CAPABILITIES: Final = types.ClientCapabilities(
    general=types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind.Utf16]),
    window=types.WindowClientCapabilities(work_done_progress=False),
    workspace=types.WorkspaceClientCapabilities(
        apply_edit=False,
        configuration=True,
        workspace_folders=True,
        did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
    ),
    text_document=types.TextDocumentClientCapabilities(
        synchronization=types.TextDocumentSyncClientCapabilities(did_save=True),
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(version_support=True),
        diagnostic=types.DiagnosticClientCapabilities(dynamic_registration=False),
        hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown, types.MarkupKind.PlainText]),
        definition=types.DefinitionClientCapabilities(link_support=False),
        implementation=types.ImplementationClientCapabilities(link_support=False),
        document_symbol=types.DocumentSymbolClientCapabilities(hierarchical_document_symbol_support=True),
        call_hierarchy=types.CallHierarchyClientCapabilities(),
    ),
)


@dataclass(frozen=True, slots=True)
class Position:
    """A position in a file, in the protocol's units, with a description of the symbol there."""

    path: str
    """The absolute path."""
    line: int
    """From 0."""
    unit: int
    """The column in UTF-16 code units, from 0."""
    text: str = ""
    """A description of the symbol, if the server gave one."""
    depth: int = 0
    """The nesting level of a symbol."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnostic. `line` and `unit` (UTF-16 code units) count from 0; `severity` is 1 (error) to 4 (hint)."""

    line: int
    unit: int
    severity: int
    message: str
    source: str


def initialize_params(spec: ServerSpec, folder: str) -> Any:
    """Return the parameters of the LSP request `initialize` for a server in the project folder `folder`."""
    params = types.InitializeParams(
        capabilities=CAPABILITIES,
        process_id=None,
        client_info=types.ClientInfo(name="agentsite"),
        root_path=folder,
        root_uri=to_uri(folder),
        workspace_folders=[types.WorkspaceFolder(**folder_fields(folder))],
        initialization_options=dict(spec.options) or None,
    )
    return CONVERTER.unstructure(params)


def folder_fields(folder: str) -> dict[str, str]:
    """Return a WorkspaceFolder of the protocol."""
    return {"uri": to_uri(folder), "name": folder.rpartition("/")[2] or folder}


def read_capabilities(result: Any) -> types.ServerCapabilities:
    """Return the server's capabilities from the result of `initialize`. Raises ServerFailed."""
    answer: types.InitializeResult = structured(types.INITIALIZE, result)
    return answer.capabilities


def structured(method: str, result: Any) -> Any:
    """Convert the result of a request to its lsprotocol type. Raises ServerFailed if it does not have that type."""
    answer = types.METHOD_TO_TYPES[method][1]
    return _structure({"jsonrpc": "2.0", "id": 0, "result": result}, answer).result


def read_published(params: Any) -> list[Finding]:
    """Return the diagnostics of a `publishDiagnostics` notification. Raises ServerFailed if it is malformed."""
    published: types.PublishDiagnosticsParams = _structure(params, types.PublishDiagnosticsParams)
    return to_findings(published.diagnostics)


def to_findings(diagnostics: Iterable[types.Diagnostic]) -> list[Finding]:
    return [
        Finding(
            each.range.start.line,
            each.range.start.character,
            int(each.severity or types.DiagnosticSeverity.Error),
            each.message if each.code is None or not isinstance(each.code, str) else f"{each.message} ({each.code})",
            each.source or "",
        )
        for each in list(diagnostics)[:MAX_ITEMS]
    ]


def to_spots(locations: Any) -> list[Position]:
    """Convert the result of a location request (a location, a list of locations or links, or None) to positions."""
    found = locations if isinstance(locations, Sequence) else [locations] if locations else []
    return [spot for each in found[:MAX_ITEMS] if (spot := _to_spot(each))]


def _to_spot(location: Any) -> Position | None:
    if isinstance(location, types.LocationLink):
        uri, start = location.target_uri, location.target_selection_range.start
    else:
        uri, start = location.uri, location.range.start
    path = to_path(uri)
    return Position(path, start.line, start.character) if path else None


def to_symbols(path: str, symbols: Any, depth: int = 0) -> list[Position]:
    """Convert the symbols of a document (a tree, returned depth first) or of a project (a list) to positions."""
    spots: list[Position] = []
    for each in (symbols or ())[:MAX_ITEMS]:
        if isinstance(each, types.DocumentSymbol):
            start = each.selection_range.start
            spots.append(Position(path, start.line, start.character, _named(each.kind, each.name, each.detail), depth))
            if depth < MAX_NESTING:
                spots += to_symbols(path, each.children, depth + 1)
        elif spot := _of_project(each):
            spots.append(spot)
    return spots


def _of_project(symbol: types.SymbolInformation | types.WorkspaceSymbol) -> Position | None:
    path = to_path(symbol.location.uri)
    start = getattr(symbol.location, "range", None)
    line, unit = (start.start.line, start.start.character) if start else (0, 0)
    inside = f"in {symbol.container_name}" if symbol.container_name else None
    return Position(path, line, unit, _named(symbol.kind, symbol.name, inside)) if path else None


def to_callables(items: Iterable[types.CallHierarchyItem]) -> list[Position]:
    found = []
    for item in list(items)[:MAX_ITEMS]:
        start = item.selection_range.start
        if path := to_path(item.uri):
            found.append(Position(path, start.line, start.character, _named(item.kind, item.name, item.detail)))
    return found


def to_text(hover: types.Hover | None) -> str:
    """Return the text of a hover result; "" if there is none."""
    if hover is None:
        return ""
    contents = hover.contents if isinstance(hover.contents, Sequence) else [hover.contents]
    parts = [hover.contents] if isinstance(hover.contents, str) else contents
    return "\n\n".join(part if isinstance(part, str) else part.value for part in parts).strip()


def _named(kind: Any, name: str, detail: str | None) -> str:
    word = kind.name if isinstance(kind, types.SymbolKind) else "symbol"
    return f"{word.lower()} {name}{f' {detail}' if detail else ''}"


def to_uri(path: str) -> str:
    return f"file://{quote(os.fsencode(path))}"


def to_path(uri: str) -> str | None:
    """Return the path of a file URI; None if the URI is not of a file in the sandbox."""
    try:
        parts = urlsplit(uri)
        path = os.fsdecode(unquote_to_bytes(parts.path))
    except ValueError:  # includes UnicodeError for lone surrogates
        return None
    return path if parts.scheme == "file" and not parts.netloc and path.startswith("/") and "\0" not in path else None


def plain(value: Any) -> Any:
    """Convert an lsprotocol value to JSON data."""
    return CONVERTER.unstructure(value)


def _structure(value: Any, kind: Any) -> Any:
    try:
        return CONVERTER.structure(value, kind)
    except Exception as error:  # the converter raises many types of exceptions for a value of a wrong type
        raise ServerFailed("sent a response that does not follow the protocol") from error


def supports(capabilities: types.ServerCapabilities, name: str) -> bool:
    return getattr(capabilities, name, None) not in (None, False)


def commands_of(capabilities: types.ServerCapabilities) -> Sequence[str]:
    provider = capabilities.execute_command_provider
    return provider.commands if provider else ()


def position_params(path: str, line: int, unit: int) -> dict[str, Any]:
    return {"textDocument": {"uri": to_uri(path)}, "position": {"line": line, "character": unit}}

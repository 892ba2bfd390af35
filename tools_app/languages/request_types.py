"""The operations of the tool `lsp`, and the types of its requests and results."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from tools_app.arguments import ResolvedPath

Operation = Literal[
    "goToDefinition",
    "findReferences",
    "hover",
    "documentSymbol",
    "workspaceSymbol",
    "goToImplementation",
    "prepareCallHierarchy",
    "incomingCalls",
    "outgoingCalls",
]

MayRead = Callable[[ResolvedPath], Awaitable[bool]]
"""Returns whether the agent may read a file without asking a person."""

PAST_TENSE: Final[Mapping[Operation, str]] = {
    "goToDefinition": "Found the definition in",
    "findReferences": "Found references from",
    "hover": "Looked up a symbol in",
    "documentSymbol": "Listed the symbols of",
    "workspaceSymbol": "Searched symbols beside",
    "goToImplementation": "Found implementations from",
    "prepareCallHierarchy": "Found the function in",
    "incomingCalls": "Found callers from",
    "outgoingCalls": "Found calls from",
}
WITHOUT_POSITION: Final[frozenset[Operation]] = frozenset({"documentSymbol", "workspaceSymbol"})


@dataclass(frozen=True, slots=True)
class LspRequest:
    """One request of the tool `lsp`. `line` and `character` count from 1."""

    operation: Operation
    line: int
    character: int
    query: str


@dataclass(frozen=True, slots=True)
class LspResult:
    """A position in a file, with a description of the symbol there. `line` and `character` count from 1."""

    path: str
    line: int
    character: int
    text: str
    depth: int = 0
    """The nesting level of a symbol within other results."""

    def as_fields(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "depth"}


@dataclass(frozen=True, slots=True)
class LspAnswer:
    """The results of one request to a language server."""

    server: str
    """The id of the language server."""
    results: Sequence[LspResult]
    more: int
    """How many further results were left out."""

"""What can be asked about code, and the shape of what comes back."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from tools_app.arguments import Place

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

MayRead = Callable[[Place], Awaitable[bool]]
"""Whether the agent may read a file without asking anybody."""

DONE: Final[Mapping[Operation, str]] = {
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
WITHOUT_PLACE: Final[frozenset[Operation]] = frozenset({"documentSymbol", "workspaceSymbol"})


@dataclass(frozen=True, slots=True)
class Question:
    """`line` and `character` count from 1."""

    operation: Operation
    line: int
    character: int
    query: str


@dataclass(frozen=True, slots=True)
class Result:
    """A place as people count it, and what is there. `depth` is how far inside other results it lies."""

    path: str
    line: int
    character: int
    text: str
    depth: int = 0

    def as_fields(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "depth"}


@dataclass(frozen=True, slots=True)
class Answer:
    """Who answered, and the results; `more` of them were left out."""

    server: str
    results: Sequence[Result]
    more: int

"""What a tool is, what it gets and what it gives back. The only module that built-in tools share with the site.

A tool is data plus two coroutines: `needs` says what it wants to do (and may look, never touch), `run` does it.
Between the two stands the permission engine.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

from sandbox.limits import LimitHit
from sandbox.ports import Runtime

Args = TypeVar("Args", bound=BaseModel)


class ToolError(Exception):
    """The call cannot be done as asked; `message` goes to the model and tells it what to do instead. `lost`: the
    sandbox was gone under it, which people are told too."""

    def __init__(self, message: str, *, lost: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.lost = lost


class AwaitAnswer(Exception):
    """Raised by `run` to suspend the call until a human answers; no worker waits.

    `questions` is the list shown to the person, as in the question tool's arguments.
    """

    def __init__(self, questions: Sequence[Mapping[str, Any]]) -> None:
        super().__init__("waiting for an answer")
        self.questions = list(questions)


@dataclass(frozen=True, slots=True)
class PermissionNeed:
    """One thing a call needs: `always` are the patterns an "always" answer would grant; `metadata` is for the card
    (`diff`, `command`, `path` ...)."""

    permission: str
    patterns: tuple[str, ...]
    always: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`title` is the verb phrase with its object, past tense ("Edited src/app.py"); `output` is what the model reads.
    `truncated` True means the tool cut its own output and the wrapper must not."""

    title: str
    output: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    attachments: Sequence[Mapping[str, Any]] = ()
    truncated: bool = False


class Progress(Protocol):
    """Live news of a running call. `output` is text to append to what people see; both others replace."""

    def __call__(
        self, *, title: str | None = None, output: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> None: ...


def ignore_limit(hit: LimitHit) -> None:
    """For those who only want the result, which names every limit that was met."""


class SessionMemory(Protocol):
    """What tools keep per session, in the database."""

    async def read_todos(self) -> list[dict[str, Any]]: ...

    async def write_todos(self, todos: Sequence[Mapping[str, Any]]) -> None: ...

    async def seen_version(self, path: str) -> str | None:
        """sha256 of the file as the agent last read or wrote it in this session (real path)."""
        ...

    async def remember_version(self, path: str, sha256: str) -> None: ...

    async def first_time(self, key: str) -> bool:
        """True once per session and key (used for reminders that are shown once)."""
        ...


@dataclass(frozen=True, slots=True)
class ToolContext:
    """`limit` is told of each limit of the sandbox that the call meets, while it runs."""

    session_id: str
    message_id: str
    call_id: str
    agent: str
    runtime: Runtime
    memory: SessionMemory
    progress: Progress
    limit: Callable[[LimitHit], None] = ignore_limit


class Tool(Generic[Args]):
    """Subclass it, one file per tool, description in a text file of the same name beside it.

    `permission` is the name whose rules hide the tool (several tools share "edit"); `timeout` bounds `run` in seconds,
    and None means that the tool bounds itself; `keep` is the end of a long output that survives truncation.
    `repeatable` False: when its worker died, the call is not run again, because it may have happened already.
    Instances are stateless and shared between threads.
    """

    id: ClassVar[str]
    permission: ClassVar[str]
    parameters: ClassVar[type[BaseModel]]
    description: ClassVar[str]
    timeout: ClassVar[float | None] = 60.0
    offered: ClassVar[bool] = True
    repeatable: ClassVar[bool] = True
    keep: ClassVar[Literal["head", "tail"]] = "head"

    async def needs(self, args: Args, ctx: ToolContext) -> Sequence[PermissionNeed]:
        raise NotImplementedError

    async def run(self, args: Args, ctx: ToolContext) -> ToolResult:
        raise NotImplementedError

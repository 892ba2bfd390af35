"""What a tool is, what it gets and what it gives back. The only module that built-in tools share with the site.

A tool is data plus two coroutines: `needs` says what it wants to do (and may look, never touch), `run` does it.
Between the two stands the permission engine.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NotRequired, Protocol, TypedDict, TypeVar, cast

from pydantic import BaseModel

from sandbox.limits import LimitHit
from sandbox.ports import Runtime
from tools_app.schema import parameters_schema

Args = TypeVar("Args", bound=BaseModel)
Action = Literal["allow", "ask", "deny"]


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


class AwaitChild(Exception):
    """Raised by `run` to suspend the call until a sub-agent's session has ended.

    `session_id` names a session of an earlier call that is to go on; `command` is the slash command that asked.
    """

    def __init__(
        self, agent: str, description: str, prompt: str, *, session_id: str | None = None, command: str | None = None
    ) -> None:
        super().__init__("waiting for a sub-agent")
        self.agent = agent
        self.description = description
        self.prompt = prompt
        self.session_id = session_id
        self.command = command


class AwaitCalls(Exception):
    """Raised by `run` to suspend the call until other calls, made for it, are over. Each passes the gate like any call.

    `calls` are {tool, arguments}. When all are over, `run` is called again and finds them in `ToolContext.outcomes`.
    `title` is what people see meanwhile.
    """

    def __init__(self, calls: Sequence[Mapping[str, Any]], *, title: str) -> None:
        super().__init__("waiting for other calls")
        self.calls = [dict(each) for each in calls]
        self.title = title


@dataclass(frozen=True, slots=True)
class PermissionNeed:
    """One thing a call needs: `always` are the patterns an "always" answer would grant; `metadata` is for the card
    (`diff`, `command`, `path` ...)."""

    permission: str
    patterns: tuple[str, ...]
    always: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


class Attachment(TypedDict):
    """A file beside a result or a prompt. What it holds lies in the `FileStore` under its id; `size` is in bytes,
    `width` and `height` are a picture's pixels, else 0 or not there."""

    id: str
    name: str
    media_type: str
    size: int
    width: NotRequired[int]
    height: NotRequired[int]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`title` is the verb phrase with its object, past tense ("Edited src/app.py"); `output` is what the model reads.
    `truncated` True means the tool cut its own output and the wrapper must not. `switch_agent` names the agent that
    goes on from here. `final` True ends the turn: nothing is left to say."""

    title: str
    output: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    attachments: Sequence[Mapping[str, Any]] = ()
    truncated: bool = False
    switch_agent: str | None = None
    final: bool = False


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


class FileStore(Protocol):
    """Where attachments are kept, outside the workspace and outside the database."""

    async def put(self, name: str, media_type: str, data: bytes) -> Attachment:
        """Keep a file for the session. What it is is told by its content; `media_type` is a guess that may be wrong.
        Raises ToolError when its kind or size is not taken, or the session has as many as it may."""
        ...

    async def describe(self, attachment_id: str) -> Attachment:
        """Raises ToolError when the session has no such file."""
        ...

    async def get(self, attachment_id: str) -> bytes:
        """Raises ToolError when the session has no such file."""
        ...


class NoFileStore:
    """For contexts in which nothing can be attached."""

    async def put(self, name: str, media_type: str, data: bytes) -> Attachment:
        raise ToolError("Files cannot be attached here.")

    async def describe(self, attachment_id: str) -> Attachment:
        raise ToolError("Files cannot be attached here.")

    async def get(self, attachment_id: str) -> bytes:
        raise ToolError("Files cannot be attached here.")


@dataclass(frozen=True, slots=True)
class ModelTraits:
    """What a tool may know of the model. `family` is one of `tools_app.model_families`, "" when it is unknown."""

    family: str = ""
    sees_images: bool = False
    sees_pdf: bool = False


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """How a call ended that was made for another one. `state` is completed, error or aborted."""

    call_id: str
    tool: str
    title: str
    state: str
    output: str
    attachments: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """What a model is told about a tool."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class OfferContext:
    """For whom the catalogue is read: what decides which tools are offered, and how they are described.

    `agents` are the sub-agents that may be called (name -> description), `settings` those of the site and the team for
    tools, `output_schema` the JSON Schema of the answer, when the prompt asked for one.
    """

    agent: str = "build"
    model: ModelTraits = ModelTraits()
    agents: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    output_schema: Mapping[str, Any] | None = None


async def ask_always(_needs: Sequence[PermissionNeed]) -> Action:
    """Where no rules are known, nothing goes without a question."""
    return "ask"


@dataclass(frozen=True, slots=True)
class ToolContext:
    """`limit` is told of each limit of the sandbox that the call meets, while it runs.

    `judge` says what the rules in force say of all that a running call comes to need for one thing; nobody is asked
    for it, so what is not "allow" is left undone.
    `model`, `agents`, `settings` and `output_schema` are as in `OfferContext`. `outcomes` are those of the calls that
    `run` waited for, in their order; empty until it did.
    """

    session_id: str
    message_id: str
    call_id: str
    agent: str
    runtime: Runtime
    memory: SessionMemory
    progress: Progress
    limit: Callable[[LimitHit], None] = ignore_limit
    judge: Callable[[Sequence[PermissionNeed]], Awaitable[Action]] = ask_always
    files: FileStore = field(default_factory=NoFileStore)
    model: ModelTraits = ModelTraits()
    agents: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    output_schema: Mapping[str, Any] | None = None
    outcomes: Sequence[CallOutcome] = ()


class Tool(Generic[Args]):
    """Subclass it, one file per tool, description in a text file of the same name beside it.

    `permission` is the name whose rules hide the tool (several tools share "edit"; "" is never hidden). `timeout`
    bounds `run` in seconds; None means that the tool bounds itself. `keep` is the end of a long output that survives
    truncation.
    `repeatable` False: when its worker died, the call is not run again, because it may have happened already;
    `interrupted` is what the model is told then (empty: that it may have run partly).
    `aliases` are further names by which a model may call it. Instances are stateless and shared between threads.
    """

    id: str
    permission: str
    parameters: type[BaseModel]
    description: str
    aliases: tuple[str, ...] = ()
    timeout: float | None = 60.0
    offered: bool = True
    repeatable: bool = True
    interrupted: str = ""
    keep: Literal["head", "tail"] = "head"

    def is_offered(self, offer: OfferContext) -> bool:
        """Whether models are told of it at all; rules may still hide it."""
        return self.offered

    def describe(self, offer: OfferContext) -> str:
        """The description, completed with what is true only here (which sub-agents there are, say)."""
        return self.description

    def schema(self, offer: OfferContext) -> Mapping[str, Any]:
        """JSON Schema of the parameters, before it is adapted to a provider."""
        return parameters_schema(self.parameters)

    def read_arguments(self, arguments: Mapping[str, Any], ctx: ToolContext) -> Args:
        """Check them. Raises pydantic's ValidationError, or ToolError with what is wrong."""
        return cast(Args, self.parameters.model_validate(arguments))

    async def needs(self, args: Args, ctx: ToolContext) -> Sequence[PermissionNeed]:
        raise NotImplementedError

    async def run(self, args: Args, ctx: ToolContext) -> ToolResult:
        raise NotImplementedError

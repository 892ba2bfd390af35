"""The tool interface: the class Tool, its context, its results and its errors.

A tool is data plus two coroutines: `needs` returns the permissions that a call needs (it may read but never change
anything), `run` executes the call. The permission engine decides between the two. The exceptions that `run` raises to
wait for something are in `suspension.py`. Built-in tools share these two modules with the rest of the site.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NotRequired, Protocol, TypedDict, TypeVar, cast

from pydantic import BaseModel

from sandbox.limits import LimitHit, RefusedConnection
from sandbox.ports import Runtime
from tools_app.masking import NO_MASKS, Masks
from tools_app.mcp.calling import ServerCalls
from tools_app.memory_notes import MemoryNotes
from tools_app.pull_requests import PullRequests
from tools_app.schema import parameters_schema
from tools_app.setup_scripts import SetupRuns

Args = TypeVar("Args", bound=BaseModel)
Action = Literal["allow", "ask", "deny"]
Requirement = Literal[
    "agents", "browser", "declared_servers", "languages", "mcp_resources", "output_schema", "pull_requests",
    "search_server", "setup", "tool_search",
]  # fmt: skip
"""Something that a tool cannot work without: sub-agents that may be called, a browser in the site's sandbox image, MCP
servers that the repository declares and that wait for a person, language servers in the site's sandbox image, resources
of MCP servers, a JSON Schema for structured output in the prompt, a repository at a forge, a search server of the site,
a set-up script of the workspace, or more tools than are offered."""


class ToolError(Exception):
    """The call failed; `message` is sent to the model and says what to do instead.

    `lost` is True if the sandbox stopped during the call, which is also shown to people. `metadata` is shown with the
    call, like the metadata of a result.
    """

    def __init__(self, message: str, *, lost: bool = False, metadata: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.lost = lost
        self.metadata = dict(metadata or {})


@dataclass(frozen=True, slots=True)
class PermissionNeed:
    """One permission that a call needs."""

    permission: str
    patterns: tuple[str, ...]
    """What the call would do under this permission, such as paths or commands. Each is matched against the rules."""
    always: tuple[str, ...] = ()
    """The patterns that the answer "always" grants. Empty: "always" is not offered."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Details for the permission request: `title`, `diff`, `command`, `path` and others."""


class Attachment(TypedDict):
    """A file attached to a result or a prompt. Its content is in the `FileStore` under its id.

    `size` is in bytes. `width` and `height` are the pixels of a picture, for other files 0 or missing.
    """

    id: str
    name: str
    media_type: str
    size: int
    width: NotRequired[int]
    height: NotRequired[int]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a successful call."""

    title: str
    """What was done, as a verb phrase in the past tense ("Edited src/app.py")."""
    output: str
    """The text for the model."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    attachments: Sequence[Mapping[str, Any]] = ()
    truncated: bool = False
    """True if the tool has truncated its output itself and the wrapper must not do it again."""
    switch_agent: str | None = None
    """The name of the agent that continues the session."""
    final: bool = False
    """True if the call ends the turn without another model call."""
    refused: Sequence[RefusedConnection] = ()
    """The connections that programs of the call were refused."""


class Progress(Protocol):
    """A function that reports the progress of a running call.

    `output` is appended to the output that people see. `title` and `metadata` replace the previous title and metadata.
    """

    def __call__(
        self, *, title: str | None = None, output: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> None: ...


def ignore_limit(hit: LimitHit) -> None:
    """Do nothing: a limit callback for callers that read the reached limits from the result instead."""


class SessionMemory(Protocol):
    """Data that tools keep in the database for each session."""

    async def read_todos(self) -> list[dict[str, Any]]: ...

    async def write_todos(self, todos: Sequence[Mapping[str, Any]]) -> None: ...

    async def seen_version(self, path: str) -> str | None:
        """Return the SHA-256 of a file (real path) as the agent last read or wrote it in this session, or None."""
        ...

    async def remember_version(self, path: str, sha256: str) -> None: ...

    async def first_time(self, key: str) -> bool:
        """Return True on the first call with this key in the session. Used for reminders that are shown once."""
        ...


@dataclass(frozen=True, slots=True)
class PathRule:
    """A rule that asks about or denies access to paths."""

    pattern: str
    action: Action
    named: str
    """The text of the rule and its layer, for people and models: "`deny read internal/*` of team limits"."""
    is_preset: bool = False
    """True if the rule comes with the preset, so that nobody wrote it for this site, team or project."""


class PathRules(Protocol):
    """The rules of a session about paths, for tools that read or change a directory tree.

    Paths and folders are written in the form that rules use: relative to the workspace (`.` is its root), or absolute.
    """

    def hiding(self, permissions: Sequence[str], folder: str, path: str) -> PathRule | None:
        """Return the strictest rule that asks about or denies a path below `folder`; None if all permissions allow it.

        The first permission has already decided about the folder itself. A rule that also matched the folder, such as
        `ask read *`, is not applied again to the paths in it.
        """
        ...

    def below(
        self, permission: str, folder: str, names: Sequence[str] = (), *, judged: bool = True
    ) -> Sequence[PathRule]:
        """Return the rules that ask about or deny some path below `folder` whose name matches one of the globs `names`.

        Without `names`, every name matches. `judged`: the rules have already decided about the folder itself, so rules
        that also match the folder are not applied again.
        """
        ...


class FileStore(Protocol):
    """The storage for attachments, outside the workspace and outside the database."""

    async def put(self, name: str, media_type: str, data: bytes) -> Attachment:
        """Store a file for the session. Its type is determined from the content; `media_type` is only a hint.

        Raises ToolError if the type or size is not allowed, or the session has reached its number of attachments.
        """
        ...

    async def describe(self, attachment_id: str) -> Attachment:
        """Return the attachment's metadata. Raises ToolError if the session has no such attachment."""
        ...

    async def get(self, attachment_id: str) -> bytes:
        """Return the attachment's content. Raises ToolError if the session has no such attachment."""
        ...


class StoredFile(Protocol):
    """A file of an uploaded skill."""

    @property
    def content(self) -> bytes: ...

    @property
    def runnable(self) -> bool:
        """True if the file is a program."""
        ...


class NoFileStore:
    """A FileStore whose methods all raise ToolError, for contexts without attachments."""

    async def put(self, name: str, media_type: str, data: bytes) -> Attachment:
        raise ToolError("Files cannot be attached here.")

    async def describe(self, attachment_id: str) -> Attachment:
        raise ToolError("Files cannot be attached here.")

    async def get(self, attachment_id: str) -> bytes:
        raise ToolError("Files cannot be attached here.")


@dataclass(frozen=True, slots=True)
class ModelTraits:
    """The facts about a model that a tool may use. `family` is one of `tools_app.model_families`, or "" if unknown."""

    family: str = ""
    sees_images: bool = False
    sees_pdf: bool = False


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """The outcome of a tool call that another tool call, such as `batch`, has created."""

    call_id: str
    tool: str
    title: str
    state: str
    """`completed`, `error` or `aborted`."""
    output: str
    attachments: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool as it is offered to a model."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class OfferContext:
    """The context that decides which tools are offered to a model and how they are described."""

    agent: str = "build"
    model: ModelTraits = ModelTraits()
    agents: Mapping[str, str] = field(default_factory=dict)
    """The sub-agents that may be called: name to description."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The site's and the team's settings for tools."""
    output_schema: Mapping[str, Any] | None = None
    """The JSON Schema of the structured output, if the prompt asked for one."""

    def has(self, requirement: Requirement) -> bool:
        """Return whether this context meets a requirement of a tool."""
        match requirement:
            case "agents":
                return bool(self.agents)
            case "output_schema":
                return self.output_schema is not None
        return bool(self.settings.get(requirement))


async def no_variables() -> Mapping[str, str]:
    """Return no variables, for contexts without a project."""
    return {}


async def ask_always(_needs: Sequence[PermissionNeed]) -> Action:
    """Return "ask": the decision for contexts without rules."""
    return "ask"


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The context that a tool gets for one call, in addition to the call's arguments.

    `model`, `agents`, `settings` and `output_schema` are the same as in `OfferContext`.
    """

    session_id: str
    message_id: str
    call_id: str
    agent: str
    runtime: Runtime
    memory: Callable[[], SessionMemory]
    progress: Progress
    limit: Callable[[LimitHit], None] = ignore_limit
    """Called for each limit of the sandbox that the call reaches, while it runs."""
    judge: Callable[[Sequence[PermissionNeed]], Awaitable[Action]] = ask_always
    """Returns the decision of the current rules about further needs of a running call. No person is asked about them,
    so a tool must skip whatever is not "allow"."""
    path_rules: Callable[[], Awaitable[PathRules]] | None = None
    """Returns the current rules about paths. None where no session is known, as in dry runs."""
    files: Callable[[], FileStore] = NoFileStore
    setup: Callable[[], SetupRuns] | None = None
    """Returns the set-up runs; None where no workspace is known, as in dry runs."""
    pulls: Callable[[], PullRequests] | None = None
    """Returns the session's pull request; None where no session is known, as in dry runs."""
    notes: Callable[[], MemoryNotes] | None = None
    """Returns the memory of the session's project; None where no session is known, as in dry runs."""
    stored_skill: Callable[[str], Awaitable[Mapping[str, StoredFile]]] | None = None
    """Returns the files of an uploaded skill by the id of its version; None where no session is known."""
    session_branch: Callable[[], Awaitable[str]] | None = None
    """Returns the branch of the project's repository that the session pushes to, "" without a repository."""
    mcp: Callable[[], ServerCalls] | None = None
    """Returns the session's MCP servers; None where no session is known, as in dry runs."""
    model: ModelTraits = ModelTraits()
    agents: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    output_schema: Mapping[str, Any] | None = None
    masks: Masks = NO_MASKS
    """Replaces secrets in everything that leaves the sandbox. The wrapper chain masks results and the texts of
    permission requests."""
    variables: Callable[[], Awaitable[Mapping[str, str]]] = no_variables
    """Returns the variables that people set for commands, to be called when a command is about to start."""
    outcomes: Sequence[CallOutcome] = ()
    """After AwaitCalls: the outcomes of the requested calls, in the order of the request. Otherwise empty."""

    @property
    def folder(self) -> str:
        """The folder in which a call works if its arguments name no folder; "." for the workspace's root."""
        return self.settings.get("folder") or "."


class Tool(Generic[Args]):
    """The base class of all tools. Each tool has its own module, with its description in a .txt file of the same name.

    Instances are stateless and shared between threads.
    """

    id: str
    permission: str
    """The permission whose rules can hide the tool. Several tools share "edit"; a tool with "" is never hidden."""
    parameters: type[BaseModel]
    description: str
    aliases: tuple[str, ...] = ()
    """Further names by which a model may call the tool."""
    timeout: float | None = 60.0
    """The time limit of `run` in seconds; None if the tool limits itself."""
    offered: bool = True
    requires: Requirement | None = None
    """The requirement for offering the tool, if any."""
    repeatable: bool = True
    """False if the call must not be run again after its worker died, because it may already have had an effect."""
    interrupted: str = ""
    """The message to the model in that case. Empty: a general message that the call may have run partly."""
    keep: Literal["head", "tail"] = "head"
    """Which end of a long output is kept when it is truncated."""

    def is_offered(self, offer: OfferContext) -> bool:
        """Return whether the tool is offered to models at all. Rules may still hide it."""
        return self.offered and (self.requires is None or offer.has(self.requires))

    def describe(self, offer: OfferContext) -> str:
        """Return the description, completed with facts of this context, such as the available sub-agents."""
        return self.description

    def schema(self, offer: OfferContext) -> Mapping[str, Any]:
        """Return the JSON Schema of the parameters, before it is adapted to a provider."""
        return parameters_schema(self.parameters)

    def read_arguments(self, arguments: Mapping[str, Any], ctx: ToolContext) -> Args:
        """Validate the arguments of a call. Raises pydantic's ValidationError, or ToolError."""
        return cast(Args, self.parameters.model_validate(arguments))

    async def needs(self, args: Args, ctx: ToolContext) -> Sequence[PermissionNeed]:
        """Return the permissions that the call needs. Must not change anything."""
        raise NotImplementedError

    async def run(self, args: Args, ctx: ToolContext) -> ToolResult:
        """Execute the call. Raises ToolError, or AwaitAnswer, AwaitChild or AwaitCalls to suspend it."""
        raise NotImplementedError

"""Queries that other processes send to the sandbox worker of a workspace or node (`queries.live`)."""

import uuid
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter


class Query(BaseModel):
    """Base class of queries to nodes. Unknown fields are ignored: the sender may run a newer release than the node."""

    model_config = ConfigDict(frozen=True)


class ChangesQuery(Query):
    """Base class of queries about changes: all changes since the snapshot `base`; or the `changes` that calls recorded,
    as [[path, state before, state after]] with states as in patch parts; or the changes of a `commit`."""

    base: str
    changes: list[tuple[str, dict[str, Any] | None, dict[str, Any] | None]] | None = None
    commit: str = ""


class ReviewQuestion(ChangesQuery):
    """Query for all changed files of a review. With `path`, only that file is returned, with its whole diff; with
    `under`, the files of a folder that is shown as one entry."""

    kind: Literal["review"] = "review"
    path: str = ""
    under: str = ""
    ignore_space: bool = False


class RevertQuestion(Query):
    """Query for the effect that a revert would have on files. `wanted` lists the files as `Revert.wanted` does."""

    kind: Literal["revert"] = "revert"
    wanted: list[dict[str, Any]]


class ReviewImageQuestion(ChangesQuery):
    """Query for the picture at `path`, as it is before (`old`) or after its change."""

    kind: Literal["review_image"] = "review_image"
    path: str
    old: bool


class ReviewLinesQuestion(ChangesQuery):
    """Query for the lines `first` to `last`, from 1, of the changed file `path` as it is after the change."""

    kind: Literal["review_lines"] = "review_lines"
    path: str
    first: int = Field(ge=1)
    last: int = Field(ge=1)


class CommitsQuestion(Query):
    """Query for the commits of the workspace's repository since a time (Unix)."""

    kind: Literal["commits"] = "commits"
    since: int


class DownloadQuestion(Query):
    """Request to make a download: a patch of the changes since the snapshot `base`, of `changes` or of a `commit` (see
    `ChangesQuery`), a bundle of a branch whose last commit has the message `title`, or an archive."""

    kind: Literal["download"] = "download"
    what: Literal["patch", "bundle", "archive"]
    base: str
    title: str
    branch: str
    changes: list[tuple[str, dict[str, Any] | None, dict[str, Any] | None]] | None = None
    commit: str = ""


class PieceQuestion(Query):
    """Query for the piece of a download at an offset."""

    kind: Literal["piece"] = "piece"
    token: str = Field(pattern="^[0-9a-f]{32}$")
    offset: int = Field(ge=0)


class NeedsQuestion(Query):
    """Query for the permissions that a tool call would need. `arguments` is JSON text."""

    kind: Literal["needs"] = "needs"
    tool: str
    arguments: str
    agent: str


class GitStateQuestion(Query):
    """Query for uncommitted changes and unpushed commits of the workspace's repository. `branch` is the session branch.
    `base` is the branch that the session branch started from; the commits added to it since are counted."""

    kind: Literal["git_state"] = "git_state"
    branch: str
    base: str = ""


class CommitQuestion(Query):
    """Request to commit all uncommitted changes; `environment` has the names of author and committer."""

    kind: Literal["commit"] = "commit"
    message: str
    environment: dict[str, str]


class PushQuestion(Query):
    """Request to push the commit `commit` to the branch `branch` of the repository at the git server."""

    kind: Literal["push"] = "push"
    branch: str
    commit: str


class UpdateQuestion(Query):
    """Request to fetch `base` and to bring its commits into the checked-out branch by a rebase or a merge, or to abort
    a rebase or merge that waits until conflicts are resolved. `environment` has the names of author and committer."""

    kind: Literal["git_update"] = "git_update"
    how: Literal["fetch", "rebase", "merge", "abort"]
    base: str
    environment: dict[str, str]


class DraftQuestion(Query):
    """Query for the `Material` that a draft is based on; for `pull_request`, the commits and changes of `branch` that
    `base` lacks. Files that the session's rules do not let agents read are left out."""

    kind: Literal["draft"] = "draft"
    session: uuid.UUID
    what: Literal["commit", "pull_request"]
    branch: str
    base: str


class McpCheckQuestion(Query):
    """Request to start a local MCP server again and to store the tools that it offers."""

    kind: Literal["mcp_check"] = "mcp_check"
    server: uuid.UUID


class McpLogQuestion(Query):
    """Query for the log of a local MCP server."""

    kind: Literal["mcp_log"] = "mcp_log"
    server: uuid.UUID


class McpTryQuestion(Query):
    """Request to call a tool of an MCP server for a person, if the tool's definition still has this `digest`.
    `arguments` is JSON text. `id` identifies the call, so that it is made only once; no worker starts the call after
    the time `until`."""

    kind: Literal["mcp_try"] = "mcp_try"
    id: str
    until: float
    person: uuid.UUID
    tool: str
    digest: str
    arguments: str


class FileQuestion(Query):
    """Base class of people's requests about files. With `decides`, the request itself approves a path about which the
    rules of `session` ask; a path that the rules deny is refused in any case."""

    session: uuid.UUID
    decides: bool
    path: str


class ListFilesQuestion(FileQuestion):
    """Query for the entries of a folder."""

    kind: Literal["files_list"] = "files_list"


class OpenFileQuestion(FileQuestion):
    """Query for a whole file, as an editor or viewer shows it."""

    kind: Literal["file_open"] = "file_open"


class ReadFileQuestion(FileQuestion):
    """Query for lines of a text file; `first_line` counts from 1."""

    kind: Literal["file_read"] = "file_read"
    first_line: int = Field(ge=1)
    lines: int = Field(ge=1)


class FileBytesQuestion(FileQuestion):
    """Query for at most `limit` bytes of a file from `offset`."""

    kind: Literal["file_bytes"] = "file_bytes"
    offset: int = Field(ge=0)
    limit: int = Field(gt=0)


class PackFolderQuestion(FileQuestion):
    """Request to pack a folder into a zip file. The zip file is then read in pieces, as other downloads are."""

    kind: Literal["folder_pack"] = "folder_pack"


class FindFilesQuestion(FileQuestion):
    """Query for files below a folder that have `name` in their path, or for the lines that contain `text`."""

    kind: Literal["files_find"] = "files_find"
    name: str = ""
    text: str = ""


class WriteFileQuestion(FileQuestion):
    """Request to write a file, with its content in base64. `seen` is the SHA-256 of the content that the person last
    saw; None if the file must not exist yet."""

    kind: Literal["file_write"] = "file_write"
    content: str
    seen: str | None


class MoveFileQuestion(FileQuestion):
    """Request to move a file or folder to `target`, where nothing may exist yet."""

    kind: Literal["file_move"] = "file_move"
    target: str


class RemoveFileQuestion(FileQuestion):
    """Request to remove a file, or a folder with everything in it."""

    kind: Literal["file_remove"] = "file_remove"


class MakeFolderQuestion(FileQuestion):
    """Request to create a folder."""

    kind: Literal["folder_make"] = "folder_make"


class TerminalQuestion(Query):
    """Base class of queries about the terminals of a session, whose public id is `session`."""

    session: str


class ListTerminalsQuestion(TerminalQuestion):
    """Query for the terminals that were opened in the session."""

    kind: Literal["terminals_list"] = "terminals_list"


class OpenTerminalQuestion(TerminalQuestion):
    """Request to open the terminal `terminal` for a person, whose public id is `person`."""

    kind: Literal["terminal_open"] = "terminal_open"
    terminal: str
    person: str
    rows: int
    columns: int


class CloseTerminalQuestion(TerminalQuestion):
    """Request to close a terminal, or all terminals of the workspace if `terminal` is empty."""

    kind: Literal["terminal_close"] = "terminal_close"
    terminal: str


class AttachTerminalQuestion(TerminalQuestion):
    """Request to send the output and other events of a terminal to the channel `channel`, starting with the output
    after the position `after`, or with all output that the runner still has. The answer is {"input": the channel for
    typed input}, or None if there is no such terminal."""

    kind: Literal["terminal_attach"] = "terminal_attach"
    terminal: str
    after: int | None
    channel: str


class ListPortsQuestion(Query):
    """Query for the ports that programs of the workspace listen on."""

    kind: Literal["ports_list"] = "ports_list"


class CarryPortsQuestion(Query):
    """Request to relay connections to ports of the workspace. Data from programs goes to the channel `channel`. The
    answer is {"input": the channel for data to programs}, or None if the workspace does not run."""

    kind: Literal["ports_carry"] = "ports_carry"
    channel: str


class McpPromptQuestion(Query):
    """Query for a prompt of a local MCP server, with arguments."""

    kind: Literal["mcp_prompt"] = "mcp_prompt"
    server: uuid.UUID
    name: str
    arguments: dict[str, str]


class McpCompletionQuestion(Query):
    """Query for suggestions for an `argument` of a prompt of a local MCP server. `value` is the beginning of the
    argument that the person has typed, `others` are the values of the other arguments."""

    kind: Literal["mcp_completion"] = "mcp_completion"
    server: uuid.UUID
    name: str
    argument: str
    value: str
    others: dict[str, str]


class UsageQuestion(Query):
    """Query for the workspace's usage of its limits."""

    kind: Literal["usage"] = "usage"


class BackgroundQuestion(Query):
    """Query for the workspace's background calls."""

    kind: Literal["background"] = "background"


class ListQuestion(Query):
    """Query for the node's containers."""

    kind: Literal["list"] = "list"


class CheckQuestion(Query):
    """Query that runs the self-check of a workspace's container and returns its result."""

    kind: Literal["check"] = "check"
    workspace: uuid.UUID


class ImageQuestion(Query):
    """Request to prepare a registered image on the node, and to run a trial container from it."""

    kind: Literal["image"] = "image"
    image: uuid.UUID


class ReapQuestion(Query):
    """Request to remove, at once, everything on the node that belongs to no workspace."""

    kind: Literal["reap"] = "reap"


GitQuestion = GitStateQuestion | CommitQuestion | PushQuestion | UpdateQuestion
FilesQuestion = (
    ListFilesQuestion
    | OpenFileQuestion
    | ReadFileQuestion
    | FileBytesQuestion
    | PackFolderQuestion
    | FindFilesQuestion
    | WriteFileQuestion
    | MoveFileQuestion
    | RemoveFileQuestion
    | MakeFolderQuestion
)
AnyTerminalQuestion = ListTerminalsQuestion | OpenTerminalQuestion | CloseTerminalQuestion | AttachTerminalQuestion
PortsQuestion = ListPortsQuestion | CarryPortsQuestion
McpQuestion = McpCheckQuestion | McpLogQuestion | McpPromptQuestion | McpCompletionQuestion
WorkspaceQuestion = (
    ReviewQuestion
    | ReviewImageQuestion
    | ReviewLinesQuestion
    | CommitsQuestion
    | RevertQuestion
    | DownloadQuestion
    | PieceQuestion
    | NeedsQuestion
    | DraftQuestion
    | UsageQuestion
    | BackgroundQuestion
    | McpQuestion
    | McpTryQuestion
    | GitQuestion
    | FilesQuestion
    | AnyTerminalQuestion
    | PortsQuestion
)
NodeQuestion = ListQuestion | CheckQuestion | ImageQuestion | ReapQuestion
WORKSPACE_QUESTIONS: Final[TypeAdapter[WorkspaceQuestion]] = TypeAdapter(
    Annotated[WorkspaceQuestion, Field(discriminator="kind")]
)
NODE_QUESTIONS: Final[TypeAdapter[NodeQuestion]] = TypeAdapter(Annotated[NodeQuestion, Field(discriminator="kind")])

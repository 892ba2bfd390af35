"""What clients send, and the pages and answers that are not views of one row."""

from datetime import datetime
from typing import Any, Literal

from ninja import Field, Schema

from sessions_app.actions.prompts import LONGEST_WAIT
from sessions_app.events import schema


class WorkspacePage(Schema):
    items: list[schema.WorkspaceView]
    next_cursor: str | None


class NodeView(Schema):
    """The Docker host that holds the workspace. `alive`: it was heard of within the last half minute."""

    name: str
    alive: bool
    seen_at: datetime


class LimitView(Schema):
    """`source` says whose policy decided it."""

    value: int | float
    source: Literal["default", "site", "team", "project"]


class GaugeView(Schema):
    """`limit` 0: there is none."""

    used: int
    limit: int


class UsageView(Schema):
    """Bytes (memory, disk, tmp) and counts (pids, inodes). `cpu_seconds` since the container started."""

    memory: GaugeView
    pids: GaugeView
    disk: GaugeView
    inodes: GaugeView
    tmp: GaugeView
    cpu_seconds: float
    cpus: float
    at: datetime


class WorkspaceUsage(Schema):
    """`live` False: the workspace does not run or its node did not answer, and this is what was seen last, if ever."""

    live: bool
    usage: UsageView | None


class CheckItemView(Schema):
    name: str
    passed: bool
    found: str


class SelfCheckView(Schema):
    """What a program inside the container found out about its walls, when it was made or last checked."""

    passed: bool
    runtime: str
    kernel: str
    items: list[CheckItemView]
    at: datetime


class ArchiveView(Schema):
    at: datetime
    size: int


WorkspaceAct = Literal[
    "start", "stop", "restart", "rebuild", "check", "remove", "keep", "export", "download", "stop_background"
]


class WorkspaceDetailView(schema.WorkspaceView):
    """`limits` are in force for the next container; `outdated` says that the present one was made with others, which a
    rebuild or the next start changes. `may` is what the asking person may do with it in its present state."""

    team_id: str
    project_name: str
    node: NodeView | None
    limits: dict[str, LimitView]
    outdated: bool
    usage: UsageView | None
    self_check: SelfCheckView | None
    disk_driver: str
    archive: ArchiveView | None
    session_count: int
    last_used_at: datetime
    generation: int
    may: list[WorkspaceAct]


class WorkspaceDetailPage(Schema):
    items: list[WorkspaceDetailView]
    next_cursor: str | None


class BackgroundCallView(Schema):
    """A command that outlives the call that started it. `session_id` is the session that owns it; both are empty when
    you may not see that session."""

    call_id: str
    command: str
    session_id: str
    started_at: datetime
    seconds_left: float
    running: bool
    output_bytes: int


class BackgroundCallPage(Schema):
    items: list[BackgroundCallView]


class NewWorkspace(Schema):
    name: str = Field(default="", max_length=100)


class SessionPage(Schema):
    items: list[schema.SessionView]
    next_cursor: str | None


class NewSession(Schema):
    """Without `workspace_id` the session opens in the project's first workspace; `new_workspace` makes a fresh one.
    One `shared_with` private is seen by you alone, until you add people; its workspace stays everybody's."""

    title: str = Field(default="", max_length=200)
    agent: str = Field(default="", max_length=64)
    workspace_id: str | None = None
    new_workspace: bool = False
    shared_with: Literal["team", "private"] = "team"


class SessionChange(Schema):
    """`model` "": what the agent or the project says."""

    title: str | None = Field(default=None, max_length=200)
    agent: str | None = Field(default=None, max_length=64)
    model: str | None = Field(default=None, max_length=200)
    archived: bool | None = None


class NewPrompt(Schema):
    """`attachments` are ids of files that were uploaded to the session; with one, `text` may be empty. `agent` is who
    works in the session from now on; "" leaves it as it is.

    `wait_for_answers` is for programs: seconds that permission requests and questions of this turn wait for a
    person, 0 for not at all; null leaves it to the policies, which are never exceeded. `output_schema` is a JSON Schema
    of an object: the turn then ends with an answer that fits it, in the turn's `output`."""

    text: str
    agent: str = Field(default="", max_length=64)
    attachments: list[str] = Field(default_factory=list)
    wait_for_answers: int | None = Field(default=None, ge=0, le=LONGEST_WAIT)
    output_schema: dict[str, Any] | None = None


class PromptTaken(Schema):
    turn: schema.TurnView
    message: schema.MessageView


class MessageWithParts(Schema):
    message: schema.MessageView
    parts: list[schema.PartView]
    calls: list[schema.ToolCallView]


class MessagePage(Schema):
    items: list[MessageWithParts]
    next_cursor: str | None


class FileDiffView(Schema):
    """`patch` is empty for binary files, and where the whole diff would grow too large."""

    path: str
    status: Literal["added", "modified", "deleted"]
    additions: int
    deletions: int
    patch: str
    binary: bool


class SessionDiff(Schema):
    files: list[FileDiffView]


class WaitingRequest(schema.PermissionRequestView):
    """In a session `shared_with` private, only those who see it may answer."""

    shared_with: Literal["team", "private"]
    session_title: str
    project_id: str


class WaitingRequests(Schema):
    items: list[WaitingRequest]
    next_cursor: str | None


class PermissionReply(Schema):
    reply: Literal["once", "always", "reject"]
    scope: Literal["session", "project", "team"] | None = None
    message: str = ""


class WaitingQuestion(schema.QuestionView):
    shared_with: Literal["team", "private"]
    session_title: str
    project_id: str


class WaitingQuestions(Schema):
    items: list[WaitingQuestion]
    next_cursor: str | None


class QuestionAnswer(Schema):
    answers: list[list[str]]


class GrantView(Schema):
    """What an "always" left behind, with who gave it, when, and to which request."""

    id: str
    scope: Literal["session", "project", "team"]
    project_id: str | None
    session_id: str | None
    request_id: str | None
    permission: str
    pattern: str
    granted_by: schema.PersonView | None
    created_at: datetime


class GrantPage(Schema):
    items: list[GrantView]
    next_cursor: str | None

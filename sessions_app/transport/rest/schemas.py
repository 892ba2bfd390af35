"""API schemas of request bodies, pages and other responses that are not a view of one row."""

from datetime import datetime
from typing import Any, Literal

from ninja import Field, Schema

from agentsite.base.pagination import Page
from agentsite.http.request_body import RequestBody
from sessions_app.actions.prompts import MAX_WAIT_SECONDS
from sessions_app.events import schema


class NodeView(Schema):
    """The machine that holds the workspace. `alive` is true if it reported within the last 30 seconds."""

    name: str
    alive: bool
    seen_at: datetime


class LimitView(Schema):
    """A limit. `source` is the policy that set it."""

    value: int | float
    source: Literal["default", "site", "team", "project"]


class GaugeView(Schema):
    """A measured value. `limit` is 0 if the value has no limit."""

    used: int
    limit: int


class UsageView(Schema):
    """The use of a workspace's resources. Memory, disk and tmp are in bytes; pids and inodes are counts; `cpu_seconds`
    counts since the container started."""

    memory: GaugeView
    pids: GaugeView
    disk: GaugeView
    inodes: GaugeView
    tmp: GaugeView
    cpu_seconds: float
    cpus: float
    at: datetime


class WorkspaceUsage(Schema):
    """The workspace's use of resources. If `live` is false, the workspace is not running or its node did not answer;
    `usage` is then the last known value, or null."""

    live: bool
    usage: UsageView | None


class CheckItemView(Schema):
    name: str
    passed: bool
    found: str


class SelfCheckView(Schema):
    """The result of the container's self-check, which was run when the container was created or last checked."""

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


class TrafficView(Schema):
    """Bytes that workspaces received and sent through the door, the number of their connections, and how many of these
    were refused. The numbers are some seconds old."""

    received: int = 0
    sent: int = 0
    connections: int = 0
    refused: int = 0


class WorkspaceDetailView(schema.WorkspaceView):
    """A workspace with its limits. `limits` apply to the next container. `outdated` is true if they differ from the
    limits of the current container; a rebuild or the next start applies them. `may` lists the actions that you may
    perform in the present state."""

    team_id: str
    project_name: str
    node: NodeView | None
    limits: dict[str, LimitView]
    outdated: bool
    usage: UsageView | None
    network: TrafficView
    self_check: SelfCheckView | None
    disk_driver: str
    archive: ArchiveView | None
    session_count: int
    last_used_at: datetime
    generation: int
    may: list[WorkspaceAct]


class BackgroundCallView(Schema):
    """A command that keeps running after the call that started it. `session_id` is the session that owns it;
    `session_id` and `command` are empty if you may not see that session."""

    call_id: str
    command: str
    session_id: str
    started_at: datetime
    seconds_left: float
    running: bool
    output_bytes: int


class BackgroundCallPage(Schema):
    items: list[BackgroundCallView]


class NewWorkspace(RequestBody):
    name: str = Field(default="", max_length=100)


class NewSession(RequestBody):
    """A new session. Without `workspace_id` it opens in the project's first workspace; `new_workspace` creates a new
    one, and so does `ref`: the branch, tag or commit of the project's repository that the new workspace starts from. A
    session with `shared_with` `private` can be seen only by you until you add people; its workspace stays visible to
    the whole team. `config` is a configuration document for this session, with the keys of a configuration file; it is
    stronger than every other level, and its rules can only make rules stricter. `folder` is a folder of the workspace,
    such as a package of a monorepo: the configuration in it and in the folders above it applies, and commands run
    there. `model` and `effort`, a reasoning effort that this model takes, are used in place of the agent's or
    project's."""

    title: str = Field(default="", max_length=200)
    agent: str = Field(default="", max_length=64)
    model: str = Field(default="", max_length=200)
    effort: str = Field(default="", max_length=16)
    workspace_id: str | None = None
    new_workspace: bool = False
    ref: str = Field(default="", max_length=255)
    shared_with: Literal["team", "private"] = "team"
    config: dict[str, Any] | None = None
    folder: str = Field(default="", max_length=255)


class SessionChange(RequestBody):
    """Changes of a session; omitted fields stay unchanged. `model` "" resets the model to the model of the agent or the
    project. `effort` is a reasoning effort that the model accepts; "" leaves the effort to the agent and the model."""

    title: str | None = Field(default=None, max_length=200)
    agent: str | None = Field(default=None, max_length=64)
    model: str | None = Field(default=None, max_length=200)
    effort: str | None = Field(default=None, max_length=16)
    archived: bool | None = None
    labels: list[str] | None = None


class NewPrompt(RequestBody):
    """A prompt. `attachments` are ids of files that were uploaded to the session; if there is one, `text` may be empty.
    `agent` is the agent that works in the session from now on; "" keeps the current one.

    `wait_for_answers` is for programs: the number of seconds that permission requests and questions of this turn wait
    for a person. 0 means not at all; null means as long as the policies say, which is also the maximum. `output_schema`
    is a JSON Schema of an object: the turn then ends with an answer that matches it, in the turn's `output`. `paths`
    are files and folders of the workspace that are read before the answer.
    """

    text: str
    agent: str = Field(default="", max_length=64)
    attachments: list[str] = Field(default_factory=list)
    wait_for_answers: int | None = Field(default=None, ge=0, le=MAX_WAIT_SECONDS)
    output_schema: dict[str, Any] | None = None
    paths: list[str] = Field(default_factory=list, max_length=20)


class PromptTaken(Schema):
    turn: schema.TurnView
    message: schema.MessageView


class MessageWithParts(Schema):
    message: schema.MessageView
    parts: list[schema.PartView]
    calls: list[schema.ToolCallView]


class MessagePage(Page[MessageWithParts]):
    pass


class WaitingRequest(schema.PermissionRequestView):
    """A permission request. In a session with `shared_with` `private`, only people who can see the session may
    answer."""

    shared_with: Literal["team", "private"]
    session_title: str
    project_id: str


class WaitingRequests(Page[WaitingRequest]):
    pass


class PermissionReply(RequestBody):
    reply: Literal["once", "always", "reject"]
    scope: Literal["session", "project", "team"] | None = None
    message: str = ""


class WaitingQuestion(schema.QuestionView):
    shared_with: Literal["team", "private"]
    session_title: str
    project_id: str


class WaitingQuestions(Page[WaitingQuestion]):
    pass


class QuestionAnswer(RequestBody):
    answers: list[list[str]]


class GrantView(Schema):
    """A grant: a rule that an "always" answer to a permission request created, with the person and the time."""

    id: str
    scope: Literal["session", "project", "team"]
    project_id: str | None
    session_id: str | None
    request_id: str | None
    permission: str
    pattern: str
    granted_by: schema.PersonView | None
    created_at: datetime

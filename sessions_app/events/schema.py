"""The API schemas ("views") of sessions and their events, shared by REST, WebSocket, SSE and the event log.

An event contains the complete new view of one object, which clients store by its id. So an event that is applied twice,
or after a newer event, does no lasting harm: the next event corrects it. `EVENT_VIEWS` maps each event type to its view
and is exported as JSON Schema.
"""

from datetime import datetime
from typing import Any, Final, Literal

from sessions_app.events.base_schema import ErrorView, PersonView, TokensView, View
from sessions_app.events.question_schema import AskedQuestionView, AskingServerView, OptionView, QuestionView
from sessions_app.events.review_schema import (
    FileApprovalView,
    MessagesRevertedView,
    RevertSummaryView,
    ReviewCommentView,
)

__all__ = [
    "EVENT_VIEWS",
    "AlternativesView",
    "ApprovalView",
    "AskedQuestionView",
    "AskingServerView",
    "AttachmentView",
    "ConversationView",
    "DecisionView",
    "ErrorView",
    "FileApprovalView",
    "MessageView",
    "MessagesRevertedView",
    "NeedView",
    "OptionView",
    "PartView",
    "PermissionRequestView",
    "PersonView",
    "PrunedView",
    "PullRequestSummaryView",
    "QuestionView",
    "RemovedView",
    "RevertSummaryView",
    "ReviewCommentView",
    "RuleView",
    "SessionView",
    "SnapshotView",
    "TodoView",
    "TodosView",
    "TokensView",
    "ToolCallView",
    "TurnView",
    "View",
    "WorkspaceNoteView",
    "WorkspaceView",
    "event_schema",
]


class WorkspaceView(View):
    id: str
    project_id: str
    name: str
    state: Literal["new", "starting", "running", "stopped", "failed", "lost", "removing"]
    detail: str
    runtime: str
    remove_at: datetime | None
    created_at: datetime


class WorkspaceNoteView(View):
    """A note about the session's workspace, shown between its messages. `call_id` is empty unless one tool call caused
    it; `data` has the facts, such as {"limit": "memory"}."""

    id: str
    session_id: str
    workspace_id: str
    kind: Literal[
        "started", "stopped", "restarted", "rebuilt", "limit", "lost", "restored", "refused", "setup", "removing",
        "operator", "files",
    ]  # fmt: skip
    text: str
    call_id: str
    data: dict[str, Any]
    created_at: datetime


class SessionView(View):
    """A session. If this is a sub-agent's session, `parent_id` is the session that started it. `forked_from_id` is the
    session whose conversation it continues. `context_tokens` is the number of tokens of the last model call, and
    `context_limit` the number at which the conversation is compacted; both are 0 if unknown. If `shared_with` is
    private, only the person who started it and the people they added can see it. `revert` is set while messages are
    hidden or file changes are taken back, until the next prompt makes that final. `folder` is the folder of the
    workspace that it is about, "" for the root. `cost` is in US dollars, for the calls with a known price;
    `unpriced_calls` is the number of the others. `effort` is the reasoning effort that a person chose, "" if nobody
    did; it is used while the model takes it."""

    id: str
    project_id: str
    workspace_id: str
    parent_id: str | None
    forked_from_id: str | None = None
    title: str
    summary: str
    agent: str
    model: str
    effort: str = ""
    folder: str = ""
    status: Literal["idle", "running", "waiting"]
    last_seq: int
    cost: float
    unpriced_calls: int = 0
    tokens: TokensView
    context_tokens: int
    context_limit: int
    archived: bool
    labels: list[str] = []
    revert: RevertSummaryView | None = None
    shared_with: Literal["team", "private"]
    created_by: PersonView | None
    created_at: datetime
    updated_at: datetime


class TurnView(View):
    """A turn. If it is a sub-agent's, `caller_id` is the tool call of the parent session that waits for it. `output` is
    the structured output that matches the prompt's `output_schema`. `waits_for` is set while the turn waits for room in
    a budget or for the price of a model; `error` then has the text."""

    id: str
    session_id: str
    state: Literal["queued", "running", "waiting", "completed", "aborted", "failed"]
    error: ErrorView | None
    waits_for: Literal["", "budget", "price"]
    step_count: int
    caller_id: str | None
    output: dict[str, Any] | None
    created_at: datetime
    ended_at: datetime | None


class AlternativesView(View):
    """The alternatives of the turn with this `id`. `turn_ids` are all turns that answer the same prompt, oldest first;
    [] if there is only one. `hidden_with_id` is null while the turn is part of the conversation. While another answer
    is chosen, it is the alternative to which this turn belongs; people and models then continue without the turn."""

    id: str
    turn_ids: list[str]
    hidden_with_id: str | None


class MessageView(View):
    """A prompt or an answer. `author` is the person who wrote a prompt; it is null for a sub-agent's task and for
    answers. `reverted`: a revert hides the message from people and models. `cost` is in US dollars; if `unpriced_calls`
    is not 0, the price is unknown, which does not mean free. `effort` is the reasoning effort that the model was asked
    for, "" if none was."""

    id: str
    session_id: str
    turn_id: str
    role: Literal["user", "assistant"]
    author: PersonView | None
    agent: str
    model: str
    effort: str = ""
    state: Literal["streaming", "complete", "interrupted"]
    finish: str
    error: ErrorView | None
    tokens: TokensView
    cost: float
    unpriced_calls: int = 0
    created_at: datetime
    completed_at: datetime | None
    reverted: bool = False


class AttachmentView(View):
    """An attached file; `GET /attachments/{id}` returns its content. `media_type` is detected from the content: PNG,
    JPEG, GIF or WebP image, PDF, or text/plain. `width` and `height` are an image's size in pixels, otherwise 0."""

    id: str
    name: str
    media_type: str
    size: int
    width: int = 0
    height: int = 0


class PartView(View):
    """One piece of a message. The `data` depends on the `type`.

    A retry part has {attempt, message, next_at} and either {of}: attempt number `attempt` of at most `of` has failed;
    or {model, next}: the model `next` continues instead of `model`, with {by} if a person chose it. A file part has
    {attachment}; a text part of a prompt that named files of the workspace {paths}; an agent part (a mention in a
    prompt) {agent}; a command part {command, arguments}, and models read its text after the prompt. The text of a
    compaction part is the summary that models read instead of the earlier messages; its data is {kept_from, prompt,
    tokens}, where `kept_from` is the id of the first message kept word for word, or null. A tool part refers to its
    call, and so does a patch part, which has the changes of the call in the workspace: {files: [{path, before, after,
    shared}], more, problem}. `before` and `after` are {mode, size, sha256, stored}, or null if there was no file; a
    content that is not `stored` cannot be restored. `shared`: another session's command ran at the same time. `more` is
    the number of files that are not listed. `problem`: the changes are not known, because the sandbox ended (lost) or
    there are too many files (too_many). The types `step-start` and `step-finish` only occur in exports.
    """

    id: str
    message_id: str
    index: int
    type: Literal[
        "text", "agent", "reasoning", "tool", "retry", "file", "command", "compaction", "step-start", "step-finish",
        "patch",
    ]  # fmt: skip
    text: str
    call_id: str | None
    data: dict[str, Any]


class RuleView(View):
    permission: str
    pattern: str
    action: Literal["allow", "ask", "deny"]


class DecisionView(View):
    """The reason why a call is allowed, is denied or needs permission: the deciding rule and its layer."""

    action: Literal["allow", "ask", "deny"]
    permission: str
    pattern: str
    rule: RuleView | None
    layer: str


class ToolCallView(View):
    """One use of a tool. `outer_id` is the call that created this inner call (a batch); an inner call has no part in
    the message. `pruned`: people still see its output, but models no longer get it."""

    id: str
    message_id: str
    turn_id: str
    part_id: str | None
    outer_id: str | None
    tool: str
    arguments: dict[str, Any]
    raw_arguments: str
    title: str
    state: Literal["pending", "running", "waiting", "completed", "error", "aborted"]
    waits_for: Literal["", "permission", "question", "child", "calls"]
    output: str
    live_output: str
    metadata: dict[str, Any]
    attachments: list[AttachmentView]
    pruned: bool
    decision: DecisionView | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


class PrunedView(View):
    """The calls whose output is no longer sent to models."""

    call_ids: list[str]


class RemovedView(View):
    """Messages and parts that were removed because a queued prompt was withdrawn or its text was changed."""

    message_ids: list[str]
    part_ids: list[str]


class NeedView(View):
    permission: str
    patterns: list[str]
    always: list[str]
    metadata: dict[str, Any]


class ApprovalView(View):
    """One person's approval of a request that two people must approve."""

    person: PersonView
    reply: Literal["once", "always"]
    at: datetime


class PermissionRequestView(View):
    """A permission request. `approvers` says who may answer: any member who may approve requests (member), the person
    who started the turn or an admin (starter), an admin (admin), or two different people (two_people). `scopes` are the
    scopes in which "always" is allowed."""

    id: str
    session_id: str
    turn_id: str
    call_id: str
    tool: str
    title: str
    needs: list[NeedView]
    reasons: list[DecisionView]
    scopes: list[Literal["session", "project", "team"]]
    state: Literal["open", "once", "always", "rejected", "cancelled"]
    scope: Literal["", "session", "project", "team"]
    message: str
    approvers: Literal["member", "starter", "admin", "two_people"]
    approvals: list[ApprovalView]
    started_by_id: str | None
    answered_by: PersonView | None
    created_at: datetime
    expires_at: datetime
    settled_at: datetime | None


class TodoView(View):
    content: str
    status: Literal["pending", "in_progress", "completed", "cancelled"]
    priority: str


class TodosView(View):
    todos: list[TodoView]


class PullRequestSummaryView(View):
    """A short form of the session's pull request, as last reported by the forge; `GET /sessions/{id}/pull-request` has
    the texts, the checks and the comments. The numbers count its checks by state, and its comments."""

    repository: str
    number: int
    url: str
    title: str
    draft: bool
    state: Literal["open", "merged", "closed"]
    branch: str
    base: str
    commit: str
    checks_passed: int
    checks_failed: int
    checks_pending: int
    comments: int


class ConversationView(View):
    """The conversation of a session, or a page of it: messages, oldest first, with their turns, parts, calls, requests
    and questions. To get the messages before this page, pass `older` as `before` to `GET /sessions/{id}/conversation`;
    it is null on the first page. `alternatives` has an entry for each turn that has alternatives or is hidden."""

    turns: list[TurnView]
    messages: list[MessageView]
    parts: list[PartView]
    calls: list[ToolCallView]
    permission_requests: list[PermissionRequestView]
    questions: list[QuestionView]
    workspace_notes: list[WorkspaceNoteView]
    alternatives: list[AlternativesView] = []
    older: str | None = None


class SnapshotView(ConversationView):
    """Everything a client needs to show a session; live events continue after `seq`. With a limit, the conversation has
    only its newest messages. Messages that are being written, or have a call that has not ended, are always included,
    so that all open requests and questions are there. `comparison_id` is set if the session is one of several attempts
    at one prompt."""

    seq: int
    session: SessionView
    workspace: WorkspaceView
    todos: list[TodoView]
    pull_request: PullRequestSummaryView | None = None
    comparison_id: str | None = None
    can_act: bool


EVENT_VIEWS: Final[dict[str, type[View]]] = {
    "session.created": SessionView,
    "session.updated": SessionView,
    "turn.updated": TurnView,
    "alternatives.updated": AlternativesView,
    "message.updated": MessageView,
    "part.updated": PartView,
    "call.updated": ToolCallView,
    "calls.pruned": PrunedView,
    "messages.reverted": MessagesRevertedView,
    "messages.removed": RemovedView,
    "permission.asked": PermissionRequestView,
    "permission.updated": PermissionRequestView,
    "permission.settled": PermissionRequestView,
    "question.asked": QuestionView,
    "question.settled": QuestionView,
    "todos.updated": TodosView,
    "workspace.updated": WorkspaceView,
    "workspace.noted": WorkspaceNoteView,
    "pull_request.updated": PullRequestSummaryView,
    "review_comment.updated": ReviewCommentView,
    "file_approval.updated": FileApprovalView,
}


def event_schema() -> dict[str, Any]:
    """Return the JSON Schema of every event's data by event type, and of the snapshot."""
    schemas = {name: view.model_json_schema(mode="serialization") for name, view in EVENT_VIEWS.items()}
    return {"events": schemas, "snapshot": SnapshotView.model_json_schema(mode="serialization")}

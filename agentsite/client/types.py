"""Request and response models of the API, generated from its committed OpenAPI document by `make openapi`."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, Field


class LiveView(BaseModel):
    status: Literal["ok"]


class ReadyView(BaseModel):
    """
    The readiness of the site. `parts` lists every part that was checked; the value is always "ok".
    """

    status: Literal["ready"]
    parts: dict[str, str]


class DemoLogin(BaseModel):
    email: str
    password: str


class SiteView(BaseModel):
    """
    Public information about the site. `demo_login` is null unless the site runs in demo mode.
    """

    demo_model: bool
    model: str
    name: str
    version: str
    demo_login: DemoLogin | None


class ModelView(BaseModel):
    demo_model: bool
    model: str


class TeamView(BaseModel):
    """
    A team with your own `role` and `may_approve` in it.

    `remove_at` is the time at which a deactivated team will be deleted, otherwise null.
    """

    id: str
    slug: str
    name: str
    role: Literal["owner", "admin", "member", "viewer"]
    may_approve: bool
    remove_at: AwareDatetime | None


class UserView(BaseModel):
    id: str
    email: str
    name: str


class AccountChange(BaseModel):
    name: str


class AccountEnd(BaseModel):
    """
    The confirmation to delete an account: its `password` or, if it has no password, its e-mail `address`.
    """

    password: str | None = ""
    address: str | None = ""


class AuditFilter(BaseModel):
    """
    A filter of audit entries.

    `action` is one action ("policy.saved") or a group of actions ("policy"). `actor`, `subject` and `project` are
    public ids. `since` and `until` limit the time. `text` is searched in actor, action, subject and details.
    """

    action: str | None = None
    actor: str | None = None
    subject: str | None = None
    project: str | None = None
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    text: str | None = None


class AuditEntryView(BaseModel):
    """
    An entry of the audit log.

    `actor` is a public id, or "site" for actions of the site itself. The fields of `data` depend on `action`. If
    `private` is true, the entry is about a private session of another person, and `data` contains no details.
    """

    id: str
    seq: int
    at: AwareDatetime
    actor: str
    actor_name: str
    action: str
    subject: str
    project: str
    private: bool
    data: dict[str, Any]
    digest: str


class AuditPage(BaseModel):
    items: list[AuditEntryView]
    next_cursor: str | None


class AuditRetention(BaseModel):
    """
    The retention of a team's audit log.

    `in_force` is the effective number of days, including the limit of the site; null means without limit. Entries up
    to the sequence number `cut_seq` have been deleted.
    """

    days: int | None
    in_force: int | None
    cut_seq: int


class NewAuditRetention(BaseModel):
    """
    A new retention of a team's audit log, in days. `days` is null to use the setting of the site.
    """

    days: int | None


class AuditFault(BaseModel):
    """
    A fault in the hash chain of the audit log: the sequence number at which it was found, and a description.
    """

    seq: int
    problem: str


class AuditVerification(BaseModel):
    """
    The result of verifying an audit log; it is intact if `faults` is empty.

    At most 100 faults are listed. Store `head`, the digest of the last entry, elsewhere to detect a later rewrite.
    """

    entries: int
    head: str
    faults: list[AuditFault]


class TeamPage(BaseModel):
    items: list[TeamView]
    next_cursor: str | None


class TeamName(BaseModel):
    name: str


class MemberView(BaseModel):
    """
    A member of a team.

    `may_approve` only matters for the role `member`: owners and admins can always decide permission requests, viewers
    never.
    """

    id: str
    team_id: str
    user: UserView
    role: Literal["owner", "admin", "member", "viewer"]
    may_approve: bool
    is_service: bool
    created_at: AwareDatetime


class MemberPage(BaseModel):
    items: list[MemberView]
    next_cursor: str | None


class MemberChange(BaseModel):
    role: Literal["owner", "admin", "member", "viewer"] | None = None
    may_approve: bool | None = None


class NewOwner(BaseModel):
    member_id: str


class OpenedInvitation(BaseModel):
    """
    The details of an invitation that its link reveals without signing in.
    """

    team_name: str
    email: str
    role: Literal["owner", "admin", "member", "viewer"]
    may_approve: bool
    invited_by: str
    expires_at: AwareDatetime


class GivenSecret(BaseModel):
    secret: str


class InvitationView(BaseModel):
    id: str
    team_id: str
    email: str
    role: Literal["owner", "admin", "member", "viewer"]
    may_approve: bool
    state: Literal["open", "expired", "accepted", "revoked"]
    invited_by: UserView | None
    created_at: AwareDatetime
    sent_at: AwareDatetime
    expires_at: AwareDatetime
    accepted_at: AwareDatetime | None


class InvitationPage(BaseModel):
    items: list[InvitationView]
    next_cursor: str | None


class IssuedInvitationView(BaseModel):
    """
    An invitation that was just created or resent. `link` is only returned this once.
    """

    id: str
    team_id: str
    email: str
    role: Literal["owner", "admin", "member", "viewer"]
    may_approve: bool
    state: Literal["open", "expired", "accepted", "revoked"]
    invited_by: UserView | None
    created_at: AwareDatetime
    sent_at: AwareDatetime
    expires_at: AwareDatetime
    accepted_at: AwareDatetime | None
    link: str


class NewInvitation(BaseModel):
    email: str
    role: Literal["owner", "admin", "member", "viewer"] | None = "member"
    may_approve: bool | None = True


class ProjectView(BaseModel):
    id: str
    team_id: str
    name: str
    slug: str
    description: str
    suggested_prompt: str
    default_agent: str
    created_at: AwareDatetime
    remove_at: AwareDatetime | None


class ProjectChange(BaseModel):
    """
    Changes of a project. Omitted fields stay unchanged.
    """

    name: str | None = None
    description: str | None = None
    suggested_prompt: str | None = None
    default_agent: str | None = None


class TokenView(BaseModel):
    """
    An API token without its secret.

    The token is limited to the team `team_id` and the project `project_id`. If both are null, it works wherever its
    owner has access.
    """

    id: str
    name: str
    scopes: list[Literal["read", "sessions:write", "answer", "terminal", "admin", "tokens"]]
    team_id: str | None
    project_id: str | None
    created_at: AwareDatetime
    expires_at: AwareDatetime | None
    last_used_at: AwareDatetime | None


class IssuedTokenView(BaseModel):
    """
    An API token that was just created. `token` is the secret; it is only returned this once.
    """

    id: str
    name: str
    scopes: list[Literal["read", "sessions:write", "answer", "terminal", "admin", "tokens"]]
    team_id: str | None
    project_id: str | None
    created_at: AwareDatetime
    expires_at: AwareDatetime | None
    last_used_at: AwareDatetime | None
    token: str


class NewToken(BaseModel):
    """
    A new API token of your own. `team_id` or `project_id` limits it to one team or project.
    """

    name: str
    scopes: list[Literal["read", "sessions:write", "answer", "terminal", "admin", "tokens"]] | None = [
        "read",
        "sessions:write",
    ]
    project_id: str | None = None
    expires_at: AwareDatetime | None = None
    team_id: str | None = None


class CurrentTokenView(BaseModel):
    """
    The API token of a request. `token` is null for a person who is signed in with a browser.
    """

    token: TokenView | None


class NewServiceToken(BaseModel):
    """
    A new API token of a service account.

    The default scopes permit reading and working, but not deciding permission requests or changing team settings.
    """

    name: str
    scopes: list[Literal["read", "sessions:write", "answer", "terminal", "admin", "tokens"]] | None = [
        "read",
        "sessions:write",
    ]
    project_id: str | None = None
    expires_at: AwareDatetime | None = None


class TicketView(BaseModel):
    ticket: str
    expires_at: AwareDatetime


class ServiceAccountView(BaseModel):
    """
    A service account. `role` is empty if it is no longer a member of its team; its tokens do not work then.
    """

    id: str
    team_id: str
    name: str
    role: Literal["admin", "member", "viewer", ""]
    may_approve: bool
    tokens: int
    created_at: AwareDatetime


class NewServiceAccount(BaseModel):
    """
    A new service account.

    `may_approve` is the right of the role `member` to decide permission requests; admins always have it.
    """

    name: str
    role: Literal["admin", "member", "viewer"] | None = "member"
    may_approve: bool | None = False


class ServiceAccountChange(BaseModel):
    name: str | None = None
    role: Literal["admin", "member", "viewer"] | None = None
    may_approve: bool | None = None


class WorkspaceView(BaseModel):
    id: str
    project_id: str
    name: str
    state: Literal["new", "starting", "running", "stopped", "failed", "lost", "removing"]
    detail: str
    runtime: str
    remove_at: AwareDatetime | None
    created_at: AwareDatetime


class NewWorkspace(BaseModel):
    name: str | None = ""


class ArchiveView(BaseModel):
    at: AwareDatetime
    size: int


class CheckItemView(BaseModel):
    name: str
    passed: bool
    found: str


class GaugeView(BaseModel):
    """
    A measured value. `limit` is 0 if the value has no limit.
    """

    used: int
    limit: int


class LimitView(BaseModel):
    """
    A limit. `source` is the policy that set it.
    """

    value: int | float
    source: Literal["default", "site", "team", "project"]


class NodeView(BaseModel):
    """
    The machine that holds the workspace. `alive` is true if it reported within the last 30 seconds.
    """

    name: str
    alive: bool
    seen_at: AwareDatetime


class SelfCheckView(BaseModel):
    """
    The result of the container's self-check, which was run when the container was created or last checked.
    """

    passed: bool
    runtime: str
    kernel: str
    items: list[CheckItemView]
    at: AwareDatetime


class TrafficView(BaseModel):
    """
    Bytes that workspaces received and sent through the door, the number of their connections, and how many of these
    were refused. The numbers are some seconds old.
    """

    received: int | None = 0
    sent: int | None = 0
    connections: int | None = 0
    refused: int | None = 0


class UsageView(BaseModel):
    """
    The use of a workspace's resources. Memory, disk and tmp are in bytes; pids and inodes are counts; `cpu_seconds`
    counts since the container started.
    """

    memory: GaugeView
    pids: GaugeView
    disk: GaugeView
    inodes: GaugeView
    tmp: GaugeView
    cpu_seconds: float
    cpus: float
    at: AwareDatetime


class WorkspaceDetailView(BaseModel):
    """
    A workspace with its limits. `limits` apply to the next container. `outdated` is true if they differ from the
    limits of the current container; a rebuild or the next start applies them. `may` lists the actions that you may
    perform in the present state.
    """

    id: str
    project_id: str
    name: str
    state: Literal["new", "starting", "running", "stopped", "failed", "lost", "removing"]
    detail: str
    runtime: str
    remove_at: AwareDatetime | None
    created_at: AwareDatetime
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
    last_used_at: AwareDatetime
    generation: int
    may: list[
        Literal[
            "start", "stop", "restart", "rebuild", "check", "remove", "keep", "export", "download", "stop_background"
        ]
    ]


class WorkspaceUsage(BaseModel):
    """
    The workspace's use of resources. If `live` is false, the workspace is not running or its node did not answer;
    `usage` is then the last known value, or null.
    """

    live: bool
    usage: UsageView | None


class BackgroundCallView(BaseModel):
    """
    A command that keeps running after the call that started it. `session_id` is the session that owns it;
    `session_id` and `command` are empty if you may not see that session.
    """

    call_id: str
    command: str
    session_id: str
    started_at: AwareDatetime
    seconds_left: float
    running: bool
    output_bytes: int


class AgentView(BaseModel):
    """
    A summary of a built-in agent.
    """

    name: str
    description: str
    mode: Literal["primary", "subagent", "all"]


class AgentSourceView(BaseModel):
    """
    One source that contributes to an agent. `id` is the row to edit (empty for files and built-in agents), `path`
    the file in the workspace, `fields` the names of the fields that it sets. If several sources set a field, the last
    one wins.
    """

    origin: Literal["built-in", "site", "team", "project", "file", "remote", "person", "session"]
    id: str
    path: str
    fields: list[str]


class RuleView(BaseModel):
    permission: str
    pattern: str
    action: Literal["allow", "ask", "deny"]


class PersonView(BaseModel):
    id: str
    email: str
    name: str


class RuleDocument(BaseModel):
    """
    A permission rule. `~` and `$HOME` at the start of `pattern` mean the home directory of the sandbox's user.
    """

    permission: str
    pattern: str
    action: Literal["allow", "ask", "deny"]


class LayerView(BaseModel):
    name: str
    rules: list[RuleView]


class PreferenceView(BaseModel):
    """
    A preference. `tightens_only` is true for rules from the repository, which can only make other rules stricter,
    except where the team lets them loosen rules.
    """

    name: str
    rules: list[RuleView]
    tightens_only: bool


class ErrorView(BaseModel):
    code: str
    message: str
    hint: str


class TurnView(BaseModel):
    """
    A turn. If it is a sub-agent's, `caller_id` is the tool call of the parent session that waits for it. `output` is
    the structured output that matches the prompt's `output_schema`. `waits_for` is set while the turn waits for room in
    a budget or for the price of a model; `error` then has the text.
    """

    id: str
    session_id: str
    state: Literal["queued", "running", "waiting", "completed", "aborted", "failed"]
    error: ErrorView | None
    waits_for: Literal["", "budget", "price"]
    step_count: int
    caller_id: str | None
    output: dict[str, Any] | None
    created_at: AwareDatetime
    ended_at: AwareDatetime | None


class SeenState(BaseModel):
    """
    The state of a file, as the preview returned it in a `FileStateView`.
    """

    mode: int
    size: int
    sha256: str
    stored: bool


class AlternativesView(BaseModel):
    """
    The alternatives of the turn with this `id`. `turn_ids` are all turns that answer the same prompt, oldest first;
    [] if there is only one. `hidden_with_id` is null while the turn is part of the conversation. While another answer
    is chosen, it is the alternative to which this turn belongs; people and models then continue without the turn.
    """

    id: str
    turn_ids: list[str]
    hidden_with_id: str | None


class EditedPromptTaken(BaseModel):
    """
    The turn that answers the edited prompt, and the turn's session. `files` and `files_at` say which files a fork
    starts with; `files` is `shared` if the fork uses the same workspace or there is no fork. `revert_id` is the revert
    in a fork for which the turn waits.
    """

    session_id: str
    turn: TurnView
    files: Literal["copied", "fresh", "shared"]
    files_at: AwareDatetime | None
    revert_id: str | None = None


class RequestFilter(BaseModel):
    state: Literal["open", "once", "always", "rejected", "cancelled", "all"] | None = "open"
    session_id: str | None = None
    project: Annotated[str | None, Field(description="The id of a project.")] = None
    tool: Annotated[str | None, Field(description="The tool whose call waits, or waited.")] = None


class ApprovalView(BaseModel):
    """
    One person's approval of a request that two people must approve.
    """

    person: PersonView
    reply: Literal["once", "always"]
    at: AwareDatetime


class DecisionView(BaseModel):
    """
    The reason why a call is allowed, is denied or needs permission: the deciding rule and its layer.
    """

    action: Literal["allow", "ask", "deny"]
    permission: str
    pattern: str
    rule: RuleView | None
    layer: str


class NeedView(BaseModel):
    permission: str
    patterns: list[str]
    always: list[str]
    metadata: dict[str, Any]


class WaitingRequest(BaseModel):
    """
    A permission request. In a session with `shared_with` `private`, only people who can see the session may
    answer.
    """

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
    created_at: AwareDatetime
    expires_at: AwareDatetime
    settled_at: AwareDatetime | None
    shared_with: Literal["team", "private"]
    session_title: str
    project_id: str


class WaitingRequests(BaseModel):
    items: list[WaitingRequest]
    next_cursor: str | None


class PermissionRequestView(BaseModel):
    """
    A permission request. `approvers` says who may answer: any member who may approve requests (member), the person
    who started the turn or an admin (starter), an admin (admin), or two different people (two_people). `scopes` are the
    scopes in which "always" is allowed.
    """

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
    created_at: AwareDatetime
    expires_at: AwareDatetime
    settled_at: AwareDatetime | None


class PermissionReply(BaseModel):
    reply: Literal["once", "always", "reject"]
    scope: Literal["session", "project", "team"] | None = None
    message: str | None = ""


class QuestionFilter(BaseModel):
    state: Literal["open", "answered", "dismissed", "cancelled", "all"] | None = "open"
    session_id: str | None = None
    project: Annotated[str | None, Field(description="The id of a project.")] = None
    tool: Annotated[str | None, Field(description="The tool whose call waits, or waited.")] = None


class AskingServerView(BaseModel):
    """
    The MCP server that asks, during a call of its tool. `message` is its text about the form. `url` is a page that
    it asks people to open; it may be empty.
    """

    name: str
    message: str
    url: str


class OptionView(BaseModel):
    label: str
    description: str


class QuestionAnswer(BaseModel):
    answers: list[list[str]]


class AttachmentView(BaseModel):
    """
    An attached file; `GET /attachments/{id}` returns its content. `media_type` is detected from the content: PNG,
    JPEG, GIF or WebP image, PDF, or text/plain. `width` and `height` are an image's size in pixels, otherwise 0.
    """

    id: str
    name: str
    media_type: str
    size: int
    width: int
    height: int


class AudienceView(BaseModel):
    """
    The people who can see a session. `people` were added to a private session and can see it in addition to
    `started_by`. `may_change`: you may change who can see the session.
    """

    shared_with: Literal["team", "private"]
    started_by: PersonView | None
    people: list[PersonView]
    may_change: bool


class AudienceChange(BaseModel):
    """
    A new audience of a session: the people who can see it. `people` are ids of members of the team; they are only
    used for a private session.
    """

    shared_with: Literal["team", "private"]
    people: list[str] | None = None


class PrivateSessionView(BaseModel):
    """
    Everything that team admins can see of a private session.
    """

    id: str
    project_id: str
    status: Literal["idle", "running", "waiting"]
    cost: float
    unpriced_calls: int
    created_by: PersonView | None
    created_at: AwareDatetime
    updated_at: AwareDatetime


class BudgetView(BaseModel):
    """
    A budget. `spent` and `reserved` are the sums of the period from `window_start` to `window_end` (null: no end);
    `left` is the remainder. `reserved` belongs to running calls, which release the part that they do not use.
    `unpriced_calls` is the number of calls without a known price. `target_name` is a display name; `can_edit`: you may
    change the budget.
    """

    id: str
    team_id: str
    team_name: str
    scope: Literal["team", "project", "person", "session"]
    target: str
    target_name: str
    period: Literal["day", "week", "month", "total"]
    limit: str
    currency: Literal["USD"]
    hard: bool
    unknown_prices: Literal["refuse", "allow", "assume"]
    assumed_input: str | None
    assumed_output: str | None
    max_output: int | None
    spent: str
    reserved: str
    left: str
    unpriced_calls: int
    window_start: AwareDatetime
    window_end: AwareDatetime | None
    version: int
    changed_by: PersonView | None
    changed_at: AwareDatetime
    can_edit: bool


class BudgetPage(BaseModel):
    items: list[BudgetView]
    next_cursor: str | None


class NewBudget(BaseModel):
    """
    A new budget. `target` is the id of the project, person or root session; a team's budget has none. A hard budget
    blocks calls that do not fit; other budgets only notify. `unknown_prices` says whether models without a known price
    are refused, allowed (and only counted), or counted at assumed dollars per million tokens; a hard budget refuses
    them by default. `max_output` limits the tokens of each answer.
    """

    scope: Literal["team", "project", "person", "session"]
    target: str | None = ""
    period: Literal["day", "week", "month", "total"]
    limit: float | str
    hard: bool | None = True
    unknown_prices: Literal["refuse", "allow", "assume"] | None = None
    assumed_input: float | str | None = None
    assumed_output: float | str | None = None
    max_output: int | None = None


class BudgetChange(BaseModel):
    """
    Changes of a budget; omitted fields stay unchanged. `base_version` is the version that you have read.
    """

    period: Literal["day", "week", "month", "total"] | None = None
    limit: float | str | None = None
    hard: bool | None = None
    unknown_prices: Literal["refuse", "allow", "assume"] | None = None
    assumed_input: float | str | None = None
    assumed_output: float | str | None = None
    max_output: int | None = None
    base_version: int | None = None


class ConfigurationSource(BaseModel):
    """
    The source of a value: the level, and the path of a file in the workspace, or the id of the team, project, person
    or session.
    """

    origin: Literal["default", "remote", "site", "team", "person", "file", "project", "session", "policy"]
    name: str


class TokensView(BaseModel):
    input: int
    output: int
    reasoning: int
    cache_read: int
    cache_write: int


class NewCommand(BaseModel):
    """
    A command to run. `wait_for_answers` has the same meaning as for a prompt.
    """

    command: str
    arguments: str | None = ""
    attachments: list[str] | None = None
    wait_for_answers: int | None = None


class NewShellCommand(BaseModel):
    """
    A shell command that you typed.
    """

    command: str


class CommitOptionsView(BaseModel):
    """
    The commit settings that apply: the project's settings, else the team's, else the defaults. `co_author`: commits
    name the agent as co-author of the person, or the person as co-author of the agent. `sign_off`: commits are signed
    off by the person.
    """

    author: Literal["person", "agent"]
    committer_name: str
    committer_email: str
    co_author: bool
    sign_off: bool
    sign: bool


class TeamCommitsView(BaseModel):
    """
    Commit settings of a team, which its projects can override.

    If `committer_name` or `committer_email` is empty, the site's default in `applied` is used. `signing_key` is the
    public key of the signatures, to register at the forge; it is empty until `sign` is set for the first time.
    `can_edit`: you may change the settings.
    """

    team_id: str
    author: Literal["person", "agent"]
    committer_name: str
    committer_email: str
    co_author: bool
    sign_off: bool
    sign: bool
    signing_key: str
    signing_fingerprint: str
    key_made_at: AwareDatetime | None
    applied: CommitOptionsView
    version: int
    changed_by: PersonView | None
    changed_at: AwareDatetime | None
    can_edit: bool


class TeamCommitsChange(BaseModel):
    """
    New commit settings of a team. `author` is the `person` whose prompt the agent works on, or the `agent`. If the
    committer's name and address are empty, the committer is the agent of the site. `co_author` adds a line for a
    co-author: the agent if the person is the author, or the person if the agent is. `sign_off` adds a line for the
    person. With `sign`, commits are signed with a key that no workspace has. `base_version` is the version that you
    have read, 0 if there was none.
    """

    author: Literal["person", "agent"] | None = "person"
    committer_name: str | None = ""
    committer_email: str | None = ""
    co_author: bool | None = True
    sign_off: bool | None = False
    sign: bool | None = False
    base_version: int | None = None


class RevertSummaryView(BaseModel):
    """
    The revert of a session that is in force or being applied. `message_id` is the first hidden message; null if only
    files were taken back. `hidden` is the number of hidden messages, `files` the number of changed files. `error` says
    why a failed revert was not applied; it changed nothing.
    """

    id: str
    state: Literal["pending", "applied", "failed"]
    message_id: str | None
    turn_id: str | None
    hidden: int
    files: int
    undoing: bool
    error: str
    by: str


class SessionView(BaseModel):
    """
    A session. If this is a sub-agent's session, `parent_id` is the session that started it. `forked_from_id` is the
    session whose conversation it continues. `context_tokens` is the number of tokens of the last model call, and
    `context_limit` the number at which the conversation is compacted; both are 0 if unknown. If `shared_with` is
    private, only the person who started it and the people they added can see it. `revert` is set while messages are
    hidden or file changes are taken back, until the next prompt makes that final. `folder` is the folder of the
    workspace that it is about, "" for the root. `cost` is in US dollars, for the calls with a known price;
    `unpriced_calls` is the number of the others. `effort` is the reasoning effort that a person chose, "" if nobody
    did; it is used while the model takes it.
    """

    id: str
    project_id: str
    workspace_id: str
    parent_id: str | None
    forked_from_id: str | None
    title: str
    summary: str
    agent: str
    model: str
    effort: str
    folder: str
    status: Literal["idle", "running", "waiting"]
    last_seq: int
    cost: float
    unpriced_calls: int
    tokens: TokensView
    context_tokens: int
    context_limit: int
    archived: bool
    labels: list[str]
    revert: RevertSummaryView | None
    shared_with: Literal["team", "private"]
    created_by: PersonView | None
    created_at: AwareDatetime
    updated_at: AwareDatetime


class NewComparison(BaseModel):
    """
    A prompt that several sessions attempt. `models` has an entry for each attempt, 2 to 4: the model's name, or ""
    for the session's model. `attachments` are files uploaded to the session. With `test_command`, agents are asked to
    run this command at the end, and its outcome is shown.
    """

    text: str
    models: list[str]
    attachments: list[str] | None = None
    test_command: str | None = ""


class ComparisonSummary(BaseModel):
    id: str
    prompt: str
    created_at: AwareDatetime
    kept_id: str | None


class ComparisonSummaryPage(BaseModel):
    items: list[ComparisonSummary]
    next_cursor: str | None


class KeptAttempt(BaseModel):
    session_id: str


class ConfigurationProblem(BaseModel):
    """
    A file, a pattern or an agent that could not be used at all. `place` names it.
    """

    place: str
    problem: str


class OverriddenValue(BaseModel):
    """
    A value of a weaker configuration level that the value of a stronger level replaces.
    """

    origin: Literal["default", "remote", "site", "team", "person", "file", "project", "session", "policy"]
    name: str
    value: Any


class SkillSource(BaseModel):
    """
    An address in `skills.urls` and the `skills` that were last fetched from it. If the attempt at `tried_at` failed,
    `problem` says why, and skills that were fetched before stay in force.
    """

    address: str
    skills: list[str]
    problem: str
    tried_at: AwareDatetime


class ConfigurationChange(BaseModel):
    """
    A new configuration document. `base_version` is the version that you edited; 0 if there was none.
    """

    text: str | None = ""
    instructions: str | None = ""
    base_version: int


class DefaultsChange(BaseModel):
    """
    The address of an organisation that publishes defaults, such as https://company.example. If it is empty,
    published defaults no longer apply.
    """

    address: str


class ConnectionView(BaseModel):
    """
    A connection of a team to a forge or git server.

    `ending` are the last characters of the token; the credential is never returned. `public_key` is the key to register
    at the server, for the kind `ssh`; `host_fingerprint` is the fingerprint of the server's own key, known since the
    first test. `account` is the account that the credential belongs to, as reported by the forge. `message` says what
    an admin has to do in the state `failed`. `can_edit`: you may change the connection; people who may not get only
    `id`, `team_id`, `kind`, `name` and `state`.
    """

    id: str
    team_id: str
    kind: Literal["github", "gitlab", "gitea", "bitbucket", "git", "ssh"]
    name: str
    base_url: str
    auth: Literal["token", "app", "key", "none"]
    username: str
    ending: str
    public_key: str
    host_fingerprint: str
    account: str
    state: Literal["unknown", "ok", "failed", "revoked"]
    message: str
    checked_at: AwareDatetime | None
    last_used_at: AwareDatetime | None
    created_by: PersonView | None
    created_at: AwareDatetime | None
    version: int
    can_edit: bool


class ConnectionPage(BaseModel):
    items: list[ConnectionView]
    next_cursor: str | None


class NewApp(BaseModel):
    """
    A GitHub App. Without `installation_id`, the app must be installed exactly once.
    """

    app_id: str
    private_key: str
    installation_id: str | None = ""


class NewConnection(BaseModel):
    """
    A new connection. `base_url` is the address of a self-hosted forge or git server; it is not needed for
    github.com, gitlab.com and bitbucket.org. For the kind `ssh` it looks like `git@git.example.org`.
    """

    token: str | None = ""
    username: str | None = ""
    app: NewApp | None = None
    kind: Literal["github", "gitlab", "gitea", "bitbucket", "git", "ssh"]
    name: str | None = ""
    base_url: str | None = ""


class ConnectionChange(BaseModel):
    """
    Changes of a connection. `base_version` is the version that you have read.
    """

    name: str
    base_version: int | None = None


class ReplacedCredential(BaseModel):
    """
    A new credential. `base_version` is the version of the connection that you have read.
    """

    token: str | None = ""
    username: str | None = ""
    app: NewApp | None = None
    base_version: int | None = None


class ConnectionReport(BaseModel):
    """
    The result of a test: `message` says what the forge answered, `hint` what to do.
    """

    ok: bool
    message: str
    hint: str


class RepositoryView(BaseModel):
    """
    A repository that a connection reaches. `updated_at` is empty if the forge does not say.
    """

    full_name: str
    clone_url: str
    default_branch: str
    private: bool
    description: str
    updated_at: str


class RefView(BaseModel):
    name: str
    kind: Literal["branch", "tag"]
    commit: str


class ContextItemView(BaseModel):
    """
    An item of the model's context. `tokens` are estimated. `name` depends on `kind`: the agent for `agent`, the path
    for `instructions`, the tool for `tool` (its description and schema) and for `results`, the file name for `file`.
    `count` is the number of prompts, answers or calls that the item sums up; `names` are the skills that `skills`
    lists, or the notes of `memory`.
    """

    kind: Literal[
        "agent",
        "environment",
        "instructions",
        "skills",
        "memory",
        "output",
        "tool",
        "summary",
        "prompts",
        "answers",
        "calls",
        "results",
        "file",
    ]
    name: str
    tokens: int
    count: int
    names: list[str]


class ContextView(BaseModel):
    """
    The contents of the context of a session's model.

    `counted` is the number of tokens of the last model call as the provider counted them, 0 if it is unknown or the
    conversation was compacted since. `estimated` is the sum of `items`, at four characters a token. `limit` is the
    number of tokens at which the conversation is compacted, 0 if unknown. `items` include the system prompt and the
    tools of the answer `message_id`; it is null before the first answer. `folders` are the folders whose instruction
    files are part of a result, `skills` the skills that the agent has loaded.
    """

    counted: int
    estimated: int
    limit: int
    message_id: str | None
    agent: str
    model: str
    items: list[ContextItemView]
    folders: list[str]
    skills: list[str]


class PromptBlockView(BaseModel):
    """
    A block of a system prompt. `kind` is its kind. `name` is the agent's name or the path of an instruction file,
    `names` are the names of the listed skills, if the block has any. `tokens` are estimated.
    """

    kind: Literal["agent", "environment", "instructions", "skills", "memory", "output"]
    name: str
    names: list[str]
    tokens: int


class PromptToolView(BaseModel):
    """
    A tool that was offered, with the estimated tokens of its description and schema.
    """

    name: str
    tokens: int


class SystemPromptView(BaseModel):
    """
    The system prompt of an answer, exactly as it was sent, with its blocks and the offered tools. `last_used_at` is
    the time of the latest step that changed to this prompt from another one.
    """

    message_id: str
    agent: str
    model: str
    text: str
    blocks: list[PromptBlockView]
    tools: list[PromptToolView]
    last_used_at: AwareDatetime


class NewPrompt(BaseModel):
    """
    A prompt. `attachments` are ids of files that were uploaded to the session; if there is one, `text` may be empty.
    `agent` is the agent that works in the session from now on; "" keeps the current one.

    `wait_for_answers` is for programs: the number of seconds that permission requests and questions of this turn wait
    for a person. 0 means not at all; null means as long as the policies say, which is also the maximum. `output_schema`
    is a JSON Schema of an object: the turn then ends with an answer that matches it, in the turn's `output`. `paths`
    are files and folders of the workspace that are read before the answer.
    """

    text: str
    agent: str | None = ""
    attachments: list[str] | None = None
    wait_for_answers: int | None = None
    output_schema: dict[str, Any] | None = None
    paths: list[str] | None = None


class PartView(BaseModel):
    """
    One piece of a message. The `data` depends on the `type`.

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
        "text",
        "agent",
        "reasoning",
        "tool",
        "retry",
        "file",
        "command",
        "compaction",
        "step-start",
        "step-finish",
        "patch",
    ]
    text: str
    call_id: str | None
    data: dict[str, Any]


class ToolCallView(BaseModel):
    """
    One use of a tool. `outer_id` is the call that created this inner call (a batch); an inner call has no part in
    the message. `pruned`: people still see its output, but models no longer get it.
    """

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
    created_at: AwareDatetime
    started_at: AwareDatetime | None
    ended_at: AwareDatetime | None


class WorkspaceNoteView(BaseModel):
    """
    A note about the session's workspace, shown between its messages. `call_id` is empty unless one tool call caused
    it; `data` has the facts, such as {"limit": "memory"}.
    """

    id: str
    session_id: str
    workspace_id: str
    kind: Literal[
        "started",
        "stopped",
        "restarted",
        "rebuilt",
        "limit",
        "lost",
        "restored",
        "refused",
        "setup",
        "removing",
        "operator",
        "files",
    ]
    text: str
    call_id: str
    data: dict[str, Any]
    created_at: AwareDatetime


class MessageFilter(BaseModel):
    """
    Filters for messages. `role` restricts the list to messages of this role; with `alternatives` it includes
    messages of answers that are not chosen.
    """

    role: Literal["user", "assistant"] | None = None
    alternatives: bool | None = False


class DeletionView(BaseModel):
    """
    A deletion of a team or project: its date, and how many objects it deletes. `asked` is true if the deletion was
    requested; it can be undone before `remove_at`.
    """

    asked: bool
    remove_at: AwareDatetime
    projects: int
    workspaces: int
    sessions: int
    members: int


class TypedName(BaseModel):
    """
    The exact name of the team or project, as a confirmation.
    """

    name: str


class PatchOptions(BaseModel):
    """
    The changes to download: of the whole session, of one `turn`, or of one `commit` compared with its first
    parent.
    """

    turn: str | None = ""
    commit: str | None = ""


class ForkView(BaseModel):
    """
    A new fork. `files` is the source of its files: `copied` from the last archive of the original's workspace (made
    at `files_at`), `fresh` from the project's initial files if there is no archive, or `shared` with the original.
    `revert_id` is the revert in the fork that undoes the changes after the message; it is applied when the workspace
    has started. A note in the fork says which changes could not be undone.
    """

    session: SessionView
    files: Literal["copied", "fresh", "shared"]
    files_at: AwareDatetime | None
    revert_id: str | None = None


class NewFork(BaseModel):
    """
    A fork of a session. `message_id` is the last message that is copied; without it, all complete messages are. With
    `workspace` `copy` the fork gets files of its own; with `same` it uses the same workspace. `files` selects the files
    of a copy: `then` (the default) for the files at the time of the message, `now` for the newest files.
    """

    message_id: str | None = None
    title: str | None = ""
    workspace: Literal["copy", "same"] | None = "copy"
    files: Literal["then", "now"] | None = None


class GrantView(BaseModel):
    """
    A grant: a rule that an "always" answer to a permission request created, with the person and the time.
    """

    id: str
    scope: Literal["session", "project", "team"]
    project_id: str | None
    session_id: str | None
    request_id: str | None
    permission: str
    pattern: str
    granted_by: PersonView | None
    created_at: AwareDatetime


class GrantPage(BaseModel):
    items: list[GrantView]
    next_cursor: str | None


class RegisteredImageView(BaseModel):
    """
    An image that policies can name. `programs` are the languages and servers that a trial found in it.
    """

    name: str
    description: str
    programs: list[str]


class ImageView(BaseModel):
    """
    An image. `refused_by` is the highest policy that does not allow it; empty if every policy allows it.
    """

    name: str
    description: str
    refused_by: Literal["", "site", "team", "project"]


class WantedImageView(BaseModel):
    """
    The image that a repository requests in the file `source`. `name` is the registered image that workspaces use for
    this request; if it is empty, `note` says why.
    """

    source: str
    image: str
    name: str
    note: str


class ImageChoice(BaseModel):
    image: str


class McpAccountView(BaseModel):
    """
    The account that is used when you call a tool: yours, or the team's. It contains no tokens. `issuer` is the
    authorization server, `scopes` are the granted scopes, `wanted` the scopes that the MCP server asked for later.
    `problem` says why a new sign-in is needed; it is empty if the account can be used.
    """

    issuer: str
    scopes: list[str]
    wanted: Annotated[list[str], Field(description="Sign in again to give these scopes, too.")]
    problem: str
    signed_in_by: PersonView | None
    signed_in_at: AwareDatetime
    expires_at: Annotated[
        AwareDatetime | None, Field(description="When the access token ends; it is renewed, if the server allows.")
    ]


class McpServerView(BaseModel):
    """
    An MCP server. `place` is "site", or the id of the team, project, person or workspace that it belongs to. A
    server of a workspace is declared in the file `source` of its repository; a person has allowed it, and it cannot be
    changed.

    `status` is `connected`, `disabled`, `failed` (`problem` says why), `sign_in` (you have to sign in, or the server
    does not accept the headers) or `unknown` (not reached yet). For a local server it is the status in the workspace
    where it ran last. `secret_headers` contains the names only. `asks_sign_in` is true if the server demands a sign-in
    with OAuth; `sign_in` says whether each person signs in or an admin signs in for the team, and `account` is the
    account that your calls use. `tool_count` is the number of tools that the server listed last, `changed_count` the
    number of tools that people have not accepted in their present form. `overridden` is true if a server of the project
    or the team with the same name is used instead. `can_edit`: you may change it.
    """

    id: str
    place: str
    source: str
    name: str
    description: str
    kind: Literal["local", "remote"]
    enabled: bool
    command: list[str]
    environment: dict[str, str]
    url: str
    transport: Literal["http", "sse"]
    headers: dict[str, str]
    secret_headers: list[str]
    timeout_seconds: int
    sign_in: Literal["person", "team"]
    asks_sign_in: bool
    client_id: str
    account: McpAccountView | None
    status: Literal["connected", "disabled", "failed", "sign_in", "unknown"]
    problem: str
    facts: Annotated[
        dict[str, str], Field(description="What the server says of itself: name, version, protocol, instructions.")
    ]
    checked_at: AwareDatetime | None
    tool_count: int
    changed_count: int
    version: int
    changed_by: PersonView | None
    changed_at: AwareDatetime
    overridden: bool
    can_edit: bool


class NewMcpServer(BaseModel):
    """
    A new MCP server. Its tools are called `<name>_<tool>`.
    """

    description: str | None = None
    enabled: bool | None = None
    command: list[str] | None = None
    environment: dict[str, str] | None = None
    url: str | None = None
    transport: Literal["http", "sse"] | None = None
    headers: dict[str, str] | None = None
    secret_headers: dict[str, str | None] | None = None
    timeout_seconds: int | None = None
    sign_in: Literal["person", "team"] | None = None
    client_id: str | None = None
    client_secret: str | None = None
    name: str
    kind: Literal["local", "remote"]


class DeclaredMcpServer(BaseModel):
    """
    An MCP server that the file `source` of a repository declares. `state` is `waiting` (a person decides when an
    agent wants to use it), `allowed` (`server_id` is its id), `overridden`, `refused` by the policies or `unusable`;
    `problem` says why it is not used. Only admins see values of the environment and of headers. `digest` identifies
    exactly this declaration.
    """

    name: str
    source: str
    kind: Literal["local", "remote"]
    command: list[str]
    environment: dict[str, str]
    url: str
    transport: Literal["http", "sse"]
    headers: dict[str, str]
    digest: str
    state: Literal["waiting", "allowed", "overridden", "refused", "unusable"]
    problem: str
    server_id: str
    workspace_ids: list[str]


class DeclaredMcpServerPage(BaseModel):
    items: list[DeclaredMcpServer]


class GalleryServer(BaseModel):
    """
    A well-known MCP server that can be added. `sign_in` says which secrets it needs: values of `secret_headers`, or
    a variable.
    """

    id: str
    name: str
    title: str
    description: str
    kind: Literal["local", "remote"]
    command: list[str]
    environment: dict[str, str]
    url: str
    transport: Literal["http", "sse"]
    secret_headers: Annotated[dict[str, str], Field(description="Names of headers, with how a value begins.")]
    sign_in: str
    homepage: str


class McpGallery(BaseModel):
    items: list[GalleryServer]


class McpToolChange(BaseModel):
    """
    A changed field in the definition of a tool: its value when people accepted the tool, and its present value.
    Values that are not strings are written as JSON.
    """

    before: str
    after: str


class McpToolView(BaseModel):
    """
    A tool of an MCP server. `id` is its name for models and in rules. If the tool cannot be used, `id` is empty and
    `problem` says why. `hints` are the server's own claims about the tool; no decision relies on them. `digest`
    identifies the definition. `changes` has {before, after} of each field that differs from the definition that people
    accepted. `is_new` is true if they have not accepted a tool of this name. Every call of a changed or new tool needs
    a person's decision.
    """

    id: str
    name: str
    title: str
    description: str
    parameters: Annotated[dict[str, Any], Field(description="JSON Schema of the arguments.")]
    hints: dict[str, bool]
    digest: str
    problem: str
    is_new: bool
    changes: dict[str, McpToolChange]


class McpServerChange(BaseModel):
    """
    Changes of an MCP server; omitted fields stay unchanged. `base_version` is the version that you have read.
    """

    description: str | None = None
    enabled: bool | None = None
    command: list[str] | None = None
    environment: dict[str, str] | None = None
    url: str | None = None
    transport: Literal["http", "sse"] | None = None
    headers: dict[str, str] | None = None
    secret_headers: dict[str, str | None] | None = None
    timeout_seconds: int | None = None
    sign_in: Literal["person", "team"] | None = None
    client_id: str | None = None
    client_secret: str | None = None
    base_version: int | None = None


class AcceptedTools(BaseModel):
    """
    The tools to accept in their present form: their names at the server, with the digests that you have read.
    """

    tools: Annotated[dict[str, str], Field(max_length=300)]


class McpCheckBody(BaseModel):
    """
    The workspace in which to check a local server, by its id. Empty for a remote server.
    """

    workspace_id: str | None = ""


class McpLogView(BaseModel):
    """
    The log of a local MCP server in a workspace: `events` is what happened to it since the sandbox worker started,
    with times in UTC; `stderr` is its output on stderr.
    """

    running: bool
    events: list[str]
    stderr: str


class McpPromptArgument(BaseModel):
    name: str
    description: str
    required: bool


class McpPromptView(BaseModel):
    """
    A prompt of an MCP server. In the prompt box it is the slash command `/<server>:<name>`.
    """

    server: str
    server_id: str
    name: str
    title: str
    description: str
    arguments: list[McpPromptArgument]
    completes: bool


class McpPromptText(BaseModel):
    """
    The text of a prompt as its server wrote it. It is not trusted: read it before you send it.
    """

    text: str


class McpPromptCall(BaseModel):
    """
    The prompt to get from an MCP server: the id of the server, the name of the prompt, and its arguments, which are
    strings.
    """

    server_id: str
    name: str
    arguments: Annotated[dict[str, str] | None, Field(max_length=20)] = {}


class McpResourceView(BaseModel):
    """
    A resource of an MCP server. In a prompt it is mentioned as `@<server>:<uri>`. If it is a `template`, `uri` has
    names in braces.
    """

    server: str
    uri: str
    name: str
    description: str
    media_type: str
    template: bool


class McpCompletionView(BaseModel):
    """
    Values that a server suggests for an argument. They are not trusted. `has_more`: the server knows more values.
    """

    values: list[str]
    has_more: bool


class McpCompletionCall(BaseModel):
    """
    The input of a person who is entering the arguments of a prompt: the `value` typed so far for `argument`, and the
    values of the other `arguments`.
    """

    server_id: str
    name: str
    argument: str
    value: str | None = ""
    arguments: Annotated[dict[str, str] | None, Field(max_length=20)] = {}


class McpSignInView(BaseModel):
    """
    A sign-in that was begun. To continue, open `authorization_url` in a browser in which you are signed in to this
    site, before `expires_at`. If you began it in a browser, it must be the same one.
    """

    authorization_url: str
    expires_at: AwareDatetime


class MemoryNoteView(BaseModel):
    """
    A note in the memory of a project.

    `changed_by` wrote the text; if `agent` is not empty, that agent wrote it in a turn of this person. `session_id` is
    the session in which an agent wrote it, null if you cannot see it. `name` is how agents refer to the note.
    `can_edit`: you may change and delete it.
    """

    id: str
    name: str
    text: str
    agent: str
    session_id: str | None
    version: int
    created_at: AwareDatetime
    changed_by: PersonView | None
    changed_at: AwareDatetime
    can_edit: bool


class MemoryNotePage(BaseModel):
    items: list[MemoryNoteView]
    next_cursor: str | None


class NewMemoryNote(BaseModel):
    """
    A new note: at most 2,048 bytes, without keys or passwords. All notes of a project have at most 16 KiB together,
    and there are at most 100.
    """

    text: str


class MemoryNoteChange(BaseModel):
    """
    A new text for a note. `base_version` is the version that you have read.
    """

    text: str
    base_version: int | None = None


class TableProvider(BaseModel):
    name: str
    models: int


class TableModel(BaseModel):
    """
    A model of the table, under litellm's name. `calls_tools` is null if the table does not say; agents cannot work
    with a model that cannot call tools. `efforts` are the reasoning efforts that the model accepts. `caches`: parts of
    a request that are in the provider's cache cost less.
    """

    name: str
    context: int | None
    max_output: int | None
    input_price: str | None
    output_price: str | None
    sees_images: bool
    sees_pdf: bool
    reasons: bool
    provider: str
    calls_tools: bool | None
    efforts: list[str]
    caches: bool


class TableModels(BaseModel):
    """
    Models of the table. `total` is the number of models that match.
    """

    items: list[TableModel]
    next_cursor: str | None
    total: int


class RefusedHostView(BaseModel):
    """
    A host to which connections from commands were refused. `action` is the present decision of the project's rules
    about the host; for the causes `address` and `unreachable` no rule can help. `times` counts calls. `session_id` is
    the session with the newest refusal.
    """

    name: str
    reason: str
    cause: Literal["rules", "address", "unreachable"]
    action: Literal["allow", "ask", "deny"]
    times: int
    last_at: AwareDatetime
    session_id: str


class QuietHours(BaseModel):
    """
    The hours of each day without e-mails and push notices, such as `22:00` until `07:00`, in your time zone. Notices
    that are still due when the quiet hours end are sent together, in one e-mail and one push notice.
    """

    begin: str
    end: str


class QuietHoursChange(BaseModel):
    begin: str
    end: str


class OperatorAccessView(BaseModel):
    id: str
    team_id: str
    session_id: str
    operator: PersonView | None
    reason: str
    alive: bool
    created_at: AwareDatetime
    expires_at: AwareDatetime
    revoked_at: AwareDatetime | None
    readings: int
    last_read_at: AwareDatetime | None


class NewOperatorAccess(BaseModel):
    """
    A request of an operator for read access to a session. `reason` is shown to the team.
    """

    session_id: str
    reason: str
    minutes: int | None = 60


class OperatorAccessPage(BaseModel):
    items: list[OperatorAccessView]
    next_cursor: str | None


class PullRequestSummaryView(BaseModel):
    """
    A short form of the session's pull request, as last reported by the forge; `GET /sessions/{id}/pull-request` has
    the texts, the checks and the comments. The numbers count its checks by state, and its comments.
    """

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


class TodoView(BaseModel):
    content: str
    status: Literal["pending", "in_progress", "completed", "cancelled"]
    priority: str


class ExpectationView(BaseModel):
    """
    The result of the expectation at `index` of the document: whether it is met, and the decision behind it.
    """

    index: int
    expect: Literal["allow", "ask", "deny"]
    action: Literal["allow", "ask", "deny"]
    ok: bool
    decision: DecisionView | None


class ProblemView(BaseModel):
    field: str
    message: str


class PolicyToCheck(BaseModel):
    """
    A policy document to check. It may be malformed; the response then lists its problems.
    """

    document: dict[str, Any]


class ChangedCallView(BaseModel):
    call_id: str
    session_id: str
    session_title: str
    project_id: str
    tool: str
    title: str
    at: AwareDatetime
    before: Literal["allow", "ask", "deny"]
    after: Literal["allow", "ask", "deny"]
    before_decision: DecisionView | None
    after_decision: DecisionView | None


class SimulationView(BaseModel):
    """
    The result of a simulation. `replayed` is less than the requested number if there were fewer calls, or if the
    time limit was reached.
    """

    replayed: int
    unchanged: int
    changes: list[ChangedCallView]
    expectations: list[ExpectationView]


class Expectation(BaseModel):
    """
    A tool call and the action that the policy must result in. It is checked whenever the policy is saved.

    Set either `permission` with a concrete `pattern`, or `command`: a bash command, which is judged with everything
    that it touches.
    """

    expect: Literal["allow", "ask", "deny"]
    permission: str
    pattern: str
    command: str
    agent: str
    note: str


class Granters(BaseModel):
    """
    The least role that may choose "always", for each scope of a grant. Null: the policies above decide.
    """

    session: Literal["member", "admin", "nobody"] | None
    project: Literal["member", "admin", "nobody"] | None
    team: Literal["member", "admin", "nobody"] | None


class Loosenable(BaseModel):
    """
    A permission and a pattern for which project files (which come with the repository) may loosen the policies'
    rules.
    """

    permission: str
    pattern: str


class McpOptions(BaseModel):
    """
    Options for MCP servers. Null: not set here.

    `repository_hosts` are the hosts of remote servers that a repository may declare, such as `mcp.example.org` or
    `*.example.org`; a host must be in the list of every policy that has such a list, and at least one policy must have
    one. `own_servers`: people may use servers of their own; this is allowed unless a policy forbids it.
    """

    repository_hosts: list[str] | None
    own_servers: bool | None


class SandboxOptions(BaseModel):
    """
    Limits of a workspace. If several policies set a limit, the smallest number applies. Null: not set here.

    `disk_mib` and `inodes` apply to the workspace's files and the home directory together, `open_files` to each
    process, `output_mib` and `wall_seconds` to each command. `workspaces` is the number of workspaces that a team may
    have. A workspace is stopped after `idle_minutes` without work, and can be restored for `keep_days` after it was
    removed. `runtime` is the OCI runtime: the highest policy that sets one decides (site, team, project). Whether a
    node has it is checked when a workspace starts there. `network` says what programs in the workspace may connect to,
    from the strictest to the loosest: `none`, `allowlist` (hosts that rules with the permission `egress` allow),
    `packages` (package registries too) or `open`. The strictest of the policies applies; if none sets it, `none`
    applies. `setup_network` is the same for the set-up script of the project; if a policy does not set it, its
    `network` applies to set-up too. `secrets_in_commands`: secret variables may be given to commands of agents; at
    least one policy must allow it, and none may forbid it. `terminals`: people who may decide permission requests may
    open terminals, where no rule asks about or denies what they run; at least one policy must allow it, and none may
    forbid it. `previews`: members may open pages that programs of the workspace serve, unless a policy forbids it.
    `images` are the names of the images that projects may choose; `default` is the site's own. An image must
    be in the list of every policy that has such a list.
    """

    memory_mib: int | None
    cpus: float | None
    pids: int | None
    tmp_mib: int | None
    disk_mib: int | None
    inodes: int | None
    open_files: int | None
    output_mib: int | None
    wall_seconds: int | None
    background_calls: int | None
    workspaces: int | None
    idle_minutes: int | None
    keep_days: int | None
    runtime: str | None
    network: Literal["none", "allowlist", "packages", "open"] | None
    setup_network: Literal["none", "allowlist", "packages", "open"] | None
    secrets_in_commands: bool | None
    terminals: bool | None
    previews: bool | None
    images: list[str] | None


class ToolOutput(BaseModel):
    """
    The part of a tool's output that a model gets at once, in lines and in bytes of UTF-8.

    If several policies set a limit, the smallest number applies. A field that is null sets no limit.
    """

    lines: int | None
    bytes: int | None


class MatchView(BaseModel):
    """
    A matching rule that did not decide. `limit` is true if the rule belongs to a limit, false for a preference.
    """

    rule: RuleView
    layer: str
    limit: bool


class ShellAnalysisView(BaseModel):
    """
    The analysis of a shell command. If `complete` is false, the command may do more than `patterns` and
    `external_directories` say, and `reasons` says why.
    """

    patterns: list[str]
    always: list[str]
    external_directories: list[str]
    complete: bool
    reasons: list[str]


class WhyDecision(BaseModel):
    """
    A decision with the rules that matched but did not decide, the weakest first.
    """

    action: Literal["allow", "ask", "deny"]
    permission: str
    pattern: str
    rule: RuleView | None
    layer: str
    limit: bool
    trace: list[MatchView]


class ExplainQuestion(BaseModel):
    """
    The call to explain: either a `permission` with a concrete `pattern`, or a `tool` with its `arguments`. Give
    `session_id`, or `project_id` with an `agent`.
    """

    session_id: str | None = None
    project_id: str | None = None
    agent: str | None = None
    tool: str | None = None
    arguments: dict[str, Any] | None = None
    permission: str | None = None
    pattern: str | None = None


class ChosenRepository(BaseModel):
    """
    A repository: its `name` at the forge of a connection, or its `url`. Without a `connection` it must be public.
    Workspaces start from the branch `ref`; if it is empty, from the server's default branch.
    """

    connection: str | None = None
    name: str | None = ""
    url: str | None = ""
    ref: str | None = ""


class NewProject(BaseModel):
    """
    A new project. If it has a `repository`, workspaces start from it; otherwise they are empty.
    """

    name: str
    description: str | None = ""
    suggested_prompt: str | None = ""
    default_agent: str | None = ""
    repository: ChosenRepository | None = None


class ConnectionName(BaseModel):
    """
    The connection of a project's repository. `message` is shown to admins.
    """

    id: str
    name: str
    kind: Literal["github", "gitlab", "gitea", "bitbucket", "git", "ssh"]
    state: Literal["unknown", "ok", "failed", "revoked"]
    message: str


class ProjectRepositoryView(BaseModel):
    """
    The repository of a project. If `connection` is null, the repository is public and can only be read.

    New workspaces start from `default_branch`; if it is empty, from the server's default branch. The names of session
    branches begin with `branch_prefix`. `protected` are patterns of branch names. Commit settings (`author` to `sign`)
    that are null or empty are taken from the team; `commits` has the settings that apply.
    """

    connection: ConnectionName | None
    full_name: str
    clone_url: str
    default_branch: str
    branch_prefix: str
    protected: list[str]
    history: Literal["auto", "partial", "shallow"]
    depth: int
    folders: list[str]
    submodules: list[str]
    lfs: bool
    author: Literal["person", "agent"] | None
    committer_name: str
    committer_email: str
    co_author: bool | None
    sign_off: bool | None
    sign: bool | None
    commits: CommitOptionsView
    version: int
    changed_by: PersonView | None
    changed_at: AwareDatetime


class ProjectRepositoryChange(BaseModel):
    """
    The repository of a project and how sessions use it.

    If `history` is `partial`, git fetches contents of older files when it needs them. If it is `shallow`, workspaces
    have only the newest `depth` commits of one branch. If `folders` are given, workspaces have only these and the files
    beside and above them. `submodules` are additional repositories at the connection's server that workspaces may read,
    such as `owner/name` or `owner/*`. If `lfs` is false, files in Git LFS stay pointers. Commit settings that are left
    out, null or empty are taken from the team. `base_version` is the version that you have read, 0 if there was none.
    """

    connection: str | None = None
    name: str | None = ""
    url: str | None = ""
    ref: str | None = ""
    branch_prefix: str | None = "agentsite/"
    protected: list[str] | None = None
    history: Literal["auto", "partial", "shallow"] | None = "auto"
    depth: int | None = 50
    folders: list[str] | None = []
    submodules: list[str] | None = []
    lfs: bool | None = True
    author: Literal["person", "agent"] | None = None
    committer_name: str | None = ""
    committer_email: str | None = ""
    co_author: bool | None = None
    sign_off: bool | None = None
    sign: bool | None = None
    base_version: int | None = None


class ProviderKindView(BaseModel):
    """
    A supported kind of provider. `options` are the names of the additional settings that it requires. If
    `wants_address` is true, the team must give a `base_url`, such as `example`. `key_form` says what the key is: a line
    of text, or the JSON key file of a Google service account. If `signs_in` is true, people can sign in with a code
    instead, unless `sign_in_problem` says why they cannot.
    """

    name: str
    title: str
    base_url: str
    wants_address: bool
    example: str
    needs_key: bool
    key_form: Literal["key", "service_account"]
    signs_in: bool
    sign_in_problem: str
    lists_models: bool
    options: list[str]


class ProviderKinds(BaseModel):
    items: list[ProviderKindView]


class KnownModel(BaseModel):
    """
    A model that the site knows. `context` and `max_output` are in tokens, prices are decimal numbers in US dollars
    per million tokens; null means unknown.
    """

    name: str
    context: int | None
    max_output: int | None
    input_price: str | None
    output_price: str | None
    sees_images: bool
    sees_pdf: bool
    reasons: bool


class KnownModels(BaseModel):
    items: list[KnownModel]


class ModelPrices(BaseModel):
    """
    Prices in US dollars per million tokens.

    Without a price of their own, reading and writing the provider's cache cost as much as input, and reasoning as much
    as output.
    """

    input: str
    output: str
    reasoning: str | None = None
    cache_read: str | None = None
    cache_write: str | None = None


class ProviderKeyView(BaseModel):
    """
    The provider's API key, which is never shown. `ending` are its last characters; it is empty for a short key.
    """

    ending: str
    set_by: str
    set_at: AwareDatetime | None


class ProviderModel(BaseModel):
    """
    A model of a provider.

    If `context` or `max_output` is 0, or another field is null, the value from the built-in table of models is used, if
    the table contains the model. `max_output` is the longest answer in tokens. `efforts` are the reasoning efforts that
    the model takes, `calls_tools` says whether it can call tools.
    """

    name: str
    context: int | None = 0
    max_output: int | None = 0
    sees: list[Literal["images", "pdf"]] | None = None
    prices: ModelPrices | None = None
    efforts: list[Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]] | None = None
    calls_tools: bool | None = None


class ProviderProblem(BaseModel):
    code: str
    message: str
    hint: str


class ProviderView(BaseModel):
    """
    A team's provider. `state` is the outcome of the last model calls; `problem` says why these failed. `key` is null
    if no key is stored.
    """

    id: str
    team_id: str
    slug: str
    name: str
    kind: str
    base_url: str
    options: dict[str, str]
    enabled: bool
    key: ProviderKeyView | None
    header_names: list[str]
    models: list[ProviderModel]
    timeout_seconds: int | None
    retries: int | None
    state: Literal["unknown", "ok", "failing"]
    problem: ProviderProblem | None
    state_at: AwareDatetime | None
    version: int
    created_at: AwareDatetime
    changed_at: AwareDatetime


class NewProvider(BaseModel):
    """
    A new provider. `slug` is the prefix of the model names, as in `slug/model`; it cannot be changed later. `key`
    and the values of `headers` are stored encrypted and never shown.
    """

    name: str
    kind: str
    base_url: str | None = ""
    options: Annotated[dict[str, str] | None, Field(max_length=10)] = None
    enabled: bool | None = True
    models: list[ProviderModel] | None = None
    timeout_seconds: int | None = None
    retries: int | None = None
    slug: str
    key: str | None = ""
    headers: Annotated[dict[str, str] | None, Field(max_length=20)] = None


class ProviderChange(BaseModel):
    """
    New settings of a provider, without the key. If `headers` is null, the headers are kept. A new `base_url` removes
    the key and the headers.
    """

    name: str
    kind: str
    base_url: str | None = ""
    options: Annotated[dict[str, str] | None, Field(max_length=10)] = None
    enabled: bool | None = True
    models: list[ProviderModel] | None = None
    timeout_seconds: int | None = None
    retries: int | None = None
    headers: dict[str, str] | None = None
    base_version: int | None = None


class NewKey(BaseModel):
    key: str


class CheckView(BaseModel):
    """
    One check: what was checked, whether it passed, and what to do if it failed.
    """

    name: Literal["address", "key", "models", "answer"]
    ok: bool
    message: str
    hint: str


class ProviderReport(BaseModel):
    """
    The result of testing a provider. `models` are the names of the models that the provider lists, if it lists
    any.
    """

    ok: bool
    checks: list[CheckView]
    models: list[str]


class ProviderTest(BaseModel):
    """
    A test to run. `model` is the model to test; if it is empty, the provider's first model is tested. Without
    models, only the connection is tested.
    """

    model: str | None = ""


class FoundModel(BaseModel):
    """
    A model that a provider lists. Facts that the provider does not report are taken from the site's table of models.
    `entry` is the entry to add to the `models` of the provider; it has only facts that the provider reports. `is_added`
    is true if the `models` of the provider have this name. No agent can use a model whose `calls_tools` is false; null
    means unknown.
    """

    name: str
    context: int | None
    max_output: int | None
    input_price: str | None
    output_price: str | None
    sees_images: bool
    sees_pdf: bool
    reasons: bool
    calls_tools: bool | None
    is_added: bool
    entry: ProviderModel


class FoundModels(BaseModel):
    """
    The models that a provider lists. `others` is the number of models that are left out: those that cannot hold a
    conversation, such as embedding models, and those after the first 500. `problem` says why there is no list.
    """

    items: list[FoundModel]
    others: int
    problem: ProviderProblem | None


class ProviderSignIn(BaseModel):
    """
    The state of a sign-in. While it is `pending`, people enter `user_code` at `address`; ask for the state again
    after `interval` seconds. `done`: the provider has its key. `failed`: `message` and `hint` say why.
    """

    state: Literal["pending", "done", "denied", "expired", "failed"]
    user_code: str | None = ""
    address: str | None = ""
    interval: int | None = 5
    expires_at: AwareDatetime | None = None
    message: str | None = ""
    hint: str | None = ""


class ModelChoiceView(BaseModel):
    """
    The choice of models at one level. `version` is 0 if nothing was ever saved at this level.
    """

    default_model: str | None = ""
    small_model: str | None = ""
    blocked: list[str] | None = None
    only: list[str] | None = None
    fallbacks: list[str] | None = None
    version: int


class PricesView(BaseModel):
    """
    The prices of a model in US dollars per million tokens.
    """

    input: str
    output: str
    cache_read: str
    cache_write: str
    reasoning: str


class ModelChoiceChange(BaseModel):
    default_model: str | None = ""
    small_model: str | None = ""
    blocked: list[str] | None = None
    only: list[str] | None = None
    fallbacks: list[str] | None = None
    base_version: int | None = None


class PullRequestCheckView(BaseModel):
    """
    A check of the newest commit, such as a CI job. `text` is the end of the check's log, or "" if the forge does not
    provide it.
    """

    id: str
    name: str
    state: Literal["pending", "success", "failure"]
    url: str
    text: str


class PullRequestCommentView(BaseModel):
    """
    A comment of a review. `path` and `line` are "" and 0 if it is about the whole pull request.
    """

    id: str
    author: str
    body: str
    url: str
    path: str
    line: int


class PullRequestView(BaseModel):
    """
    The pull request of a session, as the forge described it at `checked_at`. `branch` is merged into `base`;
    `commit` is the newest pushed commit. `body` does not contain the link to the session.
    """

    repository: str
    number: int
    url: str
    title: str
    body: str
    draft: bool
    state: Literal["open", "merged", "closed"]
    branch: str
    base: str
    commit: str
    checks: list[PullRequestCheckView]
    comments: list[PullRequestCommentView]
    checked_at: AwareDatetime
    created_by: PersonView | None
    created_at: AwareDatetime


class NewPullRequest(BaseModel):
    """
    The content of a pull request. A new pull request without a `body` gets the repository's template. `draft` has an
    effect only when the pull request is opened.
    """

    title: str
    body: str | None = ""
    draft: bool | None = False


class PushBrowserView(BaseModel):
    """
    A browser in which you have turned push notices on. `service` is the host of its push service. `used_at` is when
    the service last accepted a notice, null if it never has. `problem` says why the service did not accept the last
    notice, and is empty otherwise. `is_current`: this browser has sent the request.
    """

    id: str
    user_agent: str
    service: str
    created_at: AwareDatetime
    used_at: AwareDatetime | None
    problem: str
    is_current: bool


class PushView(BaseModel):
    """
    Your browsers with push notices. `public_key` is the site's key, which a browser needs to turn push notices on;
    null if this site cannot send any.
    """

    public_key: str | None
    browsers: list[PushBrowserView]


class NewPushBrowser(BaseModel):
    """
    The result of `PushManager.subscribe` in a browser: its address at its push service, its public key and its
    secret, both in base64url.
    """

    endpoint: str
    p256dh: str
    auth: str


class SchemaNames(BaseModel):
    items: list[Literal["events", "frames"]]


class SearchParameters(BaseModel):
    """
    A search. `q` is the query. `person_id` restricts results to sessions that this person started and messages that
    they wrote.
    """

    q: str | None = ""
    project_id: str | None = None
    person_id: str | None = None
    status: Literal["idle", "running", "waiting"] | None = None
    after: AwareDatetime | None = None
    before: AwareDatetime | None = None
    cursor: str | None = None
    limit: int | None = 20


class PieceView(BaseModel):
    """
    A piece of a text. `hit` is true if the piece matches the query.
    """

    text: str
    hit: bool


class SearchHit(BaseModel):
    """
    A search result. `ref` is the id of the match: the session if its title matches, otherwise the part, the tool
    call or the comment. `person` wrote it, or started the session if its title matches.
    """

    kind: Literal["title", "prompt", "answer", "tool", "comment"]
    ref: str
    session_id: str
    session_title: str
    session_status: Literal["idle", "running", "waiting"]
    shared_with: Literal["team", "private"]
    project_id: str
    project_name: str
    person: PersonView | None
    at: AwareDatetime
    pieces: list[PieceView]


class SearchPage(BaseModel):
    items: list[SearchHit]
    next_cursor: str | None


class PullRequestFix(BaseModel):
    """
    A failed check or a comment of the pull request, by its id, for the agent to fix. Give exactly one of the two.
    """

    check: str | None = ""
    comment: str | None = ""


class QueuedPromptChange(BaseModel):
    """
    The new text of a prompt that waits. Its attachments stay.
    """

    text: str


class WithdrawnPromptView(BaseModel):
    """
    The content of a prompt that was withdrawn. `attachments` can be used in another prompt; `paths` are the files of
    the workspace that the prompt named.
    """

    text: str
    attachments: list[AttachmentView]
    paths: list[str]


class ReviewCommentView(BaseModel):
    """
    A comment on lines of a changed file. `side` is the file before (old) or after (new) the change; lines count from
    1, and 0 stands for the whole file. `quote` is the code that the author saw, `version` the file's version then. A
    draft is visible only to its author. `done`: the turn to which the comment was sent is completed; `answer_id` is the
    last message of that turn. A comment whose turn was stopped or failed is open again.
    """

    id: str
    session_id: str
    author: PersonView | None
    path: str
    side: Literal["old", "new"]
    first_line: int
    last_line: int
    quote: str
    text: str
    version: str
    state: Literal["draft", "open", "sent", "done", "resolved", "deleted"]
    turn_id: str | None
    message_id: str | None
    answer_id: str | None
    settled_by: PersonView | None
    created_at: AwareDatetime
    updated_at: AwareDatetime


class NewReviewComment(BaseModel):
    """
    A comment on the lines `first_line` to `last_line` of `side`: the file before (old) or after (new) the change.
    Line 0 stands for the whole file. `quote` is the code as it was shown, `version` the file's version in the list of
    changes.
    """

    path: str
    text: str
    side: Literal["old", "new"] | None = "new"
    first_line: int | None = 0
    last_line: int | None = 0
    quote: str | None = ""
    version: str | None = ""


class ReviewCommentChange(BaseModel):
    """
    A change of a comment. `text` changes a comment that was not sent yet. `state` resolves a comment or reopens it;
    a reopened comment is sent with the next review.
    """

    text: str | None = None
    state: Literal["open", "resolved"] | None = None


class ReviewSending(BaseModel):
    """
    The comments to send. Without `comments`, these are your drafts and all open comments. `introduction` is a text
    before them.
    """

    comments: list[str] | None = None
    introduction: str | None = ""


class FileApprovalView(BaseModel):
    """
    One person's approval of a changed file. It is valid until the file changes.
    """

    session_id: str
    person: PersonView
    path: str
    version: str
    approved_at: AwareDatetime
    withdrawn: bool


class FileApprovalPage(BaseModel):
    items: list[FileApprovalView]
    next_cursor: str | None


class Approval(BaseModel):
    """
    An approval of a file by a reviewer. `version` is the version of the file that the reviewer has read.
    """

    path: str
    version: str


class DiffOptions(BaseModel):
    """
    The changes to return: of the whole session, of one `turn`, or of one `commit` compared with its first parent;
    for all files, for one file (`path`), or for the files in a folder that is shown as one entry (`under`).
    `ignore_whitespace` ignores differences in white space.
    """

    turn: str | None = ""
    commit: str | None = ""
    path: str | None = ""
    under: str | None = ""
    ignore_whitespace: bool | None = False


class FileDiffView(BaseModel):
    """
    A changed file. `patch` is a unified diff. If it is left out, `cut` says why: it is too long for the list
    (`file`), all patches of the list together are too long (`all`), comparing took too long (`time`), the file is
    `generated`, or its content was not recorded (`not_recorded`). In all cases but the last, `?path=` returns it.
    `counted` is false if the numbers of lines are not known. `version` changes with the file's content and mode; a mode
    is empty where the file does not exist.
    """

    path: str
    old_path: str
    status: Literal["added", "modified", "deleted", "renamed"]
    additions: int
    deletions: int
    patch: str
    binary: bool
    cut: Literal["", "file", "all", "time", "generated", "not_recorded"]
    counted: bool
    generated: bool
    old_mode: str
    new_mode: str
    old_size: int
    new_size: int
    version: str


class FoldedFolderView(BaseModel):
    """
    A folder of dependencies, caches or build products, shown as one entry. `?under=` lists its files.
    """

    path: str
    kind: Literal["dependencies", "cache", "build"]
    files: int


class SessionDiff(BaseModel):
    """
    The changed files: sources first, then generated ones. `more_files` is the number of changed files that are not
    listed.
    """

    files: list[FileDiffView]
    folded: Annotated[list[FoldedFolderView] | None, Field(validate_default=True)] = []
    more_files: int | None = 0


class CommittedView(BaseModel):
    """
    A commit. `at` is the committer's date.
    """

    commit: str
    subject: str
    author: str
    at: AwareDatetime


class SessionCommits(BaseModel):
    """
    The commits of the current branch, the newest first, at most 100. A merge is one commit.
    """

    commits: list[CommittedView]


class ImageOptions(BaseModel):
    """
    The image to return, as it is before (old) or after (new) the changes of the whole session, of one `turn` or of
    one `commit`.
    """

    path: str
    side: Literal["old", "new"]
    turn: str | None = ""
    commit: str | None = ""


class ChangedLinesOptions(BaseModel):
    """
    The lines to return: `first` to `last`, counted from 1, of a file that the whole session, one `turn` or one
    `commit` changed.
    """

    path: str
    first: int
    last: int
    turn: str | None = ""
    commit: str | None = ""


class ChangedLinesView(BaseModel):
    """
    Lines of a changed file as it is after the change. `total` is the number of lines in the file; `lines` ends where
    the file ends.
    """

    first: int
    lines: list[str]
    total: int


class NewBranchSession(BaseModel):
    """
    A new session in a new workspace that starts from this session's branch.
    """

    title: str | None = ""
    agent: str | None = ""
    shared_with: Literal["team", "private"] | None = "team"


class ChangesFilter(BaseModel):
    """
    The changes to list: the changes of a turn, or from a message on. With neither, the changes of all shown messages
    are listed.
    """

    turn_id: str | None = ""
    message_id: str | None = ""


class FileStateView(BaseModel):
    """
    The state of a file at one time. `mode` is the mode of stat(2). If the content is not `stored`, it cannot be
    restored.
    """

    mode: int
    size: int
    sha256: str
    stored: bool


class RevertFileView(BaseModel):
    """
    The effect of a revert on a file. `status` is `clean` if the file has not changed since the reverted change,
    `merged` if the revert is merged with changes of others, `conflict`, `kept` or `taken_back` after a decision, or
    `not_covered` for the `reason`. `before` is the file when the revert began. `patch` is the difference that the
    revert makes; it is set in previews and for texts.
    """

    path: str
    status: Literal["clean", "merged", "conflict", "kept", "taken_back", "done", "not_covered"]
    reason: str
    before: FileStateView | None
    after: FileStateView | None
    patch: str | None = ""


class RevertPreview(BaseModel):
    """
    The effect that a revert would have. `background` are commands that run in the workspace and may change files
    meanwhile; `others` is the number of other sessions that work in it. `not_covered` are sentences about changes that
    cannot be taken back.
    """

    files: list[RevertFileView]
    hidden: int
    background: int
    others: int
    not_covered: list[str]


class RevertView(BaseModel):
    """
    A revert, or the undoing of one (`undoes_id`). While it is `pending`, its files are being written: either all or
    none. A `failed` revert changed nothing; its `files` then contain the conflicts that need a decision.
    """

    id: str
    state: Literal["pending", "applied", "failed", "undone"]
    message_id: str | None
    turn_id: str | None
    answer_id: str | None
    undoes_id: str | None
    files: list[RevertFileView]
    not_covered: list[str]
    error: str
    by: PersonView | None


class SessionMarkView(BaseModel):
    """
    Your own mark of a session: whether you pinned it, and whether it is unread. `unread`: a turn has ended since you
    last opened the session, or you marked it as unread.
    """

    session_id: str
    pinned: bool
    unread: bool


class SessionMarkChange(BaseModel):
    """
    Changes of your mark of a session; omitted fields stay unchanged. `seen` true marks the session as read now,
    false as unread.
    """

    pinned: bool | None = None
    seen: bool | None = None


class ProjectSessionFilter(BaseModel):
    """
    Filters for the sessions of a project. Sessions must match all given filters.
    """

    status: Literal["idle", "running", "waiting"] | None = None
    agent: Annotated[str | None, Field(description="The name of the session's agent.")] = None
    created_by: Annotated[str | None, Field(description="The id of the person who opened it.")] = None
    archived: Annotated[bool | None, Field(description="List the archived sessions instead of the others.")] = False
    label: Annotated[str | None, Field(description="A label of the session.")] = None
    pinned: Annotated[bool | None, Field(description="Only sessions that you have pinned, or only others.")] = None
    since: Annotated[AwareDatetime | None, Field(description="Opened at this time or later.")] = None
    until: Annotated[AwareDatetime | None, Field(description="Opened before this time.")] = None
    updated_since: Annotated[AwareDatetime | None, Field(description="Changed at this time or later.")] = None
    updated_until: Annotated[AwareDatetime | None, Field(description="Last changed before this time.")] = None


class SessionPage(BaseModel):
    items: list[SessionView]
    next_cursor: str | None


class NewSession(BaseModel):
    """
    A new session. Without `workspace_id` it opens in the project's first workspace; `new_workspace` creates a new
    one, and so does `ref`: the branch, tag or commit of the project's repository that the new workspace starts from. A
    session with `shared_with` `private` can be seen only by you until you add people; its workspace stays visible to
    the whole team. `config` is a configuration document for this session, with the keys of a configuration file; it is
    stronger than every other level, and its rules can only make rules stricter. `folder` is a folder of the workspace,
    such as a package of a monorepo: the configuration in it and in the folders above it applies, and commands run
    there. `model` and `effort`, a reasoning effort that this model takes, are used in place of the agent's or
    project's.
    """

    title: str | None = ""
    agent: str | None = ""
    model: str | None = ""
    effort: str | None = ""
    workspace_id: str | None = None
    new_workspace: bool | None = False
    ref: str | None = ""
    shared_with: Literal["team", "private"] | None = "team"
    config: dict[str, Any] | None = None
    folder: str | None = ""


class SessionFilter(BaseModel):
    status: Literal["idle", "running", "waiting"] | None = None
    agent: Annotated[str | None, Field(description="The name of the session's agent.")] = None
    created_by: Annotated[str | None, Field(description="The id of the person who opened it.")] = None
    archived: Annotated[bool | None, Field(description="List the archived sessions instead of the others.")] = False
    label: Annotated[str | None, Field(description="A label of the session.")] = None
    pinned: Annotated[bool | None, Field(description="Only sessions that you have pinned, or only others.")] = None
    since: Annotated[AwareDatetime | None, Field(description="Opened at this time or later.")] = None
    until: Annotated[AwareDatetime | None, Field(description="Opened before this time.")] = None
    updated_since: Annotated[AwareDatetime | None, Field(description="Changed at this time or later.")] = None
    updated_until: Annotated[AwareDatetime | None, Field(description="Last changed before this time.")] = None
    project: Annotated[str | None, Field(description="The id of a project.")] = None


class SessionChange(BaseModel):
    """
    Changes of a session; omitted fields stay unchanged. `model` "" resets the model to the model of the agent or the
    project. `effort` is a reasoning effort that the model accepts; "" leaves the effort to the agent and the model.
    """

    title: str | None = None
    agent: str | None = None
    model: str | None = None
    effort: str | None = None
    archived: bool | None = None
    labels: list[str] | None = None


class ServiceView(BaseModel):
    """
    A service of a workspace. `state` is empty until a command first needs the service. `message` says why it is not
    running.
    """

    name: str
    program: str
    place: str
    state: Literal["", "ready", "failed"]
    message: str


class WorkspaceServicesView(BaseModel):
    """
    The services of a workspace. `source` is `settings` or the path of the file that declares them; `problem` says
    why they cannot be used. `allowed`: an admin entered them, or a person has allowed them.
    """

    workspace_id: str
    workspace_name: str
    source: str
    problem: str
    allowed: bool
    services: list[ServiceView]


class SetupScript(BaseModel):
    """
    The set-up script and the services to save. `services` is a TOML text. Null leaves the stored text unchanged.
    """

    script: str | None = None
    services: str | None = None


class SetupRunView(BaseModel):
    """
    A run of set-up, which is a call of the tool `setup`. `source` is `settings` or the path of the script; it is
    empty until the run has ended. `exit_code` is null if the script has not ended by itself.
    """

    id: str
    session_id: str
    workspace_id: str
    workspace_name: str
    state: Literal["waiting", "running", "completed", "failed", "stopped"]
    source: str
    exit_code: int | None
    created_at: AwareDatetime
    started_at: AwareDatetime | None
    ended_at: AwareDatetime | None


class SetupLogView(BaseModel):
    """
    A run of set-up with its output. Only the end of a long output is included.
    """

    id: str
    session_id: str
    workspace_id: str
    workspace_name: str
    state: Literal["waiting", "running", "completed", "failed", "stopped"]
    source: str
    exit_code: int | None
    created_at: AwareDatetime
    started_at: AwareDatetime | None
    ended_at: AwareDatetime | None
    output: str


class SharedFile(BaseModel):
    """
    A file of the shared session; its content is at `/shared/{secret}/attachments/{id}`.
    """

    id: str
    name: str
    media_type: str
    size: int


class SharedPart(BaseModel):
    """
    One piece of a message. A text piece has `text`; a tool call has the tool's name as `text`, and its `state`; a
    file has `file`.
    """

    id: str
    type: Literal["text", "tool", "file"]
    text: str
    state: Literal["", "pending", "running", "waiting", "completed", "error", "aborted"]
    file: SharedFile | None


class ShareLinkView(BaseModel):
    """
    A share link. `session_title` is empty if you may not see the session.
    """

    id: str
    session_id: str
    session_title: str
    project_id: str
    reach: Literal["team", "public"]
    show_names: bool
    created_by: PersonView | None
    created_at: AwareDatetime
    expires_at: AwareDatetime | None
    revoked_at: AwareDatetime | None


class IssuedShareLinkView(BaseModel):
    """
    A new share link. `path` is the path of the link's page on this site. `secret` and `path` are shown only this
    once.
    """

    id: str
    session_id: str
    session_title: str
    project_id: str
    reach: Literal["team", "public"]
    show_names: bool
    created_by: PersonView | None
    created_at: AwareDatetime
    expires_at: AwareDatetime | None
    revoked_at: AwareDatetime | None
    secret: str
    path: str


class NewShareLink(BaseModel):
    """
    A share link to create. A `public` link works for anybody who has it, if the policies allow public links; a
    `team` link works for signed-in members. `show_names`: readers see the names of the authors.
    """

    reach: Literal["team", "public"] | None = "team"
    expires_at: AwareDatetime | None = None
    show_names: bool | None = False


class SkillFileView(BaseModel):
    """
    A file of an uploaded skill.
    """

    path: str
    size: int


class SkillVersionView(BaseModel):
    """
    One version of a skill.
    """

    number: int
    description: str
    files: list[SkillFileView]
    uploaded_by: PersonView | None
    created_at: AwareDatetime


class SkillChange(BaseModel):
    """
    A change of a skill. `in_force` is the version that agents load from the next step on; null switches the skill
    off.
    """

    in_force: int | None


class SessionSkillView(BaseModel):
    """
    A skill of a session. `source` is the level at which the skill was added, or `file` for a skill in the
    workspace's files. `folder` is the folder of the skill's files. `problem` says why the skill cannot be loaded.
    `listed`: the session's agent gets its name and description.
    """

    name: str
    description: str
    source: Literal["site", "team", "person", "file", "project"]
    folder: str
    problem: str
    listed: bool


class ToolView(BaseModel):
    """
    A tool with its description and its parameters, adapted to the model's provider.
    """

    id: str
    aliases: list[str]
    source: str
    permission: str
    offered: bool
    description: str
    parameters: Annotated[dict[str, Any], Field(description="JSON Schema of the arguments.")]


class TurnModel(BaseModel):
    """
    The model that continues the turn, such as `provider/model`.
    """

    model: str


class UploadFacts(BaseModel):
    """
    The contents of a checked upload. `left_out` counts entries that a workspace cannot have: devices, and paths that
    lead out of the workspace. `branch` is the checked-out branch.
    """

    kind: Literal["zip", "tar", "bundle"]
    files: int
    bytes: int
    left_out: int
    branch: str


class UploadView(BaseModel):
    """
    A file that a project can start with.

    Send the part that begins at byte `received` next; each part except the last has `part_bytes` bytes. After the last
    part the upload is `checking`, then `ready`, or `refused` for the reason in `problem`. `project_id` is the project
    that starts with it.
    """

    id: str
    team_id: str
    project_id: str | None
    name: str
    size: int
    received: int
    part_bytes: int
    state: Literal["receiving", "checking", "ready", "refused", "deleting"]
    problem: str
    facts: UploadFacts | None
    created_by: PersonView | None
    created_at: AwareDatetime


class NewUpload(BaseModel):
    """
    A file that will be sent in parts: its name, for people, and its size in bytes.
    """

    name: str
    size: int


class ProjectOfUpload(BaseModel):
    name: str
    description: str | None = ""


class ProjectFiles(BaseModel):
    """
    The files that new workspaces of a project start with: the files of `upload`, or an empty repository if it is
    null.
    """

    upload: UploadView | None


class ProjectFilesChange(BaseModel):
    upload_id: str | None


class UsageFilter(BaseModel):
    """
    Filters of a usage report. `since` and `until` are whole days in UTC, both inclusive; the default is the last 30
    days.
    """

    since: date | None = None
    until: date | None = None
    group_by: (
        Literal["day", "model", "provider", "person", "project", "session", "team", "purpose", "message"] | None
    ) = "day"
    person_id: str | None = None
    project_id: str | None = None
    provider: str | None = None
    model: str | None = None
    purpose: Literal["step", "title", "summary", "draft", "compaction"] | None = None


class ModelUsageTokens(BaseModel):
    input: int
    output: int
    reasoning: int
    cache_read: int
    cache_write: int


class VariableView(BaseModel):
    """
    A variable of a team, a project or a person (`level`).

    `owner_id` is the id of the team, project or person. `last_used_at` is when it was last given to a command or added
    to a request, accurate to a few minutes. The `value` of a secret is never returned: it is empty. `can_edit`: you may
    change the variable. `used_for` is `commands` (and set-up), `setup` only, or `requests`: the door adds the secret to
    requests for `hosts`, and no program has it.
    """

    id: str
    level: Literal["team", "project", "person"]
    owner_id: str
    name: str
    value: str
    secret: bool
    used_for: Literal["commands", "setup", "requests"]
    hosts: list[str]
    added_as: Literal["bearer", "basic", "header", "query"] | None
    added_name: str
    version: int
    changed_by: PersonView | None
    changed_at: AwareDatetime
    last_used_at: AwareDatetime | None
    can_edit: bool


class NewVariable(BaseModel):
    """
    A new variable. Names have letters, digits and underscores. The value of a `secret` cannot be read again. A
    secret is given to set-up only, unless `used_for` is `commands` (if the policies allow that; it is masked in
    everything that people and models see) or `requests`, with `hosts`: the door adds it to requests, and no program has
    it.
    """

    hosts: list[str] | None = None
    added_as: Literal["bearer", "basic", "header", "query"] | None = "bearer"
    added_name: str | None = ""
    name: str
    value: str
    secret: bool | None = False
    used_for: Literal["commands", "setup", "requests"] | None = None


class VariableChange(BaseModel):
    """
    Changes of a variable; omitted fields stay unchanged. `base_version` is the version that you have read. If one of
    `hosts`, `added_as` and `added_name` is given, all three are replaced. The use of a secret for `requests` cannot be
    changed, and no other secret can get this use.
    """

    hosts: list[str] | None = None
    added_as: Literal["bearer", "basic", "header", "query"] | None = "bearer"
    added_name: str | None = ""
    name: str | None = None
    value: str | None = None
    used_for: Literal["commands", "setup", "requests"] | None = None
    base_version: int | None = None


class WebhookEventView(BaseModel):
    type: str
    meaning: str


class WebhookView(BaseModel):
    """
    A webhook. If `project_id` is null, it receives events of all projects. `failing_since`: the receiver has
    accepted nothing since then. `disabled_why` is empty unless the site switched the webhook off. The previous secret
    also signs until `old_secret_until`.
    """

    id: str
    team_id: str
    project_id: str | None
    name: str
    url: str
    events: list[str]
    enabled: bool
    disabled_why: str
    failing_since: AwareDatetime | None
    old_secret_until: AwareDatetime | None
    created_at: AwareDatetime


class IssuedWebhookView(BaseModel):
    """
    A webhook with its `secret`, which is shown only once.
    """

    id: str
    team_id: str
    project_id: str | None
    name: str
    url: str
    events: list[str]
    enabled: bool
    disabled_why: str
    failing_since: AwareDatetime | None
    old_secret_until: AwareDatetime | None
    created_at: AwareDatetime
    secret: str


class NewWebhook(BaseModel):
    name: str
    url: str
    events: list[str]
    project_id: str | None = None


class WebhookChange(BaseModel):
    name: str | None = None
    url: str | None = None
    events: list[str] | None = None
    enabled: bool | None = None


class AttemptView(BaseModel):
    """
    One attempt. If `status` is 0, there was no response, and `problem` says why. `answer` is the beginning of the
    response.
    """

    number: int
    at: AwareDatetime
    milliseconds: int
    status: int
    answer: str
    problem: str


class DeliveryView(BaseModel):
    """
    A delivery. `due_at` is the time of the next attempt, if it is waiting. `last` is its last attempt.
    """

    id: str
    webhook_id: str
    event_id: str
    type: str
    state: Literal["waiting", "delivered", "given_up"]
    attempts: int
    due_at: AwareDatetime
    created_at: AwareDatetime
    settled_at: AwareDatetime | None
    last: AttemptView | None


class DeliveryPage(BaseModel):
    items: list[DeliveryView]
    next_cursor: str | None


class DeliveryDetails(BaseModel):
    """
    A delivery with the exact `body` that was sent.
    """

    id: str
    webhook_id: str
    event_id: str
    type: str
    state: Literal["waiting", "delivered", "given_up"]
    attempts: int
    due_at: AwareDatetime
    created_at: AwareDatetime
    settled_at: AwareDatetime | None
    last: AttemptView | None
    body: str
    tries: list[AttemptView]


class ChangedPathView(BaseModel):
    """
    A file with uncommitted changes.
    """

    path: str
    status: Literal["added", "modified", "deleted", "conflict"]


class CommitView(BaseModel):
    commit: str
    subject: str


class GitState(BaseModel):
    """
    The repository in the session's workspace. `branch` is the branch that its commits are pushed to,
    `current_branch` the one that is checked out, "" if none is. `uncommitted` has at most 500 entries, `unpushed` at
    most 100. `base` is the branch that the session started from; `behind` is the number of its commits that the
    session's branch lacks, as of the last fetch. `pushed`: the server has the session's branch. `operation` is a rebase
    or a merge that waits until conflicts are resolved; the files in conflict are among `uncommitted`. `problem` says
    why nothing can be committed or pushed. `can_change`: your role allows it. `decides`: if the rules ask about a push,
    yours counts as the approval.
    """

    repository: str
    branch: str
    current_branch: str
    head: str
    uncommitted: list[ChangedPathView]
    unpushed: list[CommitView]
    base: str
    behind: int
    pushed: bool
    operation: Literal["", "rebase", "merge"]
    problem: str
    can_change: bool
    decides: bool


class NewCommit(BaseModel):
    """
    A commit of all uncommitted changes, with you as the author.
    """

    message: str


class NewPush(BaseModel):
    """
    A push of `commit`, the `head` that you have seen, to the session's branch. Set `workflows` to push it even if it
    changes files that tell a CI service what to run.
    """

    commit: str
    workflows: bool | None = False


class BranchUpdate(BaseModel):
    """
    An update of the session's branch. `fetch` brings the commits of the base branch into the workspace's repository.
    `rebase` and `merge` also bring them into the session's branch. `abort` undoes a rebase or a merge that has
    conflicts.
    """

    how: Literal["fetch", "rebase", "merge", "abort"]


class DraftView(BaseModel):
    """
    A title and a text for a pull request. `by_model` is true if the small model wrote them. Otherwise they are built
    from the repository's template, the commits and the session's title, and `problem` says why no model was used.
    `withheld` are changed files that were not shown to the model, because the rules do not let agents read them.
    """

    title: str
    body: str
    by_model: bool
    problem: str
    withheld: list[str]


class NewDraft(BaseModel):
    """
    A request for a draft of a commit message or of a pull request.
    """

    what: Literal["commit", "pull_request"]


class VersionsView(BaseModel):
    """
    Version numbers of the policies in force; 0 if none was ever saved.
    """

    site: int
    team: int
    project: int


class ProjectFileView(BaseModel):
    """
    A file of the repository with permission rules. If it has a `problem`, it cannot make other rules less strict.
    `rules` are the rules of its `permission` block, in order.
    """

    path: str
    problem: str
    permission: dict[str, Any]
    rules: list[RuleView]


class SessionRulesView(BaseModel):
    """
    The rules and limits that apply to a session's calls now. Among preferences, the last match wins; among limits,
    the strictest. `incomplete_commands` is the decision about a command that cannot be analysed completely, if the
    rules allow every command.
    """

    agent: str
    preset: str
    incomplete_commands: Literal["allow", "ask"]
    versions: VersionsView
    preferences: list[PreferenceView]
    limits: list[LayerView]
    hidden_tools: list[str]
    project_files: list[ProjectFileView]
    inherited: list[LayerView]


class FolderOptions(BaseModel):
    """
    The path of a folder, relative to the workspace or absolute.
    """

    path: str | None = "."


class FileEntry(BaseModel):
    """
    An entry of a folder. `modified_at` is in seconds since 1970. `readable_name` is false if the name has bytes that
    are not text; such an entry cannot be opened through the API.
    """

    name: str
    kind: Literal["file", "directory", "symlink", "other"]
    size: int
    modified_at: float
    executable: bool
    readable_name: bool


class FolderView(BaseModel):
    """
    A folder. `path` is relative to the workspace if the folder is in it. `more`: the folder has more entries than
    are listed. `note` says which rules hide entries.
    """

    path: str
    entries: list[FileEntry]
    more: bool
    note: str


class FileOptions(BaseModel):
    """
    The path of a file, relative to the workspace or absolute.
    """

    path: str


class ChangedPath(BaseModel):
    """
    A changed path of the workspace: the path of the new, written or moved file or folder, or the path that was
    removed.
    """

    path: str


class FileView(BaseModel):
    """
    A file. `text` is only set if `kind` is `text`; `media_type` and `base64` only if it is `media` (pictures, PDF).
    Files of the kinds `large` (over 2 MiB) and `binary` can be downloaded. `masked`: secrets in `text` are replaced, so
    it cannot be saved.
    """

    path: str
    size: int
    kind: Literal["text", "media", "binary", "large"]
    sha256: str | None = ""
    text: str | None = ""
    masked: bool | None = False
    media_type: str | None = ""
    base64: str | None = ""


class WrittenFile(BaseModel):
    """
    The file after writing: its path, its size in bytes and its hash.
    """

    path: str
    size: int
    sha256: str


class NewText(BaseModel):
    """
    A text to save. `seen_sha256` is the hash of the content that you last saw; null for a new file.
    """

    path: str
    text: str
    seen_sha256: str | None


class LinesOptions(BaseModel):
    """
    The file to read, and the lines of it to return.
    """

    path: str
    first_line: int | None = 1
    lines: int | None = 2000


class FileLines(BaseModel):
    """
    Lines of a text file, with secrets masked. `first_line` counts from 1. `size` is in bytes. `next_line` is the
    line to continue with, null at the end of the file.
    """

    path: str
    text: str
    first_line: int
    lines: int
    next_line: int | None
    size: int


class FindOptions(BaseModel):
    """
    A search below `path`: for files whose path contains `name`, or for lines that contain `text`. The search for
    `text` is case-sensitive only if it contains capital letters.
    """

    name: str | None = ""
    text: str | None = ""
    path: str | None = "."


class FoundFile(BaseModel):
    """
    A file whose path matches a search, or one line of a file that contains the searched text.
    """

    path: str
    line: int
    text: str


class FoundFiles(BaseModel):
    """
    The files or lines that were found. `more`: there are more than are listed.
    """

    files: list[FoundFile]
    more: bool


class UploadOptions(BaseModel):
    """
    The path for an uploaded file. `seen_sha256` is the hash of the content that you last saw, empty for a new
    file.
    """

    path: str
    seen_sha256: str | None = ""


class Move(BaseModel):
    """
    A file or folder to move, and its new path. Missing folders of the new path are created.
    """

    path: str
    target: str


class NewFolder(BaseModel):
    """
    A folder to create, with missing folders above it.
    """

    path: str


class McpToolRule(BaseModel):
    """
    The rules' decision about calls of a tool. `decisions` are the reasons, the strictest first; they concern the
    tool itself and, if its definition differs from the one that people accepted, `changed_tool`. `may_try`: you may
    call the tool yourself.
    """

    tool: str
    action: Literal["allow", "ask", "deny"]
    may_try: bool
    decisions: list[DecisionView]


class McpToolRules(BaseModel):
    """
    The decisions about each usable tool of a server for an agent in a new session. `approvers` says who answers
    permission requests. `items` is empty if the server is not enabled or was never reached.
    """

    agent: str
    approvers: Literal["member", "starter", "admin", "two_people"]
    items: list[McpToolRule]


class McpCallView(BaseModel):
    """
    A call of a tool of an MCP server. `person` started the turn. `seconds` is null until the call has ended.
    """

    id: str
    tool: str
    title: str
    state: Literal["pending", "running", "waiting", "completed", "error", "aborted"]
    session_id: str
    session_title: str
    person: PersonView | None
    created_at: AwareDatetime
    seconds: float | None


class McpCallPage(BaseModel):
    items: list[McpCallView]
    next_cursor: str | None


class McpTryResult(BaseModel):
    """
    The result as an agent would get it: truncated, and with secrets masked. `failed`: the tool or the server
    answered with an error, which is in `output`.
    """

    title: str
    output: str
    structured: Any
    failed: bool
    truncated: bool
    seconds: float


class McpTry(BaseModel):
    """
    A call of a tool that a person makes. `tool` is the tool's id. `confirmed`: the person confirms the call, for
    rules that ask.
    """

    tool: str
    arguments: dict[str, Any] | None = None
    confirmed: bool | None = False


class TerminalView(BaseModel):
    """
    A terminal: an interactive shell in the session's workspace, or a `command` that an agent started with the tool
    `interactive`; `opened_by` is null for these commands, and for somebody who left the team. `end` is empty while its
    program runs. `busy`: a program other than the shell runs in the foreground. Times are in seconds since 1970;
    `input_at` is when somebody last typed.
    """

    id: str
    opened_by: PersonView | None
    command: str
    rows: int
    columns: int
    started_at: float
    input_at: float
    end: Literal["", "exited", "closed", "timeout"]
    exit_code: int
    watchers: int
    busy: bool


class TerminalsView(BaseModel):
    """
    The terminals that were opened in a session, the oldest first. `allowed`: the policies allow terminals. `reason`
    says why you may not open terminals or type into them; it is empty if you may.
    """

    terminals: list[TerminalView]
    allowed: bool
    may_type: bool
    reason: str


class NewTerminal(BaseModel):
    """
    The size of the window that shows the terminal.
    """

    rows: int | None = 24
    columns: int | None = 80


class ClosedTerminal(BaseModel):
    """
    The confirmation that a terminal was closed. `closed` is always true.
    """

    closed: bool


class PortView(BaseModel):
    """
    A port that a program of the workspace listens on.
    """

    port: int


class PortsView(BaseModel):
    """
    The ports, the smallest first. `running`: the workspace runs. `reason` says why you cannot open previews; it is
    empty if you can.
    """

    ports: list[PortView]
    running: bool
    reason: str


class PreviewView(BaseModel):
    """
    The address that opens a preview. It works once, within a minute, in one browser.
    """

    url: str


class NewPreview(BaseModel):
    """
    The port of a workspace, and the path of the page to open, which may have a query.
    """

    port: int
    path: str | None = "/"


class InheritedPreset(BaseModel):
    """
    The preset that applies if this policy has none, and the policy that chose it.
    """

    preset: Literal["cautious", "balanced", "autonomous", "contained"]
    preset_from: Literal["site", "team", "default"]


class PolicyVersionView(BaseModel):
    """
    A version of a policy. `changes` is a short description, such as "3 rules added, 1 removed".
    """

    version: int
    author: UserView | None
    reason: str
    restored_from: int | None
    created_at: AwareDatetime
    changes: str


class PolicyRollback(BaseModel):
    version: int
    base_version: int
    reason: str | None = ""


class PresetView(BaseModel):
    name: Literal["cautious", "balanced", "autonomous", "contained"]
    description: str
    rules: list[RuleDocument]


class ToolSummary(BaseModel):
    """
    A tool in the list.

    `permission` is the name that rules use. `offered` is false if the tool is not offered to the requested model or not
    offered at all. `source` is the origin of the tool ("built-in").
    """

    id: str
    aliases: list[str]
    source: str
    permission: str
    offered: bool


class FailureView(BaseModel):
    """
    An error. `code` is stable; `hint` is the next step; `fields` says what is wrong in each field of the request.
    """

    code: Annotated[
        str, Field(description="The stable code of the error. A newer site can send codes that are not listed.")
    ]
    message: str
    hint: str
    fields: dict[str, str]
    request_id: str


class ErrorBody(BaseModel):
    error: FailureView


class MeView(BaseModel):
    user: UserView
    teams: list[TeamView]
    site: ModelView
    is_operator: bool
    can_create_teams: bool


class ProjectPage(BaseModel):
    items: list[ProjectView]
    next_cursor: str | None


class TokenPage(BaseModel):
    items: list[TokenView]
    next_cursor: str | None


class ServiceAccountPage(BaseModel):
    items: list[ServiceAccountView]
    next_cursor: str | None


class WorkspacePage(BaseModel):
    items: list[WorkspaceView]
    next_cursor: str | None


class WorkspaceDetailPage(BaseModel):
    items: list[WorkspaceDetailView]
    next_cursor: str | None


class BackgroundCallPage(BaseModel):
    items: list[BackgroundCallView]


class AgentPage(BaseModel):
    items: list[AgentView]


class EffectiveAgentView(BaseModel):
    """
    An agent after merging all sources. `permission` are the rules that people wrote, `file_permission` the rules in
    files of the repository, which can only make rules stricter. Both lists are in order and come after the built-in
    rules. `selectable`: people may choose the agent for a session. `callable`: other agents may start it, and so may
    people with `@name`. `problems` are sentences about settings that do not apply here.
    """

    name: str
    description: str
    mode: Literal["primary", "subagent", "all"]
    model: str
    variant: str
    prompt: str
    temperature: float | None
    top_p: float | None
    steps: int
    color: str
    hidden: bool
    disabled: bool
    options: dict[str, Any]
    permission: list[RuleView]
    file_permission: list[RuleView]
    built_in: bool
    selectable: bool
    callable: bool
    sources: list[AgentSourceView]
    problems: list[str]


class EffectiveAgents(BaseModel):
    """
    The agents of a scope. `default` is the agent of a session that names none (empty if unknown). `models` are the
    models that an agent may use. `problems` lists invalid agent files of the repository. `can_edit`: you may change
    agents of this scope.
    """

    items: list[EffectiveAgentView]
    default: str
    models: list[str]
    problems: list[str]
    can_edit: bool


class AgentDocument(BaseModel):
    """
    Overrides of an agent. A field that is omitted or null keeps the value of the other levels.

    `model` is a model of this site ("" is the session's), `variant` the effort of a reasoning model, `steps` the
    maximum of model calls in a turn, `color` `#rrggbb` or a name of the interface's palette, `options` are passed to
    the model's provider, and `permission` is a list of rules, whose last match decides.
    """

    description: str | None = None
    mode: Literal["primary", "subagent", "all"] | None = None
    model: str | None = None
    variant: str | None = None
    prompt: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    steps: int | None = None
    color: str | None = None
    hidden: bool | None = None
    disable: bool | None = None
    options: dict[str, Any] | None = None
    permission: list[RuleDocument] | None = None


class AgentRowView(BaseModel):
    """
    An agent as one scope overrides it: `place` is "site", or the id of a team or project. Fields of `document` that
    are null are not overridden.
    """

    id: str
    place: str
    name: str
    document: AgentDocument
    version: int
    changed_by: PersonView | None
    changed_at: AwareDatetime
    created_at: AwareDatetime
    can_edit: bool


class NewAgent(BaseModel):
    name: str
    document: AgentDocument


class AgentChange(BaseModel):
    """
    Changes of an agent. Only the fields that are present are changed; null resets a field.
    """

    document: AgentDocument
    base_version: int | None = None


class SessionAgents(BaseModel):
    """
    The agents of one session. `current` is the agent that works in it. `callable` are the names of the agents that
    the current agent may start; people may start them with `@name`. `problems` lists invalid agent files of the
    repository.
    """

    items: list[EffectiveAgentView]
    current: str
    callable: list[str]
    problems: list[str]


class AgentExplanation(BaseModel):
    """
    The rules and tools that an agent would have in a session: the layers in the order in which they apply, the tools
    that its model is offered, and the agents that it may start.
    """

    agent: EffectiveAgentView
    model: str
    preferences: list[PreferenceView]
    limits: list[LayerView]
    tools: list[str]
    hidden_tools: list[str]
    callable: list[str]


class RevertDecision(BaseModel):
    """
    A person's decision about a file in conflict: keep the file, or take the change back anyway. The decision is used
    only if the file still has the state `seen` that the preview showed.
    """

    path: str
    decision: Literal["keep", "take_back"]
    seen: SeenState | None


class EditedPrompt(BaseModel):
    """
    A prompt with another text and the same attachments. If `where` is `here`, it is answered in the same session,
    and the old answer is hidden together with everything after it. If it is `fork`, it is answered in a new session
    with the conversation before it; `workspace` says which files that session gets, as for a fork. If `files` is `now`,
    the files stay as they are. If it is `then`, the changes since the prompt are taken back; for `here`, with
    `decisions` about conflicts.
    """

    text: str
    where: Literal["here", "fork"] | None = "here"
    workspace: Literal["copy", "same"] | None = "copy"
    files: Literal["now", "then"] | None = "now"
    decisions: Annotated[list[RevertDecision] | None, Field(validate_default=True)] = []


class AskedQuestionView(BaseModel):
    """
    One of the questions that an agent asks at the same time, or one field of an MCP server's form. `kind` says what
    the answer has to be: for `choice` and `boolean` one of the options, for `confirm` the only option. `prefilled` is
    the answer that the server suggests. A field that is not `required` can be left empty.
    """

    question: str
    header: str
    options: list[OptionView]
    multiple: bool
    kind: Literal["text", "email", "uri", "date", "date-time", "number", "integer", "boolean", "choice", "confirm"]
    required: bool
    prefilled: list[str]


class WaitingQuestion(BaseModel):
    id: str
    session_id: str
    turn_id: str
    call_id: str
    questions: list[AskedQuestionView]
    server: AskingServerView | None
    state: Literal["open", "answered", "dismissed", "cancelled"]
    answers: list[list[str]]
    created_at: AwareDatetime
    expires_at: AwareDatetime | None
    settled_at: AwareDatetime | None
    shared_with: Literal["team", "private"]
    session_title: str
    project_id: str


class WaitingQuestions(BaseModel):
    items: list[WaitingQuestion]
    next_cursor: str | None


class QuestionView(BaseModel):
    """
    Questions that wait for people. `server` is the MCP server that asks; null if an agent asks.
    """

    id: str
    session_id: str
    turn_id: str
    call_id: str
    questions: list[AskedQuestionView]
    server: AskingServerView | None
    state: Literal["open", "answered", "dismissed", "cancelled"]
    answers: list[list[str]]
    created_at: AwareDatetime
    expires_at: AwareDatetime | None
    settled_at: AwareDatetime | None


class PrivateSessionPage(BaseModel):
    items: list[PrivateSessionView]
    next_cursor: str | None


class CommandView(BaseModel):
    """
    A command. A `prompt` is sent to an agent; an `action` is carried out by the site. `agent` and `model` are "" if
    the command does not name them; `subtask` is null if that depends on the agent.
    """

    name: str
    description: str
    kind: Literal["prompt", "action"]
    template: str
    agent: str
    model: str
    variant: str
    subtask: bool | None
    source: ConfigurationSource


class MessageView(BaseModel):
    """
    A prompt or an answer. `author` is the person who wrote a prompt; it is null for a sub-agent's task and for
    answers. `reverted`: a revert hides the message from people and models. `cost` is in US dollars; if `unpriced_calls`
    is not 0, the price is unknown, which does not mean free. `effort` is the reasoning effort that the model was asked
    for, "" if none was.
    """

    id: str
    session_id: str
    turn_id: str
    role: Literal["user", "assistant"]
    author: PersonView | None
    agent: str
    model: str
    effort: str
    state: Literal["streaming", "complete", "interrupted"]
    finish: str
    error: ErrorView | None
    tokens: TokensView
    cost: float
    unpriced_calls: int
    created_at: AwareDatetime
    completed_at: AwareDatetime | None
    reverted: bool


class ComparedAttempt(BaseModel):
    """
    One attempt. `turn` is the newest turn of the attempt's session. `test` is the outcome of the newest run of the
    test command, and `exit_code` the command's exit status. `workspace_state` is `removing` once people kept another
    attempt.
    """

    session: SessionView
    turn: TurnView | None
    workspace_state: str
    test: Literal["", "not_run", "running", "passed", "failed"]
    exit_code: int | None


class ComparisonView(BaseModel):
    """
    Several attempts at one prompt. All workspaces started with the files of the archive that was made at `files_at`,
    or with the project's initial files if that is null. `kept_id` is the session that was kept.
    """

    id: str
    session_id: str
    prompt: str
    test_command: str
    files_at: AwareDatetime | None
    created_by: PersonView | None
    created_at: AwareDatetime
    kept_id: str | None
    attempts: list[ComparedAttempt]


class ConfigurationValue(BaseModel):
    """
    One value of the configuration. `path` are the steps to it in the document, `key` the same steps in one text.
    `status` says whether the value is in force (`applied`); `reason` says why not, or adds a remark. `written` is the
    name in the file if it differs. `sources` are the levels that the value comes from: several if lists were joined.
    Keys and passwords are shown as "(hidden)".
    """

    key: str
    path: list[str]
    value: Any
    status: Literal["applied", "elsewhere", "refused", "unsupported", "unknown", "invalid"]
    reason: str
    written: str
    sources: list[ConfigurationSource]
    overridden: list[OverriddenValue]


class SessionConfigurationView(BaseModel):
    """
    The configuration of a session: the values in force, then those that do not apply, each with the reason.
    """

    items: list[ConfigurationValue]
    problems: list[ConfigurationProblem]


class PublishedDefaults(BaseModel):
    """
    Defaults that an organisation publishes at `/.well-known/opencode` of `address`: the weakest level of the
    configuration. `text` is the document that was last read, at `read_at`; it applies until another one was read. If
    the attempt at `tried_at` failed, `problem` says why. `notes` are the values that do not apply.
    """

    address: str
    text: str
    read_at: AwareDatetime | None
    tried_at: AwareDatetime | None
    problem: str
    notes: list[ConfigurationValue]


class RepositoryList(BaseModel):
    """
    Repositories, recently used ones first. At most 100 are listed; search for others.
    """

    items: list[RepositoryView]


class RefList(BaseModel):
    """
    The branches and tags of a repository, the default branch first. `more` is the number that were left out; search
    for them.
    """

    default_branch: str
    items: list[RefView]
    more: int


class PromptTaken(BaseModel):
    turn: TurnView
    message: MessageView


class ConversationView(BaseModel):
    """
    The conversation of a session, or a page of it: messages, oldest first, with their turns, parts, calls, requests
    and questions. To get the messages before this page, pass `older` as `before` to `GET /sessions/{id}/conversation`;
    it is null on the first page. `alternatives` has an entry for each turn that has alternatives or is hidden.
    """

    turns: list[TurnView]
    messages: list[MessageView]
    parts: list[PartView]
    calls: list[ToolCallView]
    permission_requests: list[PermissionRequestView]
    questions: list[QuestionView]
    workspace_notes: list[WorkspaceNoteView]
    alternatives: list[AlternativesView]
    older: str | None


class MessageWithParts(BaseModel):
    message: MessageView
    parts: list[PartView]
    calls: list[ToolCallView]


class RegisteredImagePage(BaseModel):
    items: list[RegisteredImageView]
    next_cursor: str | None


class ProjectImageView(BaseModel):
    """
    The image of a project's workspaces. `problem` is a sentence if the policies do not allow this image any longer.
    `images` are all registered images; `default` is the site's own. `wanted` is the image that the repository of the
    most recently used workspace asks for.
    """

    image: str
    problem: str
    images: list[ImageView]
    wanted: WantedImageView | None


class McpServerPage(BaseModel):
    items: list[McpServerView]


class McpServerDetail(BaseModel):
    """
    An MCP server with its tools. `sign_in_problem` says why your last attempt to sign in failed.
    """

    id: str
    place: str
    source: str
    name: str
    description: str
    kind: Literal["local", "remote"]
    enabled: bool
    command: list[str]
    environment: dict[str, str]
    url: str
    transport: Literal["http", "sse"]
    headers: dict[str, str]
    secret_headers: list[str]
    timeout_seconds: int
    sign_in: Literal["person", "team"]
    asks_sign_in: bool
    client_id: str
    account: McpAccountView | None
    status: Literal["connected", "disabled", "failed", "sign_in", "unknown"]
    problem: str
    facts: Annotated[
        dict[str, str], Field(description="What the server says of itself: name, version, protocol, instructions.")
    ]
    checked_at: AwareDatetime | None
    tool_count: int
    changed_count: int
    version: int
    changed_by: PersonView | None
    changed_at: AwareDatetime
    overridden: bool
    can_edit: bool
    sign_in_problem: str
    tools: list[McpToolView]


class McpPromptPage(BaseModel):
    items: list[McpPromptView]


class McpResourcePage(BaseModel):
    items: list[McpResourceView]


class ModelTableView(BaseModel):
    """
    The table in use. If `read_at` is null, it is the table of the litellm package in the version `bundled_version`;
    otherwise it was read at `address`. `problem` says why the last attempt, at `tried_at`, failed; it is empty
    otherwise. `can_refresh`: you may request to read it again.
    """

    bundled_version: str
    models: int
    providers: list[TableProvider]
    read_at: AwareDatetime | None
    address: str
    tried_at: AwareDatetime | None
    problem: str
    can_refresh: bool


class NetworkView(BaseModel):
    """
    The network of a project's workspaces. `source` is the policy that sets the mode. `granter` says who may allow a
    host for the project when a permission request asks. `traffic` is the sum of all its workspaces. `refused` has the
    last 50 hosts, `grants` the last 200.
    """

    mode: Literal["none", "allowlist", "packages", "open"]
    source: Literal["default", "site", "team", "project"]
    granter: Literal["member", "admin", "nobody"]
    traffic: TrafficView
    refused: list[RefusedHostView]
    grants: list[GrantView]


class NotificationsView(BaseModel):
    """
    The notices that you get. `mail` selects the waiting requests and questions that you get e-mails about: `off`
    (none), `own` (in your own sessions and turns) or `all` (all that you may answer). An e-mail is sent when a request
    has waited for `delay_minutes` and you do not have the session open. `news` are the other kinds: a turn that you
    started has ended or failed, somebody commented on changes of your session, checks of its pull request failed, a
    budget is nearly or fully used.

    `push` and `push_news` are the same for push notices, which the browsers of `GET /me/push` get at once. `page` and
    `page_news` are the same for the notices that open pages of the site show, in browsers where these notices are on;
    in `page_news`, `turn_ended` includes turns that failed.
    """

    mail: Literal["off", "own", "all"]
    delay_minutes: int
    news: list[Literal["turn_ended", "turn_failed", "comment", "checks_failed", "budget"]]
    push: Literal["off", "own", "all"]
    push_news: list[Literal["turn_ended", "turn_failed", "comment", "checks_failed", "budget"]]
    page: Literal["off", "own", "all"]
    page_news: list[Literal["turn_ended", "budget"]]
    quiet_hours: QuietHours | None
    time_zone: str


class NotificationsChange(BaseModel):
    """
    The notices that you want. Omitted fields stay unchanged, except `delay_minutes`, which then gets its default;
    `mail` is required. `quiet_hours` null turns quiet hours off. `time_zone` is a name such as `Europe/Berlin`.
    """

    mail: Literal["off", "own", "all"]
    delay_minutes: int | None = 5
    news: list[Literal["turn_ended", "turn_failed", "comment", "checks_failed", "budget"]] | None = None
    push: Literal["off", "own", "all"] | None = None
    push_news: list[Literal["turn_ended", "turn_failed", "comment", "checks_failed", "budget"]] | None = None
    page: Literal["off", "own", "all"] | None = None
    page_news: list[Literal["turn_ended", "budget"]] | None = None
    quiet_hours: QuietHoursChange | None = None
    time_zone: str | None = "UTC"


class SnapshotView(BaseModel):
    """
    Everything a client needs to show a session; live events continue after `seq`. With a limit, the conversation has
    only its newest messages. Messages that are being written, or have a call that has not ended, are always included,
    so that all open requests and questions are there. `comparison_id` is set if the session is one of several attempts
    at one prompt.
    """

    turns: list[TurnView]
    messages: list[MessageView]
    parts: list[PartView]
    calls: list[ToolCallView]
    permission_requests: list[PermissionRequestView]
    questions: list[QuestionView]
    workspace_notes: list[WorkspaceNoteView]
    alternatives: list[AlternativesView]
    older: str | None
    seq: int
    session: SessionView
    workspace: WorkspaceView
    todos: list[TodoView]
    pull_request: PullRequestSummaryView | None
    comparison_id: str | None
    can_act: bool


class PolicyCheck(BaseModel):
    """
    The result of checking a policy document. Its expectations are only checked if there are no problems.
    """

    problems: list[ProblemView]
    expectations: list[ExpectationView]


class Options(BaseModel):
    """
    Options of a policy. If several policies set an option, the strictest value applies. Null: not set here.

    `wait_hours` is how long a request or question waits for a person before it is denied. `subagent_depth` is the
    number of levels of sub-agents: 0 allows none, 1 no sub-agents of sub-agents. `public_share_links`: people may
    create links with which anybody can read a session; at least one policy must allow them, and none may forbid them.
    `incomplete_commands`: whether a command that cannot be analysed completely runs without asking, if the rules allow
    every command; if it is not set, the preset decides. The parts that were found in such a command are judged like any
    other. `loosenable` lists the rules that project files may loosen; it can only be set in a team's policy.
    """

    approvers: Literal["member", "starter", "admin", "two_people"] | None
    public_share_links: bool | None
    incomplete_commands: Literal["allow", "ask"] | None
    wait_hours: float | None
    subagent_depth: int | None
    always: Granters
    loosenable: list[Loosenable]
    sandbox: SandboxOptions
    tool_output: ToolOutput
    mcp: McpOptions


class PolicyDocument(BaseModel):
    preset: Literal["", "cautious", "balanced", "autonomous", "contained"] | None = ""
    rules: list[RuleDocument] | None = None
    enforced: list[RuleDocument] | None = None
    options: Options | None = None
    expectations: list[Expectation] | None = None


class PolicyDraft(BaseModel):
    document: PolicyDocument
    limit: int | None = 200
    project_id: str | None = None


class Explanation(BaseModel):
    action: Literal["allow", "ask", "deny"]
    decisions: list[WhyDecision]
    analysis: ShellAnalysisView | None


class ProjectRepositoryState(BaseModel):
    """
    The repository of a project; null if it has none. `can_edit`: you may change it.
    """

    repository: ProjectRepositoryView | None
    can_edit: bool


class ProviderPage(BaseModel):
    items: list[ProviderView]
    next_cursor: str | None


class OfferedModel(BaseModel):
    """
    A model of the team or the site. `id` is the name that sessions and agents use. `refusal` says why the model may
    not be used here; empty if it may. `prices` is null if the prices are unknown, which does not mean free. `context`
    is the context window in tokens, null if unknown. `efforts` are the reasoning efforts that the model accepts, lowest
    first; empty if it accepts none, or they are unknown. `calls_tools` is null if unknown; no agent can use a model
    that cannot call tools.
    """

    id: str
    name: str
    provider: str
    provider_name: str
    provider_state: Literal["unknown", "ok", "failing"]
    refusal: str
    context: int | None
    prices: PricesView | None
    own_prices: bool
    sees: list[str]
    efforts: list[str]
    calls_tools: bool | None


class PullRequestState(BaseModel):
    """
    The pull request of a session; null if it has none.

    `repository` is the name of the project's repository, empty if it has none, and `branch` the branch that the
    session's commits are pushed to. `problem` says why no pull request can be opened or updated; it is empty if no
    obstacle is known. `can_open`: your role allows you to open one.
    """

    pull_request: PullRequestView | None
    repository: str
    branch: str
    problem: str
    can_open: bool


class ReviewCommentPage(BaseModel):
    items: list[ReviewCommentView]
    next_cursor: str | None


class ReviewSent(BaseModel):
    """
    The prompt that was sent, and its comments.
    """

    turn: TurnView
    message: MessageView
    comments: list[ReviewCommentView]


class ChangedFile(BaseModel):
    """
    A file that was changed. `shared`: a command of another session ran at the same time, so it is not certain which
    session changed the file.
    """

    path: str
    status: Literal["added", "modified", "deleted"]
    before: FileStateView | None
    after: FileStateView | None
    shared: bool


class ChangedFiles(BaseModel):
    """
    The files that the calls of a session changed. `not_covered` are sentences about changes that were not
    recorded.
    """

    files: list[ChangedFile]
    not_covered: list[str]


class NewRevert(BaseModel):
    """
    The changes to take back: everything from `message_id` on, which is then hidden, or only the files of `turn_id`.
    With `answer_id`, that answer is chosen in place of another answer to the same prompt: the changes since the prompt
    are taken back, and the changes of the chosen answer are made again. `paths` restricts the revert to some files of
    the turn, and `hunks` to some hunks (numbered from 0) of a single path.
    """

    message_id: str | None = None
    turn_id: str | None = None
    answer_id: str | None = None
    paths: list[str] | None = []
    hunks: list[int] | None = None
    decisions: Annotated[list[RevertDecision] | None, Field(validate_default=True)] = []


class NewUnrevert(BaseModel):
    """
    A request to undo the revert in force. `revert_id` is the id of `revert` in the session.
    """

    revert_id: str
    decisions: Annotated[list[RevertDecision] | None, Field(validate_default=True)] = []


class TurnOutcome(BaseModel):
    """
    The state of a turn. `state` is `ended`, `waiting` if a person has to answer one of the `permission_requests` or
    `questions`, or `running` if the time limit was reached before. `text` is the last text of the agent. `events` is
    the address from which to continue the events.
    """

    state: Literal["ended", "waiting", "running"]
    turn: TurnView
    text: str
    permission_requests: list[PermissionRequestView]
    questions: list[QuestionView]
    events: str


class SessionMarkPage(BaseModel):
    items: list[SessionMarkView]
    next_cursor: str | None


class SetupView(BaseModel):
    """
    The set-up of a project. `script` and `services` are the project's settings; if one is empty, the project's files
    decide about it. `network` is the network mode during set-up, `network_source` the policy that sets it. `workspaces`
    are the workspaces that declare services, the most recently used first.
    """

    script: str
    services: str
    changed_by: PersonView | None
    changed_at: AwareDatetime | None
    network: Literal["none", "allowlist", "packages", "open"]
    network_source: Literal["default", "site", "team", "project"]
    workspaces: list[WorkspaceServicesView]


class SetupRunPage(BaseModel):
    items: list[SetupRunView]
    next_cursor: str | None


class SharedMessage(BaseModel):
    """
    A message. `author` is a name; it is empty unless the link shows names.
    """

    id: str
    role: Literal["user", "assistant"]
    author: str
    agent: str
    created_at: AwareDatetime
    parts: list[SharedPart]


class SharedView(BaseModel):
    """
    A shared session. `earlier`: the session has messages before the first one in this view. `seq` increases with
    every change.
    """

    title: str
    status: Literal["idle", "running", "waiting"]
    seq: int
    reach: Literal["team", "public"]
    expires_at: AwareDatetime | None
    created_at: AwareDatetime
    updated_at: AwareDatetime
    earlier: bool
    messages: list[SharedMessage]


class ShareLinkPage(BaseModel):
    items: list[ShareLinkView]
    next_cursor: str | None


class SkillPackageView(BaseModel):
    """
    A skill that was uploaded, or fetched from `address`. `place` is "site", or the id of the team, project or
    person. `in_force` is the number of the version that agents load, null if the skill is switched off. `versions` are
    the newest 20, the newest first.
    """

    id: str
    place: str
    name: str
    address: str
    in_force: int | None
    changed_by: PersonView | None
    changed_at: AwareDatetime
    can_edit: bool
    versions: list[SkillVersionView]


class SessionSkillList(BaseModel):
    """
    The skills of a session. If several skills have the same name, the list contains only the skill that agents
    load.
    """

    items: list[SessionSkillView]


class SessionTools(BaseModel):
    items: list[ToolView]


class UploadPage(BaseModel):
    items: list[UploadView]
    next_cursor: str | None


class ModelUsageGroup(BaseModel):
    """
    Sums of one group. `key` is a day, a public id or a name. It is empty for a group without one, such as the sum of
    other people's private sessions.
    """

    calls: int
    cost: str
    unknown: int
    estimated: int
    tokens: ModelUsageTokens
    key: str
    label: str


class ModelUsageSums(BaseModel):
    """
    Sums over model calls. `cost` is in US dollars, for calls with a known price; `unknown` is the number of other
    calls, which are not free. `estimated` is the number of interrupted calls, which are included with the maximum that
    they may have used.
    """

    calls: int
    cost: str
    unknown: int
    estimated: int
    tokens: ModelUsageTokens


class ModelUsageView(BaseModel):
    """
    Usage from the start of day `since` to the end of day `until`, in UTC. If `everybody` is false, only the user's
    own calls are included. `more`: the groups with the lowest cost are left out; the total includes them.
    """

    since: date | None
    until: date | None
    everybody: bool
    total: ModelUsageSums
    items: list[ModelUsageGroup]
    more: bool


class VariablePage(BaseModel):
    items: list[VariableView]
    next_cursor: str | None


class WebhookEventList(BaseModel):
    items: list[WebhookEventView]


class WebhookPage(BaseModel):
    items: list[WebhookView]
    next_cursor: str | None


class CallWhy(BaseModel):
    """
    The explanation of the decision about a call. `decided_at` is null if the call was not decided yet.
    """

    call_id: str
    decided_at: AwareDatetime | None
    versions: VersionsView
    action: Literal["allow", "ask", "deny"] | None
    decisions: list[WhyDecision]
    request: PermissionRequestView | None


class PolicyView(BaseModel):
    """
    A version of a policy. `version` is 0 if no policy was ever saved. `can_edit`: you may change the policy.
    """

    preset: Literal["", "cautious", "balanced", "autonomous", "contained"]
    rules: list[RuleDocument]
    enforced: list[RuleDocument]
    options: Options
    expectations: list[Expectation]
    place: str
    version: int
    author: UserView | None
    reason: str
    restored_from: int | None
    created_at: AwareDatetime | None
    can_edit: bool
    inherited: InheritedPreset


class PolicyChange(BaseModel):
    """
    A change to a policy. `base_version` is the version that was edited, 0 if none was ever saved.
    """

    document: PolicyDocument
    base_version: int
    reason: str | None = ""


class PolicyVersionPage(BaseModel):
    items: list[PolicyVersionView]
    next_cursor: str | None


class PolicyComparison(BaseModel):
    """
    A version of a policy and its difference from another version. `diff` is a unified diff with one rule per
    line.
    """

    policy: PolicyView
    diff: str


class PresetPage(BaseModel):
    items: list[PresetView]


class ToolPage(BaseModel):
    items: list[ToolSummary]


class NewTry(BaseModel):
    """
    A request to answer a prompt again. If `files` is `now`, the files stay as they are. If it is `then`, the changes
    since the prompt are first reverted, as `POST /sessions/{id}/revert` does, with `decisions` about conflicts.
    """

    files: Literal["now", "then"] | None = "now"
    decisions: Annotated[list[RevertDecision] | None, Field(validate_default=True)] = []


class CommandList(BaseModel):
    items: list[CommandView]


class CommandTaken(BaseModel):
    """
    The result of a command: the turn and the message that it started, or a `text` that says what happened.
    """

    turn: TurnView | None
    message: MessageView | None
    text: str


class ConfigurationDocument(BaseModel):
    """
    A stored configuration document. `text` is JSON with comments, with the keys of OpenCode's configuration;
    `instructions` is a Markdown text that every agent reads. `version` is 0 if nothing was ever saved. `notes` are the
    values that do not apply, or apply with a restriction, each with the reason. `defaults` is the configuration that
    the organisation of a team or of the site publishes. `skill_sources` are the addresses that skills were fetched
    from.
    """

    place: str
    text: str
    instructions: str
    version: int
    changed_by: PersonView | None
    changed_at: AwareDatetime | None
    can_edit: bool
    notes: list[ConfigurationValue]
    defaults: PublishedDefaults | None
    skill_sources: list[SkillSource]


class MessagePage(BaseModel):
    items: list[MessageWithParts]
    next_cursor: str | None


class ModelMenu(BaseModel):
    """
    The models that may be chosen. `default` and `small` are used if nobody chose a model. `own` is the choice made
    at this level: by the team or the project itself.
    """

    items: list[OfferedModel]
    default: str
    small: str
    own: ModelChoiceView
    can_edit: bool


class SkillPackageList(BaseModel):
    """
    The skills of the site, a team, a project or a person. `can_edit`: you may upload and remove skills.
    """

    items: list[SkillPackageView]
    can_edit: bool

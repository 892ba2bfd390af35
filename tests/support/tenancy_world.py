"""Teams that have one database row of each kind of object, with canaries (recognisable secrets) in the texts of the
rows."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from django.apps import apps
from django.db import models
from django.utils import timezone

from agentsite.base.ids import new_id, to_public
from agentsite.tenancy import audit
from agentsite.tenancy.actions.invitations import invite
from agentsite.tenancy.actions.service_accounts import create_service_account
from agentsite.tenancy.actions.tokens import create_token
from agentsite.tenancy.models import ModelChoice, Provider, Team, User
from agentsite.tenancy.roles import Role
from agentsite.tenancy.secrets import hash_secret
from sessions_app.models import (
    Agent,
    Attachment,
    Budget,
    Comparison,
    Configuration,
    Connection,
    FileApproval,
    Grant,
    McpServer,
    McpServerState,
    MemoryNote,
    Message,
    ModelCall,
    OperatorAccess,
    Part,
    PermissionRequest,
    ProjectRepository,
    ProjectSetup,
    PullRequest,
    PushBrowser,
    Question,
    Revert,
    ReviewComment,
    SearchText,
    Session,
    SessionEvent,
    SessionGuest,
    SessionMark,
    SetupResult,
    ShareLink,
    SkillPackage,
    SkillVersion,
    SystemPrompt,
    TeamCommits,
    ToolCall,
    Turn,
    Upload,
    Variable,
    Workspace,
    WorkspaceNote,
)
from sessions_app.webhooks.models import Delivery, Webhook
from tests.support.builders import join, make_member, make_project, make_team, make_user
from tools_app.mcp.declared import DeclaredServer
from tools_app.models import PolicyVersion

OURS: Final = ("tenancy", "sessions_app", "tools_app")
CANARY: Final = "canary"


@dataclass
class Tenant:
    """A team with one database row of each kind of object: a project, a session, an agent and so on."""

    team: Team
    owner: User
    rows: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, kind: str) -> Any:
        return self.rows[kind]

    @property
    def ids(self) -> dict[str, str]:
        """Return the ids of the rows by the names of route parameters, such as "session_id"."""
        named = {f"{kind}_id": row.public_id for kind, row in self.rows.items() if hasattr(row, "public_id")}
        return {**FIXED, **named, "place": named["project_id"]}


def _asked(tenant: Tenant) -> dict[str, Any]:
    return {"session": tenant["session"], "turn": tenant["turn"], "call": tenant["call"]}


def _skill(tenant: Any) -> SkillPackage:
    row = SkillPackage.objects.create(
        project=tenant["project"], place=tenant["project"].public_id, name="pdf", changed_at=timezone.now()
    )
    row.in_force = SkillVersion.objects.create(package=row, number=1, description="Forms", content=b"zip")
    row.save()
    return row


KINDS: Final[Mapping[str, Callable[[Tenant], Any]]] = {
    "team": lambda t: t.team,
    "user": lambda t: t.owner,
    "member": lambda t: join(t.team, make_user(), Role.VIEWER),
    "invitation": lambda t: (
        invite(actor=t.owner, team=t.team, email=f"{new_id().hex}@example.org", role="member").invitation
    ),
    "project": lambda t: make_project(t.team),
    "setup": lambda t: ProjectSetup.objects.create(project=t["project"], script="make deps", changed_by=t.owner),
    "workspace": lambda t: Workspace.objects.create(
        project=t["project"],
        name="main",
        setup={"source": "settings", "digest": "0", "key": "0", "problem": "", "state": "done"},
        declared_servers=[DeclaredServer("declared", ".mcp.json", command=["true"]).as_dict()],
    ),
    "setup_result": lambda t: SetupResult.objects.create(project=t["project"], key="0", after="0", archive="nowhere"),
    "session": lambda t: Session.objects.create(
        project=t["project"], workspace=t["workspace"], created_by=t.owner, title="A session", last_seq=1
    ),
    "private_session": lambda t: Session.objects.create(
        project=t["project"], workspace=t["workspace"], created_by=t.owner, shared_with="private"
    ),
    "guest": lambda t: SessionGuest.objects.create(session=t["private_session"], user=t.owner),
    "child": lambda t: Session.objects.create(
        project=t["project"], workspace=t["workspace"], created_by=t.owner, parent=t["session"], root=t["session"]
    ),
    "comparison": lambda t: Comparison.objects.create(session=t["session"], prompt="Make tea", created_by=t.owner),
    "attempt": lambda t: Session.objects.create(
        project=t["project"], workspace=t["workspace"], created_by=t.owner, comparison=t["comparison"]
    ),
    "turn": lambda t: Turn.objects.create(session=t["session"], started_by=t.owner),
    "system_prompt": lambda t: SystemPrompt.objects.create(session=t["session"], text="You are careful."),
    "message": lambda t: Message.objects.create(
        session=t["session"], turn=t["turn"], role="assistant", system_prompt_id=t["system_prompt"].pk
    ),
    "revert": lambda t: Revert.objects.create(session=t["session"], message=t["message"], actor=t.owner),
    "part": lambda t: Part.objects.create(session=t["session"], message=t["message"], index=0, type="tool"),
    "call": lambda t: ToolCall.objects.create(
        session=t["session"], turn=t["turn"], part=t["part"], message=t["message"], provider_id="1", tool="bash"
    ),
    "run": lambda t: ToolCall.objects.create(
        session=t["session"], turn=t["turn"], message=t["message"], provider_id="2", tool="setup"
    ),
    "request": lambda t: PermissionRequest.objects.create(
        **_asked(t), call_hash="0", title="Run it", started_by=t.owner, expires_at=_tomorrow()
    ),
    "question": lambda t: Question.objects.create(**_asked(t)),
    "grant": lambda t: Grant.objects.create(
        team=t.team, project=t["project"], session=t["session"], scope="session", permission="bash", pattern="*"
    ),
    "project_grant": lambda t: Grant.objects.create(
        team=t.team, project=t["project"], scope="project", permission="bash", pattern="ls"
    ),
    "team_grant": lambda t: Grant.objects.create(team=t.team, scope="team", permission="bash", pattern="ls"),
    "access": lambda t: OperatorAccess.objects.create(
        session=t["session"], operator=make_user(), reason="Something is broken", expires_at=_tomorrow()
    ),
    "attachment": lambda t: Attachment.objects.create(
        session=t["session"], name="a.txt", media_type="text/plain", size=3, sha256="0", place="nowhere"
    ),
    "agent": lambda t: Agent.objects.create(
        place=t["project"].public_id, project=t["project"], name="helper", changed_at=timezone.now()
    ),
    "team_agent": lambda t: Agent.objects.create(
        place=t.team.public_id, team=t.team, name="helper", changed_at=timezone.now()
    ),
    "policy": lambda t: PolicyVersion.objects.create(
        place=t["project"].public_id, version=1, project=t["project"], author=t.owner
    ),
    "token": lambda t: create_token(actor=t.owner, name="mine").token,
    "push_browser": lambda t: PushBrowser.objects.create(
        user=t.owner,
        session_key="none",
        place=t.owner.public_id,
        address="sealed",
        keys="sealed",
        service="push.example",
    ),
    "upload": lambda t: Upload.objects.create(team=t.team, name="x.zip", size=4, state=Upload.State.READY),
    "webhook": lambda t: Webhook.objects.create(
        team=t.team, name="CI", url="https://hooks.example.org/", events=["turn.ended"], secret="sealed"
    ),
    "delivery": lambda t: Delivery.objects.create(
        webhook=t["webhook"], event_id="evt_1", kind="turn.ended", body="{}", state=Delivery.State.DELIVERED
    ),
    "account": lambda t: create_service_account(actor=t.owner, team=t.team, name="Robot"),
    "event": lambda t: SessionEvent.objects.create(
        session=t["session"], seq=1, type="session.updated", data={}, at=timezone.now()
    ),
    "share_link": lambda t: ShareLink.objects.create(
        session=t["session"], reach="team", secret_hash=hash_secret(f"of {t['session'].public_id}"), created_by=t.owner
    ),
    "review_comment": lambda t: ReviewComment.objects.create(
        session=t["session"], author=t.owner, path="a.py", text="Why?", state="open"
    ),
    "session_mark": lambda t: SessionMark.objects.create(session=t["session"], user=t.owner, pinned=True),
    "file_approval": lambda t: FileApproval.objects.create(
        session=t["session"], person=t.owner, path="a.py", path_hash="0", version="0", approved_at=timezone.now()
    ),
    "search_text": lambda t: SearchText.objects.create(
        session=t["session"], kind="title", ref=t["session"].public_id, text="A session", words="a session"
    ),
    "note": lambda t: WorkspaceNote.objects.create(
        session=t["session"], workspace=t["workspace"], kind="started", text="It started."
    ),
    "provider": lambda t: Provider.objects.create(
        team=t.team, slug="acme", name="Acme", kind="openai", created_by=t.owner, key_set_by=t.owner
    ),
    "model_choice": lambda t: ModelChoice.objects.create(place=t.team.public_id, team=t.team, changed_by=t.owner),
    "connection": lambda t: Connection.objects.create(
        team=t.team, kind="github", name="GitHub", base_url="https://github.com", created_by=t.owner
    ),
    "commits": lambda t: TeamCommits.objects.create(team=t.team, changed_by=t.owner),
    "repository": lambda t: ProjectRepository.objects.create(
        project=t["project"], connection=t["connection"], clone_url="https://github.com/a/b.git", full_name="a/b"
    ),
    "pull_request": lambda t: PullRequest.objects.create(
        session=t["session"],
        repository="a/b",
        number=1,
        url="https://github.com/a/b/pull/1",
        title="x",
        branch="c",
        checks=[{"id": "1", "name": "tests", "state": "failure", "url": "", "text": ""}],
    ),
    "budget": lambda t: Budget.objects.create(
        team=t.team, scope="team", target=t.team.public_id, period="month", limit=1, **_since()
    ),
    "mcp_server": lambda t: McpServer.objects.create(
        team=t.team,
        place=t.team.public_id,
        name="demo",
        kind="local",
        command=["true"],
        changed_at=timezone.now(),
        seen=[{"name": "echo", "title": "", "description": "Echo.", "schema": {"type": "object"}, "hints": {}}],
    ),
    "configuration": lambda t: Configuration.objects.create(
        team=t.team,
        place=t.team.public_id,
        text="{}",
        changed_at=timezone.now(),
        defaults_address="https://before.example",
    ),
    "skill_package": _skill,
    "mcp_server_state": lambda t: McpServerState.objects.create(
        server=t["mcp_server"],
        workspace=t["workspace"],
        status="connected",
        offerings={
            "prompts": [{"name": "greet", "title": "", "description": "", "arguments": []}],
            "resources": [{"uri": "a://b", "name": "", "description": "", "media_type": "", "template": False}],
        },
        of_version=1,
        checked_at=timezone.now(),
    ),
    "variable": lambda t: Variable.objects.create(
        team=t.team, place=t.team.public_id, name="GREETING", value="hello", changed_at=timezone.now()
    ),
    "project_variable": lambda t: Variable.objects.create(
        project=t["project"], place=t["project"].public_id, name="GREETING", value="hello", changed_at=timezone.now()
    ),
    "own_variable": lambda t: Variable.objects.create(
        person=t.owner, place=t.owner.public_id, name="GREETING", value="hello", changed_at=timezone.now()
    ),
    "memory_note": lambda t: MemoryNote.objects.create(
        project=t["project"], text="Use uv.", session=t["session"], changed_by=t.owner, changed_at=timezone.now()
    ),
    "model_call": lambda t: ModelCall.objects.create(
        team=t.team,
        project=t["project"],
        session=t["session"],
        session_public_id="ses",
        user=t.owner,
        purpose="step",
        model="m",
        at=timezone.now(),
    ),
    "audit": lambda t: audit.record(team_id=t.team.pk, actor=t.owner, action="policy.saved", subject="x"),
}
"""Functions that create a team's row of each kind, in the order of their dependencies. Routes call its id
`<kind>_id`."""

FIXED: Final = {
    "version": "1",
    "name": "events",
    "tool_id": "bash",
    "terminal_id": f"trm_{'0' * 32}",
    "secret": "a-secret-that-is-none",
    "kind": "openai",
}
"""Parts of paths that are the same for everybody."""

SEEN: Final = frozenset({"last_used_at", "last_login"})
"""Columns that change when a person only reads."""

STRUCTURE: Final = frozenset(
    {
        "id", "key", "place", "state", "status", "kind", "scope", "role", "type", "action", "secret_hash", "password",
        "mailed_hash", "sha256", "digest", "previous", "head", "call_hash", "session_key", "media_type",
        "branch",
    }
)  # fmt: skip
"""Columns with identifiers and proofs; all other text columns get a canary."""


def _tomorrow() -> Any:
    return timezone.now() + timedelta(days=1)


def _since() -> dict[str, Any]:
    return {"window_start": timezone.now(), "changed_at": timezone.now()}


def make_tenant() -> Tenant:
    team = make_team()
    tenant = Tenant(team, make_member(team, Role.OWNER))
    for kind, make in KINDS.items():
        tenant.rows[kind] = make(tenant)
    return tenant


OF_A_SESSION: Final = (
    "session", "turn", "message", "revert", "part", "call", "run", "request", "question", "grant", "attachment",
    "event", "note", "model_call", "share_link", "access", "search_text",
)  # fmt: skip


def make_private_session(tenant: Tenant) -> Tenant:
    """Return a tenant of the same team, with a private session of another member and rows of all kinds that belong to
    this session."""
    hidden = Tenant(tenant.team, make_member(tenant.team), dict(tenant.rows))
    for kind in OF_A_SESSION:
        hidden.rows[kind] = KINDS[kind](hidden)
        if kind == "session":
            Session.objects.filter(pk=hidden["session"].pk).update(shared_with="private", created_by=hidden.owner)
    return hidden


def missing_ids(tenant: Tenant) -> dict[str, str]:
    """Return ids with the prefixes of the tenant's ids, but of no existing row."""
    made = {name: to_public(value.partition("_")[0], new_id()) for name, value in tenant.ids.items()}
    return {**made, **FIXED, "place": made["project_id"]}


# --- canaries ---------------------------------------------------------------------------------------------------------
def our_models() -> list[type[models.Model]]:
    """Return our models without proxies, which share the rows of another model."""
    return [model for app in OURS for model in apps.get_app_config(app).get_models() if not model._meta.proxy]


def plant_canaries(*, but: Mapping[type[models.Model], set[Any]]) -> int:
    """Put a canary into every text column of every row except the rows in `but`; return the number of canaries."""
    rows = (row for model in our_models() for row in model._base_manager.exclude(pk__in=but[model]))
    return sum(_plant(row) for row in rows)


def _plant(row: models.Model) -> int:
    texts = {column.attname: _canary(column) for column in _texts(row)}
    if texts:
        type(row)._base_manager.filter(pk=row.pk).update(**texts)
    return len(texts)


def _texts(row: models.Model) -> Iterable[Any]:
    for column in row._meta.concrete_fields:
        is_text = isinstance(column, models.CharField | models.TextField | models.JSONField)
        if is_text and column.name not in STRUCTURE and not column.choices:
            yield column


def _canary(column: Any) -> Any:
    text = f"{CANARY}-{new_id().hex[-12:]}"
    if isinstance(column, models.JSONField):
        return [text] if column.get_default() == [] else {text: text}
    if isinstance(column, models.EmailField):
        return f"{text}@example.org"
    return text[: column.max_length]


# --- what is there ----------------------------------------------------------------------------------------------------
def everything() -> dict[str, list[dict[str, Any]]]:
    """Return all our rows, to detect changes. Columns that change when something is only read are left out."""
    return {
        model.__name__: [_kept(row) for row in model._base_manager.order_by("pk").values()] for model in our_models()
    }


def _kept(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in SEEN}

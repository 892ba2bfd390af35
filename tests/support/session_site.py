"""A small site to test sessions with: a team, a project, a ready workspace, a scripted model, a local sandbox."""

import tempfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone
from pytest_django import Settings

from agentsite.base.background import background
from agentsite.tenancy.models import Project, Team, User
from agentsite.tenancy.roles import Role
from deploy.demo_model.scripts import Step
from sandbox.errors import SandboxUnavailable
from sandbox.local import LocalDeployment
from sandbox.ports import Runtime, SandboxSpec
from sessions_app.actions.permissions import reply_permission
from sessions_app.actions.prompts import submit_prompt
from sessions_app.actions.recover import recover
from sessions_app.actions.sessions import add_child_session, create_session
from sessions_app.events.reducer import apply_event
from sessions_app.events.snapshot import read_events, read_snapshot
from sessions_app.models import Message, PermissionRequest, Question, Session, SessionEvent, ToolCall, Turn, Workspace
from sessions_app.workers.sandbox import container_cleanup, node_queries
from sessions_app.workers.sandbox import deployment as node
from tests.support.builders import join, make_project, make_team, make_user
from tests.support.model_server import ModelServer, PostedScript
from tests.support.task_pump import TaskPump


class BreakableDeployment(LocalDeployment):
    """A deployment of local sandboxes whose simulated engine does not answer while `away`. `specs` records the
    requested sandboxes."""

    away = False

    def __init__(self, root: Path, *, for_tests: bool = False) -> None:
        super().__init__(root, for_tests=for_tests)
        self.specs: list[SandboxSpec] = []

    async def ensure(self, spec: SandboxSpec) -> Runtime:
        self.specs.append(spec)
        if self.away:
            raise SandboxUnavailable("The engine does not answer.")
        return await super().ensure(spec)


@dataclass
class SessionSite:
    """The rows of a small site, and the fakes around it. `files` is the folder of the workspace's files."""

    team: Team
    user: User
    project: Project
    workspace: Workspace
    pump: TaskPump
    model_server: ModelServer
    deployment: BreakableDeployment
    settings: Settings

    @property
    def files(self) -> Path:
        return self.deployment.files_of(self.workspace.public_id)

    def write(self, path: str, text: str) -> None:
        background.run(node.runtime_of(self.workspace).write(path, text.encode()))

    def script(self, *steps: Step, by: Any = "request") -> PostedScript:
        """Script the model's answers from now on."""
        posted = self.model_server.script(*steps, by=by)
        self.settings.MODEL_NAME = posted.model
        return posted

    def member(self, role: Role = Role.MEMBER, *, may_approve: bool = True) -> User:
        user = make_user()
        join(self.team, user, role, may_approve=may_approve)
        return user

    def open_session(self, title: str = "A session", *, allow: tuple[str, ...] = (), agent: str = "") -> Session:
        """Open a session. Its rules allow the permissions in `allow`."""
        row = create_session(actor=self.user, project=self.project, title=title, workspace=self.workspace, agent=agent)
        row.rules = [{"permission": name, "pattern": "*", "action": "allow"} for name in allow]
        row.save(update_fields=["rules"])
        return row

    def prompt(self, session: Session, text: str = "Do it.") -> Turn:
        return submit_prompt(actor=self.user, session=session, text=text)[0]

    def run_prompt(self, text: str = "Do it.", *, session: Session | None = None) -> Turn:
        """Send a prompt and deliver all tasks; return the turn afterwards."""
        turn = self.prompt(session or self.open_session(), text)
        self.pump.run()
        turn.refresh_from_db()
        return turn

    def open_request(self) -> PermissionRequest:
        row: PermissionRequest = self.open_requests().get()
        return row

    def open_requests(self) -> Any:
        rows = PermissionRequest.objects.select_related("call", "session__project")
        return rows.filter(state="open").order_by("id")

    def open_question(self) -> Question:
        row: Question = Question.objects.select_related("call", "session__project").get(state="open")
        return row

    def reply(self, reply: str, *, request: PermissionRequest | None = None, **words: Any) -> PermissionRequest:
        """Answer `request`, or the only open permission request, as the site's user."""
        return reply_permission(actor=self.user, request=request or self.open_request(), reply=reply, **words)

    def calls(self, turn: Turn) -> list[ToolCall]:
        return list(ToolCall.objects.filter(turn=turn).order_by("id"))

    def answers(self, turn: Turn) -> list[Message]:
        return list(Message.objects.filter(turn=turn, role="assistant").order_by("id"))

    def recover(self, *, later: float = 10.0) -> dict[str, int]:
        """Run recovery as beat does, at a time some seconds from now, when leases have expired."""
        return recover(timezone.now() + timedelta(seconds=later))

    def abandon(self) -> None:
        """Expire all leases, as if their workers had died. Later renewals have no effect."""
        past = timezone.now() - timedelta(seconds=1)
        for model in (Turn, ToolCall):
            model.objects.exclude(lease_until=None).update(lease_until=past, lease_token="of-the-dead")

    def skip_waits(self) -> None:
        """End all pauses before retries of turns and tool calls."""
        for model in (Turn, ToolCall):
            model.objects.update(not_before=None)


def open_child_session(*, actor: User, parent: Session, agent: str, title: str = "") -> Session:
    """Create a sub-agent's session under its parent, without the tool call that would start it."""
    row = Session(title=title, agent=agent, model=parent.model, created_by=actor)
    with transaction.atomic():
        add_child_session(parent, row)
    return row


def verify_events(session_id: uuid.UUID, before: dict[str, Any]) -> None:
    """Check that the events since the snapshot `before` turn it into the current snapshot, so that no change lacks an
    event."""
    fresh = _catch_up(session_id, before)
    while fresh["seq"] != before["seq"]:  # a worker is running, and something changed in between
        fresh = _catch_up(session_id, before)
    for name in fresh:
        assert _sorted(before[name]) == _sorted(fresh[name]), name


def _catch_up(session_id: uuid.UUID, before: dict[str, Any]) -> dict[str, Any]:
    events = read_events(session_id, after=before["seq"])
    assert events is not None
    for event in events:
        apply_event(before, seq=event.seq, event_type=event.type, data=event.data)
    return snapshot_of(session_id)


def find_log_gaps(session: Session) -> list[int]:
    """Return the missing sequence numbers of a session's log."""
    present = set(SessionEvent.objects.filter(session=session).values_list("seq", flat=True))
    return [seq for seq in range(1, session.last_seq + 1) if seq not in present]


def snapshot_of(session_id: uuid.UUID) -> dict[str, Any]:
    return read_snapshot(session_id, can_act=True).model_dump(mode="json")


def chat_is_well_formed(messages: list[dict[str, Any]]) -> bool:
    """Return whether every tool call has exactly one result, directly behind the message with the call."""
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if not waiting or message["tool_call_id"] != waiting.pop(0):
                return False
        elif waiting:
            return False
        else:
            waiting = [made["id"] for made in message.get("tool_calls") or ()]
    return not waiting


def _sorted(value: Any) -> Any:
    if isinstance(value, list) and value and isinstance(value[0], dict) and "id" in value[0]:
        return sorted(value, key=lambda item: str(item["id"]))
    return value


@pytest.fixture
def local_deployment(monkeypatch: pytest.MonkeyPatch) -> Iterator[BreakableDeployment]:
    """Use a local deployment for sandboxes. Its folder has a short path, because a Unix socket's path has at most 108
    bytes.

    Errors at the removal of the folder are ignored, because a query that ends late may still write into the folder.
    """
    with tempfile.TemporaryDirectory(prefix="ags", ignore_cleanup_errors=True) as directory:
        deployment = BreakableDeployment(Path(directory), for_tests=True)
        for module in (node, node_queries, container_cleanup):
            monkeypatch.setattr(module, "deployment", lambda: deployment)
        yield deployment
        background.run(deployment.close())


@pytest.fixture
def site(
    transactional_db: None,
    settings: Settings,
    pump: TaskPump,
    model_server: ModelServer,
    local_deployment: BreakableDeployment,
) -> SessionSite:
    settings.MODEL_BASE_URL = model_server.base_url
    settings.SMALL_MODEL_NAME = "demo-small"
    settings.SANDBOX_IMAGE = "local"
    team = make_team()
    user = make_user()
    join(team, user, Role.OWNER)
    project = make_project(team)
    workspace = Workspace.objects.create(
        project=project, name="main", node=settings.NODE_NAME, state=Workspace.State.RUNNING, seeded=True
    )
    return SessionSite(team, user, project, workspace, pump, model_server, local_deployment, settings)

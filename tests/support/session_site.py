"""A small site to test sessions with: a team, a project, a ready workspace, a scripted model, a local sandbox."""

import tempfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from agentsite.background import background
from agentsite.tenancy.models import Project, Team, User
from agentsite.tenancy.roles import Role
from deploy.demo_model.scripts import Step
from sandbox.local import LocalDeployment
from sessions_app.actions.prompts import submit_prompt
from sessions_app.actions.sessions import create_session
from sessions_app.events.reducer import apply_event
from sessions_app.events.snapshot import read_events, read_snapshot
from sessions_app.models import PermissionRequest, Session, ToolCall, Turn, Workspace
from sessions_app.tasks import node
from tests.support.builders import join, make_project, make_team, make_user
from tests.support.model_server import ModelServer, PostedScript
from tests.support.task_pump import TaskPump


@dataclass
class SessionSite:
    """Rows and the machinery around them. `files` is where the workspace's /workspace lies."""

    team: Team
    user: User
    project: Project
    workspace: Workspace
    pump: TaskPump
    model_server: ModelServer
    deployment: LocalDeployment
    settings: Settings

    @property
    def files(self) -> Path:
        return self.deployment.files_of(self.workspace.public_id)

    def write(self, path: str, text: str) -> None:
        background.run(node.runtime_of(self.workspace).write(path, text.encode()))

    def script(self, *steps: Step, by: Any = "request") -> PostedScript:
        """The model answers with these steps from now on."""
        posted = self.model_server.script(*steps, by=by)
        self.settings.MODEL_NAME = posted.model
        return posted

    def open_session(self, title: str = "A session") -> Session:
        return create_session(actor=self.user, project=self.project, title=title, workspace=self.workspace)

    def prompt(self, session: Session, text: str = "Do it.") -> Turn:
        return submit_prompt(actor=self.user, session=session, text=text)[0]

    def run_prompt(self, text: str = "Do it.", *, session: Session | None = None) -> Turn:
        """Submit and deliver every wake-up; the turn as it then is."""
        turn = self.prompt(session or self.open_session(), text)
        self.pump.run()
        turn.refresh_from_db()
        return turn

    def open_request(self) -> PermissionRequest:
        return PermissionRequest.objects.select_related("call", "session__project").get(state="open")

    def calls(self, turn: Turn) -> list[ToolCall]:
        return list(ToolCall.objects.filter(turn=turn).order_by("id"))


def verify_events(session_id: uuid.UUID, before: dict[str, Any]) -> None:
    """The events since `before`, applied to it, give what a fresh snapshot shows: nothing changed in silence."""
    events = read_events(session_id, after=before["seq"])
    assert events is not None
    for event in events:
        apply_event(before, seq=event.seq, event_type=event.type, data=event.data)
    fresh = snapshot_of(session_id)
    for name in fresh:
        assert _sorted(before[name]) == _sorted(fresh[name]), name


def snapshot_of(session_id: uuid.UUID) -> dict[str, Any]:
    return read_snapshot(session_id, can_act=True).model_dump(mode="json")


def _sorted(value: Any) -> Any:
    if isinstance(value, list) and value and isinstance(value[0], dict) and "id" in value[0]:
        return sorted(value, key=lambda item: str(item["id"]))
    return value


@pytest.fixture
def local_deployment(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalDeployment]:
    """Under a short path: the name of a unix socket may have 108 bytes."""
    with tempfile.TemporaryDirectory(prefix="ags") as directory:
        deployment = LocalDeployment(Path(directory), for_tests=True)
        monkeypatch.setattr(node, "deployment", lambda: deployment)
        yield deployment
        background.run(deployment.close())


@pytest.fixture
def site(
    transactional_db: None,
    settings: Settings,
    pump: TaskPump,
    model_server: ModelServer,
    local_deployment: LocalDeployment,
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

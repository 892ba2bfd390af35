"""REST endpoints for the set-up of a project's workspaces."""

from datetime import datetime
from typing import Final, Literal

from django.http import HttpRequest
from ninja import Field, Router, Status

from agentsite.base.ids import to_public
from agentsite.base.pagination import Page, paginate
from agentsite.http.etags import accepted_versions, set_version
from agentsite.http.operation_marks import conditional, idempotent
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Project
from sessions_app.actions.project_setup import change_setup_script, project_setup, run_setup_again, version_of_setup
from sessions_app.actions.setups import SETUP_TOOL, declared_services, may_start
from sessions_app.events import views
from sessions_app.events.schema import PersonView, View
from sessions_app.models import ProjectSetup, ToolCall, Workspace
from sessions_app.models.conversation import ConversationQuerySet
from sessions_app.queries.sessions import find_session
from sessions_app.transport.rest import schemas
from tools_app.network.judging import NetworkMode
from tools_app.policies.current import Source, current_policies
from tools_app.services import MAX_BYTES
from tools_app.setup_scripts import MAX_SCRIPT_BYTES

router = Router(tags=["projects"])
SHOWN_WORKSPACES: Final = 10
RunState = Literal["waiting", "running", "completed", "failed", "stopped"]
_STATES: Final[dict[str, RunState]] = {"waiting": "waiting", "error": "failed", "aborted": "stopped"}


class ServiceView(View):
    """A service of a workspace. `state` is empty until a command first needs the service. `message` says why it is not
    running."""

    name: str
    program: str
    place: str
    state: Literal["", "ready", "failed"]
    message: str


class WorkspaceServicesView(View):
    """The services of a workspace. `source` is `settings` or the path of the file that declares them; `problem` says
    why they cannot be used. `allowed`: an admin entered them, or a person has allowed them."""

    workspace_id: str
    workspace_name: str
    source: str
    problem: str
    allowed: bool
    services: list[ServiceView]


class SetupView(View):
    """The set-up of a project. `script` and `services` are the project's settings; if one is empty, the project's files
    decide about it. `network` is the network mode during set-up, `network_source` the policy that sets it. `workspaces`
    are the workspaces that declare services, the most recently used first."""

    script: str
    services: str
    changed_by: PersonView | None
    changed_at: datetime | None
    network: NetworkMode
    network_source: Source
    workspaces: list[WorkspaceServicesView]


class SetupScript(RequestBody):
    """The set-up script and the services to save. `services` is a TOML text. Null leaves the stored text unchanged."""

    script: str | None = Field(default=None, max_length=MAX_SCRIPT_BYTES)
    services: str | None = Field(default=None, max_length=MAX_BYTES)


class SetupRunView(View):
    """A run of set-up, which is a call of the tool `setup`. `source` is `settings` or the path of the script; it is
    empty until the run has ended. `exit_code` is null if the script has not ended by itself."""

    id: str
    session_id: str
    workspace_id: str
    workspace_name: str
    state: RunState
    source: str
    exit_code: int | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


class SetupLogView(SetupRunView):
    """A run of set-up with its output. Only the end of a long output is included."""

    output: str


def _project(request: HttpRequest, project_id: str) -> Project:
    return Project.objects.visible_to(current_user(request)).by_public_id(project_id)


@router.get("/projects/{project_id}/setup", response=SetupView, operation_id="get_project_setup")
def get_project_setup(request: HttpRequest, project_id: str) -> SetupView:
    """Return the set-up script and the services in the project's settings, the network mode during set-up, and the
    services of the workspaces."""
    project = _project(request, project_id)
    return _show(request, project, project_setup(project))


@router.put("/projects/{project_id}/setup", response=SetupView, operation_id="put_project_setup")
@conditional
def put_project_setup(request: HttpRequest, project_id: str, payload: SetupScript) -> SetupView:
    """Replace the set-up script and the services in the project's settings. Each workspace runs the new set-up at its
    next turn. For admins."""
    project = _project(request, project_id)
    row = change_setup_script(
        actor=current_user(request),
        project=project,
        script=payload.script,
        services=payload.services,
        versions=accepted_versions(request),
    )
    return _show(request, project, row)


def _show(request: HttpRequest, project: Project, row: ProjectSetup) -> SetupView:
    set_version(request, version_of_setup(row))
    network = current_policies(team_id=project.team_id, project_id=project.pk).setup_network
    return SetupView(
        script=row.script,
        services=row.services,
        changed_by=views.person(row.changed_by),
        changed_at=row.changed_at,
        network=network.mode,
        network_source=network.source,
        workspaces=_workspaces(project),
    )


def _workspaces(project: Project) -> list[WorkspaceServicesView]:
    rows = Workspace.objects.filter(project=project, remove_at=None, setup__services__isnull=False)
    return [_services(row) for row in rows.order_by("-last_used_at")[:SHOWN_WORKSPACES]]


def _services(row: Workspace) -> WorkspaceServicesView:
    declared = row.setup["services"]
    states = declared.get("states") or {}
    services = [
        ServiceView(
            name=each.name,
            program=each.program,
            place=each.place,
            state=states.get(each.name, {}).get("state", ""),
            message=states.get(each.name, {}).get("message", ""),
        )
        for each in declared_services(row.setup)
    ]
    return WorkspaceServicesView(
        workspace_id=row.public_id,
        workspace_name=row.name,
        source=declared["source"],
        problem=declared["problem"],
        allowed=may_start(row.setup),
        services=services,
    )


@router.get("/projects/{project_id}/setup/runs", response=Page[SetupRunView], operation_id="list_setup_runs")
def list_setup_runs(
    request: HttpRequest, project_id: str, cursor: str | None = None, limit: int = 50
) -> Page[SetupRunView]:
    """List the runs of set-up in the sessions that you can see, the newest first."""
    page = paginate(_runs(request, _project(request, project_id)), cursor=cursor, limit=limit)
    return Page[SetupRunView].of(page, lambda call: SetupRunView(**_fields(call)))


@router.get("/projects/{project_id}/setup/runs/{run_id}", response=SetupLogView, operation_id="get_setup_run")
def get_setup_run(request: HttpRequest, project_id: str, run_id: str) -> SetupLogView:
    """Return a run of set-up with its output."""
    call = _runs(request, _project(request, project_id)).by_public_id(run_id)
    return SetupLogView(**_fields(call), output=call.output or call.live_output)


def _runs(request: HttpRequest, project: Project) -> ConversationQuerySet[ToolCall]:
    rows = ToolCall.objects.visible_to(current_user(request)).filter(session__project=project, tool=SETUP_TOOL)
    return rows.select_related("session__workspace").order_by("-id")


def _fields(call: ToolCall) -> dict[str, object]:
    exit_code = call.metadata.get("exit_code")
    went_well = call.state == ToolCall.State.COMPLETED and exit_code == 0
    ended: RunState = "completed" if went_well else "failed" if call.state == ToolCall.State.COMPLETED else "running"
    return {
        "id": call.public_id,
        "session_id": to_public("ses", call.session_id),
        "workspace_id": call.session.workspace.public_id,
        "workspace_name": call.session.workspace.name,
        "state": _STATES.get(call.state, ended),
        "source": call.metadata.get("source", ""),
        "exit_code": exit_code if call.metadata.get("end") == "exited" else None,
        "created_at": call.created_at,
        "started_at": call.started_at,
        "ended_at": call.ended_at,
    }


@router.post("/sessions/{session_id}/setup", response={202: schemas.PromptTaken}, operation_id="run_setup")
@idempotent
def post_setup(request: HttpRequest, session_id: str) -> Status[schemas.PromptTaken]:
    """Run set-up again in the session's workspace. This submits a prompt; set-up runs before the answer."""
    turn, message = run_setup_again(actor=current_user(request), session=find_session(request, session_id))
    return Status(202, schemas.PromptTaken(turn=views.turn(turn), message=views.message(message)))

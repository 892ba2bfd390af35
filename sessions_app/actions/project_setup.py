"""Change the set-up script and the services in a project's settings, and run set-up again."""

import hashlib
from collections.abc import Container
from functools import partial
from typing import Final

from django.db import transaction

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Stale
from agentsite.http.etags import require_version, version_tag
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.projects import require_usable_project
from agentsite.tenancy.actions.team_lock import team_write
from agentsite.tenancy.models import Project, User
from agentsite.tenancy.roles import Act
from sessions_app.actions.prompts import submit_prompt
from sessions_app.actions.setups import mark_setup
from sessions_app.actions.workspaces import require_usable
from sessions_app.models import Message, ProjectSetup, Session, Turn, Workspace
from sessions_app.queueing import enqueue_workspace
from tools_app.services import BadServices, parse_services
from tools_app.setup_scripts import MAX_SCRIPT_BYTES
from tools_app.text import is_clean

RUN_AGAIN: Final = "Run the project's set-up again, and say whether it worked."


def project_setup(project: Project) -> ProjectSetup:
    """Return the project's set-up settings, which are empty if nobody has saved any."""
    rows = ProjectSetup.objects.select_related("changed_by")
    return rows.filter(project=project).first() or ProjectSetup(project=project)


def version_of_setup(row: ProjectSetup) -> str:
    return version_tag(row.script, row.services)


def change_setup_script(
    *,
    actor: User,
    project: Project,
    script: str | None = None,
    services: str | None = None,
    versions: Container[str] | None = None,
) -> ProjectSetup:
    """Replace the project's set-up script and services; None keeps either unchanged. An empty text means that the
    project's files decide. Running workspaces notice a change at once.

    `versions` are the versions that the client may have read. Raises Changed if the current version is not one of them,
    BadInput for a script that is too long and for services that cannot be read.
    """
    require(actor, Act.MANAGE_PROJECT, team_id=project.team_id)
    _check(script or "", services or "")
    with team_write(project.team_id):
        project.refresh_from_db()
        require_usable_project(project)
        row = project_setup(project)
        require_version(versions, version_of_setup(row))
        wanted = (row.script if script is None else script, row.services if services is None else services)
        if (row.script, row.services) != wanted:
            row.script, row.services = wanted
            row.changed_by = actor
            row.save()
            _record(actor, project, row)
            _refresh_workspaces(project)
    return row


def _check(script: str, services: str) -> None:
    if len(script.encode("utf-8", "surrogatepass")) > MAX_SCRIPT_BYTES:
        raise BadInput("The script is too long.", fields={"script": f"at most {MAX_SCRIPT_BYTES:,} bytes"})
    if not is_clean(script):
        raise BadInput("The script contains a NUL or an incomplete character.", fields={"script": "not text"})
    try:
        parse_services(services)
    except BadServices as error:
        raise BadInput("The services cannot be used.", fields={"services": str(error)}) from error


def _record(actor: User, project: Project, row: ProjectSetup) -> None:
    script = row.script.encode()
    data = {"name": project.name, "bytes": len(script), "sha256": hashlib.sha256(script).hexdigest()}
    if row.services:
        data["services"] = ", ".join(service.name for service in parse_services(row.services))
    audit.record(
        team_id=project.team_id, actor=actor, action="project.setup_changed", subject=project.public_id, data=data,
        project_id=project.pk,
    )  # fmt: skip


def _refresh_workspaces(project: Project) -> None:
    rows = Workspace.objects.filter(project=project, state=Workspace.State.RUNNING)
    for workspace_id, node in rows.values_list("id", "node"):
        transaction.on_commit(partial(enqueue_workspace, workspace_id, node=node))


def run_setup_again(*, actor: User, session: Session) -> tuple[Turn, Message]:
    """Run the set-up of the session's workspace with a new prompt of this person. Raises Stale if the workspace has no
    set-up script."""
    workspace = session.workspace
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    require_usable(workspace)
    if not workspace.setup:
        raise Stale("This workspace has no set-up script.", code=ErrorCode.NO_SETUP)
    mark_setup(workspace, Workspace.SetupState.DUE)
    return submit_prompt(actor=actor, session=session, text=RUN_AGAIN)

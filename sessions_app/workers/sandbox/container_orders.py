"""Actions that people take on a workspace's container: stop, restart, rebuild, check.

Each request of a person has an id. When a request is carried out, a note with its id is stored, so that a task that is
delivered again does nothing.
"""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agentsite.base.background import background
from sandbox.errors import SandboxError
from sessions_app.actions.workspace_notes import note_workspace
from sessions_app.actions.workspaces import (
    claim_workspace,
    count_running_calls,
    report_workspace,
    save_facts,
    states_except,
)
from sessions_app.models import Workspace, WorkspaceNote
from sessions_app.workers.sandbox import deployment as node
from sessions_app.workers.sandbox.container_start import note_refused, record_failed, report_to_json
from sessions_app.workers.sandbox.workspace_setup import make_ready, prepare, refuse
from tools_app.text import counted

FILES_KEPT: Final = "Its files are kept; the next call starts it."


@dataclass(frozen=True, slots=True)
class ContainerOrder:
    """A person's request to stop, restart, rebuild or check a container: the person's name, and the id of the request.
    With `force`, the request is carried out even while calls run."""

    by: str
    id: str
    force: bool = False

    @property
    def data(self) -> dict[str, Any]:
        return {"by": self.by, "order": self.id}


def change_workspace(workspace_id: uuid.UUID, change: Mapping[str, Any], *, node: str) -> None:
    """Carry out a person's request to stop, restart, rebuild or check a container: {verb, by, order, force?}. Harmless
    if repeated."""
    workspace = claim_workspace(workspace_id, node=node)
    if workspace is None or workspace.state == Workspace.State.REMOVING:
        return
    order = ContainerOrder(change["by"], change["order"], change.get("force", False))
    if not _was_done(workspace, order):
        VERBS[change["verb"]](workspace, order)


def _was_done(workspace: Workspace, order: ContainerOrder) -> bool:
    return WorkspaceNote.objects.filter(workspace=workspace, data__order=order.id).exists()


def _stop(workspace: Workspace, order: ContainerOrder) -> None:
    ended = count_running_calls(workspace.id)
    if ended and not order.force:
        return
    text = f"{order.by} stopped the workspace. {FILES_KEPT}{_ended_calls_text(ended)}"
    stop_container(workspace, text, data=order.data)


def stop_container(workspace: Workspace, text: str, *, data: Mapping[str, Any]) -> bool:
    """Publish that the workspace stops, then stop its container. Return False if the container was already stopped.

    The event comes first, so that people know why their calls end.
    """
    with node.workspace_locks[workspace.id]:
        news = report_workspace(
            workspace.id, state=Workspace.State.STOPPED, only_from=states_except(Workspace.State.STOPPED)
        )
        if news:
            note_workspace(workspace.id, "stopped", text, data=data)
        try:
            background.run(node.deployment().stop(workspace.public_id))
        except SandboxError as error:
            record_failed(workspace.id, error)
    return news


def _restart(workspace: Workspace, order: ContainerOrder) -> None:
    def end() -> None:
        background.run(node.deployment().stop(workspace.public_id))

    _start_again(workspace, order, end, "restarted", "restarted the workspace ({seconds:.1f} s).")


def _rebuild(workspace: Workspace, order: ContainerOrder) -> None:
    def end() -> None:
        background.run(node.deployment().remove(workspace.public_id, files=False))

    words = "rebuilt the workspace ({seconds:.1f} s): a new container, with the same files."
    _start_again(workspace, order, end, "rebuilt", words)


def _start_again(workspace: Workspace, order: ContainerOrder, end: Callable[[], None], kind: str, words: str) -> None:
    with node.workspace_locks[workspace.id]:
        if _was_done(workspace, order):
            return
        ended = count_running_calls(workspace.id)
        report_workspace(workspace.id, state=Workspace.State.STARTING)
        workspace.refresh_from_db(fields=["state"])
        try:
            end()
            started = make_ready(workspace)
        except SandboxError as error:
            refuse(workspace, error)
            return
        report_workspace(workspace.id, state=Workspace.State.RUNNING, seeded=True, **started.facts)
        text = f"{order.by} {words.format(seconds=started.seconds or 0.0)}{_ended_calls_text(ended)}"
        note_workspace(workspace.id, kind, text, data={**order.data, "ended_calls": ended})
    prepare(workspace.id, node=workspace.node)


def _check(workspace: Workspace, order: ContainerOrder) -> None:
    """Run the self-check of a workspace's container. If the check fails, the container is removed at once, even if
    calls are running, because isolation is more important."""
    if workspace.state != Workspace.State.RUNNING:
        prepare(workspace.id, node=workspace.node)  # a new container is checked when it is created
        return
    try:
        report = background.run(node.runtime_of(workspace).check())
    except SandboxError as error:
        record_failed(workspace.id, error)
        return
    save_facts(workspace.id, self_check=report_to_json(report))
    if report.passed:
        return
    names = ", ".join(item.name for item in report.failures)
    if report_workspace(workspace.id, state=Workspace.State.FAILED, detail=f"The self-check failed: {names}."):
        note_refused(workspace.id, report, data=order.data)
    background.run(node.deployment().remove(workspace.public_id, files=False))


def _ended_calls_text(calls: int) -> str:
    return f" {counted(calls, 'running call')} ended and may have run partly." if calls else ""


VERBS: Final[Mapping[str, Callable[[Workspace, ContainerOrder], None]]] = {
    "stop": _stop,
    "restart": _restart,
    "rebuild": _rebuild,
    "check": _check,
}

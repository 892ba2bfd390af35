"""Restore the files of a workspace that was forked or whose node was lost, before anything runs in it."""

import structlog

from agentsite.base.background import background
from agentsite.base.error_codes import ErrorCode
from sandbox.errors import SandboxUnavailable
from sandbox.ports import Runtime
from sessions_app.actions.fork_files import misses_changes
from sessions_app.actions.nodes import end_open_turns, end_started_calls
from sessions_app.actions.workspace_notes import note_workspace
from sessions_app.models import Revert, Session, ToolCall, Upload, Workspace
from sessions_app.storage.archives import read_pieces, release_archive
from sessions_app.workers.sandbox import deployment as this_node
from sessions_app.workers.sandbox.archives import archive
from sessions_app.workers.sandbox.initial_files import seed_workspace
from sessions_app.workers.sandbox.repository import clone_repository
from sessions_app.workers.sandbox.workspace_markers import delete_marker, read_marker

NO_ARCHIVE = (
    "The node that held this workspace was lost before its files were archived. They are available again if that node"
    " comes back; otherwise they are lost."
)
UNREADABLE = "The archive of this workspace's files could not be restored: {reason}"
UNREADABLE_UPLOAD = "The files that were uploaded for this project could not be put in place: {reason}"
HINT = "Ask the operators of this site to start the node again, or continue in another workspace."

logger = structlog.get_logger(__name__)


def delete_old_files(workspace: Workspace) -> None:
    """Remove files of an older generation of a moved workspace from this machine, before its container is created."""
    if was_moved(workspace) and not has_its_files(workspace):
        background.run(this_node.deployment().remove(workspace.public_id, files=True))
        delete_marker(workspace.public_id)


def restore_or_seed(workspace: Workspace, runtime: Runtime) -> None:
    """Restore the files of a workspace, or write the project's initial files, into a container in which nothing has run
    yet.

    If neither is possible, end the waiting turns and raise SandboxUnavailable.
    """
    if was_moved(workspace):
        end_started_calls(workspace.pk)
        if has_its_files(workspace):
            _note_restored(
                workspace, "The workspace is available again: its node is back, with the files as they were."
            )
            return
        if workspace.archive:
            moment = _restore(workspace, runtime)
            _note_restored(workspace, f"The workspace is available again on another node, with its files{moment}.")
            return
        if ToolCall.objects.filter(session__workspace=workspace, started_at__isnull=False).exists():
            raise _fail_turns(workspace, NO_ARCHIVE)
    elif workspace.archive:
        use_newer_archive(workspace)
        moment = _restore(workspace, runtime)
        text = f"The workspace has the files of the session that was forked{moment}."
        note_workspace(workspace.pk, "started", text)
        return
    if clone_repository(workspace, runtime):
        return
    upload = Upload.objects.filter(project=workspace.project_id).first()
    if upload is not None:
        _unpack(workspace, runtime, upload.archive, UNREADABLE_UPLOAD)
        return
    background.run(seed_workspace(runtime, workspace_id=workspace.public_id, template=workspace.project.template))


def was_moved(workspace: Workspace) -> bool:
    """Return whether the workspace was assigned to another node and is not ready there yet."""
    return not workspace.seeded and workspace.generation > 0


def has_its_files(workspace: Workspace) -> bool:
    """Return whether this machine has the workspace's files, because they were created here or already restored."""
    known = read_marker(workspace.public_id)
    return known is not None and known.generation >= workspace.generation - 1


def use_newer_archive(workspace: Workspace) -> None:
    """Replace the archive from which a fork starts by a new archive of the original workspace, if calls changed files
    after the present archive was made. Applies only to forks that start with the files of an earlier message, and if
    the original workspace is on this node."""
    forks = Session.objects.filter(workspace=workspace, reverts__state=Revert.State.PENDING, forked_from__isnull=False)
    fork = forks.select_related("workspace", "forked_from__workspace").first()
    if fork is None or fork.forked_from is None or not misses_changes(fork.forked_from, fork):
        return
    source = fork.forked_from.workspace
    if source.node != workspace.node or not source.seeded:
        return
    archive(source.pk, wanted=True, node=source.node)
    source.refresh_from_db(fields=["archive", "archive_size", "archived_at"])
    before = workspace.archive
    if source.archive and source.archive != before:
        fields = {"archive": source.archive, "archive_size": source.archive_size, "archived_at": source.archived_at}
        Workspace.objects.filter(pk=workspace.pk).update(**fields)
        workspace.archive, workspace.archived_at = source.archive, source.archived_at
        release_archive(workspace, before)


def _restore(workspace: Workspace, runtime: Runtime) -> str:
    """Restore the workspace's archive and return the time of its files as a phrase, such as " as they were at 14:05 UTC
    on 03 May"."""
    _unpack(workspace, runtime, workspace.archive, UNREADABLE)
    at = workspace.archived_at
    return f" as they were at {at:%H:%M} UTC on {at:%d %b}" if at else ""


def _unpack(workspace: Workspace, runtime: Runtime, archive: str, problem: str) -> None:
    """Unpack an archive into the workspace. If the archive cannot be read, end the waiting turns and raise
    SandboxUnavailable."""
    limit = 2 * this_node.disk_bytes(workspace)
    try:
        with this_node.deployment().at_full_speed(workspace.public_id):
            summary = background.run(runtime.restore(read_pieces(archive), limit=limit))
    except Exception as error:  # storages raise any error; people must be informed
        logger.error("restore_failed", workspace=workspace.public_id, exc_info=error)
        raise _fail_turns(workspace, problem.format(reason=getattr(error, "message", repr(error)))) from error
    logger.info("restored", workspace=workspace.public_id, entries=summary.entries, left_out=summary.left_out)


def _note_restored(workspace: Workspace, text: str) -> None:
    note_workspace(workspace.pk, "restored", text, data={"generation": workspace.generation})


def _fail_turns(workspace: Workspace, message: str) -> SandboxUnavailable:
    error = {"code": ErrorCode.WORKSPACE_LOST, "message": message, "hint": HINT}
    background.run(this_node.deployment().stop(workspace.public_id))
    end_open_turns(workspace.pk, state=ToolCall.State.ERROR, output=f"Not run: {message}", error=error)
    return SandboxUnavailable(message)

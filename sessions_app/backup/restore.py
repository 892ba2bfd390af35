"""Restore a site from a backup into an empty database and state directory."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.contrib.sessions.models import Session as SignedIn
from django.core.management import call_command
from django.db.migrations.loader import MigrationLoader

from agentsite.tenancy import audit
from agentsite.tenancy.models import SocketTicket
from sessions_app.actions.nodes import release_workspace
from sessions_app.backup import databases, files
from sessions_app.backup.manifest import Manifest
from sessions_app.backup.problems import BackupProblem
from sessions_app.models import Node, Workspace


def restore_backup(folder: Path) -> Manifest:
    """Check every file of the backup, then restore the site from it. Ends all sign-in sessions and detaches every
    workspace from its node, so that the next node restores its last archive. Raises BackupProblem."""
    manifest = Manifest.read(folder)
    _require_fitting(manifest)
    manifest.check(folder)
    with _stopped_site():
        if databases.has_people():
            raise BackupProblem("There is a site here already. Restore into an empty database and state directory.")
        databases.load(folder)
        call_command("migrate", interactive=False, verbosity=0)
        for shelf in files.file_storages():
            if shelf.is_local:
                files.copy_in(shelf, folder)
        files.copy_keys(folder / files.KEYS, settings.STATE_DIR / files.KEYS)
        _reset_machine_state()
        audit.record(team_id=None, actor=None, action="site.restored", data={"made_at": manifest.made_at})
    return manifest


def _require_fitting(manifest: Manifest) -> None:
    if manifest.database != databases.file_name():
        raise BackupProblem(
            f"The backup holds {manifest.database}, which this site's database does not read. Set DATABASE_URL to the"
            " same kind of database."
        )
    known = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    unknown = [name for name in manifest.migrations if name not in known]
    if unknown:
        raise BackupProblem(f"The backup is of a newer version ({unknown[0]} is not known here). Install that first.")


@contextmanager
def _stopped_site() -> Iterator[None]:
    """Hold the launcher's lock during the block, so that the site cannot start. A running site holds the same lock."""
    with (settings.RUN_DIR / "site.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BackupProblem("The site runs. Stop it first.") from None
        yield


def _reset_machine_state() -> None:
    """Delete sign-in sessions, socket tickets and nodes of the old site, and detach all workspaces from their nodes."""
    SignedIn.objects.all().delete()
    SocketTicket.objects.all().delete()
    for workspace_id, node in Workspace.objects.exclude(node="").values_list("id", "node"):
        release_workspace(workspace_id, node=node)
    Node.objects.all().delete()

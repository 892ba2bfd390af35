"""Keep the objects that a clone fetched, and give them to the next workspaces of the project, which then fetch only new
objects.

Each workspace gets a copy. If workspaces shared objects on disk, one could change them for the others, and they could
be missing on another node. The objects are stored right after the clone, before any program of the workspace has run,
so their index can be trusted. The server is asked first for every clone, so a project that may no longer clone gets
nothing.
"""

import hashlib
import time
import uuid
from collections.abc import Mapping
from typing import IO, Final

import structlog
from asgiref.sync import sync_to_async

from agentsite.base.background import background
from agentsite.base.ids import to_public
from agentsite.tenancy.models import Project
from sandbox.errors import SandboxError
from sandbox.ports import ProcessRequest, Runtime
from sessions_app.models import Workspace
from sessions_app.repositories.models import History, ProjectRepository
from sessions_app.storage.archives import SpooledFile, archive_storage, read_pieces, spooled
from sessions_app.workers.sandbox import deployment as this_node
from sessions_app.workers.sandbox.clone import live_clone

LEAST_KIB: Final = 1024  # of packs; less is cloned as quickly
FRESH_SECONDS: Final = 7 * 86_400.0  # after which the kept objects are replaced
PACK_UP: Final = """set -eo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/workspace/.git/objects"
ln -s "$PWD/.git/objects/pack" "$folder/workspace/.git/objects/pack"
git for-each-ref --format='%(objectname) %(refname)' refs/remotes/origin refs/tags |
    sed '\\|refs/remotes/origin/HEAD$|d' > "$folder/workspace/.git/packed-refs"
tar -ch --format=ustar -C "$folder" workspace | gzip -1
"""

logger = structlog.get_logger(__name__)


def put_kept_clone(workspace: Workspace, row: ProjectRepository, runtime: Runtime) -> bool:
    """Put the stored git objects of an earlier clone into a workspace in which nothing has run. Returns False if none
    are stored or they cannot be used."""
    if not _is_kept_whole(row):
        return False
    name = _name(row)
    try:
        if not archive_storage().exists(name) or background.run(live_clone(runtime, workspace.public_id)):
            return False
        background.run(runtime.restore(read_pieces(name), limit=this_node.disk_bytes(workspace)))
    except Exception as error:  # noqa: BLE001 - storages raise any error; everything is then fetched
        logger.warning("kept_clone_unusable", workspace=workspace.public_id, error=repr(error))
        return False
    return True


def keep_clone(workspace: Workspace, row: ProjectRepository, runtime: Runtime, facts: Mapping[str, str]) -> None:
    """Store the objects of a new clone for later clones of the repository, if the clone is complete and large, and no
    recent copy is stored. Errors are only logged."""
    kib = int(facts.get("kib", "0"))
    if not _is_kept_whole(row) or facts.get("mode") != "whole" or kib < LEAST_KIB or _is_fresh(row):
        return
    began = time.monotonic()
    try:
        with spooled() as file:
            background.run(_write(runtime, file))
            file.flush()
            file.seek(0)
            delete_kept_clones(row.project)
            archive_storage().save(_name(row), SpooledFile(file, name=str(file.name)))
    except Exception as error:  # noqa: BLE001 - the workspace is complete without
        logger.warning("clone_not_kept", workspace=workspace.public_id, error=repr(error))
        return
    logger.info("clone_kept", workspace=workspace.public_id, kib=kib, seconds=round(time.monotonic() - began, 3))


def delete_kept_clones(project: Project) -> None:
    """Delete the kept objects of a project's repository, and of its former repositories."""
    storage, folder = archive_storage(), _folder(project)
    try:
        _, names = storage.listdir(folder)
    except FileNotFoundError:
        return
    for name in names:
        storage.delete(f"{folder}/{name}")


def _is_kept_whole(row: ProjectRepository) -> bool:
    """Return whether clones of the repository have all its objects, so that another clone can be made from them."""
    return row.history == History.AUTO and not row.folders


def _is_fresh(row: ProjectRepository) -> bool:
    storage, name = archive_storage(), _name(row)
    return storage.exists(name) and time.time() - storage.get_modified_time(name).timestamp() < FRESH_SECONDS


def _name(row: ProjectRepository) -> str:
    key = hashlib.sha256(f"{row.clone_url}\0{row.connection_id}".encode()).hexdigest()
    return f"{_folder(row.project)}/{key}.tar.gz"


def _folder(project: Project) -> str:
    return "/".join((to_public("tea", project.team_id), project.public_id, "clones"))


async def _write(runtime: Runtime, file: IO[bytes]) -> None:
    """Write the objects of a clone to `file`, as an archive that `Runtime.restore` reads. Raises SandboxError."""
    process = await runtime.open_process(ProcessRequest(f"keep-{uuid.uuid4().hex}", ("bash", "-c", PACK_UP)))
    try:
        while piece := await process.receive():
            await sync_to_async(file.write, thread_sensitive=False)(piece)
    finally:
        process.close()
    if process.end is None or process.end.exit_code != 0:
        raise SandboxError("The objects of the clone could not be read.")

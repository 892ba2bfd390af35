"""Make downloads of a workspace (a patch, a bundle or an archive) on its node, and send them out in pieces.

A download is written to the node's spool directory first. The web server then asks for one piece after the other. So it
needs no access to the node's disk or to the archive storage, and a slow reader does not occupy a worker.
"""

import time
import uuid
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.conf import settings

from sandbox.errors import NotFound, SandboxRefused
from sandbox.ports import ProcessRequest, Runtime
from sessions_app.models import Workspace
from sessions_app.queries.questions import DownloadQuestion, PieceQuestion
from sessions_app.workers.sandbox import deployment as this_node
from sessions_app.workers.sandbox.reviews import recorded_changes

PIECE_BYTES: Final = 1 << 20
KEPT_SECONDS: Final = 3600.0  # for a download that nobody reads
BUNDLE: Final = r"""
set -e -o pipefail
fail() { echo "$1" >&2; exit 1; }
objects=$(realpath "$(git rev-parse --git-path objects)") || fail "The workspace has no git repository."
[ ! -e "$(git rev-parse --git-path shallow)" ] || fail "No bundle can be made of a shallow clone."
place=$(mktemp -d -p "$HOME" .bundle-XXXXXX)
trap 'rm -rf "$place"' EXIT
git init -q --bare "$place/r"
echo "$objects" > "$place/r/objects/info/alternates"
head=$(git rev-parse -q --verify 'HEAD^{commit}') || head=
cp "$(git rev-parse --git-path index)" "$place/index" 2>/dev/null || true
export GIT_INDEX_FILE="$place/index" GIT_OBJECT_DIRECTORY="$place/r/objects" GIT_ALTERNATE_OBJECT_DIRECTORIES="$objects"
git -c core.fsmonitor=false add -A
tree=$(git write-tree)
if [ -n "$head" ] && [ "$tree" = "$(git rev-parse "$head^{tree}")" ]; then commit=$head
else commit=$(git commit-tree "$tree" ${head:+-p "$head"} -m "$1"); fi
unset GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
cd "$place/r"
git update-ref "refs/heads/$2" "$commit"
git symbolic-ref HEAD "refs/heads/$2"
git bundle create -q - HEAD "refs/heads/$2"
"""
"""A script that writes a bundle of the branch $2: the current commit, and one more with the message $1 if something is
not committed. The workspace's own repository stays as it is."""
AUTHOR: Final = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "agentsite"), ("EMAIL", "agentsite@localhost"))
}


async def make_download(workspace: Workspace, runtime: Runtime, question: DownloadQuestion) -> dict[str, Any]:
    """Write the download and return its `token`, its `size` in bytes, and the number of changes or files that were left
    out."""
    token, path = new_download(workspace)
    try:
        with path.open("wb") as file:
            left_out = await _write(workspace, runtime, question, sync_to_async(file.write, thread_sensitive=False))
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return {"token": token, "size": path.stat().st_size, "left_out": left_out}


def new_download(workspace: Workspace) -> tuple[str, Path]:
    """Return the token of a new download, and the path in the spool directory to which its content has to be
    written."""
    token = uuid.uuid4().hex
    path = _path(workspace, token)
    _delete_abandoned(path.parent)
    return token, path


async def _write(
    workspace: Workspace, runtime: Runtime, question: DownloadQuestion, sink: Callable[[bytes], Awaitable[object]]
) -> int:
    limit = this_node.disk_bytes(workspace)
    if question.what == "patch":
        changes = recorded_changes(question.changes)
        if not question.base:
            return 0
        made = await runtime.patch(question.base, sink, changes=changes, commit=question.commit, limit=limit)
        return made.left_out
    if question.what == "archive":
        return (await runtime.archive(sink, limit=limit)).left_out
    await _bundle(runtime, question, sink, limit)
    return 0


async def _bundle(
    runtime: Runtime, question: DownloadQuestion, sink: Callable[[bytes], Awaitable[object]], limit: int
) -> None:
    argv = ("bash", "-c", BUNDLE, "bundle", question.title or "Work in progress", question.branch)
    process = await runtime.open_process(ProcessRequest(f"bundle-{uuid.uuid4().hex}", argv, env=AUTHOR))
    size = 0
    try:
        while piece := await process.receive():
            size += len(piece)
            if size > limit:
                raise SandboxRefused("The bundle is larger than the workspace's disk.")
            await sink(piece)
        end = process.end
        if end is None or end.exit_code != 0:
            words = end.words.decode("utf-8", "replace").strip()[-300:] if end else ""
            raise SandboxRefused(f"The bundle could not be made: {words or 'git ended unexpectedly.'}")
    finally:
        process.close()


def read_piece(workspace: Workspace, question: PieceQuestion) -> bytes:
    """Return the piece of a download at an offset. After the last piece, the download is deleted. Raises NotFound if
    the download no longer exists."""
    path = _path(workspace, question.token)
    try:
        with path.open("rb") as file:
            file.seek(question.offset)
            piece = file.read(PIECE_BYTES)
            is_last = file.tell() >= path.stat().st_size
    except OSError as error:
        raise NotFound("The download is no longer there. Start it again.") from error
    if is_last:
        path.unlink(missing_ok=True)
    return piece


def _path(workspace: Workspace, token: str) -> Path:
    folder: Path = settings.SPOOL_DIR
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / f"{workspace.public_id}-{token}.download"


def _delete_abandoned(folder: Path) -> None:
    for path in folder.glob("*.download"):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < time.time() - KEPT_SECONDS:
                path.unlink()

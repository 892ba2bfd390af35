"""REST endpoints: download a session's changes as a patch, as a branch in a git bundle, or all files as an archive."""

from collections.abc import AsyncIterator
from typing import Any, Final, Literal

from asgiref.sync import sync_to_async
from django.http import HttpRequest, StreamingHttpResponse
from ninja import Field, Query, Router, Schema

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Stale
from agentsite.tenancy.access import require
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.actions.downloads import record_download
from sessions_app.models import Session
from sessions_app.queries.live import query_workspace
from sessions_app.queries.questions import DownloadQuestion, PieceQuestion
from sessions_app.queries.sessions import find_session
from sessions_app.transport.rest.reviews import Commit, wanted_changes

router = Router(tags=["sessions"])

MAKE_TIMEOUT: Final = 300.0  # seconds
LEFT_OUT_HEADER: Final = "X-Left-Out"
What = Literal["patch", "bundle", "archive"]
TYPES: Final[dict[What, tuple[str, str]]] = {
    "patch": ("text/x-patch", "patch"),
    "bundle": ("application/x-git-bundle", "bundle"),
    "archive": ("application/gzip", "tar.gz"),
}


class PatchOptions(Schema):
    """The changes to download: of the whole session, of one `turn`, or of one `commit` compared with its first
    parent."""

    turn: str = Field("", max_length=64)
    commit: Commit = ""


WHOLE_SESSION: Final = PatchOptions(turn="")


def binary_response(media_type: str) -> dict[str, Any]:
    """Return the part of the OpenAPI document (`openapi_extra`) for an operation whose response is a binary file."""
    content = {media_type: {"schema": {"type": "string", "format": "binary"}}}
    return {"responses": {200: {"content": content}}}


@router.get(
    "/sessions/{session_id}/patch",
    operation_id="download_patch",
    response={200: None},
    openapi_extra=binary_response("text/x-patch"),
)
async def get_patch(request: HttpRequest, session_id: str, which: Query[PatchOptions]) -> StreamingHttpResponse:
    """Download changes as a patch for `git apply`, with binary files, modes and renames: the changes in the workspace
    since the session's first tool call, the changes of one `turn`, or a `commit`. The header `X-Left-Out` counts
    changed files that are not in the patch, because they are too large (over 2 MiB) or no longer kept."""
    return await _download(request, session_id, "patch", which)


@router.get(
    "/sessions/{session_id}/bundle",
    operation_id="download_bundle",
    response={200: None},
    openapi_extra=binary_response("application/x-git-bundle"),
)
async def get_bundle(request: HttpRequest, session_id: str) -> StreamingHttpResponse:
    """Download the workspace's current commit with its history as the branch `agentsite/{session_id}` in a git bundle.
    Uncommitted changes are added as one more commit, which exists only in the bundle."""
    return await _download(request, session_id, "bundle")


@router.get(
    "/sessions/{session_id}/archive",
    operation_id="download_session_archive",
    response={200: None},
    openapi_extra=binary_response("application/gzip"),
)
async def get_session_archive(request: HttpRequest, session_id: str) -> StreamingHttpResponse:
    """Download all files of the session's workspace as they are now: /workspace and the home directory."""
    return await _download(request, session_id, "archive")


async def _download(
    request: HttpRequest, session_id: str, what: What, which: PatchOptions = WHOLE_SESSION
) -> StreamingHttpResponse:
    person = current_user(request)
    row = await sync_to_async(_find)(request, session_id, what)
    question = DownloadQuestion(
        what=what,
        base=row.baseline,
        title=row.title[:200],
        branch=f"agentsite/{row.public_id}",
        changes=await sync_to_async(wanted_changes)(row, turn=which.turn, commit=which.commit),
        commit=which.commit,
    )
    made = await query_workspace(row.workspace, question, person=person, timeout_seconds=MAKE_TIMEOUT)
    media_type, ending = TYPES[what]
    response = StreamingHttpResponse(pieces(row, person, made["token"], made["size"]), content_type=media_type)
    name = which.turn or which.commit or row.public_id
    response["Content-Disposition"] = f'attachment; filename="{name}.{ending}"'
    response["Content-Length"] = str(made["size"])
    response[LEFT_OUT_HEADER] = str(made["left_out"])
    response["Cache-Control"] = "no-store"
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _find(request: HttpRequest, session_id: str, what: What) -> Session:
    """Return the session, and record the download in the audit log. Downloads contain secrets and files that the diff
    hides, so the person must be allowed to decide permission requests, as for the workspace's archive. Raises Stale if
    the workspace has no files yet."""
    row = find_session(request, session_id)
    require(current_user(request), Act.ANSWER, team_id=row.project.team_id)
    if not row.workspace.seeded:
        raise Stale("This workspace has no files yet, or is being restored.", code=ErrorCode.WORKSPACE_NOT_READY)
    record_download(actor=current_user(request), session=row, what=what)
    return row


async def pieces(row: Session, person: User, token: str, size: int) -> AsyncIterator[bytes]:
    """Yield the content of a download piece by piece, by queries to the workspace's node, which stores it. `token`
    identifies the download; `size` is its size in bytes."""
    offset = 0
    while offset < size:
        piece = await query_workspace(row.workspace, PieceQuestion(token=token, offset=offset), person=person)
        offset += len(piece)
        yield piece

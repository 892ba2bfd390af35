"""REST endpoints: delete a workspace, undo the deletion, and export its files as an archive.

They use the router of the workspaces, since all methods of one path must be on one router.
"""

from asgiref.sync import sync_to_async
from django.http import HttpRequest, StreamingHttpResponse
from ninja import Status

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Missing, Stale
from agentsite.tenancy.authentication import current_user
from sessions_app.actions.archives import export_workspace, find_archive
from sessions_app.actions.workspace_deletion import cancel_workspace_deletion, remove_workspace
from sessions_app.storage.archives import archive_storage, is_local, read_pieces
from sessions_app.transport.rest.workspace_details import detail_of, find_workspace
from sessions_app.transport.rest.workspaces import ACCEPTED, Accepted, router

__all__ = ["router"]


@router.delete("/workspaces/{workspace_id}", response=ACCEPTED, operation_id="remove_workspace")
def delete_workspace(request: HttpRequest, workspace_id: str) -> Accepted:
    """Deactivate the workspace now, and delete it with its files, archives and sessions at `remove_at`."""
    remove_workspace(actor=current_user(request), workspace=find_workspace(request, workspace_id))
    return Status(202, detail_of(request, workspace_id))


@router.post("/workspaces/{workspace_id}/keep", response=ACCEPTED, operation_id="keep_workspace")
def post_keep(request: HttpRequest, workspace_id: str) -> Accepted:
    """Undo the deletion. Returns 409 `not_removing` if there is nothing to undo, or if the grace period is over."""
    cancel_workspace_deletion(actor=current_user(request), workspace=find_workspace(request, workspace_id))
    return Status(202, detail_of(request, workspace_id))


@router.post("/workspaces/{workspace_id}/export", response=ACCEPTED, operation_id="export_workspace")
def post_export(request: HttpRequest, workspace_id: str) -> Accepted:
    """Create a new archive of the workspace's files. When it is done, `archive.at` is the time of its creation."""
    export_workspace(actor=current_user(request), workspace=find_workspace(request, workspace_id))
    return Status(202, detail_of(request, workspace_id))


@router.get(
    "/workspaces/{workspace_id}/archive",
    operation_id="download_workspace",
    response={200: None},
    openapi_extra={
        "responses": {200: {"content": {"application/gzip": {"schema": {"type": "string", "format": "binary"}}}}}
    },
)
async def get_archive(request: HttpRequest, workspace_id: str) -> StreamingHttpResponse:
    """Download the latest archive: /workspace and the tool user's home as a gzipped tar file. Returns 409 `no_archive`
    if there is none yet."""
    name, filename = await sync_to_async(_find)(request, workspace_id)
    response = StreamingHttpResponse(read_pieces(name), content_type="application/gzip")
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    response["Cache-Control"] = "no-store"
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _find(request: HttpRequest, workspace_id: str) -> tuple[str, str]:
    row = find_workspace(request, workspace_id)
    name = find_archive(actor=current_user(request), workspace=row)
    if not is_local():
        raise Stale(
            f"The archive is in a bucket that this server cannot read: {name}.",
            code=ErrorCode.ARCHIVE_ELSEWHERE,
            hint="Ask the operators of this site for the file.",
        )
    if not archive_storage().exists(name):
        raise Missing("The archive was deleted.", hint="Export the workspace again.")
    return name, f"{row.public_id}-{name.rpartition('/')[2]}"

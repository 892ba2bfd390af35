"""REST endpoints for the connections of a team."""

from collections.abc import Callable
from typing import Annotated

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from ninja import Query, Router, Status

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Stale
from agentsite.base.pagination import Page, paginate
from agentsite.http.etags import accepted_versions, require_version, set_version
from agentsite.http.operation_marks import conditional, idempotent
from agentsite.tenancy.access import can, require
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Team
from agentsite.tenancy.roles import Act
from sessions_app.repositories import connections as actions
from sessions_app.repositories import schemas
from sessions_app.repositories.addresses import clone_address
from sessions_app.repositories.models import Connection
from sessions_app.repositories.queries import ask_forge
from sessions_app.repositories.questions import RefsQuestion, RepositoriesQuestion, TestQuestion

Search = Annotated[str, Query(max_length=255)]
RepositoryName = Annotated[str, Query(max_length=300)]
Url = Annotated[str, Query(max_length=1000)]
router = Router(tags=["repositories"])


@router.get("/teams/{team_id}/connections", response=Page[schemas.ConnectionView], operation_id="list_connections")
def list_connections(
    request: HttpRequest, team_id: str, cursor: str | None = None, limit: int = 50
) -> Page[schemas.ConnectionView]:
    """List the team's connections to forges. People who do not manage them see only names and states."""
    user = current_user(request)
    team = Team.objects.visible_to(user).by_public_id(team_id)
    can_edit = can(user, Act.MANAGE_CONNECTIONS, team_id=team.pk)
    rows = Connection.objects.visible_to(user).filter(team=team).select_related("created_by")
    page = paginate(rows, cursor=cursor, limit=limit)
    return Page[schemas.ConnectionView].of(page, lambda row: schemas.ConnectionView.of(row, can_edit=can_edit))


@router.post("/teams/{team_id}/connections", response={201: schemas.ConnectionView}, operation_id="create_connection")
def post_connection(
    request: HttpRequest, team_id: str, payload: schemas.NewConnection
) -> Status[schemas.ConnectionView]:
    """Connect a team with a forge. The credential is encrypted at once and can never be read again; test the connection
    next."""
    row = actions.create_connection(
        actor=current_user(request),
        team=Team.objects.visible_to(current_user(request)).by_public_id(team_id),
        kind=payload.kind,
        name=payload.name,
        base_url=payload.base_url,
        credential=payload.credential(),
    )
    return Status(201, _show(request, row))


@router.get("/connections/{connection_id}", response=schemas.ConnectionView, operation_id="get_connection")
def get_connection(request: HttpRequest, connection_id: str) -> schemas.ConnectionView:
    """Return one connection. Its credential is never included."""
    return _show(request, _find(request, connection_id))


@router.patch("/connections/{connection_id}", response=schemas.ConnectionView, operation_id="update_connection")
@conditional
def patch_connection(
    request: HttpRequest, connection_id: str, payload: schemas.ConnectionChange
) -> schemas.ConnectionView:
    """Rename a connection."""
    row = actions.rename_connection(
        actor=current_user(request),
        connection=_find(request, connection_id),
        name=payload.name,
        check_version=_version_check(request, payload.base_version),
    )
    return _show(request, row)


@router.put(
    "/connections/{connection_id}/credential",
    response=schemas.ConnectionView,
    operation_id="replace_connection_credential",
)
@conditional
def put_credential(
    request: HttpRequest, connection_id: str, payload: schemas.ReplacedCredential
) -> schemas.ConnectionView:
    """Replace the credential of a connection; requests to the forge use the new credential at once. A revoked
    connection becomes usable again."""
    row = actions.replace_credential(
        actor=current_user(request),
        connection=_find(request, connection_id),
        credential=payload.credential(),
        check_version=_version_check(request, payload.base_version),
    )
    return _show(request, row)


@router.post("/connections/{connection_id}/revoke", response=schemas.ConnectionView, operation_id="revoke_connection")
@idempotent
def post_revoke(request: HttpRequest, connection_id: str) -> schemas.ConnectionView:
    """Revoke a connection. Its credential is deleted, and its next use is refused. Sessions continue without it."""
    row = actions.revoke_connection(actor=current_user(request), connection=_find(request, connection_id))
    return _show(request, row)


@router.delete("/connections/{connection_id}", response={204: None}, operation_id="delete_connection")
def delete_connection(request: HttpRequest, connection_id: str) -> Status[None]:
    """Delete a connection. Returns 409 `connection_in_use` while projects use it."""
    actions.remove_connection(actor=current_user(request), connection=_find(request, connection_id))
    return Status(204, None)


@router.post("/connections/{connection_id}/test", response=schemas.ConnectionReport, operation_id="test_connection")
async def post_test(request: HttpRequest, connection_id: str) -> schemas.ConnectionReport:
    """Test a connection: reach the forge and sign in with the credential. The result is stored as its state."""
    row = await sync_to_async(_find)(request, connection_id)
    await sync_to_async(actions.begin_test)(actor=current_user(request), connection=row)
    return schemas.ConnectionReport(**await ask_forge(TestQuestion(connection=row.pk)))


@router.get(
    "/connections/{connection_id}/repositories",
    response=schemas.RepositoryList,
    operation_id="list_connection_repositories",
)
async def list_repositories(request: HttpRequest, connection_id: str, search: Search = "") -> schemas.RepositoryList:
    """List the repositories that a connection reaches and whose names contain `search`. For admins."""
    row = await sync_to_async(_usable)(request, connection_id)
    found = await ask_forge(RepositoriesQuestion(connection=row.pk, search=search.strip()))
    return schemas.RepositoryList(items=[schemas.RepositoryView(**each) for each in found])


@router.get("/connections/{connection_id}/branches", response=schemas.RefList, operation_id="list_connection_branches")
async def list_branches(
    request: HttpRequest,
    connection_id: str,
    repository: RepositoryName = "",
    url: Url = "",
    search: Search = "",
) -> schemas.RefList:
    """List the branches and tags of a repository at the server of a connection. `repository` is a name or an address.
    Only admins can do this."""
    row = await sync_to_async(_usable)(request, connection_id)
    clone_url, _ = clone_address(row, repository, url)
    question = RefsQuestion(connection=row.pk, clone_url=clone_url, search=search.strip())
    return schemas.RefList.of(await ask_forge(question))


@router.get("/teams/{team_id}/branches", response=schemas.RefList, operation_id="list_public_branches")
async def list_public_branches(
    request: HttpRequest,
    team_id: str,
    url: Url,
    search: Search = "",
) -> schemas.RefList:
    """List the branches and tags of a public repository. For admins."""

    def check() -> None:
        team = Team.objects.visible_to(current_user(request)).by_public_id(team_id)
        require(current_user(request), Act.MANAGE_PROJECT, team_id=team.pk)

    await sync_to_async(check)()
    clone_url, _ = clone_address(None, "", url)
    return schemas.RefList.of(
        await ask_forge(RefsQuestion(connection=None, clone_url=clone_url, search=search.strip()))
    )


def _find(request: HttpRequest, connection_id: str) -> Connection:
    rows = Connection.objects.visible_to(current_user(request)).select_related("created_by")
    return rows.by_public_id(connection_id)


def _usable(request: HttpRequest, connection_id: str) -> Connection:
    """Return the connection through which a person wants to choose a repository. Raises NotAllowed unless the person
    may manage projects, and Stale if the connection is revoked."""
    row = _find(request, connection_id)
    require(current_user(request), Act.MANAGE_PROJECT, team_id=row.team_id)
    if row.state == Connection.State.REVOKED:
        raise Stale(f"The connection '{row.name}' was revoked.", code=ErrorCode.CONNECTION_REVOKED)
    return row


def _version_check(request: HttpRequest, base_version: int | None) -> Callable[[Connection], None]:
    wanted = accepted_versions(request)

    def check(row: Connection) -> None:
        require_version(wanted, str(row.version))
        if base_version not in (None, row.version):
            raise Stale(
                f"Somebody else changed this connection: its version is now {row.version}.",
                code=ErrorCode.STALE_CONNECTION,
            )

    return check


def _show(request: HttpRequest, row: Connection) -> schemas.ConnectionView:
    set_version(request, str(row.version))
    can_edit = can(current_user(request), Act.MANAGE_CONNECTIONS, team_id=row.team_id)
    return schemas.ConnectionView.of(row, can_edit=can_edit)

"""The repository of a workspace's project: the server, the credential and the push rules for git's requests."""

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import structlog
from asgiref.sync import sync_to_async
from django.db import DatabaseError, InterfaceError, close_old_connections

from agentsite.base.errors import BadInput, Missing
from agentsite.base.ids import from_public
from agentsite.tenancy.door_encryption import DOOR
from agentsite.tenancy.key_pairs import CannotUnseal
from sessions_app.models import Workspace
from sessions_app.repositories.addresses import clone_address
from sessions_app.repositories.authors import co_author_of, commit_options
from sessions_app.repositories.connections import note_failure
from sessions_app.repositories.credentials import access_of
from sessions_app.repositories.forges.access import Access
from sessions_app.repositories.forges.client import RENEW
from sessions_app.repositories.forges.port import ForgeError
from sessions_app.repositories.models import Connection, ProjectRepository, TeamCommits
from sessions_app.repositories.origin import origin_name
from sessions_app.repositories.submodules import may_read
from sessions_app.repositories.working_copy.decided import decided_pushes
from sessions_app.workers.door.forge_queries import app_tokens, opened
from sessions_app.workers.door.rules import load_rules
from tools_app.network.destination import Unreachable
from tools_app.network.git.judging import JudgedPush, PushRules
from tools_app.network.git.requirements import Requirements
from tools_app.network.git.server import Destination
from tools_app.network.git.side import RepositoryRefused
from tools_app.network.git.signing import Signer
from tools_app.network.git.ssh_keys import BadKey, load_key
from tools_app.network.git.target import PUSH, Service

NONE: Final = "The project of this workspace has no repository. An admin can connect one in the project's settings."
OTHER: Final = (
    "This workspace reaches the repository of its project ({title}) and no other, beside the submodules that an admin "
    "entered in the project's settings."
)
NOT_READ: Final = (
    "The connection {name} may not read the submodule {title}. An admin of the team has to give it the right to."
)
REVOKED: Final = (
    "The connection {name} was revoked, so {title} cannot be reached. An admin of the team can connect it again."
)
NO_RIGHT: Final = "The connection {name} may not write to {title}. An admin of the team has to give it the right to."
NOT_ACCEPTED: Final = "The credential of the connection {name} is not accepted for {title} (status {status})."
NEEDS_ONE: Final = "The repository {title} needs a credential. An admin of the team can connect it with one."
NOT_SIGNED: Final = (
    "Commits of this project are not signed. An admin of the team can change that in the project's settings."
)
NO_KEY: Final = (
    "The key that signs commits cannot be decrypted. An admin of the team can replace it in the team settings."
)
T = TypeVar("T")

logger = structlog.get_logger(__name__)


class WorkspaceRepository:
    """The repository that programs of one workspace may use. `tell` is called with each refused push, to add it to the
    result of the running command."""

    def __init__(self, workspace_id: str, tell: Callable[[JudgedPush], Awaitable[None]]) -> None:
        self._workspace_id = workspace_id
        self._tell = tell

    async def destination(self, name: str) -> Destination:
        """Return the server, the address and the credential for the repository that programs request under this name.
        Raises RepositoryRefused or Unreachable."""
        return await _read(lambda: _destination(self._workspace_id, name))

    async def renewed(self, destination: Destination) -> Destination | None:
        """Return the destination repository with a new token if the connection signs in as an app of the forge; None
        for other connections. Raises RepositoryRefused or Unreachable."""
        return await _read(lambda: _renewed(self._workspace_id, destination.name))

    async def signer(self) -> Signer:
        """Return the signer of the workspace's commits. Raises RepositoryRefused if the project's commits are not
        signed, and Unreachable if the settings cannot be read."""
        return await _read(lambda: _signer(self._workspace_id))

    async def push_rules(self) -> PushRules:
        """Return the push rules that are now in force for the repository. Raises RepositoryRefused or Unreachable."""
        return await _read(lambda: _push_rules(self._workspace_id))

    async def rejected(self, destination: Destination, service: Service, status: int) -> str:
        """Store that the git server rejected the connection's credential with this HTTP status, and return a sentence
        about it."""
        return await _read(lambda: _rejected(self._workspace_id, destination, service, status))

    async def report(self, refused: JudgedPush) -> None:
        await self._tell(refused)


async def _read(read: Callable[[], T]) -> T:
    def once() -> T:
        close_old_connections()
        return read()

    try:
        return await sync_to_async(once)()
    except (DatabaseError, InterfaceError) as error:
        raise Unreachable("The rules of the site cannot be read just now. Try again in a moment.") from error


def _row(workspace_id: str) -> ProjectRepository:
    rows = ProjectRepository.objects.select_related("connection", "project")
    try:
        row = rows.filter(project__workspaces=from_public(Workspace.PREFIX, workspace_id)).first()
    except Missing:  # a directory that is not the site's
        row = None
    if row is None:
        raise RepositoryRefused(NONE)
    return row


def _destination(workspace_id: str, name: str) -> Destination:
    row = _row(workspace_id)
    title, address, is_own = row.full_name, row.clone_url.rstrip("/"), name == origin_name(row)
    if not is_own:
        title, address = name, _submodule_address(row, name)
    if row.connection is None:
        return Destination(name, address, title)
    if row.connection.state == Connection.State.REVOKED:
        raise RepositoryRefused(REVOKED.format(name=row.connection.name, title=title))
    access = _opened(row.connection)
    authorization = access.git_authorization
    headers = ((b"Authorization", authorization.encode("latin-1")),) if authorization else ()
    return Destination(name, address, title, headers, has_credential=True, ssh=access.ssh, read_only=not is_own)


def _submodule_address(row: ProjectRepository, name: str) -> str:
    """Return the address of another repository at the connection's server. Raises RepositoryRefused unless the
    project's settings name it."""
    if row.connection is None or "/" not in name or not may_read(name, row.submodules):
        raise RepositoryRefused(OTHER.format(title=row.full_name))
    try:
        return clone_address(row.connection, name, "")[0].rstrip("/")
    except BadInput:
        raise RepositoryRefused(OTHER.format(title=row.full_name)) from None


def _opened(connection: Connection) -> Access:
    """Return the address and credential of a connection. Raises RepositoryRefused if the connection has no usable
    credential."""
    try:
        return opened(connection)
    except ForgeError as error:
        note_failure(connection, error)
        raise RepositoryRefused(f"{error.message} {error.hint}".strip()) from None


def _push_rules(workspace_id: str) -> PushRules:
    row, rules = _row(workspace_id), load_rules(workspace_id)
    decided = decided_pushes(from_public(Workspace.PREFIX, workspace_id))
    options = commit_options(row.project_id)
    signer = _signer(workspace_id) if options is not None and options.sign else None
    wanted = Requirements() if options is None else Requirements(signer, options.sign_off, co_author_of(options))
    return PushRules(rules.preferences, rules.limits, row.default_branch, tuple(row.protected), decided, wanted)


def _signer(workspace_id: str) -> Signer:
    project = _row(workspace_id).project
    options = commit_options(project.pk)
    commits = TeamCommits.objects.filter(team=project.team_id).exclude(sealed_key="").first()
    if options is None or not options.sign or commits is None:
        raise RepositoryRefused(NOT_SIGNED)
    try:
        key = load_key(DOOR.unseal(commits.sealed_key))
    except (CannotUnseal, BadKey):
        raise RepositoryRefused(NO_KEY) from None
    return Signer(options.committer.name, options.committer.email, key)


def _rejected(workspace_id: str, destination: Destination, service: Service, status: int) -> str:
    connection = _row(workspace_id).connection
    title = destination.title
    if connection is None:
        return NEEDS_ONE.format(title=title)
    if destination.read_only:
        return NOT_READ.format(name=connection.name, title=title)
    if status == 403 and service == PUSH:
        return NO_RIGHT.format(name=connection.name, title=title)
    message = NOT_ACCEPTED.format(name=connection.name, title=title, status=status)
    note_failure(connection, ForgeError("credential", message, RENEW))
    logger.warning("credential_rejected", connection=connection.public_id, status=status)
    return f"{message} {RENEW}"


def _renewed(workspace_id: str, name: str) -> Destination | None:
    connection = _row(workspace_id).connection
    if connection is None or connection.auth != Connection.Auth.APP:
        return None
    app_tokens.forget(access_of(connection))
    return _destination(workspace_id, name)

"""The secrets that the door adds to requests of each workspace, loaded from the database."""

import base64
import ssl
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import structlog
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import DatabaseError, InterfaceError, close_old_connections

from agentsite.base.errors import Missing
from agentsite.base.ids import from_public
from agentsite.tenancy.door_encryption import DOOR
from agentsite.tenancy.key_pairs import CannotUnseal
from sessions_app.models import Variable, Workspace
from sessions_app.variables.given import GivenVariables, note_use, uses_to_note
from sessions_app.variables.uses import REQUESTS, added_as_of
from tools_app.network.added_secrets import AddedSecret
from tools_app.network.authority import HostAuthority
from tools_app.network.environment import BUNDLE_NAMES
from tools_app.network.opened_tunnel import OpenedHost
from tools_app.web.address import WebAddress

LOOK_INTERVAL: Final = 2.0  # seconds until a changed secret counts

Index = frozenset[tuple[uuid.UUID, int]]

logger = structlog.get_logger(__name__)


class WorkspaceSecrets:
    """The secrets of one workspace, and the door's TLS certificates for the hosts of the secrets. `tls` creates the
    context that verifies the real servers."""

    def __init__(self, workspace_id: str, tls: Callable[[], ssl.SSLContext] = ssl.create_default_context) -> None:
        self._tls = tls
        self.workspace_id = workspace_id
        self._secrets: Sequence[AddedSecret] = ()
        self._authority: HostAuthority | None = None
        self._used: set[str] = set()

    def replace(self, secrets: Sequence[AddedSecret]) -> bool:
        """Replace all secrets of the workspace. Returns whether the hosts that get secrets have changed; if so, new
        certificates are made."""
        before, self._secrets = _hosts(self._secrets), secrets
        after = _hosts(secrets)
        if after == before:
            return False
        self._authority = HostAuthority(_door_key(), self.workspace_id, after) if after else None
        return True

    @property
    def certificates(self) -> Mapping[str, Any]:
        """Return the message that tells the runner to make programs trust the door's certificates for hosts that get
        secrets."""
        return {"pem": self._authority.pem if self._authority else "", "names": list(BUNDLE_NAMES)}

    def find(self, address: WebAddress) -> OpenedHost | None:
        """Return the TLS contexts and the secrets for intercepted connections to a host; None if no secret is for that
        host."""
        if self._authority is None or not self._for(address):
            return None
        present = self._authority.context_for(address.host)
        return OpenedHost(present, self._tls(), lambda: self._for(address), self._note)

    def take_used(self) -> list[uuid.UUID]:
        """Return the variables whose secrets were added to requests since the last call."""
        used, self._used = self._used, set()
        return [uuid.UUID(key) for key in used]

    def _for(self, address: WebAddress) -> list[AddedSecret]:
        return [secret for secret in self._secrets if secret.is_for(address.host, address.port)]

    def _note(self, added: Sequence[AddedSecret]) -> None:
        self._used.update(secret.key for secret in added)


class SecretsWatch:
    """A watch for changes of the secrets in workspaces. A check costs one database statement while nothing has
    changed."""

    def __init__(self) -> None:
        self._seen: tuple[Index, frozenset[str]] = frozenset(), frozenset()

    def forget(self) -> None:
        """Make the next check load all secrets again, because a new `WorkspaceLink` has to get them."""
        self._seen = self._seen[0], frozenset()

    async def changed(self, workspace_ids: Iterable[str]) -> Mapping[str, Sequence[AddedSecret]]:
        """Return the secrets of all given workspaces if, since the last call, a secret was added, changed or removed,
        or a workspace was added or removed. Returns {} if nothing changed or the database cannot be reached."""
        wanted = frozenset(workspace_ids)
        try:
            return await sync_to_async(self._changed)(wanted) if wanted else {}
        except (DatabaseError, InterfaceError) as error:
            logger.warning("door_secrets_not_read", error=str(error))
            return {}

    def _changed(self, wanted: frozenset[str]) -> Mapping[str, Sequence[AddedSecret]]:
        close_old_connections()
        index: Index = frozenset(Variable.objects.filter(used_for=REQUESTS).values_list("pk", "version"))
        if (index, wanted) == self._seen or not (index or self._seen[0]):
            return {}
        found = load_secrets(wanted)
        self._seen = index, wanted
        return found


def load_secrets(workspace_ids: Iterable[str]) -> dict[str, Sequence[AddedSecret]]:
    """Return the secrets to add to requests of each workspace. The project's secrets follow the team's, so that they
    win if both set the same header; of two secrets with the same name, only the project's is returned."""
    keys = {pk: each for each in workspace_ids if (pk := _key_of(each)) is not None}
    owners = Workspace.objects.filter(pk__in=keys).values_list("pk", "project_id", "project__team_id")
    places = {keys[pk]: (project, team) for pk, project, team in owners}
    rows = Variable.objects.filter(used_for=REQUESTS).order_by("name")
    opened = {row.pk: secret for row in rows if (secret := _opened(row)) is not None} if places else {}
    result: dict[str, Sequence[AddedSecret]] = {}
    for workspace_id, (project, team) in places.items():
        nearest = {row.name: row for row in rows if row.team_id == team}
        nearest |= {row.name: row for row in rows if row.project_id == project}
        chosen = sorted(nearest.values(), key=lambda row: (row.project_id is not None, row.name))
        result[workspace_id] = tuple(opened[row.pk] for row in chosen if row.pk in opened)
    return result


async def note_uses(watched: Iterable[WorkspaceSecrets]) -> None:
    """Store which secrets were added to requests of the workspaces, at most once every few minutes for each secret."""
    for each in watched:
        if used := each.take_used():
            try:
                await sync_to_async(_note)(each.workspace_id, used)
            except (DatabaseError, InterfaceError) as error:
                logger.warning("door_secrets_use_not_stored", error=str(error))


def _note(workspace_id: str, used: Sequence[uuid.UUID]) -> None:
    close_old_connections()
    pk = _key_of(workspace_id)
    if pk is not None and (due := uses_to_note(GivenVariables(rows=tuple(used)), pk)):
        note_use(due, pk)


def _opened(row: Variable) -> AddedSecret | None:
    try:
        value = DOOR.unseal(row.sealed_for_door)
    except CannotUnseal:
        logger.error("request_secret_unreadable", variable=row.public_id)
        return None
    return AddedSecret(str(row.pk), row.name, value, tuple(row.hosts), added_as_of(row), row.added_name)


def _key_of(workspace_id: str) -> uuid.UUID | None:
    try:
        return from_public(Workspace.PREFIX, workspace_id)
    except Missing:  # a directory that is not the site's
        return None


def _hosts(secrets: Sequence[AddedSecret]) -> set[str]:
    return {place.partition(":")[0] for secret in secrets for place in secret.places}


def _door_key() -> bytes:
    """Return the newest private key of the door, from which the keys for its TLS certificates are derived."""
    return base64.urlsafe_b64decode(settings.DOOR_PRIVATE_KEYS[0])

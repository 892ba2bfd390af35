"""Create, change, test and revoke the connections of a team. Credentials are encrypted at once, and only the door can
decrypt them."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import chain, count
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import Q, RestrictedError
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, Stale, TooMany
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.display_names import required_name
from agentsite.tenancy.models import Team, User
from agentsite.tenancy.roles import Act
from sessions_app.repositories.addresses import forge_address
from sessions_app.repositories.credentials import Credential, set_credential
from sessions_app.repositories.forges.port import ForgeError
from sessions_app.repositories.models import Connection
from tools_app.network.git.ssh_keys import fingerprint
from tools_app.text import counted

MAX_CONNECTIONS: Final = 50  # of one team
MIN_TEST_INTERVAL: Final = timedelta(seconds=2)
USE_STORED_EVERY: Final = timedelta(minutes=1)
CheckVersion = Callable[[Connection], None]


def create_connection(
    *, actor: User, team: Team, kind: str, credential: Credential, name: str = "", base_url: str = ""
) -> Connection:
    """Create a connection of a team. Raises BadInput, and Stale if the team already has a connection with this name."""
    require(actor, Act.MANAGE_CONNECTIONS, team_id=team.pk)
    address = forge_address(kind, base_url)
    row = Connection(team=team, kind=kind, name=name.strip()[:120], base_url=address, created_by=actor)
    row.name = required_name(row.name) if row.name else _free_name(row)
    set_credential(row, credential)
    with _unique_name(row.name), sqlite_write_lock(), transaction.atomic():
        if Connection.objects.filter(team=team).count() >= MAX_CONNECTIONS:
            raise BadInput(f"A team can have at most {MAX_CONNECTIONS} connections.", hint="Remove a connection first.")
        row.save(force_insert=True)
        _audit(actor, row, "connection.created")
    return row


def rename_connection(*, actor: User, connection: Connection, name: str, check_version: CheckVersion) -> Connection:
    with _unique_name(name), _changed(actor, connection, check_version) as row:
        row.name = required_name(name)
        row.save()
        _audit(actor, row, "connection.renamed")
    return row


def replace_credential(
    *, actor: User, connection: Connection, credential: Credential, check_version: CheckVersion
) -> Connection:
    """Replace the credential of a connection. The new credential is used from the next request on. A revoked connection
    becomes usable again."""
    with _changed(actor, connection, check_version) as row:
        set_credential(row, credential)
        row.state, row.message, row.account, row.checked_at = Connection.State.UNKNOWN, "", "", None
        row.save()
        _audit(actor, row, "connection.credential_replaced")
    return row


def revoke_connection(*, actor: User, connection: Connection) -> Connection:
    """Revoke a connection by deleting its credential. Its next use is refused; projects keep the name of their
    repository."""
    with _changed(actor, connection) as row:
        row.sealed = row.ending = row.message = row.public_key = ""
        row.state = Connection.State.REVOKED
        row.save()
        _audit(actor, row, "connection.revoked")
    return row


def remove_connection(*, actor: User, connection: Connection) -> None:
    """Delete a connection. Raises Stale while projects use it."""
    require(actor, Act.MANAGE_CONNECTIONS, team_id=connection.team_id)
    with sqlite_write_lock(), transaction.atomic():
        _audit(actor, connection, "connection.removed")
        try:
            deleted, _ = Connection.objects.filter(pk=connection.pk).delete()
        except RestrictedError:
            used = counted(connection.repositories.count(), "project")
            raise Stale(
                f"The repository of {used} is reached through this connection.", code=ErrorCode.CONNECTION_IN_USE
            ) from None
        if not deleted:
            raise Missing("This connection no longer exists.")


def begin_test(*, actor: User, connection: Connection) -> None:
    """Mark the connection as tested now. Raises TooMany right after another test, and Stale if the connection is
    revoked."""
    require(actor, Act.MANAGE_CONNECTIONS, team_id=connection.team_id)
    if connection.state == Connection.State.REVOKED:
        raise Stale(f"The connection '{connection.name}' was revoked.", code=ErrorCode.CONNECTION_REVOKED)
    now = timezone.now()
    rested = Q(checked_at=None) | Q(checked_at__lt=now - MIN_TEST_INTERVAL)
    with sqlite_write_lock():
        begun = Connection.objects.filter(rested, pk=connection.pk).update(checked_at=now)
    if not begun:
        raise TooMany("This connection was tested a moment ago.", hint="Wait a few seconds, then test it again.")


def note_success(row: Connection, account: str | None = None) -> None:
    """Store that the forge accepted the connection's credential. If nothing else has changed, this is stored at most
    once in `USE_STORED_EVERY`."""
    now = timezone.now()
    known = row.state == Connection.State.OK and account in (None, row.account)
    if known and row.last_used_at is not None and now - row.last_used_at < USE_STORED_EVERY:
        return
    changes: dict[str, Any] = {"state": Connection.State.OK, "message": "", "last_used_at": now}
    if account is not None:
        changes |= {"account": account[:200], "checked_at": now}
    _note(row, changes, "connection.works_again" if row.state == Connection.State.FAILED else "")


def note_host_key(row: Connection, host_key: str) -> None:
    """Store the ssh host key of the server if none is stored yet. From then on, the server must have this key."""
    if row.host_key:
        return
    unknown = Connection.objects.filter(pk=row.pk, version=row.version, host_key="")
    with sqlite_write_lock(), transaction.atomic():
        if unknown.update(host_key=host_key[:2000]):
            row.host_key = host_key
            data = {"name": row.name, "address": row.base_url, "fingerprint": fingerprint(host_key)}
            audit.record(
                team_id=row.team_id, actor=None, action="connection.host_key_known", subject=row.public_id, data=data
            )


def note_failure(row: Connection, error: ForgeError, *, tested: bool = False) -> None:
    """Store that a connection does not work, and why. Outside of a test (`tested`), only a refused credential is
    stored, because other errors may be caused by the request."""
    if error.problem != "credential" and not tested:
        return
    message = f"{error.message} {error.hint}".strip()[:500]
    if row.state == Connection.State.FAILED and row.message == message:
        return
    changes = {"state": Connection.State.FAILED, "message": message, "checked_at": timezone.now()}
    _note(row, changes, "" if row.state == Connection.State.FAILED else "connection.failing")


def _note(row: Connection, changes: dict[str, Any], action: str) -> None:
    """Store changed columns of a connection and record `action` in the audit log. Nothing is stored if the connection
    was revoked, or its credential was replaced, after `row` was read."""
    current = Connection.objects.filter(pk=row.pk, version=row.version).exclude(state=Connection.State.REVOKED)
    with sqlite_write_lock(), transaction.atomic():
        if current.update(**changes) and action:
            _audit(None, row, action)
    for name, value in changes.items():
        setattr(row, name, value)


@contextmanager
def _changed(
    actor: User, connection: Connection, check_version: CheckVersion = lambda _row: None
) -> Iterator[Connection]:
    """Yield the locked row of a connection in a transaction, with its version incremented. Raises Missing if the
    connection was removed."""
    require(actor, Act.MANAGE_CONNECTIONS, team_id=connection.team_id)
    with sqlite_write_lock(), transaction.atomic():
        row = Connection.objects.select_for_update().filter(pk=connection.pk).first()
        if row is None:
            raise Missing("This connection no longer exists.")
        check_version(row)
        row.version, row.changed_at = row.version + 1, timezone.now()
        yield row


def _free_name(row: Connection) -> str:
    """Return a name for a connection: the host of its address, followed by a number if the team already has a
    connection of this name."""
    host = row.base_url.partition("://")[2][:110]
    taken = set(Connection.objects.filter(team=row.team_id).values_list("name", flat=True))
    names = chain([host], (f"{host} {number}" for number in count(2)))
    return next(name for name in names if name not in taken)


@contextmanager
def _unique_name(name: str) -> Iterator[None]:
    try:
        yield
    except IntegrityError:
        raise Stale(
            f"There is already a connection '{name}'.",
            code=ErrorCode.CONNECTION_EXISTS,
            fields={"name": "already used"},
        ) from None


def find_connection(connection_id: uuid.UUID) -> Connection:
    """Return the connection with this id. Raises ForgeError if it was removed."""
    row = Connection.objects.filter(pk=connection_id).first()
    if row is None:
        raise ForgeError("missing", "This connection no longer exists.")
    return row


def _audit(actor: User | None, row: Connection, action: str) -> None:
    """Record a change of the connection in the audit log, without credentials."""
    data = {"name": row.name, "kind": row.kind, "address": row.base_url, "auth": row.auth}
    audit.record(team_id=row.team_id, actor=actor, action=action, subject=row.public_id, data=data)

"""Hide the details of audit entries about private sessions from everybody except the session's owner."""

from collections.abc import Mapping
from typing import Any, Final

from django.db.models import Q

from agentsite.tenancy.models import AuditEntry, User

PUBLIC_FIELDS: Final = frozenset(
    {
        "session", "call", "request", "action", "reply", "scope", "approvers", "asked_under", "approvals", "first",
        "answered", "words", "policies", "root",
    }
)  # fmt: skip
"""Fields of `data` that contain only ids and outcomes, never titles, tools, commands, paths, patterns, arguments or
reasons."""


def readable_data(entry: AuditEntry, reader: User) -> Mapping[str, Any]:
    """Return the data of an audit entry. Readers other than the owner of a private session get only the fields in
    `PUBLIC_FIELDS`."""
    data: Mapping[str, Any] = entry.data
    if not is_hidden(entry, reader):
        return data
    return {"private": True, **{name: value for name, value in data.items() if name in PUBLIC_FIELDS}}


def is_hidden(entry: AuditEntry, reader: User) -> bool:
    return bool(entry.private_to) and entry.private_to != reader.public_id


def open_to(reader: User) -> Q:
    """Return a filter for entries whose details the reader may see, so that a search cannot reveal hidden details."""
    return Q(private_to="") | Q(private_to=reader.public_id)

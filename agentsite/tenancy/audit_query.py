"""Filter the entries of a team's audit log."""

import json
from datetime import datetime
from typing import Any

from django.db.models import Q, TextField
from django.db.models.functions import Cast
from ninja import Schema
from pydantic import Field

from agentsite.base.errors import BadInput
from agentsite.base.timestamps import Timestamp
from agentsite.tenancy.audit_privacy import open_to
from agentsite.tenancy.models import AuditEntry, AuditQuerySet, Team, User


class AuditFilter(Schema):
    """A filter of audit entries.

    `action` is one action ("policy.saved") or a group of actions ("policy"). `actor`, `subject` and `project` are
    public ids. `since` and `until` limit the time. `text` is searched in actor, action, subject and details.
    """

    action: str | None = Field(default=None, max_length=64)
    actor: str | None = Field(default=None, max_length=64)
    subject: str | None = Field(default=None, max_length=64)
    project: str | None = Field(default=None, max_length=64)
    since: Timestamp | None = None
    until: Timestamp | None = None
    text: str | None = Field(default=None, max_length=200)

    def as_json(self) -> dict[str, str]:
        """Return the filter as JSON values, for the audit entry that records an export."""
        given = self.model_dump(exclude_none=True)
        return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in given.items()}


def entries_of(team: Team, *, reader: User, wanted: AuditFilter) -> AuditQuerySet:
    rows = AuditEntry.objects.visible_to(reader).filter(chain__team=team)
    if any("\0" in value for value in wanted.as_json().values()):  # PostgreSQL rejects NUL in texts
        raise BadInput("A filter must not contain NUL characters.")
    if wanted.action:
        rows = rows.filter(Q(action=wanted.action) | Q(action__startswith=f"{wanted.action}."))
    exact: dict[str, Any] = {"actor": wanted.actor, "subject": wanted.subject, "project": wanted.project}
    bounds: dict[str, Any] = {"at__gte": wanted.since, "at__lt": wanted.until}
    rows = rows.filter(**{name: value for name, value in (exact | bounds).items() if value})
    return _with_text(rows, wanted.text, reader) if wanted.text else rows


def _with_text(rows: AuditQuerySet, text: str, reader: User) -> AuditQuerySet:
    """Return the entries that contain the text in a field, or in details that the reader may see.

    SQLite stores JSON with escapes, PostgreSQL without.
    """
    escaped = json.dumps(text)[1:-1]
    details = Q(details__icontains=text) | Q(details__icontains=escaped)
    plain = Q(action__icontains=text) | Q(actor_name__icontains=text) | Q(subject__icontains=text)
    return rows.annotate(details=Cast("data", TextField())).filter(plain | (open_to(reader) & details))

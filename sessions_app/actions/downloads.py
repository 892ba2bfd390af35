"""Record in the audit log that people downloaded or changed files of a session."""

from django.db import transaction

from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.models import User
from sessions_app.models import Session


def record_download(*, actor: User, session: Session, what: str) -> None:
    """Record in the audit log that a person downloads a file, patch, bundle or archive (`what`) of the session's
    workspace."""
    _record("session.downloaded", actor, session, what=what)


def record_file_change(*, actor: User, session: Session, what: str, path: str) -> None:
    """Record in the audit log that a person is about to write, move or remove (`what`) a file of the session's
    workspace."""
    _record("session.files_changed", actor, session, what=what, path=path)


def _record(action: str, actor: User, session: Session, **data: str) -> None:
    with sqlite_write_lock(), transaction.atomic():
        audit.record(
            team_id=session.project.team_id,
            actor=actor,
            action=action,
            subject=session.public_id,
            data=data,
            project_id=session.project_id,
        )

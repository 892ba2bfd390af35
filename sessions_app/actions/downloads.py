"""Record downloads of a session's files in the audit log."""

from django.db import transaction

from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.models import User
from sessions_app.models import Session


def record_download(*, actor: User, session: Session, what: str) -> None:
    """Record that a person downloads a patch, bundle or archive of the session's workspace."""
    with sqlite_write_lock(), transaction.atomic():
        audit.record(
            team_id=session.project.team_id,
            actor=actor,
            action="session.downloaded",
            subject=session.public_id,
            data={"what": what},
            project_id=session.project_id,
        )

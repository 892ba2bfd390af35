"""Pin sessions, and note when a person has looked at them."""

from django.db import transaction
from django.utils import timezone

from agentsite.tenancy.access import require
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.models import Session, SessionMark


def mark_session(*, actor: User, session: Session, pinned: bool | None = None, seen: bool | None = None) -> SessionMark:
    """Change whether the actor has pinned the session and whether they have seen its news; None leaves a value
    unchanged. `seen` False marks it as unread."""
    require(actor, Act.VIEW, team_id=session.project.team_id)
    now = timezone.now()
    with transaction.atomic():
        row, _ = SessionMark.objects.get_or_create(session=session, user=actor, defaults={"seen_at": now})
        row.pinned = row.pinned if pinned is None else pinned
        row.seen_at = row.seen_at if seen is None else now if seen else None
        row.save(update_fields=["pinned", "seen_at"])
    return SessionMark.objects.of(actor).get(pk=row.pk)

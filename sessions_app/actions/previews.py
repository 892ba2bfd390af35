"""Decide who may open the pages that programs of a session's workspace serve, and issue tickets for them.

A ticket opens a preview once, within a minute. The preview server exchanges it for a cookie of the preview's own
origin, which stands for a grant. Tickets and cookies are random values; the cache stores what each stands for, under
its hash.
"""

import uuid
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.core.cache import cache
from django.db import transaction

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import NotAllowed, SiteError
from agentsite.base.preview_address import PreviewPlace
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.browser_sessions import is_browser_session_alive
from agentsite.tenancy.models import ApiToken, User
from agentsite.tenancy.roles import Act
from agentsite.tenancy.scopes import Scope
from agentsite.tenancy.secrets import hash_secret, new_ticket
from sessions_app.models import Session
from sessions_app.policy import session_policies

TICKET_SECONDS: Final = 60
GRANT_SECONDS: Final = 12 * 3600
OPEN_PATH: Final = "/.agentsite/open"  # of each preview; redeems a ticket
_TICKET: Final = "preview-ticket:"
_GRANT: Final = "preview-grant:"


@dataclass(frozen=True, slots=True)
class PreviewGrant:
    """A person's right to see the preview of one port in one session, as long as their browser session or API token is
    valid."""

    user_id: uuid.UUID
    session_id: uuid.UUID
    place: PreviewPlace
    session_key: str
    token_id: uuid.UUID | None


def preview_problem(user: User, session: Session) -> str:
    """Return why the person may not open previews of the session, "" if they may. Reads `session.project`. Raises
    NotAllowed or Missing if their role does not let them prompt."""
    require(user, Act.PROMPT, team_id=session.project.team_id)
    if not settings.PREVIEW_URL:
        return "The operators of this site have not set up previews (AGENTSITE_PREVIEW_URL)."
    allowed, source = session_policies(session).previews
    return "" if allowed else f"The {source}'s policy forbids previews."


def open_preview(
    *, actor: User, session: Session, port: int, path: str, session_key: str = "", token: ApiToken | None = None
) -> str:
    """Return the address that opens a preview once. Raises NotAllowed if the person may not open it."""
    if problem := preview_problem(actor, session):
        raise NotAllowed(problem, code=ErrorCode.PREVIEWS_OFF)
    place = PreviewPlace(port, session.workspace_id)
    with sqlite_write_lock(), transaction.atomic():
        audit.record(
            team_id=session.project.team_id,
            actor=actor,
            action="preview.opened",
            subject=session.public_id,
            data={"port": port},
            project_id=session.project_id,
        )
    grant = PreviewGrant(actor.pk, session.pk, place, session_key, token.pk if token else None)
    secret = new_ticket()
    cache.set(_TICKET + hash_secret(secret), (grant, path), TICKET_SECONDS)
    return f"{settings.PREVIEW_URL.replace('{id}', place.label)}{OPEN_PATH}?ticket={secret}"


def redeem_preview_ticket(secret: str, place: PreviewPlace) -> tuple[str, str] | None:
    """Use up a ticket. Return the secret of a new grant, and the path to show; None if the ticket is not valid for this
    preview."""
    key = _TICKET + hash_secret(secret)
    found: tuple[PreviewGrant, str] | None = cache.get(key)
    if found is None or found[0].place != place or not cache.delete(key):
        return None
    grant = new_ticket()
    cache.set(_GRANT + hash_secret(grant), found[0], GRANT_SECONDS)
    return grant, found[1]


def find_grant(secret: str, place: PreviewPlace) -> PreviewGrant | None:
    """Return the grant that belongs to the secret of a cookie; None if there is none for this preview."""
    grant: Any = cache.get(_GRANT + hash_secret(secret))
    return grant if isinstance(grant, PreviewGrant) and grant.place == place else None


def session_of_grant(grant: PreviewGrant) -> tuple[User, Session] | None:
    """Return the person and the session of a grant. Returns None if the person may no longer see the preview, for
    example after signing out, losing the role, or a change of the session's audience or workspace."""
    user = User.objects.filter(pk=grant.user_id, is_active=True).first()
    if user is None or not _is_signed_in(grant, user):
        return None
    rows = Session.objects.visible_to(user).select_related("project", "workspace__project")
    session = rows.filter(pk=grant.session_id, workspace=grant.place.workspace).first()
    try:
        return None if session is None or preview_problem(user, session) else (user, session)
    except SiteError:
        return None


def _is_signed_in(grant: PreviewGrant, user: User) -> bool:
    """Return whether the browser session or API token of a grant is still valid. Also restricts the rights of `user` to
    the team or project of the token."""
    if grant.token_id is None:
        return is_browser_session_alive(grant.session_key, user)
    token = ApiToken.objects.alive().filter(pk=grant.token_id, user=user).first()
    if token is None or Scope.WORK not in token.scopes:
        return False
    user.token_restriction = token.token_restriction
    return True

"""Create, open and revoke share links, with which other people read a session."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import transaction
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, NotAllowed, NotSignedIn, Stale
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.access import can, require
from agentsite.tenancy.models import Project, User
from agentsite.tenancy.roles import Act
from agentsite.tenancy.secrets import hash_secret, new_ticket
from sessions_app.configured import configuration_of, places_of
from sessions_app.events.publish import publish_links_changed
from sessions_app.models import Session, SharedWith, ShareLink
from tools_app.policies.current import current_policies

MAX_SHARE_LINKS: Final = 20  # active links of one session


@dataclass(frozen=True, slots=True)
class IssuedLink:
    """A new share link. `secret` exists only in this object, because only its hash is stored."""

    link: ShareLink
    secret: str


def create_share_link(
    *, actor: User, session: Session, reach: str, expires_at: datetime | None = None, show_names: bool = False
) -> IssuedLink:
    """Create a share link to the session, for the team or for the public (`reach`).

    Raises NotAllowed for a public link if the policies forbid them, and for a private session that the actor did not
    start.
    """
    require(actor, Act.SHARE, team_id=session.project.team_id)
    if configuration_of(session).value("share") == "disabled":
        raise NotAllowed(
            f'Share links are switched off: `share` is "disabled" in {places_of(configuration_of(session), "share")}.',
            hint="Change that configuration, or send people who are in the team the address of the session.",
        )
    if reach == ShareLink.Reach.PUBLIC and not public_links_allowed(session.project):
        raise NotAllowed(
            "The policy does not allow public links.",
            code=ErrorCode.PUBLIC_LINKS_OFF,
            hint="Make a link for the team, or ask an admin to switch public links on in the policy.",
        )
    secret = new_ticket()
    with sqlite_write_lock(), transaction.atomic():
        locked = Session.objects.select_for_update().filter(pk=session.pk).first()
        if locked is None:
            raise Missing("This session no longer exists.")
        _check(locked, actor, expires_at)
        if ShareLink.objects.alive().filter(session=session).count() >= MAX_SHARE_LINKS:
            raise Stale(
                f"A session can have at most {MAX_SHARE_LINKS} active links.",
                code=ErrorCode.TOO_MANY_LINKS,
                hint="Revoke a link first.",
            )
        link = ShareLink.objects.create(
            session=session, reach=ShareLink.Reach(reach), secret_hash=hash_secret(secret), show_names=show_names,
            created_by=actor, expires_at=expires_at,
        )  # fmt: skip
        _record(link, "share_link.created", actor)
    return IssuedLink(link, secret)


def revoke_share_link(*, actor: User, link: ShareLink) -> None:
    """Revoke the share link and disconnect its readers. Allowed for its creator, the starter of the session, and
    admins. Reads `link.session.project`."""
    team_id = link.session.project.team_id
    require(actor, Act.SHARE, team_id=team_id)
    if actor.pk not in (link.created_by_id, link.session.created_by_id):
        require(actor, Act.MANAGE_SESSIONS, team_id=team_id)
    session_id = link.session_id
    with sqlite_write_lock(), transaction.atomic():
        if not ShareLink.objects.filter(pk=link.pk, revoked_at=None).update(revoked_at=timezone.now()):
            raise Stale("This link is already revoked.", code=ErrorCode.ALREADY_REVOKED)
        _record(link, "share_link.revoked", actor)
        transaction.on_commit(lambda: publish_links_changed(session_id))


def open_share_link(secret: str, *, user: User | None) -> ShareLink:
    """Return the valid link with this secret, with its session and project. Raises Missing if it is not valid, and
    NotSignedIn for a team link if `user` is None."""
    rows = ShareLink.objects.alive().filter(secret_hash=hash_secret(secret))
    link = rows.select_related("session__project").first()
    if link is None or not _creator_may_still_share(link):
        raise Missing("This link is not valid: it was revoked or has expired.", hint="Ask for a new link.")
    if link.reach == ShareLink.Reach.PUBLIC:
        if not public_links_allowed(link.session.project):
            raise Missing("This link is no longer valid.", hint="Ask for a new link.")
        return link
    if user is None:
        raise NotSignedIn("This link is for members of the team.", hint="Sign in, then open it again.")
    if not can(user, Act.VIEW, team_id=link.session.project.team_id):
        raise Missing("This link is not valid: it was revoked or has expired.", hint="Ask for a new link.")
    return link


def _creator_may_still_share(link: ShareLink) -> bool:
    session = link.session
    return session.shared_with != SharedWith.PRIVATE or link.created_by_id == session.created_by_id


def public_links_allowed(project: Project) -> bool:
    return current_policies(team_id=project.team_id, project_id=project.pk).public_share_links


def _check(session: Session, actor: User, expires_at: datetime | None) -> None:
    if session.root_id is not None:
        raise BadInput(
            "The session of a sub-agent cannot be shared with its own link.", hint="Share the session that started it."
        )
    if expires_at is not None and expires_at <= timezone.now():
        raise BadInput("The expiry time must be in the future.", fields={"expires_at": "must be in the future"})
    if session.shared_with == SharedWith.PRIVATE and session.created_by_id != actor.pk:
        raise NotAllowed("Only the person who started a private session can create links to it.", hint="Ask them.")


def _record(link: ShareLink, action: str, actor: User) -> None:
    data = {
        "session": link.session.public_id,
        "reach": link.reach,
        "show_names": link.show_names,
        "expires_at": link.expires_at and link.expires_at.isoformat(),
    }
    audit.record(team_id=link.session.project.team_id, actor=actor, action=action, subject=link.public_id, data=data)

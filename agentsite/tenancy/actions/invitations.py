"""Create, resend, revoke and accept invitations. Each invitation is for one e-mail address and can be accepted once."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db.models import Q
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, NotAllowed, Stale, TooMany
from agentsite.tenancy import audit
from agentsite.tenancy.access import require, require_active_team
from agentsite.tenancy.actions.email_quota import count_invitation
from agentsite.tenancy.actions.team_lock import team_write
from agentsite.tenancy.mail import send_mail_later
from agentsite.tenancy.models import Invitation, Membership, Team, User
from agentsite.tenancy.person_updates import notify_person
from agentsite.tenancy.roles import act_for_role
from agentsite.tenancy.secrets import hash_secret, new_ticket

LIFETIME: Final = timedelta(days=7)
MAX_OPEN: Final = 200  # open invitations of one team
_EMAIL: Final = """{who} invites you to the team "{team}" on agentsite, as {role}.

Open this link to join, until {until}:

{link}

This link is only for you. Do not forward it. If you did not expect this invitation, ignore this e-mail.
"""


@dataclass(frozen=True, slots=True)
class IssuedInvitation:
    """An invitation with its two link secrets, of which the database keeps only hashes.

    `secret` is returned to the caller once. `mailed_secret` is only sent to the invited address.
    """

    invitation: Invitation
    secret: str
    mailed_secret: str


def invite(*, actor: User, team: Team, email: str, role: str, may_approve: bool = True) -> IssuedInvitation:
    """Invite an e-mail address to the team. Raises Stale if the address already has a membership or an open
    invitation."""
    require(actor, act_for_role(role), team_id=team.pk)
    email = _address(email)
    with team_write(team.pk) as row:
        # check again inside the lock: the actor may have been removed meanwhile
        require(actor, act_for_role(role), team_id=team.pk)
        _require_new(row, email)
        issued = _issue(Invitation(team=row, email=email, role=role, may_approve=may_approve, invited_by=actor))
        _mail(issued, row, actor)
        _record("invitation.created", issued.invitation, actor)
    return issued


def resend_invitation(*, actor: User, invitation: Invitation) -> IssuedInvitation:
    """Send the invitation again with new links that are valid for seven days. The old links stop working."""
    require(actor, invitation.needs(), team_id=invitation.team_id)
    with team_write(invitation.team_id) as team:
        require(actor, invitation.needs(), team_id=invitation.team_id)
        invitation.refresh_from_db()
        if invitation.accepted_at is not None or invitation.revoked_at is not None:
            raise _already_closed(invitation)
        issued = _issue(invitation)
        _mail(issued, team, actor)
        _record("invitation.resent", invitation, actor)
    return issued


def revoke_invitation(*, actor: User, invitation: Invitation) -> None:
    """Revoke the invitation, so that its links stop working. Does nothing if it is already revoked or accepted."""
    require(actor, invitation.needs(), team_id=invitation.team_id)
    with team_write(invitation.team_id):
        rows = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, revoked_at=None)
        if rows.update(revoked_at=timezone.now()):
            _record("invitation.revoked", invitation, actor)


def open_invitation(secret: str) -> Invitation | None:
    """Return the open invitation that a link's secret belongs to, with `team` and `invited_by` loaded, or None.

    The invitation's attribute `by_mail` is true if this secret was sent only by e-mail to the invited address.
    """
    given = hash_secret(secret)
    rows = Invitation.objects.open().filter(Q(secret_hash=given) | Q(mailed_hash=given), team__remove_at=None)
    row = rows.select_related("team", "invited_by").first()
    if row is not None:
        row.by_mail = row.mailed_hash == given
    return row


def accept_invitation(*, actor: User, secret: str) -> Membership:
    """Accept the invitation of a link's secret: make the actor a member of its team.

    Raises Missing if the link is no longer valid, NotAllowed if the actor has another e-mail address, and Stale if the
    actor is already a member.
    """
    found = open_invitation(secret)
    if found is None:
        raise no_such_invitation()
    if found.email != actor.email.lower():
        raise NotAllowed(
            f"This invitation is for {found.email}, and you are signed in as {actor.email}.",
            code=ErrorCode.OTHER_ADDRESS,
            hint="Sign in with the invited address, or ask for an invitation for your current address.",
        )
    with team_write(found.team_id) as team:
        require_active_team(team)
        if open_invitation(secret) is None:  # accepted, revoked or resent meanwhile
            raise no_such_invitation()
        Invitation.objects.filter(pk=found.pk).update(accepted_at=timezone.now(), accepted_by=actor)
        return _join(found, team, actor)


def revoke_invitations_of(user: User, team: Team, *, actor: User) -> None:
    """Revoke the open invitations that the user sent but may no longer send, inside the caller's transaction.

    Without this, a removed member could come back through an invitation of their own.
    """
    membership = Membership.objects.filter(team=team, user=user).first()
    for row in Invitation.objects.open().filter(team=team, invited_by=user):
        if membership is None or not membership.may(row.needs()):
            Invitation.objects.filter(pk=row.pk).update(revoked_at=timezone.now())
            _record("invitation.revoked", row, actor)


def link_of(secret: str) -> str:
    return f"{settings.SITE_URL}/invitations/{secret}"


def no_such_invitation() -> Missing:
    return Missing(
        "This invitation cannot be used: it has expired, was revoked, or was already accepted.",
        code=ErrorCode.INVITATION_CLOSED,
        hint="Ask the person who invited you for a new invitation.",
    )


def _join(invitation: Invitation, team: Team, actor: User) -> Membership:
    if Membership.objects.filter(team=team, user=actor).exists():
        raise Stale("You are already a member of this team.", code=ErrorCode.ALREADY_MEMBER)
    membership = Membership.objects.create(
        team=team, user=actor, role=invitation.role, may_approve=invitation.may_approve
    )
    notify_person(actor.pk)
    _record("invitation.accepted", invitation, actor)
    return membership


def _issue(row: Invitation) -> IssuedInvitation:
    secret, mailed = new_ticket(), new_ticket()
    row.secret_hash, row.mailed_hash = hash_secret(secret), hash_secret(mailed)
    row.sent_at = timezone.now()
    row.expires_at = row.sent_at + LIFETIME
    row.save()
    return IssuedInvitation(row, secret, mailed)


def _mail(issued: IssuedInvitation, team: Team, actor: User) -> None:
    row = issued.invitation
    count_invitation(team, row.email)
    who = f"{actor.name or actor.email} ({actor.email})" if actor.name else actor.email
    text = _EMAIL.format(
        who=who, team=team.name, role=row.role, link=link_of(issued.mailed_secret), until=f"{row.expires_at:%d %b %Y}"
    )
    send_mail_later(to=row.email, subject=f"Invitation to the team {team.name}", text=text)


def _address(text: str) -> str:
    email = text.strip().lower()
    try:
        validate_email(email)
    except ValidationError:
        raise BadInput("This is not a valid e-mail address.", fields={"email": "not a valid e-mail address"}) from None
    if len(email) > 254:
        raise BadInput(
            "This e-mail address is too long; at most 254 characters are allowed.",
            fields={"email": "at most 254 characters"},
        )
    return email


def _require_new(team: Team, email: str) -> None:
    if Membership.objects.filter(team=team, user__email=email).exists():
        raise Stale(f"{email} is already a member of this team.", code=ErrorCode.ALREADY_MEMBER)
    rows = Invitation.objects.open().filter(team=team)
    if rows.filter(email=email).exists():
        raise Stale(
            f"{email} already has an open invitation.",
            code=ErrorCode.ALREADY_INVITED,
            hint="Resend or revoke that invitation.",
        )
    if rows.count() >= MAX_OPEN:
        raise TooMany(
            f"A team can have at most {MAX_OPEN} open invitations.", hint="Revoke invitations that are not needed."
        )


def _already_closed(row: Invitation) -> Stale:
    return Stale(f"This invitation was already {row.state()}.", code=ErrorCode.INVITATION_SETTLED)


def _record(action: str, row: Invitation, actor: User) -> None:
    expires = row.expires_at.isoformat()
    data = {"email": row.email, "role": row.role, "may_approve": row.may_approve, "expires_at": expires}
    audit.record(team_id=row.team_id, actor=actor, action=action, subject=row.public_id, data=data)

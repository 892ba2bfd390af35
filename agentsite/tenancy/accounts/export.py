"""The stored data of an account as JSON values, for the export of personal data. The export contains no secrets."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession

from agentsite.tenancy.models import ApiToken, AuditEntry, Invitation, Membership, User


def profile_of(user: User) -> dict[str, Any]:
    addresses = EmailAddress.objects.filter(user=user)
    return {
        "id": user.public_id,
        "email": user.email,
        "name": user.name,
        "created_at": _time(user.created_at),
        "last_signed_in_at": _time(user.last_login),
        "has_password": user.has_usable_password(),
        "addresses": [{"email": row.email, "confirmed": row.verified} for row in addresses],
        "second_factors": [_factor(row) for row in Authenticator.objects.filter(user=user)],
        "providers": [
            {"provider": row.provider, "id": row.uid, "told": row.extra_data}
            for row in SocialAccount.objects.filter(user=user)
        ],
        "devices": [_device(row) for row in UserSession.objects.filter(user=user)],
    }


def memberships_of(user: User) -> Iterator[dict[str, Any]]:
    for row in Membership.objects.filter(user=user).select_related("team"):
        yield {
            "team": row.team.public_id,
            "name": row.team.name,
            "role": row.role,
            "may_approve": row.may_approve,
            "since": _time(row.created_at),
        }


def tokens_of(user: User) -> Iterator[dict[str, Any]]:
    for row in ApiToken.objects.filter(user=user):
        yield {
            "id": row.public_id,
            "name": row.name,
            "scopes": row.scopes,
            "created_at": _time(row.created_at),
            "expires_at": _time(row.expires_at),
            "last_used_at": _time(row.last_used_at),
        }


def invitations_of(user: User) -> Iterator[dict[str, Any]]:
    """Yield the invitations of the person's e-mail address."""
    for row in Invitation.objects.filter(email=user.email).select_related("team"):
        yield {"team": row.team.name, "role": row.role, "sent_at": _time(row.sent_at), "state": row.state()}


def audit_entries_by(user: User) -> Iterator[dict[str, Any]]:
    """Yield the audit entries about actions of this user, from the audit logs of all teams."""
    for row in AuditEntry.objects.filter(actor=user.public_id).order_by("id").iterator(chunk_size=1000):
        yield {"at": _time(row.at), "action": row.action, "subject": row.subject, "data": row.data}


def _factor(row: Authenticator) -> dict[str, Any]:
    name = row.data.get("name", "") if row.type == Authenticator.Type.WEBAUTHN else ""
    return {"type": row.type, "name": name, "since": _time(row.created_at), "last_used_at": _time(row.last_used_at)}


def _device(row: UserSession) -> dict[str, Any]:
    return {
        "browser": row.user_agent,
        "address": row.ip,
        "since": _time(row.created_at),
        "last_seen_at": _time(row.last_seen_at),
    }


def _time(at: datetime | None) -> str | None:
    return at.isoformat() if at else None

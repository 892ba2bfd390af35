"""Decide who may create an account (anybody, invited people, or nobody), for passwords and identity providers alike."""

import json
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

from agentsite.tenancy.actions.invitations import open_invitation
from agentsite.tenancy.models import Invitation

OPEN: Final = "open"
CLOSED: Final = "closed"
_PAGE: Final = "/invitations/"


def may_sign_up(email: str, invitation: Invitation | None) -> bool:
    """Return whether an account may be created for an e-mail address. An invitation is only valid for the address that
    was invited."""
    if settings.SIGN_UP == CLOSED:
        return False
    if settings.SIGN_UP == OPEN:
        return True
    return invitation is not None and invitation.email == email.strip().lower()


def invitation_sent_with(request: HttpRequest) -> Invitation | None:
    """Return the open invitation whose secret is in the field `invitation` of a sign-up request, or None."""
    secret = secret_sent_with(request)
    return open_invitation(secret) if secret else None


def secret_sent_with(request: HttpRequest) -> str:
    return _text_sent_with(request, "invitation")


def address_sent_with(request: HttpRequest) -> str:
    return _text_sent_with(request, "email")


def invitation_behind(address: str) -> Invitation | None:
    """Return the open invitation to which the address of an invitation page belongs, or None. After signing in at an
    identity provider, the person returns to this page."""
    _, page, secret = urlsplit(address).path.rpartition(_PAGE)
    return open_invitation(secret) if page and secret else None


def _text_sent_with(request: HttpRequest, field: str) -> str:
    if request.content_type != "application/json":
        return ""
    try:
        body: Any = json.loads(request.body or b"{}")
    except ValueError:
        return ""
    text = body.get(field) if isinstance(body, dict) else None
    return text if isinstance(text, str) else ""

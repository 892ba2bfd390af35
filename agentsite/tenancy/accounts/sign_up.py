"""Who may make an account: anybody, who was invited, or nobody. One rule, however they prove who they are."""

import json
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest

OPEN: Final = "open"
INVITATION: Final = "invitation"
CLOSED: Final = "closed"


def is_open(request: HttpRequest) -> bool:
    """May whoever sends this make an account, as far as can be said before the address is known?"""
    return settings.SIGN_UP == OPEN


def sent_with(request: HttpRequest) -> dict[str, Any]:
    """The JSON object that a sign-up sends; empty for anything else."""
    if request.content_type != "application/json":
        return {}
    try:
        body = json.loads(request.body or b"{}")
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}

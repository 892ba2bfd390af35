"""Showing once more who one is, for what cannot be taken back."""

from typing import Any

from allauth.account.adapter import get_adapter
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from agentsite.base.errors import BadInput, TooMany
from agentsite.tenancy.models import User


def require_person(request: HttpRequest, user: User, *, password: str, address: str) -> None:
    """The password; whoever has none types their own address. Wrong passwords count as they do when signing in."""
    if not user.has_usable_password():
        if address.strip().lower() != user.email:
            raise BadInput("Type your own address to confirm.", fields={"address": "not the address of this account"})
        return
    adapter: Any = get_adapter(request)
    try:
        right = bool(password) and adapter.reauthenticate(user, password)
    except ValidationError as error:
        raise TooMany(" ".join(error.messages)) from None
    if not right:
        raise BadInput("This is not your password.", code="wrong_password", fields={"password": "not your password"})

"""Require people to authenticate again before changes that cannot be undone."""

from typing import Any

from allauth.account.adapter import get_adapter
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, TooMany
from agentsite.tenancy.models import User


def require_person(request: HttpRequest, user: User, *, password: str, address: str) -> None:
    """Check the user's password or, for an account without one, the e-mail address.

    Wrong passwords count towards the lockout, as they do at sign-in. Raises BadInput or TooMany.
    """
    if not user.has_usable_password():
        if address.strip().lower() != user.email:
            raise BadInput(
                "Type your own e-mail address to confirm.", fields={"address": "not the e-mail address of this account"}
            )
        return
    adapter: Any = get_adapter(request)
    try:
        right = bool(password) and adapter.reauthenticate(user, password)
    except ValidationError as error:
        raise TooMany(" ".join(error.messages)) from None
    if not right:
        raise BadInput("The password is wrong.", code=ErrorCode.WRONG_PASSWORD, fields={"password": "wrong password"})

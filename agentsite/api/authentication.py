"""Authentication of API requests. Each authenticated request is counted before anything else is done for it."""

from typing import Final

from django.http import HttpRequest

from agentsite.api.rate_limit_keys import counters_of
from agentsite.http.rate_limits import RateExceeded, count_request
from agentsite.tenancy import authentication
from agentsite.tenancy.models import User

_RATE_HEADERS: Final = "_agentsite_rate_headers"


class BearerToken(authentication.BearerToken):
    def __call__(self, request: HttpRequest) -> User | None:
        return _counted(request, super().__call__(request))


class SessionCookie(authentication.SessionCookie):
    def __call__(self, request: HttpRequest) -> User | None:
        return _counted(request, super().__call__(request))


def _counted(request: HttpRequest, user: User | None) -> User | None:
    """Count the request of this user. Raises RateExceeded."""
    if user is not None:
        try:
            setattr(request, _RATE_HEADERS, count_request(counters_of(request, user)))
        except RateExceeded as error:
            setattr(request, _RATE_HEADERS, error.headers)
            raise
    return user


def rate_headers(request: HttpRequest) -> dict[str, str]:
    """Return the headers that tell how many requests are left; empty for a request that was not counted."""
    headers: dict[str, str] = getattr(request, _RATE_HEADERS, {})
    return headers


COUNTED_SIGN_IN: Final = [BearerToken(), SessionCookie()]

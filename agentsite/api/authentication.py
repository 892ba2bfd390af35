"""Authenticate API requests, and count each request for the rate limits before the operation does any work.

A request is counted for the API token or person that sends it, and for the team whose objects its path names.
"""

import time
import uuid
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from django.http import HttpRequest

from agentsite.base.errors import Missing
from agentsite.http.rate_limits import RateExceeded, count_request
from agentsite.tenancy import authentication
from agentsite.tenancy.models import Project, Team, User
from sessions_app.models import Session, Workspace

_RATE_HEADERS: Final = "_agentsite_rate_headers"
_TEAM_CACHE_SECONDS: Final = 60  # requests of a person who left a team still count for it this long
_TEAM_OF: Final[Mapping[str, tuple[Any, str]]] = {
    "team_id": (Team, "pk"),
    "project_id": (Project, "team_id"),
    "session_id": (Session, "project__team_id"),
    "workspace_id": (Workspace, "project__team_id"),
}


def counters_of(request: HttpRequest, user: User) -> dict[str, str]:
    """Return the keys of the rate-limit counters of a request, by kind of rate limit.

    The kinds are "token" or "person", and "team" if the path names an object of a team that the user can see.
    """
    token = authentication.current_token(request)
    found = {"person": user.public_id} if token is None else {"token": token.public_id}
    named = request.resolver_match.kwargs if request.resolver_match else {}
    for name in _TEAM_OF.keys() & named.keys():
        team = _team_of(user.pk, name, str(named[name]), int(time.monotonic() // _TEAM_CACHE_SECONDS))
        if team:
            found["team"] = team
    return found


@lru_cache(maxsize=10_000)
def _team_of(user_id: uuid.UUID, name: str, public_id: str, _cache_period: int) -> str:
    """Return the id of the team that the object with this public id belongs to; "" if the person cannot see the object.

    Requests for invisible objects are not counted for a team: otherwise anybody could use up another team's rate limit.
    """
    model, path = _TEAM_OF[name]
    try:
        row = model.objects.visible_to(User(pk=user_id)).by_public_id(public_id)
    except Missing:
        return ""
    return str(model.objects.filter(pk=row.pk).values_list(path, flat=True).get())


class BearerToken(authentication.BearerToken):
    def __call__(self, request: HttpRequest) -> User | None:
        return _counted(request, super().__call__(request))


class SessionCookie(authentication.SessionCookie):
    def __call__(self, request: HttpRequest) -> User | None:
        return _counted(request, super().__call__(request))


def _counted(request: HttpRequest, user: User | None) -> User | None:
    """Count a request for the rate limits of its user, and return the user. Raises RateExceeded."""
    if user is not None:
        try:
            setattr(request, _RATE_HEADERS, count_request(counters_of(request, user)))
        except RateExceeded as error:
            setattr(request, _RATE_HEADERS, error.headers)
            raise
    return user


def rate_headers(request: HttpRequest) -> dict[str, str]:
    """Return the rate-limit headers for the response to a request; empty for a request that was not counted."""
    headers: dict[str, str] = getattr(request, _RATE_HEADERS, {})
    return headers


COUNTED_SIGN_IN: Final = [BearerToken(), SessionCookie()]

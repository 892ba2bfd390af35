"""Callers of all kinds who may try to access rows of a foreign team."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from django.test import Client
from django.utils import timezone

from agentsite.tenancy.actions.service_accounts import create_service_account
from agentsite.tenancy.actions.tokens import IssuedToken, create_token
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Role
from agentsite.tenancy.scopes import Scope
from tests.support.builders import bearer, browser_of, join, make_member, make_user
from tests.support.tenancy_world import Tenant


@dataclass(frozen=True)
class Caller:
    """A caller of the API, signed in by a cookie or with a token."""

    browser: Client
    headers: Mapping[str, str] = field(default_factory=dict)


def strangers(home: Tenant) -> dict[str, Caller]:
    """Return callers without access to teams other than `home`: members of `home`, a person without a team, and an
    operator."""
    operator = make_user()
    operator.is_staff = operator.is_superuser = True
    operator.save()
    return {
        "the owner of another team": Caller(browser_of(home.owner)),
        "a program of the owner of another team": Caller(Client(), bearer(home.owner)),
        "a viewer of another team": Caller(browser_of(make_member(home.team, Role.VIEWER))),
        "somebody without a team": Caller(browser_of(make_user())),
        "an operator": Caller(browser_of(operator)),
    }


def programs(home: Tenant) -> dict[str, IssuedToken]:
    """Return tokens without access to other teams. `let_in` later makes the owners of some tokens members of the
    foreign team."""
    robot = create_service_account(actor=home.owner, team=home.team, name="Robot", role=Role.ADMIN)
    both = make_member(home.team, Role.OWNER)
    return {
        "a service account of another team": create_token(
            actor=home.owner, owner=robot, name="robot", scopes=Scope, team=home.team
        ),
        "a token for another team": create_token(actor=both, name="team", scopes=Scope, team=home.team),
        "a token for another team's project": create_token(
            actor=both, name="project", scopes=Scope, project=home["project"]
        ),
    }


def caller_with(issued: IssuedToken) -> Caller:
    return Caller(Client(), {"Authorization": f"Bearer {issued.secret}"})


def let_in(tokens: Mapping[str, IssuedToken], foreign: Tenant) -> None:
    """Make each person who has one of these API tokens an owner of the foreign team too."""
    for user in {issued.token.user for issued in tokens.values() if not issued.token.user.is_service}:
        join(foreign.team, user, Role.OWNER)


def former_member(tenant: Tenant) -> Caller:
    user = make_member(tenant.team, Role.ADMIN)
    browser = browser_of(user)
    user.memberships.all().delete()
    return Caller(browser)


def unknown_callers(foreign: Tenant) -> dict[str, Caller]:
    """Return callers who are not, or no longer, signed in. Some of them were members of the foreign team."""
    gone = make_member(foreign.team, Role.OWNER)
    callers = {
        "nobody": Caller(Client()),
        "a token that never was": Caller(Client(), {"Authorization": "Bearer ags_nonsense"}),
        "a token that has expired": Caller(Client(), _expired(foreign.owner)),
        "a token beside a cookie": Caller(browser_of(foreign.owner), {"Authorization": "Bearer ags_nonsense"}),
        "somebody who was barred": Caller(browser_of(gone)),
        "a program of somebody who was barred": Caller(Client(), bearer(gone)),
    }
    gone.is_active = False
    gone.save()
    return callers


def _expired(user: User) -> dict[str, str]:
    issued = create_token(actor=user, name="old")
    issued.token.expires_at = timezone.now() - timedelta(seconds=1)
    issued.token.save()
    return {"Authorization": f"Bearer {issued.secret}"}


def members_of(tenant: Tenant) -> dict[str, tuple[Role, bool, Caller]]:
    """Return members of all kinds: their role, whether they may approve, and the caller."""
    people: dict[str, tuple[Role, bool, Caller]] = {}
    for role in Role:
        people[role.value] = (role, True, Caller(browser_of(make_member(tenant.team, role))))
    silent = make_user()
    join(tenant.team, silent, Role.MEMBER, may_approve=False)
    people["member who may not approve"] = (Role.MEMBER, False, Caller(browser_of(silent)))
    return people

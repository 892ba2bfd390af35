"""Builders of rows for tests. Each makes a minimal valid row; pass the values that matter to the test."""

from datetime import datetime
from itertools import count

from django.test import Client

from agentsite.tenancy.actions.tokens import create_token
from agentsite.tenancy.models import Membership, Project, Team, User
from agentsite.tenancy.roles import Role
from agentsite.tenancy.scopes import Scope

PASSWORD = "a-long-test-password"
_numbers = count(1)


def make_user(email: str = "", *, name: str = "") -> User:
    return User.objects.create_user(email or f"user{next(_numbers)}@example.org", PASSWORD, name=name)


def make_team(slug: str = "") -> Team:
    slug = slug or f"team-{next(_numbers)}"
    return Team.objects.create(slug=slug, name=slug.title())


def join(team: Team, user: User, role: Role = Role.MEMBER, *, may_approve: bool = True) -> Membership:
    return Membership.objects.create(team=team, user=user, role=role.value, may_approve=may_approve)


def make_member(team: Team, role: Role = Role.MEMBER) -> User:
    user = make_user()
    join(team, user, role)
    return user


def make_project(team: Team, slug: str = "") -> Project:
    slug = slug or f"project-{next(_numbers)}"
    return Project.objects.create(team=team, slug=slug, name=slug.title())


def browser_of(user: User, *, csrf: bool = False) -> Client:
    """Return a signed-in browser; with `csrf` it must send the CSRF token, like a real one."""
    client = Client(enforce_csrf_checks=csrf)
    client.force_login(user)
    return client


def bearer(user: User, *, expires_at: datetime | None = None) -> dict[str, str]:
    """Return the headers of a program that acts as the user, with all scopes."""
    issued = create_token(actor=user, name="test", scopes=Scope, expires_at=expires_at)
    return {"Authorization": f"Bearer {issued.secret}"}

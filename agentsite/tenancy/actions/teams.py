"""Create and rename teams. `sessions_app.actions.deletion` deletes them, because it deletes their workspaces first."""

from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.utils.text import slugify

from agentsite.base.errors import NotAllowed, TooMany
from agentsite.base.ids import new_id
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.team_lock import team_write
from agentsite.tenancy.display_names import required_name
from agentsite.tenancy.models import Membership, Team, User
from agentsite.tenancy.person_updates import notify_person
from agentsite.tenancy.roles import Act, Role

MAX_OWNED: Final = 50  # teams that one person may own


def may_create_teams(user: User) -> bool:
    if user.is_service or not user.token_restriction.is_unrestricted:
        return False
    return bool(user.is_staff) or settings.TEAM_CREATION == "everybody"


def create_team(*, actor: User, name: str) -> Membership:
    """Create a team with the actor as its owner. Returns the actor's membership."""
    if not may_create_teams(actor):
        raise NotAllowed("Only the operators of this site can create teams.", hint="Ask an operator to create one.")
    name = required_name(name)
    with sqlite_write_lock(), transaction.atomic():
        if Membership.objects.filter(user=actor, role=Role.OWNER.value).count() >= MAX_OWNED:
            raise TooMany(
                f"A person can own at most {MAX_OWNED} teams.", hint="Delete a team that is not needed, or transfer it."
            )
        team = Team.objects.create(name=name, slug=_with_suffix(_plain_slug(name)))
        membership = Membership.objects.create(team=team, user=actor, role=Role.OWNER.value)
        notify_person(actor.pk)
        audit.record(
            team_id=team.pk, actor=actor, action="team.created", subject=team.public_id, data={"name": team.name}
        )
    return membership


def rename_team(*, actor: User, team: Team, name: str) -> Team:
    require(actor, Act.MANAGE_TEAM, team_id=team.pk)
    name = required_name(name)
    with team_write(team.pk) as row:
        before, row.name = row.name, name
        if before != name:
            row.save(update_fields=["name"])
            data = {"name": name, "before": before}
            audit.record(team_id=row.pk, actor=actor, action="team.renamed", subject=row.public_id, data=data)
    return row


def free_slug(name: str, taken: Any) -> str:
    """Return a URL slug for the name. If a row in `taken` has this slug, a random suffix is added."""
    slug = _plain_slug(name)
    return slug if not taken.filter(slug=slug).exists() else _with_suffix(slug)


def _plain_slug(name: str) -> str:
    return slugify(name)[:40].strip("-") or "unnamed"


def _with_suffix(slug: str) -> str:
    """Add a random suffix to a slug. The slug of every team has one, so that a slug never reveals whether another team
    has the same name."""
    return f"{slug}-{new_id().hex[-6:]}"

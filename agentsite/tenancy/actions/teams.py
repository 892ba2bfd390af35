"""Teams: made, renamed. How they end is told in `sessions_app.actions.deletion`, since their workspaces go first."""

from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.utils.text import slugify

from agentsite.base.errors import NotAllowed, TooMany
from agentsite.base.ids import new_id
from agentsite.base.sqlite_lock import writers_turn
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.team_lock import team_write
from agentsite.tenancy.display_names import required_name
from agentsite.tenancy.models import Membership, Team
from agentsite.tenancy.person_updates import tell_person
from agentsite.tenancy.roles import Act, Role

MOST_OWNED: Final = 50  # teams of one person


def may_create_teams(user: Any) -> bool:
    if user.is_service or not user.reach.is_everywhere:
        return False
    return bool(user.is_staff) or settings.TEAM_CREATION == "everybody"


def create_team(*, actor: Any, name: str) -> Membership:
    """A team with its first owner."""
    if not may_create_teams(actor):
        raise NotAllowed("Teams are created by the people who run this site.", hint="Ask one of them.")
    name = required_name(name)
    with writers_turn(), transaction.atomic():
        if Membership.objects.filter(user=actor, role=Role.OWNER.value).count() >= MOST_OWNED:
            raise TooMany(f"A person may own {MOST_OWNED} teams.", hint="Delete one that nobody needs.")
        team = Team.objects.create(name=name, slug=_with_an_end(_plain_slug(name)))
        membership = Membership.objects.create(team=team, user=actor, role=Role.OWNER.value)
        tell_person(actor.pk)
        audit.record(
            team_id=team.pk, actor=actor, action="team.created", subject=team.public_id, data={"name": team.name}
        )
    return membership


def rename_team(*, actor: Any, team: Team, name: str) -> Team:
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
    """The name as an address, with some random characters where another has it already."""
    slug = _plain_slug(name)
    return slug if not taken.filter(slug=slug).exists() else _with_an_end(slug)


def _plain_slug(name: str) -> str:
    return slugify(name)[:40].strip("-") or "unnamed"


def _with_an_end(slug: str) -> str:
    """Every team has one, so that nobody learns from their own team's which names other teams have."""
    return f"{slug}-{new_id().hex[-6:]}"

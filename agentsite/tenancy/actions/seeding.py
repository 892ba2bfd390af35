"""Create the demo team with its members and project. Seeding can be repeated: existing rows stay unchanged."""

from dataclasses import dataclass

from django.db import transaction

from agentsite.tenancy.accounts.trusted_addresses import mark_address_verified
from agentsite.tenancy.demo_team import DEMO_PASSWORD, DEMO_PEOPLE, DEMO_TEAM, DemoPerson
from agentsite.tenancy.models import Membership, Project, Team, User


@dataclass(frozen=True, slots=True)
class DemoProject:
    slug: str
    name: str
    description: str
    suggested_prompt: str


@transaction.atomic
def seed_demo(*, project: DemoProject) -> Team:
    team_slug, team_name = DEMO_TEAM
    team, _ = Team.objects.get_or_create(slug=team_slug, defaults={"name": team_name})
    for person in DEMO_PEOPLE:
        _seed_person(team, person)
    texts = {"name": project.name, "description": project.description, "suggested_prompt": project.suggested_prompt}
    Project.objects.get_or_create(team=team, slug=project.slug, defaults={**texts, "template": "demo"})
    return team


def _seed_person(team: Team, person: DemoPerson) -> None:
    user = User.objects.filter(email=person.email).first()
    if user is None:
        user = User.objects.create_user(person.email, DEMO_PASSWORD, name=person.name)
        mark_address_verified(user)
    Membership.objects.get_or_create(team=team, user=user, defaults={"role": person.role.value})

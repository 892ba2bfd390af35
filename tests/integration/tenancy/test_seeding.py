import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django.fixtures import Settings

from agentsite.tenancy.demo import DEMO_EMAIL, DEMO_PASSWORD
from agentsite.tenancy.models import Membership, Project, Team, User
from deploy import demo_project

pytestmark = pytest.mark.django_db


def test_the_demo_team_has_an_owner_a_member_and_a_viewer() -> None:
    call_command("seed_demo")
    assert sorted(Membership.objects.values_list("role", flat=True)) == ["member", "owner", "viewer"]
    assert User.objects.get(email=DEMO_EMAIL).check_password(DEMO_PASSWORD)


def test_the_demo_project_carries_the_suggestion_to_fix_its_test() -> None:
    call_command("seed_demo")
    project = Project.objects.get()
    assert (project.template, project.suggested_prompt) == ("demo", demo_project.SUGGESTED_PROMPT)


def test_seeding_again_changes_nothing_that_people_changed() -> None:
    call_command("seed_demo")
    Project.objects.update(name="Renamed")
    call_command("seed_demo")
    assert (Team.objects.count(), User.objects.count(), Project.objects.get().name) == (1, 3, "Renamed")


def test_a_site_without_demo_mode_is_not_seeded(settings: Settings) -> None:
    settings.DEMO_MODE = False
    with pytest.raises(CommandError, match="AGENTSITE_DEMO"):
        call_command("seed_demo")

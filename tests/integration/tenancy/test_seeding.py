import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django.fixtures import Settings

from agentsite.tenancy.demo_team import DEMO_EMAIL, DEMO_PASSWORD
from agentsite.tenancy.models import AuditEntry, Membership, Project, Team, User
from deploy import demo_project
from tools_app.models import PolicyVersion
from tools_app.policies.actions import save_policy
from tools_app.policies.current import current_policies
from tools_app.policies.documents import Expectation, PolicyDocument
from tools_app.policies.expectations import check_expectations
from tools_app.policies.scopes import PolicyScope

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


def test_the_demo_project_asks_before_it_runs_tests() -> None:
    call_command("seed_demo")
    policy = PolicyVersion.objects.get()
    assert (policy.place, policy.version, policy.author) == (Project.objects.get().public_id, 1, None)
    assert policy.reason == "The demo shows what a permission request looks like."
    project = Project.objects.get()
    policies = current_policies(team_id=project.team_id, project_id=project.pk)
    commands = ("pytest", "pytest -q", "python -m pytest", "python3 -m pytest tests")
    expected = [Expectation(expect="ask", command=command) for command in commands]
    assert all(result.ok for result in check_expectations(expected, policies))
    assert AuditEntry.objects.get().data["version"] == 1


def test_a_policy_that_people_made_is_not_seeded_over() -> None:
    call_command("seed_demo")
    project = Project.objects.get()
    owner = User.objects.get(email=DEMO_EMAIL)
    save_policy(actor=owner, place=PolicyScope("project", project), document=PolicyDocument(), base_version=1)
    call_command("seed_demo")
    assert [row.rules for row in PolicyVersion.objects.order_by("version")][1:] == [[]]


def test_a_project_that_is_not_there_gets_no_policy() -> None:
    with pytest.raises(CommandError, match="no project 'nothing'"):
        call_command("seed_demo_policy", "nobody", "nothing")


def test_a_site_without_demo_mode_is_not_seeded(settings: Settings) -> None:
    settings.DEMO_MODE = False
    with pytest.raises(CommandError, match="AGENTSITE_DEMO"):
        call_command("seed_demo")

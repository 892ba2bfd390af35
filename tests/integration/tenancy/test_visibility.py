"""`visible_to(user)` never returns rows of another team. All requests load rows through it."""

import pytest

from agentsite.tenancy.models import ApiToken, Membership, Project, Team, User
from agentsite.tenancy.roles import Role
from tests.support.builders import bearer, join, make_member, make_project, make_team, make_user

pytestmark = pytest.mark.django_db


def test_a_member_sees_the_team_its_members_and_its_projects() -> None:
    team = make_team()
    user, colleague = make_member(team), make_member(team, Role.VIEWER)
    project = make_project(team)

    assert list(Team.objects.visible_to(user)) == [team]
    assert list(Project.objects.visible_to(user)) == [project]
    assert set(User.objects.visible_to(user)) == {user, colleague}
    assert Membership.objects.visible_to(user).count() == 2


def test_somebody_of_another_team_sees_nothing_of_it() -> None:
    team = make_team()
    make_member(team)
    make_project(team)
    stranger = make_member(make_team())

    assert team not in Team.objects.visible_to(stranger)
    assert not Project.objects.visible_to(stranger).exists()
    assert list(User.objects.visible_to(stranger)) == [stranger]
    assert not Membership.objects.visible_to(stranger).filter(team=team).exists()


def test_two_shared_teams_do_not_show_a_person_twice() -> None:
    first, second = make_team(), make_team()
    user, colleague = make_user(), make_user()
    for team in (first, second):
        join(team, user)
        join(team, colleague)

    assert User.objects.visible_to(user).count() == 2


def test_tokens_are_seen_by_their_owner_only() -> None:
    team = make_team()
    owner, colleague = make_member(team), make_member(team, Role.OWNER)
    bearer(owner)

    assert ApiToken.objects.visible_to(owner).count() == 1
    assert not ApiToken.objects.visible_to(colleague).exists()

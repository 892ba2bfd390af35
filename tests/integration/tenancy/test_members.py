"""Members of a team: roles change, people leave, and at least one owner always remains."""

import pytest

from agentsite.base.errors import SiteError, Stale
from agentsite.tenancy.actions.members import change_member, remove_member
from agentsite.tenancy.actions.tokens import create_token
from agentsite.tenancy.models import ApiToken, AuditEntry, Membership, Team, User
from agentsite.tenancy.roles import Role
from tests.support.builders import join, make_member, make_team, make_user
from tests.support.rest_api import RestApi
from tests.support.threads import of_kind, race

pytestmark = pytest.mark.django_db


def path_of(team: Team, user: User) -> str:
    return f"/members/{Membership.objects.get(team=team, user=user).public_id}"


def role_of(team: Team, user: User) -> str:
    return Membership.objects.get(team=team, user=user).role


def test_members_are_listed_with_role_and_right_to_decide() -> None:
    team = make_team()
    silent = make_user()
    join(team, silent, may_approve=False)
    listed = RestApi(make_member(team, Role.VIEWER))("get", f"/teams/{team.public_id}/members")["items"]
    assert {(row["user"]["id"], row["role"], row["may_approve"]) for row in listed} >= {
        (silent.public_id, "member", False)
    }


@pytest.mark.parametrize("change", [{"role": "viewer"}, {"may_approve": False}, {"role": "owner"}])
def test_admins_cannot_touch_owners_nor_make_them(change: dict[str, object]) -> None:
    team = make_team()
    owner, admin = make_member(team, Role.OWNER), make_member(team, Role.ADMIN)
    RestApi(admin).error(
        "patch", path_of(team, owner), change if change != {"role": "owner"} else {"role": "admin"}, expect=403
    )
    if change == {"role": "owner"}:
        RestApi(admin).error("patch", path_of(team, admin), change, expect=403)
    RestApi(admin).error("delete", path_of(team, owner), expect=403)
    assert role_of(team, owner) == "owner"


def test_an_admin_changes_the_others_and_it_is_recorded() -> None:
    team = make_team()
    admin, member = make_member(team, Role.ADMIN), make_member(team)
    changed = RestApi(admin)("patch", path_of(team, member), {"role": "viewer"})
    assert changed["role"] == role_of(team, member) == "viewer"
    entry = AuditEntry.objects.get(action="member.changed")
    assert entry.data["before"] == {"role": "member", "may_approve": True}
    assert entry.subject == member.public_id


def test_a_change_that_changes_nothing_is_not_recorded() -> None:
    team = make_team()
    admin, member = make_member(team, Role.ADMIN), make_member(team)
    RestApi(admin)("patch", path_of(team, member), {"role": "member"})
    assert not AuditEntry.objects.filter(action="member.changed").exists()


def test_everybody_may_leave_and_sees_nothing_from_then_on() -> None:
    team = make_team()
    make_member(team, Role.OWNER)
    viewer = make_member(team, Role.VIEWER)
    api = RestApi(viewer)
    api("delete", path_of(team, viewer), expect=204)
    api.error("get", f"/teams/{team.public_id}", expect=404)
    assert AuditEntry.objects.get(action="member.left").actor == viewer.public_id


def test_the_last_owner_neither_leaves_nor_becomes_less() -> None:
    team = make_team()
    owner = make_member(team, Role.OWNER)
    api = RestApi(owner)
    assert api.error("delete", path_of(team, owner), expect=409)["code"] == "last_owner"
    assert api.error("patch", path_of(team, owner), {"role": "admin"}, expect=409)["code"] == "last_owner"
    assert role_of(team, owner) == "owner"


def test_an_owner_who_may_not_sign_in_any_more_is_none() -> None:
    team = make_team()
    owner, gone = make_member(team, Role.OWNER), make_member(team, Role.OWNER)
    gone.is_active = False
    gone.save()
    RestApi(owner).error("delete", path_of(team, owner), expect=409)


def test_ownership_goes_over_in_one_step() -> None:
    team = make_team()
    owner, member = make_member(team, Role.OWNER), make_member(team)
    target = Membership.objects.get(team=team, user=member).public_id
    RestApi(owner)("post", f"/teams/{team.public_id}/ownership", {"member_id": target})
    assert (role_of(team, owner), role_of(team, member)) == ("admin", "owner")
    RestApi(owner).error("post", f"/teams/{team.public_id}/ownership", {"member_id": target}, expect=403)


@pytest.mark.django_db(transaction=True)
def test_of_two_owners_who_leave_at_once_one_stays() -> None:
    team = make_team()
    owners = [join(team, make_user(), Role.OWNER) for _ in range(2)]
    outcomes = race(*(lambda row=row: remove_member(actor=row.user, member=row) for row in owners))
    assert len(of_kind(outcomes, Stale)) == 1
    assert Membership.objects.filter(team=team, role="owner").count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_owners_who_unmake_each_other_at_once_one_stays() -> None:
    team = make_team()
    first, second = (join(team, make_user(), Role.OWNER) for _ in range(2))
    outcomes = race(
        lambda: change_member(actor=first.user, member=second, role="member"),
        lambda: change_member(actor=second.user, member=first, role="member"),
    )
    assert len(of_kind(outcomes, SiteError)) == 1
    assert Membership.objects.filter(team=team, role="owner").count() == 1


def test_with_a_member_go_the_tokens_for_the_team_and_no_others() -> None:
    team = make_team()
    owner, member = make_member(team, Role.OWNER), make_member(team)
    bound = create_token(actor=member, name="bound", team=team).token
    free = create_token(actor=member, name="free").token
    RestApi(owner)("delete", path_of(team, member), expect=204)
    assert not ApiToken.objects.filter(pk=bound.pk).exists()
    assert ApiToken.objects.filter(pk=free.pk).exists()

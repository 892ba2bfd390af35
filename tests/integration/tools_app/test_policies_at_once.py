"""If several people save a policy at the same moment, one save succeeds, the others get a conflict, and nothing is
lost."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from agentsite.base.errors import Stale
from agentsite.tenancy.audit import verify
from agentsite.tenancy.models import AuditChain, AuditEntry
from agentsite.tenancy.roles import Role
from tests.support.builders import make_member, make_project, make_team
from tests.support.threads import of_kind, race
from tools_app.models import PolicyVersion
from tools_app.policies.actions import rollback_policy, save_policy, seed_policy
from tools_app.policies.documents import PolicyDocument
from tools_app.policies.scopes import PolicyScope

pytestmark = pytest.mark.django_db(transaction=True)


def test_of_several_who_save_at_once_one_wins_and_the_others_are_told() -> None:
    team = make_team()
    place = PolicyScope("team", team)
    people = [make_member(team, Role.ADMIN) for _ in range(6)]
    saves: list[Callable[[], Any]] = [
        partial(save_policy, actor=person, place=place, document=PolicyDocument(preset="cautious"), base_version=0)
        for person in people
    ]
    outcomes = race(*saves)
    assert (len(of_kind(outcomes, PolicyVersion)), len(of_kind(outcomes, Stale))) == (1, 5)
    assert {stale.code for stale in of_kind(outcomes, Stale)} == {"stale_policy"}
    assert AuditEntry.objects.count() == 1


def test_policies_of_different_places_share_one_chain_that_stays_whole() -> None:
    team = make_team()
    owner = make_member(team, Role.OWNER)
    places = [PolicyScope("team", team), *(PolicyScope("project", make_project(team)) for _ in range(5))]
    saves = [
        partial(save_policy, actor=owner, place=place, document=PolicyDocument(), base_version=0) for place in places
    ]
    assert len(of_kind(race(*saves), PolicyVersion)) == len(places)
    chain = AuditChain.objects.get()
    assert (chain.length, list(verify(chain))) == (len(places), [])


def test_saving_and_rolling_back_at_once_lose_nothing() -> None:
    team = make_team()
    owner = make_member(team, Role.OWNER)
    place = PolicyScope("team", team)
    save_policy(actor=owner, place=place, document=PolicyDocument(), base_version=0)
    outcomes = race(
        partial(save_policy, actor=owner, place=place, document=PolicyDocument(preset="cautious"), base_version=1),
        partial(rollback_policy, actor=owner, place=place, version=1, base_version=1),
    )
    assert (len(of_kind(outcomes, PolicyVersion)), len(of_kind(outcomes, Stale))) == (1, 1)
    assert sorted(PolicyVersion.objects.values_list("version", flat=True)) == [1, 2]


def test_a_policy_is_seeded_once_and_never_over_an_existing_one() -> None:
    place = PolicyScope("project", make_project(make_team()))
    seeds = [partial(seed_policy, place=place, document=PolicyDocument(preset="cautious"), reason="x")] * 3
    race(*seeds)
    row = PolicyVersion.objects.get()
    assert (row.version, row.author, row.reason) == (1, None, "x")
    assert AuditEntry.objects.get().actor == "site"

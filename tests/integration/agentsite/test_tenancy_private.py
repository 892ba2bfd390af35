"""A private session is hidden from the rest of its team: each route answers every role as if it did not exist."""

from dataclasses import dataclass
from typing import Any, Final

import pytest

from agentsite.tenancy.models import Membership, User
from agentsite.tenancy.roles import PERMITTED, Act
from sessions_app.models import OperatorAccess
from tests.support.builders import browser_of
from tests.support.lanes import sampled
from tests.support.tenancy_requests import Operation
from tests.support.tenancy_site import OF_TEAMS, PRIVATE, World, look, look_at_both, undone, world
from tests.support.tenancy_world import (
    CANARY,
    OF_A_SESSION,
    Tenant,
    everything,
    make_private_session,
    missing_ids,
    our_models,
    plant_canaries,
)

__all__ = ["world"]
pytestmark = pytest.mark.django_db

OF_SESSIONS: Final = [
    one
    for one in OF_TEAMS
    if one.row_ids and {name.removesuffix("_id") for name in one.row_ids} <= set(OF_A_SESSION)
    and one.row.needs is not Act.MANAGE_SESSIONS
]  # fmt: skip

READING: Final = [one for one in PRIVATE if one.reads and not one.row.asks]

RUN_BY_THE_TEAM: Final = {"revoke_share_link": Act.MANAGE_SESSIONS, "end_operator_access": Act.MANAGE_TEAM}
"""Routes that end access of others to a session. People with these rights may use them for a private session too."""


@dataclass(frozen=True)
class Hidden:
    tenant: Tenant
    missing: dict[str, str]
    rows: dict[str, Any]


@pytest.fixture(scope="module")
def hidden(world: World) -> Hidden:
    """Create a private session with rows of all kinds once for all tests; it is rolled back together with the world."""
    kept = {model: set(model._base_manager.values_list("pk", flat=True)) for model in our_models()}
    tenant = make_private_session(world.home)
    for model in (User, Membership):  # colleagues know each other
        kept[model] = set(model._base_manager.values_list("pk", flat=True))
    assert plant_canaries(but=kept) > 20
    OperatorAccess.objects.filter(pk=tenant["access"].pk).update(reason="Its admins read why")
    return Hidden(tenant, missing_ids(tenant), everything())


@pytest.mark.parametrize("operation", OF_SESSIONS, ids=str)
def test_a_colleagues_private_session_looks_like_one_that_never_was(
    operation: Operation, world: World, hidden: Hidden
) -> None:
    members = sampled([*world.members.items()], every=4, start=OF_SESSIONS.index(operation))
    for who, (role, _, caller) in members:
        if operation.name in RUN_BY_THE_TEAM and role in PERMITTED[RUN_BY_THE_TEAM[operation.name]]:
            continue  # see below
        theirs, missing = look_at_both(operation, caller, hidden.tenant.ids, hidden.missing, hidden.rows)
        assert theirs[0] == 404, (who, theirs)
        assert theirs == missing, who
        assert CANARY not in theirs[1], who


@pytest.mark.parametrize("operation", sampled(READING, every=2), ids=str)
def test_nothing_that_a_colleague_reads_holds_a_private_sessions_words(
    operation: Operation, world: World, hidden: Hidden
) -> None:
    for who, (_, _, caller) in sampled([*world.members.items()], every=4, start=PRIVATE.index(operation)):
        assert CANARY not in look(operation, caller, world.home)[1], who


@pytest.mark.parametrize("operation", [one for one in OF_SESSIONS if one.name in RUN_BY_THE_TEAM], ids=str)
def test_who_runs_the_team_takes_back_what_lets_others_read_it(
    operation: Operation, world: World, hidden: Hidden
) -> None:
    for who, (role, _, caller) in world.members.items():
        if role in PERMITTED[RUN_BY_THE_TEAM[operation.name]]:
            assert look(operation, caller, hidden.tenant)[0] == 204, who


def test_its_words_are_found_by_its_starter_alone(world: World, hidden: Hidden) -> None:
    with undone():
        starter = browser_of(hidden.tenant.owner)
        callers = [starter, *(caller.browser for _, _, caller in world.members.values())]
        found = [len(each.get("/api/v1/search", {"q": CANARY}).json()["items"]) for each in callers]
    assert found == [1] + [0] * len(world.members)

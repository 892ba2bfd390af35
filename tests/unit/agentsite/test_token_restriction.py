import uuid

import pytest

from agentsite.tenancy.token_restriction import EVERYWHERE, Reach

TEAM, OTHER, PROJECT = uuid.uuid4(), uuid.uuid4(), uuid.uuid4()


@pytest.mark.parametrize(
    ("outer", "inner", "holds"),
    [
        (EVERYWHERE, EVERYWHERE, True),
        (EVERYWHERE, Reach(TEAM, PROJECT), True),
        (Reach(TEAM), EVERYWHERE, False),
        (Reach(TEAM), Reach(TEAM), True),
        (Reach(TEAM), Reach(TEAM, PROJECT), True),
        (Reach(TEAM), Reach(OTHER), False),
        (Reach(TEAM, PROJECT), Reach(TEAM), False),
        (Reach(TEAM, PROJECT), Reach(TEAM, PROJECT), True),
        (Reach(TEAM, PROJECT), Reach(TEAM, uuid.uuid4()), False),
    ],
)
def test_a_reach_holds_what_is_no_wider(outer: Reach, inner: Reach, holds: bool) -> None:
    assert outer.holds(inner) is holds

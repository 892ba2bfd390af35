import uuid

import pytest

from agentsite.tenancy.base import UNRESTRICTED, TokenRestriction

TEAM, OTHER, PROJECT = uuid.uuid4(), uuid.uuid4(), uuid.uuid4()


@pytest.mark.parametrize(
    ("outer", "inner", "contains"),
    [
        (UNRESTRICTED, UNRESTRICTED, True),
        (UNRESTRICTED, TokenRestriction(TEAM, PROJECT), True),
        (TokenRestriction(TEAM), UNRESTRICTED, False),
        (TokenRestriction(TEAM), TokenRestriction(TEAM), True),
        (TokenRestriction(TEAM), TokenRestriction(TEAM, PROJECT), True),
        (TokenRestriction(TEAM), TokenRestriction(OTHER), False),
        (TokenRestriction(TEAM, PROJECT), TokenRestriction(TEAM), False),
        (TokenRestriction(TEAM, PROJECT), TokenRestriction(TEAM, PROJECT), True),
        (TokenRestriction(TEAM, PROJECT), TokenRestriction(TEAM, uuid.uuid4()), False),
    ],
)
def test_a_restriction_contains_narrower_ones(outer: TokenRestriction, inner: TokenRestriction, contains: bool) -> None:
    assert outer.contains(inner) is contains

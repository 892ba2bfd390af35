"""Every attempt is refused, is contained or finds nothing, and each category leaves the host, the sandbox and its
neighbour undamaged."""

import pytest

from tests.integration.sandbox.hostile.attempts import CATEGORIES
from tests.integration.sandbox.hostile.case import Category, Probe, Shared, Trap
from tests.integration.sandbox.hostile.house import House
from tests.support.lanes import fewer

pytestmark = pytest.mark.docker

PROBED = [category for category in CATEGORIES if category.probes]
ROOTED = [category for category in CATEGORIES if any(probe.as_root is not None for probe in category.probes)]
TRAPPED = [category for category in CATEGORIES if category.traps]
HALVES = [(category, part) for category in TRAPPED for part in range(fewer(2, default=1))]
SHARED = [shared for category in CATEGORIES for shared in category.shared if not shared.hole]
HOLES = [(category, case) for category in CATEGORIES for case in category.cases if case.hole]


def named(category: Category) -> str:
    return category.name


@pytest.mark.parametrize("category", PROBED, ids=named)
async def test_code_in_a_workspace_gets_nowhere(house: House, category: Category) -> None:
    probes = [probe for probe in category.probes if not probe.hole]

    outcomes = await house.probe(probes)

    assert {p.id: outcomes[p.id] for p in probes if not p.is_contained(outcomes[p.id])} == {}
    assert await house.damage() == []


@pytest.mark.parametrize("category", ROOTED, ids=named)
async def test_a_runner_that_was_taken_over_gets_nowhere(house: House, category: Category) -> None:
    probes = [probe for probe in category.probes if probe.as_root is not None and not probe.hole]

    outcomes = await house.probe_as_root(probes)

    assert {p.id: outcomes[p.id] for p in probes if not p.is_contained(outcomes[p.id], root=True)} == {}
    assert await house.damage() == []


@pytest.mark.parametrize(("category", "part"), HALVES, ids=[f"{category.name}-{part + 1}" for category, part in HALVES])
async def test_a_trap_harms_nobody(house: House, category: Category, part: int) -> None:
    wrong = {}
    for trap in [trap for trap in category.traps if not trap.hole][part::2]:
        said, evidence = await house.spring(trap)
        if not trap.is_contained(said, evidence):
            wrong[trap.id] = (said, evidence)

    assert wrong == {}
    assert await house.damage() == []


@pytest.mark.parametrize("shared", SHARED, ids=[shared.id for shared in SHARED])
async def test_what_all_share_is_not_used_up_by_one(house: House, shared: Shared) -> None:
    assert await house.share(shared) == shared.expect
    assert await house.damage() == []


@pytest.mark.parametrize(("category", "case"), HOLES, ids=[f"{c.name}-{case.id}" for c, case in HOLES])
async def test_what_does_not_hold_is_known(
    house: House, request: pytest.FixtureRequest, category: Category, case: Probe | Trap | Shared
) -> None:
    request.applymarker(pytest.mark.xfail(strict=True, reason=case.hole))

    if isinstance(case, Probe):
        assert case.is_contained((await house.probe([case]))[case.id])
    elif isinstance(case, Trap):
        assert case.is_contained(*await house.spring(case))
    else:
        assert await house.share(case) == case.expect

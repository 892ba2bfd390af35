"""The table of roles on the page about teams is the one that the site goes by."""

from pathlib import Path
from typing import Final

import pytest

from agentsite.tenancy.roles import PERMITTED, Act, Role, roles_table
from tests.support.tenancy_matrix import ROUTES

PAGE: Final = Path(__file__).parents[3] / "docs" / "teams.md"


def test_the_page_shows_the_table_of_roles() -> None:
    assert roles_table() in PAGE.read_text(), "write roles_table() into docs/teams.md"


WITHOUT_ROUTE: Final = frozenset({Act.SEE_USAGE, Act.MANAGE_WEBHOOKS})
"""Acts whose routes may not be there yet."""


@pytest.mark.parametrize("act", [act for act in Act if act not in WITHOUT_ROUTE])
def test_every_act_is_tried_by_every_role_on_at_least_one_route(act: Act) -> None:
    """`test_tenancy_matrix.py` asks each of these as every role, as a stranger and as somebody who was removed."""
    assert [name for name, route in ROUTES.items() if route.needs is act]


@pytest.mark.parametrize("act", list(Act))
@pytest.mark.parametrize("role", list(Role))
def test_each_cell_is_said_on_the_page(act: Act, role: Role) -> None:
    line = next(line for line in PAGE.read_text().splitlines() if line.startswith(f"| `{act.value}` |"))
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert (cells[2 + list(Role).index(role)] == "yes") == (role in PERMITTED[act])

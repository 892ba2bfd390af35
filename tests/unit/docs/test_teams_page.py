"""The table of roles on the page about teams matches the site's rules."""

from pathlib import Path
from typing import Final

import pytest

from agentsite.tenancy.roles import MEANINGS, PERMITTED, Act, Role
from tests.support.tenancy_matrix import ROUTES

PAGE: Final = Path(__file__).parents[3] / "docs" / "teams.md"


def roles_table() -> str:
    """Return the permissions of all roles as a Markdown table."""
    head = ["act", "permits to", *(role.value for role in Role)]
    rows = [
        [f"`{act.value}`", MEANINGS[act], *("yes" if role in PERMITTED[act] else "" for role in Role)] for act in Act
    ]
    rule = "|".join("---" for _ in head)
    return "\n".join([_row(head), f"|{rule}|", *(_row(row) for row in rows)])


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def test_the_page_shows_the_table_of_roles() -> None:
    assert roles_table() in PAGE.read_text(), "write roles_table() into docs/teams.md"


WITHOUT_ROUTE: Final = frozenset({Act.SEE_USAGE, Act.MANAGE_WEBHOOKS})
"""Rights that may have no route yet."""


@pytest.mark.parametrize("act", [act for act in Act if act not in WITHOUT_ROUTE])
def test_every_act_is_tried_by_every_role_on_at_least_one_route(act: Act) -> None:
    """Every right is needed by a route of the tenancy matrix. `test_tenancy_matrix.py` requests each of these routes as
    every role, as a stranger and as a removed member."""
    assert [name for name, route in ROUTES.items() if route.needs is act]

"""One row of the table of routes in `tenancy_matrix.py`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from agentsite.tenancy.roles import Act


class Open(Enum):
    """Rights that do not come from a role in a team."""

    PUBLIC = "public"  # nobody needs to sign in
    ANYBODY = "anybody"  # everybody who is signed in, with nothing of any team but their own
    OWN = "own"  # rows of one person, which even the team's owner does not find
    OPERATOR = "operator"  # staff of the site


@dataclass(frozen=True)
class Route:
    """A route. `body` is valid, so that only the ownership of a row can be the reason of a refusal. `refers` are fields
    with ids besides those of the path, each tried alone: {"session_id": "{session_id}"}; they are sent in the query or
    body as the route needs. `asks`: the route needs the answer of a worker or a storage, which the tests do not run.
    `stricter`: the reason why roles with the right may be refused nevertheless."""

    needs: Act | Open
    body: Any = None
    query: Mapping[str, str] = field(default_factory=dict)
    refers: Mapping[str, Any] = field(default_factory=dict)
    file: bool = False
    asks: bool = False
    stricter: str = ""

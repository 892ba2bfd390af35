"""What one row of the table of routes in `tenancy_matrix.py` says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from agentsite.tenancy.roles import Act


class Open(Enum):
    """Routes whose right does not come from a role in a team."""

    PUBLIC = "public"  # nobody needs to sign in
    ANYBODY = "anybody"  # everybody who is signed in, with nothing of any team but their own
    OWN = "own"  # rows of one person, which even the team's owner does not find
    OPERATOR = "operator"  # staff of the site


@dataclass(frozen=True)
class Route:
    """`body` would be accepted, so that only whose row it is can be the reason to refuse. `refers` are fields with ids
    besides those of the path, each tried alone: {"session_id": "{session_id}"}; they go where the route reads them.
    `asks`: a worker or a storage answers, which are not here. `stricter`: roles that may do the act are refused for
    another reason, which the words say."""

    needs: Act | Open
    body: Any = None
    query: Mapping[str, str] = field(default_factory=dict)
    refers: Mapping[str, Any] = field(default_factory=dict)
    file: bool = False
    asks: bool = False
    stricter: str = ""

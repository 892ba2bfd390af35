"""Where a policy may stand: the site, a team or a project; who sees it there, and who may change it."""

import uuid
from dataclasses import dataclass
from typing import Any, Literal

from agentsite.errors import Missing, NotAllowed
from agentsite.tenancy.access import can, require
from agentsite.tenancy.models import Project, Team
from agentsite.tenancy.roles import Act
from tools_app.models import SITE_PLACE, place_of

Kind = Literal["site", "team", "project"]


@dataclass(frozen=True, slots=True)
class Place:
    """`key` is how the place is named everywhere: "site", or the public id of `target`."""

    kind: Kind
    target: Team | Project | None

    @property
    def key(self) -> str:
        return place_of(self.target)

    @property
    def team_id(self) -> uuid.UUID | None:
        """The team that the policy belongs to; None for the site's."""
        return self.target.team_id if isinstance(self.target, Project) else getattr(self.target, "pk", None)

    @property
    def project_id(self) -> uuid.UUID | None:
        return self.target.pk if isinstance(self.target, Project) else None


SITE = Place("site", None)


def find_place(user: Any, key: str) -> Place:
    """The place as somebody may see it; Missing for one that is not there or belongs to others."""
    if key == SITE_PLACE:
        return SITE
    if key.startswith(f"{Team.PREFIX}_"):
        return Place("team", Team.objects.visible_to(user).by_public_id(key))
    if key.startswith(f"{Project.PREFIX}_"):
        return Place("project", Project.objects.visible_to(user).by_public_id(key))
    raise Missing(f"There is no '{key[:60]}'.")


def may_edit(user: Any, place: Place) -> bool:
    """Admins of the team for its policy and its projects'; operators for the site's."""
    if place.team_id is None:
        return bool(user.runs_site)
    return can(user, Act.MANAGE_POLICY, team_id=place.team_id)


def require_edit(user: Any, place: Place) -> None:
    if place.team_id is not None:
        require(user, Act.MANAGE_POLICY, team_id=place.team_id)
    elif not user.runs_site:
        raise NotAllowed("The site's policy is changed by the people who run the site.", hint="Ask one of them.")

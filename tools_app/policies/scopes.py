"""PolicyScope: the site, a team or a project as the owner of a policy, with access checks."""

import uuid
from dataclasses import dataclass
from typing import Literal

from agentsite.base.errors import Missing, NotAllowed
from agentsite.tenancy.access import can, require
from agentsite.tenancy.base import SITE_PLACE
from agentsite.tenancy.models import Project, Team, User
from agentsite.tenancy.roles import Act
from tools_app.models import place_of

ScopeKind = Literal["site", "team", "project"]


@dataclass(frozen=True, slots=True)
class PolicyScope:
    """The owner of a policy: the site (`target` is None), a team or a project.

    `key` names it in the API and the database, where it is called `place`: "site", or the public id of `target`.
    """

    kind: ScopeKind
    target: Team | Project | None

    @property
    def key(self) -> str:
        return place_of(self.target)

    @property
    def team_id(self) -> uuid.UUID | None:
        """The team that the policy belongs to; None for the site's policy."""
        return self.target.team_id if isinstance(self.target, Project) else getattr(self.target, "pk", None)

    @property
    def project_id(self) -> uuid.UUID | None:
        return self.target.pk if isinstance(self.target, Project) else None


SITE = PolicyScope("site", None)


def policy_group(key: str) -> str:
    """Return the name of the channel-layer group of connections that check their access rights when the policy with
    this key changes."""
    return f"policy.{key}"


def find_scope(user: User, key: str) -> PolicyScope:
    """Return the scope with this key. Raises Missing if it does not exist or `user` may not see it."""
    if key == SITE_PLACE:
        return SITE
    if key.startswith(f"{Team.PREFIX}_"):
        return PolicyScope("team", Team.objects.visible_to(user).by_public_id(key))
    if key.startswith(f"{Project.PREFIX}_"):
        return PolicyScope("project", Project.objects.visible_to(user).by_public_id(key))
    raise Missing(f"There is no '{key[:60]}'.")


def may_edit(user: User, place: PolicyScope) -> bool:
    """Return whether `user` may edit the policy: admins for a team and its projects, operators for the site."""
    if place.team_id is None:
        return bool(user.runs_site)
    return can(user, Act.MANAGE_POLICY, team_id=place.team_id)


def require_edit(user: User, place: PolicyScope) -> None:
    """Raise NotAllowed unless `user` may edit the policy of `place`."""
    if place.team_id is not None:
        require(user, Act.MANAGE_POLICY, team_id=place.team_id)
    elif not user.runs_site:
        raise NotAllowed("Only operators may change the site's policy.", hint="Ask an operator.")

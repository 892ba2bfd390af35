"""ServerPlace: the owner of an MCP server, with access checks."""

import uuid
from dataclasses import dataclass

from agentsite.base.errors import NotAllowed
from agentsite.tenancy.access import can, require
from agentsite.tenancy.base import SITE_PLACE
from agentsite.tenancy.models import Project, Team, User
from agentsite.tenancy.roles import Act
from sessions_app.models import McpServer, Workspace


@dataclass(frozen=True, slots=True)
class ServerPlace:
    """The owner of an MCP server: the site (`target` is None), a team, a project, a person, or the workspace whose
    repository declares it. `key` names the owner in the API and the database."""

    target: Team | Project | User | Workspace | None

    @property
    def key(self) -> str:
        return SITE_PLACE if self.target is None else self.target.public_id

    @property
    def team_id(self) -> uuid.UUID | None:
        """Return the id of the team whose admins manage the server; None for a server of the site or of a person."""
        if isinstance(self.target, Workspace):
            return self.target.project.team_id
        return self.target.team_id if isinstance(self.target, Project) else getattr(self._team, "pk", None)

    @property
    def project_id(self) -> uuid.UUID | None:
        if isinstance(self.target, Workspace):
            return self.target.project_id
        return self.target.pk if isinstance(self.target, Project) else None

    @property
    def _team(self) -> Team | None:
        return self.target if isinstance(self.target, Team) else None

    @property
    def person(self) -> User | None:
        return self.target if isinstance(self.target, User) else None

    def may_edit(self, user: User) -> bool:
        """Return whether `user` may change servers of this owner. Admins may change servers of their team, its projects
        and workspaces; people may change their own servers, except with a restricted token; operators may change the
        site's servers."""
        if self.team_id is not None:
            return can(user, Act.MANAGE_POLICY, team_id=self.team_id)
        if self.person is not None:
            return user.pk == self.person.pk and user.token_restriction.is_unrestricted
        return bool(user.runs_site)

    def require_edit(self, user: User) -> None:
        """Raise NotAllowed unless `user` may change servers of this owner."""
        if self.team_id is not None:
            require(user, Act.MANAGE_POLICY, team_id=self.team_id)
        elif not self.may_edit(user):
            is_own = self.person is not None
            raise NotAllowed(
                "An API token for one team or project cannot change your own MCP servers."
                if is_own
                else "Only operators may change the site's MCP servers.",
                hint="Use a token without that restriction." if is_own else "Ask an operator.",
            )


SITE: ServerPlace = ServerPlace(None)


def place_of(row: McpServer) -> ServerPlace:
    """Return the owner of an MCP server."""
    return ServerPlace(row.workspace or row.project or row.team or row.person)

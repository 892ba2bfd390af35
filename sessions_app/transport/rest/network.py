"""REST endpoint for the network of a project's workspaces."""

from datetime import datetime
from typing import Final, Literal

from django.http import HttpRequest
from ninja import Router

from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Project
from sandbox.limits import RefusalCause
from sessions_app.events.schema import View
from sessions_app.queries.network import network_grants, project_traffic, refused_names
from sessions_app.transport.rest import schemas
from sessions_app.transport.rest.grants import grant_view
from tools_app.network.judging import NetworkMode
from tools_app.policies.current import Source, current_policies

MAX_GRANTS: Final = 200
router = Router(tags=["projects"])


class RefusedHostView(View):
    """A host to which connections from commands were refused. `action` is the present decision of the project's rules
    about the host; for the causes `address` and `unreachable` no rule can help. `times` counts calls. `session_id` is
    the session with the newest refusal."""

    name: str
    reason: str
    cause: RefusalCause
    action: Literal["allow", "ask", "deny"]
    times: int
    last_at: datetime
    session_id: str


class NetworkView(View):
    """The network of a project's workspaces. `source` is the policy that sets the mode. `granter` says who may allow a
    host for the project when a permission request asks. `traffic` is the sum of all its workspaces. `refused` has the
    last 50 hosts, `grants` the last 200."""

    mode: NetworkMode
    source: Source
    granter: Literal["member", "admin", "nobody"]
    traffic: schemas.TrafficView
    refused: list[RefusedHostView]
    grants: list[schemas.GrantView]


@router.get("/projects/{project_id}/network", response=NetworkView, operation_id="get_project_network")
def get_project_network(request: HttpRequest, project_id: str) -> NetworkView:
    """Return the network mode, traffic and grants of the project's workspaces, and the hosts to which connections were
    refused recently."""
    user = current_user(request)
    project = Project.objects.visible_to(user).by_public_id(project_id)
    policies = current_policies(team_id=project.team_id, project_id=project.pk)
    refused = refused_names(project, user, policies)
    grants = network_grants(project, user).select_related("granted_by")[:MAX_GRANTS]
    return NetworkView(
        mode=policies.network.mode,
        source=policies.network.source,
        granter=policies.granter("project"),
        traffic=schemas.TrafficView(**project_traffic(project)),
        refused=[RefusedHostView.model_validate(each, from_attributes=True) for each in refused],
        grants=[grant_view(row) for row in grants],
    )

"""Build the detailed views of workspaces, with a constant number of queries for any number of workspaces."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any, Final

from django.db.models import Count
from django.http import HttpRequest
from django.utils import timezone

from agentsite.base.ids import to_public
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Membership, User
from agentsite.tenancy.roles import Act
from sessions_app.events import views
from sessions_app.models import Node, Session, Workspace, WorkspaceTraffic
from sessions_app.transport.rest import schemas
from tools_app.policies.current import SandboxPolicy, policies_of_projects

NODE_ALIVE: Final = timedelta(seconds=30)

ACTS: Final[Mapping[schemas.WorkspaceAct, Act]] = {
    "start": Act.PROMPT,
    "stop": Act.PROMPT,
    "restart": Act.PROMPT,
    "rebuild": Act.PROMPT,
    "check": Act.PROMPT,
    "export": Act.PROMPT,
    "download": Act.ANSWER,
    "stop_background": Act.PROMPT,
    "remove": Act.MANAGE_PROJECT,
    "keep": Act.MANAGE_PROJECT,
}
_RUNNING_STATES: Final = frozenset({Workspace.State.STARTING, Workspace.State.RUNNING})
_STATES_OF_ACTS: Final[Mapping[schemas.WorkspaceAct, frozenset[str]]] = {
    "stop": _RUNNING_STATES,
    "restart": _RUNNING_STATES,
    "stop_background": _RUNNING_STATES,
    "start": frozenset(Workspace.State) - _RUNNING_STATES,
}
"""Actions that are possible only in certain states of the workspace, and these states. A workspace that is being
removed can only be kept, exported or downloaded."""


def find_workspace(request: HttpRequest, workspace_id: str) -> Workspace:
    rows = Workspace.objects.visible_to(current_user(request)).select_related("project")
    return rows.by_public_id(workspace_id)


def detail_of(request: HttpRequest, workspace_id: str) -> schemas.WorkspaceDetailView:
    """Return the detailed view of a workspace, freshly read from the database, so that the changes of the request are
    included."""
    return details_of(current_user(request), [find_workspace(request, workspace_id)])[0]


def details_of(user: User, rows: Sequence[Workspace]) -> list[schemas.WorkspaceDetailView]:
    """Return the detailed views of workspaces. `project` of each row must be loaded with `select_related`."""
    nodes = {node.name: node for node in Node.objects.filter(name__in={row.node for row in rows})}
    counts = _session_counts(rows)
    policies = policies_of_projects({row.project for row in rows})
    teams = {row.project.team_id for row in rows}
    memberships = {found.team_id: found for found in Membership.objects.filter(user=user, team__in=teams)}
    traffic = {found.workspace_id: found for found in WorkspaceTraffic.objects.filter(workspace__in=rows)}
    return [
        schemas.WorkspaceDetailView(
            **views.workspace(row).model_dump(),
            **_facts(row),
            **_limits(row, policies[row.project_id].sandbox()),
            node=_node(nodes.get(row.node)),
            network=_traffic(traffic.get(row.pk)),
            session_count=counts.get(row.pk, 0),
            may=_may(row, memberships.get(row.project.team_id)),
        )
        for row in rows
    ]


def usage_view(usage: Mapping[str, Any]) -> schemas.UsageView | None:
    return schemas.UsageView(**usage) if usage else None


def _facts(row: Workspace) -> dict[str, Any]:
    return {
        "team_id": to_public("tea", row.project.team_id),
        "project_name": row.project.name,
        "usage": usage_view(row.usage),
        "self_check": schemas.SelfCheckView(**row.self_check) if row.self_check else None,
        "disk_driver": row.disk_driver,
        "archive": schemas.ArchiveView(at=row.archived_at, size=row.archive_size) if row.archived_at else None,
        "last_used_at": row.last_used_at,
        "generation": row.generation,
    }


def _limits(row: Workspace, policy: SandboxPolicy) -> dict[str, Any]:
    differs = row.limits != asdict(policy.limits) or bool(policy.runtime and policy.runtime != row.runtime)
    return {
        "limits": {
            name: schemas.LimitView(value=limit.value, source=limit.source) for name, limit in policy.values.items()
        },
        "outdated": bool(row.limits) and row.state in _RUNNING_STATES and differs,
    }


def _node(row: Node | None) -> schemas.NodeView | None:
    if row is None:
        return None
    alive = row.lost_at is None and row.seen_at > timezone.now() - NODE_ALIVE
    return schemas.NodeView(name=row.name, alive=alive, seen_at=row.seen_at)


def _traffic(row: WorkspaceTraffic | None) -> schemas.TrafficView:
    return schemas.TrafficView.model_validate(row) if row else schemas.TrafficView()


def _session_counts(rows: Sequence[Workspace]) -> dict[uuid.UUID, int]:
    sessions = Session.objects.filter(workspace__in=[row.pk for row in rows], archived=False)
    return dict(sessions.order_by().values_list("workspace_id").annotate(Count("id")))


def _may(row: Workspace, membership: Membership | None) -> list[schemas.WorkspaceAct]:
    if membership is None:
        return []
    return [act for act, needed in ACTS.items() if membership.may(needed) and _is_possible(act, row.state)]


def _is_possible(act: schemas.WorkspaceAct, state: str) -> bool:
    if state == Workspace.State.REMOVING:
        return act in ("keep", "export", "download")
    if act == "keep":
        return False
    return act not in _STATES_OF_ACTS or state in _STATES_OF_ACTS[act]

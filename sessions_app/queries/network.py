"""The network of a project: its recently refused hosts, its traffic, and the grants that let programs connect."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, cast

from django.db.models import Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from agentsite.tenancy.models import Project, User
from sandbox.limits import RefusalCause
from sessions_app.models import Grant, RefusedHost, WorkspaceTraffic
from tools_app.network.judging import AGENT, PERMISSION, ConnectionVerdict, judge_connection, place_of
from tools_app.permission.model import Action, Rule
from tools_app.policies.current import Policies

MAX_HOSTS: Final = 50


@dataclass(frozen=True, slots=True)
class RefusedName:
    """A host to which commands of the project were not allowed to connect. `times` is the number of calls, `session_id`
    the public id of the session with the newest refusal. `action` and, if the rules were the cause, `reason` are the
    current decision of the project's rules, without rules of single sessions."""

    name: str
    reason: str
    cause: RefusalCause
    action: Action
    times: int
    last_at: datetime
    session_id: str


def refused_names(project: Project, user: User, policies: Policies) -> list[RefusedName]:
    """Return the hosts that were refused in sessions which the user can see, the newest refusal first, without
    duplicates."""
    rows = RefusedHost.objects.visible_to(user).filter(project=project).select_related("session")
    by_name: dict[str, list[RefusedHost]] = {}
    for row in rows.order_by("-last_at", "-id"):
        by_name.setdefault(row.name, []).append(row)
    grants = Grant.objects.filter(_of(project), permission=PERMISSION, session__isnull=True)
    allowed = [Rule(PERMISSION, pattern, "allow") for pattern in grants.values_list("pattern", flat=True)]
    layers = policies.layers(agent=AGENT, grants=allowed)
    return [
        _refused(found, judge_connection(*place_of(name), policies.network, *layers))
        for name, found in list(by_name.items())[:MAX_HOSTS]
    ]


def project_traffic(project: Project) -> dict[str, int]:
    """Return the total traffic of the project's workspaces through the door, with the fields of WorkspaceTraffic."""
    sums = {name: Coalesce(Sum(name), 0) for name in ("received", "sent", "connections", "refused")}
    found: dict[str, int] = WorkspaceTraffic.objects.filter(workspace__project=project).aggregate(**sums)
    return found


def network_grants(project: Project, user: User) -> QuerySet[Grant]:
    """Return the grants that let programs connect: grants of the team, of the project, and of each session of the
    project that the user can see."""
    return Grant.objects.visible_to(user).filter(_of(project), permission=PERMISSION).order_by("-id")


def _of(project: Project) -> Q:
    return Q(project=project) | Q(project__isnull=True, team_id=project.team_id)


def _refused(rows: Sequence[RefusedHost], verdict: ConnectionVerdict) -> RefusedName:
    last = rows[0]
    cause = cast(RefusalCause, last.cause)
    return RefusedName(
        name=last.name,
        reason=(verdict.reason if cause == "rules" else "") or last.reason,
        cause=cause,
        action=verdict.action,
        times=sum(row.times for row in rows),
        last_at=last.last_at,
        session_id=last.session.public_id,
    )

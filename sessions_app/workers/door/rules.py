"""The network rules for a workspace's connections, loaded from the database."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from asgiref.sync import sync_to_async
from django.db import DatabaseError, InterfaceError, close_old_connections
from django.db.models import Q

from agentsite.base.errors import Missing
from agentsite.base.ids import from_public
from sessions_app.actions.setups import SETUP_TOOL
from sessions_app.models import Grant, PermissionRequest, ToolCall, Turn, Workspace
from tools_app.network.destination import ConnectionRefused, Unreachable
from tools_app.network.judging import AGENT, PERMISSION, ConnectionVerdict, NetworkPolicy, judge_connection
from tools_app.permission.model import Layer, Rule
from tools_app.permission.pushes import PERMISSION as GIT_PUSH
from tools_app.policies.current import Policies, current_policies
from tools_app.policies.project_files import file_rules
from tools_app.web.address import WebAddress

JUDGED: Final = (PERMISSION, GIT_PUSH)
"""Permissions that the door judges."""
FRESH: Final = 1.0  # seconds for which loaded rules are used


@dataclass(frozen=True, slots=True)
class WorkspaceRules:
    """The network policy of a workspace, and the permission rules that decide about its connections."""

    policy: NetworkPolicy
    preferences: Sequence[Layer]
    limits: Sequence[Layer]


CLOSED: Final = WorkspaceRules(NetworkPolicy(), (), ())


def load_rules(workspace_id: str) -> WorkspaceRules:
    """Return the rules in force now for a workspace, given by its public id. A deleted workspace may do nothing.

    If the database connection of this thread is broken, a new one is opened.
    """
    close_old_connections()
    row = Workspace.objects.select_related("project").filter(pk=from_public(Workspace.PREFIX, workspace_id)).first()
    if row is None:
        return CLOSED
    policies = current_policies(team_id=row.project.team_id, project_id=row.project_id)
    preferences, limits = policies.layers(agent=AGENT, project_file=file_rules(row.project_files), grants=_grants(row))
    return WorkspaceRules(_network(row, policies), preferences, limits)


def _network(workspace: Workspace, policies: Policies) -> NetworkPolicy:
    """Return the network policy of a workspace: while its set-up runs, the policy for set-up; otherwise the policy for
    commands."""
    if policies.setup_network == policies.network:
        return policies.network
    runs = ToolCall.objects.filter(session__workspace_id=workspace.pk, tool=SETUP_TOOL, state=ToolCall.State.RUNNING)
    return policies.setup_network if runs.exists() else policies.network


def _grants(workspace: Workspace) -> tuple[Rule, ...]:
    """Return the grants for the team, the project and sessions of this workspace, and connections that people allowed
    once, as rules."""
    team = Q(session__isnull=True, project__isnull=True, team_id=workspace.project.team_id)
    project = Q(session__isnull=True, project_id=workspace.project_id)
    rows = Grant.objects.filter(team | project | Q(session__workspace_id=workspace.pk), permission__in=JUDGED)
    granted = [*rows.order_by("id").values_list("permission", "pattern"), *_allowed_once(workspace)]
    return tuple(Rule(permission, pattern, "allow") for permission, pattern in granted)


def _allowed_once(workspace: Workspace) -> list[tuple[str, str]]:
    """Return the needs that people allowed once, as (permission, pattern), in turns of the workspace that have not
    ended: only the permissions that the door judges."""
    requests = PermissionRequest.objects.filter(
        session__workspace_id=workspace.pk, state=PermissionRequest.State.ONCE, turn__state__in=Turn.OPEN
    )
    needs = (need for found in requests.values_list("needs", flat=True) for need in found)
    return [(need["permission"], each) for need in needs if need["permission"] in JUDGED for each in need["patterns"]]


class WorkspaceGuard:
    """The guard that decides whether programs in one workspace may open a connection. Changed rules apply after at most
    `FRESH` seconds."""

    def __init__(self, workspace_id: str) -> None:
        self._workspace_id = workspace_id
        self._rules = CLOSED
        self._loaded_at = -FRESH

    async def judge(self, address: WebAddress) -> None:
        """Raise ConnectionRefused unless the rules allow the connection, and Unreachable if the rules cannot be
        read."""
        verdict = self._verdict(address, await self._fresh_rules(FRESH))
        if verdict.action != "allow":  # perhaps somebody has just allowed it
            verdict = self._verdict(address, await self._fresh_rules(0.0))
        if verdict.action != "allow":
            raise ConnectionRefused(verdict.reason, may_ask=verdict.action == "ask")

    @staticmethod
    def _verdict(address: WebAddress, rules: WorkspaceRules) -> ConnectionVerdict:
        return judge_connection(address.host, address.port, rules.policy, rules.preferences, rules.limits)

    async def _fresh_rules(self, age: float) -> WorkspaceRules:
        """Return the workspace's rules as they were loaded at most `age` seconds ago. Raises Unreachable."""
        began = time.monotonic()
        if began - self._loaded_at >= age:
            try:
                self._rules = await sync_to_async(_load_once)(self._workspace_id)
            except (DatabaseError, InterfaceError) as error:
                raise Unreachable("The rules of the site cannot be read just now. Try again in a moment.") from error
            self._loaded_at = began
        return self._rules


def _load_once(workspace_id: str) -> WorkspaceRules:
    try:
        return load_rules(workspace_id)
    except Missing:  # a directory that is not the site's
        return CLOSED

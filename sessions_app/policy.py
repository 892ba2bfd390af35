"""The current rules of a session: load rows and build the layers (named lists of rules) for the permission engine."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Q, QuerySet

from sessions_app.agent.definitions import AgentDefinition
from sessions_app.agents import agent_rules_of
from sessions_app.configuration.folders import in_force
from sessions_app.configured import configuration_of, document_rules
from sessions_app.models import Grant, Session
from sessions_app.revisions import per_revision
from tools_app.gate import Verdict, judge, need_from_dict
from tools_app.network.judging import NetworkMode
from tools_app.permission.layers import AgentRules
from tools_app.permission.model import Layer, Rule
from tools_app.policies.current import Policies, current_policies
from tools_app.policies.project_files import file_rules
from tools_app.registry import catalogue
from tools_app.spec import PermissionNeed

_TODO_TOOLS: Final = ("todowrite", "todoread")
_NO_TODOS: Final = Layer("to-do lists of sub-agents", tuple(Rule(name, "*", "deny") for name in _TODO_TOOLS))
SessionLayers = tuple[tuple[Layer, ...], tuple[Layer, ...]]


@per_revision
def session_policies(session: Session) -> Policies:
    """Return the policies of the site, the team and the project. Reads `session.project`."""
    return current_policies(team_id=session.project.team_id, project_id=session.project_id)


@dataclass(frozen=True, slots=True)
class SessionRules:
    """The rules of one session in addition to the policies. `project_file` has the rules from files of the
    repository."""

    agent: AgentRules
    project_file: tuple[Rule, ...]
    session: tuple[Rule, ...]
    grants: tuple[Rule, ...]
    inherited: tuple[Layer, ...]
    depth: int = 0
    configured: tuple[Layer, ...] = ()
    """Limits that configuration documents set."""
    max_depth: int | None = None
    """The levels of sub-agents that documents allow; the policies may allow fewer."""

    def layers(self, policies: Policies) -> SessionLayers:
        return policies.layers(
            agent=self.agent,
            project_file=self.project_file,
            session=self.session,
            grants=self.grants,
            inherited=(
                *self.inherited,
                *self.configured,
                *_depth_limit(self.depth, policies, self.max_depth),
                *_todo_limit(self.depth, self.agent),
            ),
        )


def _depth_limit(depth: int, policies: Policies, max_depth: int | None) -> tuple[Layer, ...]:
    """Return the layer that denies a session sub-agents of its own if its depth is the maximum that policies and
    configuration documents allow."""
    allowed = policies.subagent_depth if max_depth is None else min(max_depth, policies.subagent_depth)
    if depth < allowed:
        return ()
    return (Layer("sub-agent limits", (Rule("task", "*", "deny"),)),)


def _todo_limit(depth: int, agent: AgentRules) -> tuple[Layer, ...]:
    """Return a layer that denies the to-do tools. It applies only to sub-agents, and not to an agent with a rule that
    allows a to-do tool."""
    allowed = any(rule.permission in _TODO_TOOLS and rule.action == "allow" for rule in (*agent.own, *agent.from_files))
    return (_NO_TODOS,) if depth and not allowed else ()


def session_rules(session: Session, agents: Mapping[str, AgentDefinition] | None = None) -> SessionRules:
    """Load the session's rules, agents and grants. Reads `session.project` and `session.workspace`."""
    return SessionRules(
        agent=agent_rules_of(session, agents),
        project_file=(*file_rules(in_force(session.workspace.project_files, session.folder)), *document_rules(session)),
        session=_rules(session.rules),
        grants=_grants(session),
        inherited=tuple(Layer(item["name"], _rules(item["rules"])) for item in session.inherited),
        depth=session.depth,
        configured=_primary_tools(session),
        max_depth=configuration_of(session).value("subagent_depth"),
    )


def _primary_tools(session: Session) -> tuple[Layer, ...]:
    """Return a layer of rules that denies sub-agents the tools in `experimental.primary_tools` of the configuration; ()
    if there are none."""
    names = configuration_of(session).value("experimental", "primary_tools") if session.depth else None
    if not names:
        return ()
    tools = catalogue()
    permissions = [tool.permission if (tool := tools.find(name)) else name for name in names]
    return (Layer("tools of primary agents", tuple(Rule(name, "*", "deny") for name in permissions)),)


@per_revision
def network_mode(session: Session) -> NetworkMode:
    """Return the network mode of the session's workspace. Reads `session.project`."""
    return session_policies(session).network.mode


@per_revision
def current_layers(session: Session) -> SessionLayers:
    """Return the layers of rules (preferences and limits) of the session's agent under the current policies, and the
    grants. Reads `session.project` and `session.workspace`."""
    return session_layers(session)


def session_layers(
    session: Session, policies: Policies | None = None, agents: Mapping[str, AgentDefinition] | None = None
) -> SessionLayers:
    """Return the layers of rules (preferences and limits) of the session's agent, and the grants. Pass `policies` to
    simulate other policies than the current ones, and `agents` if they are already loaded."""
    return session_rules(session, agents).layers(policies or session_policies(session))


def _rules(items: Sequence[Mapping[str, Any]]) -> tuple[Rule, ...]:
    return tuple(Rule(item["permission"], item["pattern"], item["action"]) for item in items)


@per_revision
def _grants(session: Session) -> tuple[Rule, ...]:
    rows = grants_for(session).order_by("id").values_list("permission", "pattern")
    return tuple(Rule(permission, pattern, "allow") for permission, pattern in rows)


def common_grants(*, team_id: uuid.UUID, project_id: uuid.UUID) -> tuple[Rule, ...]:
    """Return the grants of a team and a project, which apply to all their sessions."""
    rows = Grant.objects.filter(Q(team_id=team_id, project=None) | Q(project_id=project_id), session=None)
    return tuple(Rule(each.permission, each.pattern, "allow") for each in rows.order_by("id"))


def grants_for(session: Session) -> QuerySet[Grant]:
    """Return the grants that apply to a session: its own, its project's and its team's."""
    everywhere = Q(session__isnull=True, project__isnull=True, team_id=session.project.team_id)
    in_project = Q(session__isnull=True, project_id=session.project_id)
    return Grant.objects.filter(Q(session_id=session.pk) | in_project | everywhere)


def judge_needs(session: Session, needs: Sequence[PermissionNeed], policies: Policies | None = None) -> Verdict:
    """Decide about a call's permission needs under the given policies, or the current policies. Callers that need the
    policies themselves load them with `session_policies` and pass them."""
    preferences, limits = current_layers(session) if policies is None else session_layers(session, policies)
    return judge(needs, preferences, limits)


def judge_stored(session: Session, needs: Sequence[Mapping[str, Any]], policies: Policies | None = None) -> Verdict:
    """Decide about the permission needs that a permission request has stored, under `policies` or the session's current
    policies."""
    return judge_needs(session, [need_from_dict(item) for item in needs], policies)

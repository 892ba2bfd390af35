"""The rules that hold for a session now: from rows to the layers that the permission engine reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from sessions_app.agent.definitions import AgentDefinition
from sessions_app.agents import agent_rules_of
from sessions_app.judgements import judgement_of
from sessions_app.models import Grant, Session
from tools_app.gate import Verdict, judge, need_from_dict
from tools_app.permission.layers import AgentRules
from tools_app.permission.model import Layer, Rule
from tools_app.policies.current import Policies, current_policies
from tools_app.policies.project_files import file_rules
from tools_app.spec import PermissionNeed

__all__ = [
    "SessionRules",
    "grants_for",
    "judge_needs",
    "judge_stored",
    "judgement_of",
    "session_layers",
    "session_policies",
    "session_rules",
]

SessionLayers = tuple[tuple[Layer, ...], tuple[Layer, ...]]


def session_policies(session: Session) -> Policies:
    """What the site, the team and the project decided. Reads `session.project`."""
    return current_policies(team_id=session.project.team_id, project_id=session.project_id)


@dataclass(frozen=True, slots=True)
class SessionRules:
    """What holds in one session beside the policies. `project_file` comes with the repository."""

    agent: AgentRules
    project_file: tuple[Rule, ...]
    session: tuple[Rule, ...]
    grants: tuple[Rule, ...]
    inherited: tuple[Layer, ...]
    depth: int = 0

    def layers(self, policies: Policies) -> SessionLayers:
        return policies.layers(
            agent=self.agent,
            project_file=self.project_file,
            session=self.session,
            grants=self.grants,
            inherited=(*self.inherited, *_depth_limit(self.depth, policies)),
        )


def _depth_limit(depth: int, policies: Policies) -> tuple[Layer, ...]:
    """A session as deep below a person's as the policies allow starts no sub-agents."""
    if depth < policies.subagent_depth:
        return ()
    return (Layer("sub-agent limits", (Rule("task", "*", "deny"),)),)


def session_rules(session: Session, agents: Mapping[str, AgentDefinition] | None = None) -> SessionRules:
    """Reads `session.project` and `session.workspace`, and asks for the agents and the grants."""
    return SessionRules(
        agent=agent_rules_of(session, agents),
        project_file=file_rules(session.workspace.project_files),
        session=_rules(session.rules),
        grants=_grants(session),
        inherited=tuple(Layer(item["name"], _rules(item["rules"])) for item in session.inherited),
        depth=session.depth,
    )


def session_layers(
    session: Session, policies: Policies | None = None, agents: Mapping[str, AgentDefinition] | None = None
) -> SessionLayers:
    """Preferences and limits of the session's agent, with what people granted. `policies` in place of those in force
    answer "what if"; `agents` are the session's, where they are known already."""
    return session_rules(session, agents).layers(policies or session_policies(session))


def _rules(items: Sequence[Mapping[str, Any]]) -> tuple[Rule, ...]:
    return tuple(Rule(item["permission"], item["pattern"], item["action"]) for item in items)


def _grants(session: Session) -> tuple[Rule, ...]:
    rows = grants_for(session).order_by("id").values_list("permission", "pattern")
    return tuple(Rule(permission, pattern, "allow") for permission, pattern in rows)


def grants_for(session: Session) -> Any:
    """The grants that count in a session: its own, its project's and its team's."""
    everywhere = Q(session__isnull=True, project__isnull=True, team_id=session.project.team_id)
    in_project = Q(session__isnull=True, project_id=session.project_id)
    return Grant.objects.filter(Q(session_id=session.pk) | in_project | everywhere)


def judge_needs(session: Session, needs: Sequence[PermissionNeed], policies: Policies | None = None) -> Verdict:
    """Whoever also needs the policies reads them once with `session_policies` and gives them along."""
    preferences, limits = session_layers(session, policies)
    return judge(needs, preferences, limits)


def judge_stored(session: Session, needs: Sequence[Mapping[str, Any]], policies: Policies | None = None) -> Verdict:
    """The same for the needs of a stored request."""
    return judge_needs(session, [need_from_dict(item) for item in needs], policies)

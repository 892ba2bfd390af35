"""Explain whether the rules would allow, ask about or deny a call, with the permission engine that decides about real
calls. The call is not run."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from agentsite.base.errors import BadInput
from agentsite.tenancy.models import Project
from sessions_app.agent.merging import usable_agents
from sessions_app.agents import all_agents, default_agent
from sessions_app.models import Session, Workspace
from sessions_app.policy import judge_needs
from sessions_app.queries.questions import NeedsQuestion
from tools_app.gate import Verdict, need_from_dict
from tools_app.policies.dry_run import imagined_needs
from tools_app.registry import Catalogue
from tools_app.spec import PermissionNeed, ToolError

MAX_ARGUMENT_CHARACTERS: Final = 500_000  # as JSON


@dataclass(frozen=True, slots=True)
class Analysis:
    """The result of analysing a shell command."""

    patterns: tuple[str, ...]
    always: tuple[str, ...]
    external_directories: tuple[str, ...]
    complete: bool
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Explained:
    verdict: Verdict
    analysis: Analysis | None = None


def explain_needs(session: Session, needs: list[PermissionNeed]) -> Explained:
    return Explained(judge_needs(session, needs), _analysis(needs))


def unsaved_session(project: Project, agent: str) -> Session:
    """Return an unsaved session as it would be created now, in the project's first workspace and without a user. Raises
    BadInput for an unknown agent."""
    workspace = Workspace.objects.filter(project=project).order_by("id").first() or Workspace(project=project)
    agents = usable_agents(all_agents(project=project, workspace=workspace))
    if agent and agent not in agents:
        raise BadInput(f"There is no agent '{agent[:60]}'.", fields={"agent": "unknown"})
    row = Session(project=project, workspace=workspace, agent=agent)
    row.agent = agent or default_agent(row, agents)
    return row


def needs_query(tool: str, arguments: Mapping[str, Any], tools: Catalogue, *, agent: str) -> NeedsQuestion:
    """Return the query that asks the session's workspace for the permissions that a call needs. Raises BadInput for an
    unknown tool."""
    if tools.find(tool) is None:
        raise BadInput(f"There is no tool '{tool[:60]}'.", fields={"tool": f"one of {', '.join(tools)}"})
    text = json.dumps(dict(arguments))
    if len(text) > MAX_ARGUMENT_CHARACTERS:
        raise BadInput("The arguments are too long to be explained.", fields={"arguments": "too long"})
    return NeedsQuestion(tool=tool, arguments=text, agent=agent)


def needs_answered(answer: Mapping[str, Any]) -> list[PermissionNeed]:
    """Parse the permissions that a call needs from a workspace's answer. Raises BadInput if the answer says that the
    tool rejected the arguments."""
    if problem := answer.get("problem"):
        raise _invalid_arguments(str(problem))
    return [need_from_dict(need) for need in answer["needs"]]


def needs_without_workspace(
    tool: str, arguments: Mapping[str, Any], tools: Catalogue, *, agent: str
) -> list[PermissionNeed]:
    """Return the permissions that a call needs, from its arguments alone: without a workspace, symbolic links are not
    followed. Raises BadInput."""
    needs_query(tool, arguments, tools, agent=agent)
    try:
        return list(imagined_needs(tool, arguments, agent=agent, tools=tools))
    except ToolError as error:
        raise _invalid_arguments(error.message) from error


def _invalid_arguments(problem: str) -> BadInput:
    return BadInput(f"The arguments are not valid: {problem}", fields={"arguments": problem[:500]})


def _analysis(needs: list[PermissionNeed]) -> Analysis | None:
    bash = [need for need in needs if need.permission == "bash"]
    if not bash:
        return None
    reasons = [reason for need in bash for reason in need.metadata.get("reasons", ())]
    outside = [need for need in needs if need.permission == "external_directory"]
    return Analysis(
        patterns=tuple(pattern for need in bash for pattern in need.patterns),
        always=tuple(pattern for need in bash for pattern in need.always),
        external_directories=tuple(pattern for need in outside for pattern in need.patterns),
        complete=all(need.metadata.get("complete", True) for need in bash),
        reasons=tuple(reasons),
    )

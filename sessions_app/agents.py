"""Agent definitions for a session, project, team or the site, built from rows and repository files."""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from agentsite.base.ids import to_public
from agentsite.tenancy.available_models import menu_of, site_models
from agentsite.tenancy.base import SITE_PLACE
from agentsite.tenancy.models import Project, Team
from sessions_app.agent.definitions import AgentDefinition, Origin, callable_descriptions
from sessions_app.agent.merging import AgentOverrides, merge_agents, resolve_models, usable_agents
from sessions_app.agent.repository_agents import read_blocks
from sessions_app.configuration.folders import in_force
from sessions_app.configuration.merging import merge
from sessions_app.configured import configuration_of, session_levels
from sessions_app.models import Agent, Session, Workspace
from sessions_app.revisions import per_revision
from tools_app.permission.engine import decide, hidden_tools
from tools_app.permission.layers import AgentRules, rules_of_nobody
from tools_app.permission.model import Layer, Request, Rule, expand_home
from tools_app.permission.presets import HOME

DEFAULT_AGENT: Final = "build"
UNREVIEWED: Final[tuple[Literal["remote", "person", "session"], ...]] = ("remote", "person", "session")


@per_revision
def effective_agents(session: Session) -> Mapping[str, AgentDefinition]:
    """Return every enabled agent of the session by name. Reads `session.project` and `session.workspace`, and loads the
    stored configuration documents with one query."""
    documents = document_agents(session)
    return usable_agents(
        all_agents(project=session.project, workspace=session.workspace, folder=session.folder, documents=documents)
    )


def all_agents(
    *,
    project: Project | None = None,
    team_id: uuid.UUID | None = None,
    workspace: Workspace | None = None,
    folder: str = "",
    documents: Iterable[AgentOverrides] = (),
) -> dict[str, AgentDefinition]:
    """Return all agents, including disabled ones, of the site and of the given team or project, with the overrides in
    `documents` (configuration documents that are not files) and in the workspace's files."""
    team_id = team_id if project is None else project.team_id
    places: dict[str, Origin] = {SITE_PLACE: "site"}
    if team_id is not None:
        places[to_public(Team.PREFIX, team_id)] = "team"
    if project is not None:
        places[project.public_id] = "project"
    rows = Agent.objects.filter(place__in=places).order_by("id")
    overrides = [*documents, *_of_rows(rows, places), *_of_files(workspace, folder)]
    merged = merge_agents(overrides)
    return resolve_models(merged, _known_among({agent.model for agent in merged.values()}, team_id))


def known_models(team_id: uuid.UUID | None) -> list[str]:
    """Return the models that an agent of the team, or of the whole site (None), may use."""
    return menu_of(team_id).offered


def _known_among(wanted: set[str], team_id: uuid.UUID | None) -> list[str]:
    """Return the site's models, and also the team's own models if one of `wanted` is not a model of the site. Otherwise
    the team's models are not read."""
    site = site_models()
    return site if wanted <= {"", *site} else [*site, *known_models(team_id)]


def agent_rules_of(session: Session, agents: Mapping[str, AgentDefinition] | None = None) -> AgentRules:
    """Return the rules of the session's agent for the permission engine; pass `agents` if they are already loaded."""
    agent = (effective_agents(session) if agents is None else agents).get(session.agent)
    return rules_of_nobody(session.agent) if agent is None else agent.permissions


def is_selectable(session: Session, name: str) -> bool:
    """Return whether people can select the agent in this session; never in a sub-agent's session."""
    agent = effective_agents(session).get(name)
    return agent is not None and agent.is_selectable and session.parent_id is None


def callable_agents(
    agents: Mapping[str, AgentDefinition], preferences: Sequence[Layer], limits: Sequence[Layer]
) -> dict[str, str]:
    """Return {name: description} of the agents that an agent may call under its `preferences` and `limits`.

    Agents denied by name are left out. The result is empty if the rules hide the tool `task` from the agent.
    """
    offered = callable_descriptions(agents.values())
    if hidden_tools({"task": "task"}, preferences, limits):
        return {}
    return {name: words for name, words in offered.items() if not _is_denied(name, preferences, limits)}


def default_agent(session: Session, agents: Mapping[str, AgentDefinition]) -> str:
    """Return the agent for a session for which nobody chose one: the project's default, the default in the
    configuration documents, or the first selectable agent. Empty if there is none. Reads `session.project` and
    `session.workspace`."""
    wanted = session.project.default_agent
    chosen = [wanted] if wanted != DEFAULT_AGENT else []
    configured = str(configuration_of(session).value("default_agent") or "")
    for name in (*chosen, configured, wanted, *agents):
        if name in agents and agents[name].is_selectable:
            return name
    return ""


def _is_denied(name: str, preferences: Sequence[Layer], limits: Sequence[Layer]) -> bool:
    return decide(Request("task", name), preferences, limits).action == "deny"


def _of_rows(rows: Iterable[Agent], places: Mapping[str, Origin]) -> Iterator[AgentOverrides]:
    for row in rows:
        fields = {name: value for name, value in row.document.items() if name != "permission"}
        rules = _rules(row.document.get("permission", ()))
        yield AgentOverrides(places[row.place], row.name, fields, rules, id=row.public_id)


def _of_files(workspace: Workspace | None, folder: str) -> Iterator[AgentOverrides]:
    for item in in_force((workspace.project_agents if workspace else {}).get("agents", ()), folder):
        if item["name"]:
            yield AgentOverrides(
                "file", item["name"], item["fields"], _rules(item["rules"]),
                path=item["path"], problems=tuple(f"{item['path']}: {problem}" for problem in item["problems"]),
            )  # fmt: skip


def document_agents(session: Session) -> list[AgentOverrides]:
    """Return the agents defined in the session's configuration documents, except agents from files."""
    found, levels = [], session_levels(session)
    for origin in UNREVIEWED:
        for settings in levels.get(origin, ()):
            for item in read_blocks("", merge([settings]).tree):
                if item["name"]:
                    rules, problems = _rules(item["rules"]), tuple(item["problems"])
                    found.append(AgentOverrides(origin, item["name"], item["fields"], rules, problems=problems))
    return found


def problems_of_files(workspace: Workspace | None) -> list[str]:
    """Return the problems of repository files that do not define a valid agent, each with the file's path."""
    overrides = (workspace.project_agents if workspace else {}).get("agents", ())
    return [f"{item['path']}: {problem}" for item in overrides if not item["name"] for problem in item["problems"]]


def _rules(items: Iterable[Mapping[str, Any]]) -> tuple[Rule, ...]:
    return tuple(Rule(item["permission"], expand_home(item["pattern"], HOME), item["action"]) for item in items)

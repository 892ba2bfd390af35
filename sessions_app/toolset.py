"""The tools of a session: the catalogue of all its tools, and the tools and skills that the session's model is
offered."""

import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from django.conf import settings

from agentsite.base.ids import to_public
from agentsite.tenancy.models import Project
from sessions_app.agents import callable_agents, effective_agents
from sessions_app.configuration.folders import in_force
from sessions_app.configured import stored_skills, tool_settings_of
from sessions_app.model_endpoints import session_traits
from sessions_app.models import Connection, ProjectRepository, Session, Workspace
from sessions_app.policy import current_layers, session_policies
from sessions_app.revisions import TurnPerson, per_revision
from sessions_app.server_tools import (
    ServerScope,
    servers_of,
    session_offerings,
    session_server_tools,
    tools_of_servers,
    waiting_servers,
)
from tools_app.gate import judge
from tools_app.mcp.choice import Choice, choose
from tools_app.mcp.tool import McpTool
from tools_app.registry import Catalogue, ToolScope, catalogue
from tools_app.spec import OfferContext, PermissionNeed, ToolOffer

TOOL_SEARCH: Final = "tool_search"


def session_catalogue(session: Session, person: TurnPerson | None = None) -> Catalogue:
    """Return every tool of the session's project and workspace, and the tools of a person's own MCP servers. Reads
    `session.project` and `session.workspace`."""
    further = session_server_tools(session, person)
    return catalogue(_scope(session.project, session.workspace_id), further)


def project_catalogue(project: Project, workspace: Workspace | None = None) -> Catalogue:
    """Return all tools of the project and, if a workspace is given, the tools of that workspace's MCP servers."""
    scope = ServerScope.of(workspace) if workspace else ServerScope(project.team_id, project.pk)
    return catalogue(_scope(project, workspace.pk if workspace else None), tools_of_servers(servers_of(scope)))


def _scope(project: Project, workspace_id: uuid.UUID | None) -> ToolScope:
    return ToolScope(
        team_id=to_public("tea", project.team_id),
        project_id=project.public_id,
        workspace_id=to_public("wsp", workspace_id) if workspace_id else "",
    )


def offer_context(session: Session, model: str, output_schema: Mapping[str, Any] | None = None) -> OfferContext:
    """Return the context for choosing offered tools: the session's agent and model, the agents that may be called, and
    the JSON Schema of a structured output. Reads `session.project` and `session.workspace`."""
    usual = _offer(session, model)
    return usual if output_schema is None else replace(usual, output_schema=output_schema)


@per_revision
def _offer(session: Session, model: str) -> OfferContext:
    known = {agent.name: agent.description for agent in effective_agents(session).values() if agent.is_callable}
    traits = session_traits(session, model)
    return OfferContext(agent=session.agent, model=traits, agents=known, settings=_settings(session))


def offered_tools(
    session: Session,
    model: str,
    output_schema: Mapping[str, Any] | None = None,
    person: TurnPerson | None = None,
) -> tuple[ToolOffer, ...]:
    """Return the tools offered to the session's model in a turn of a person. Reads `session.project` and
    `session.workspace`."""
    if output_schema is None:
        return _usual_choice(session, model, person).offered
    return _choice(session, model, person, output_schema).offered


def searched_tools(session: Session, model: str, person: TurnPerson | None = None) -> tuple[ToolOffer, ...]:
    """Return the MCP tools that the session's model is not offered directly, but finds with the tool search. Reads
    `session.project` and `session.workspace`."""
    return _usual_choice(session, model, person).left_out


def _choice(
    session: Session, model: str, person: TurnPerson | None, output_schema: Mapping[str, Any] | None = None
) -> Choice:
    preferences, limits = current_layers(session)
    offer = OfferContext(
        agent=session.agent,
        model=session_traits(session, model),
        agents=callable_agents(effective_agents(session), preferences, limits),
        settings={**_settings(session), "tool_search": True, "mcp_resources": _has_resources(session, person)},
        output_schema=output_schema,
    )
    tools = session_catalogue(session, person)
    sources = {name: tool.server.name for name, tool in tools.items() if isinstance(tool, McpTool)}
    return _chosen(choose(tools.offered(preferences, limits, offer), sources, session.found_tools), sources)


def _chosen(choice: Choice, sources: Mapping[str, str]) -> Choice:
    """Complete the choice of offered tools: list the MCP servers with left-out tools in the description of
    `tool_search`, or remove `tool_search` if no tool is left out."""
    if not choice.left_out:
        return replace(choice, offered=tuple(each for each in choice.offered if each.name != TOOL_SEARCH))
    counts = Counter(sources[each.name] for each in choice.left_out)
    servers = ", ".join(f"{name} ({count:,})" for name, count in sorted(counts.items()))
    about = f"\n\nServers with tools that are not in the list: {servers}."
    offered = [
        replace(each, description=each.description + about) if each.name == TOOL_SEARCH else each
        for each in choice.offered
    ]
    return replace(choice, offered=tuple(offered))


@per_revision
def _usual_choice(session: Session, model: str, person: TurnPerson | None) -> Choice:
    return _choice(session, model, person)


@per_revision
def _settings(session: Session) -> dict[str, Any]:
    """Return the settings that tools read, from the site, the configuration documents, the workspace and the policies.
    A secret is empty in processes that must not have it."""
    documents = tool_settings_of(session)
    all_servers_off = "*" in documents.get("lsp_off", ())
    return {
        **documents,
        "web_allow": tuple(settings.WEB_ALLOW),
        "web_certificates": settings.WEB_CERTIFICATES,
        "search_server": settings.SEARCH_SERVER,
        "search_key": settings.SEARCH_KEY,
        "browser": settings.SANDBOX_BROWSER,
        "languages": () if all_servers_off else settings.SANDBOX_LANGUAGES,
        "setup": bool(session.workspace.setup),
        "folder": session.folder,
        "skills": skills_of(session),
        "pull_requests": _has_pull_requests(session),
        "declared_servers": waiting_servers(session),
        **_strictest(documents, session_policies(session).tool_settings),
    }


def _strictest(documents: Mapping[str, Any], policies: Mapping[str, int]) -> dict[str, int]:
    """Return the output limits that policies or documents set. If both set the same limit, the smaller number is
    used."""
    names = ("output_lines", "output_bytes")
    found = {name: [each[name] for each in (documents, policies) if name in each] for name in names}
    return {name: min(values) for name, values in found.items() if values}


def _has_resources(session: Session, person: TurnPerson | None) -> bool:
    return any(offerings.resources for _, offerings in session_offerings(session, person))


@per_revision
def _has_pull_requests(session: Session) -> bool:
    reached = ProjectRepository.objects.filter(project=session.project_id, connection__isnull=False)
    return reached.exclude(connection__kind=Connection.Kind.GIT).exists()


@per_revision
def skills_of(session: Session) -> list[dict[str, str]]:
    """Return the skills of the session, usable or not, with their `source`. Of several skills with the same name, only
    one is returned: a skill that can be loaded takes precedence, then the skill of the strongest level, then, among
    files, the skill in the nearest folder."""
    fields = ("name", "description", "folder", "problem")
    files = [
        {name: skill[name] for name in fields} | {"package": "", "source": "file"}
        for skill in in_force(session.workspace.skills, session.folder)
    ]
    stored = [(origin, skill | {"source": origin}) for origin, skill in stored_skills(session)]
    stronger = [skill for origin, skill in stored if origin == "project"]
    found = [*(skill for origin, skill in stored if origin != "project"), *files, *stronger]
    ordered = sorted(found, key=lambda skill: not skill["problem"])
    return list({skill["name"]: skill for skill in ordered}.values())


@per_revision
def listed_skills(session: Session) -> list[dict[str, str]]:
    """Return the skills listed for the session's agent: loadable and not denied by a rule. Reads `session.project` and
    `session.workspace`."""
    usable = [skill for skill in skills_of(session) if not skill["problem"]]
    if not usable:
        return []
    preferences, limits = current_layers(session)
    needs = [PermissionNeed("skill", (skill["name"],)) for skill in usable]
    judged = [judge([need], preferences, limits).action for need in needs]
    return [skill for skill, action in zip(usable, judged, strict=True) if action != "deny"]

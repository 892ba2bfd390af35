"""REST endpoints for agents of the site, of teams, projects and sessions."""

from dataclasses import replace

from django.http import HttpRequest
from ninja import Router, Status

from agentsite.base.errors import Missing
from agentsite.http.etags import accepted_versions, set_version
from agentsite.http.operation_marks import conditional
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Project, Team
from sessions_app.actions.agents import change_agent, create_agent, remove_agent
from sessions_app.agent.built_in import BUILT_IN
from sessions_app.agents import (
    all_agents,
    callable_agents,
    default_agent,
    effective_agents,
    known_models,
    problems_of_files,
)
from sessions_app.model_endpoints import model_for, traits_of
from sessions_app.models import Agent, Session, Workspace
from sessions_app.policy import session_layers, session_policies, session_rules
from sessions_app.queries.sessions import find_session
from sessions_app.toolset import session_catalogue
from sessions_app.transport.rest import agent_schemas as shapes
from sessions_app.transport.rest.policy_schemas import LayerView, PreferenceView
from tools_app.policies.scopes import SITE, PolicyScope, find_scope, may_edit
from tools_app.spec import OfferContext

router = Router(tags=["agents"])


@router.get("/agents", response=shapes.AgentPage, operation_id="list_agents")
def list_agents(request: HttpRequest) -> shapes.AgentPage:
    """List the built-in agents. Teams, projects and sessions may have more."""
    shown = [agent for agent in BUILT_IN.values() if not agent.hidden]
    return shapes.AgentPage(
        items=[shapes.AgentView(name=agent.name, description=agent.description, mode=agent.mode) for agent in shown]
    )


@router.get("/site/agents", response=shapes.EffectiveAgents, operation_id="list_site_agents")
def list_site_agents(request: HttpRequest) -> shapes.EffectiveAgents:
    """List the agents of the site: the built-in ones with the site's overrides."""
    return _effective(request, SITE)


@router.post("/site/agents", response={201: shapes.AgentRowView}, operation_id="create_site_agent")
def post_site_agent(request: HttpRequest, payload: shapes.NewAgent) -> Status[shapes.AgentRowView]:
    """Create an agent for the whole site, or override a built-in one. For operators only."""
    return _create(request, SITE, payload)


@router.get("/teams/{team_id}/agents", response=shapes.EffectiveAgents, operation_id="list_team_agents")
def list_team_agents(request: HttpRequest, team_id: str) -> shapes.EffectiveAgents:
    """List the agents of a team, with the definitions that apply in projects without overrides."""
    return _effective(request, _team_place(request, team_id))


@router.post("/teams/{team_id}/agents", response={201: shapes.AgentRowView}, operation_id="create_team_agent")
def post_team_agent(request: HttpRequest, team_id: str, payload: shapes.NewAgent) -> Status[shapes.AgentRowView]:
    """Create an agent for all projects of a team, or override an existing one."""
    return _create(request, _team_place(request, team_id), payload)


@router.get("/projects/{project_id}/agents", response=shapes.EffectiveAgents, operation_id="list_project_agents")
def list_project_agents(request: HttpRequest, project_id: str) -> shapes.EffectiveAgents:
    """List the agents of a project, including those in the repository of the project's first workspace."""
    return _effective(request, _project_place(request, project_id))


@router.post("/projects/{project_id}/agents", response={201: shapes.AgentRowView}, operation_id="create_project_agent")
def post_project_agent(request: HttpRequest, project_id: str, payload: shapes.NewAgent) -> Status[shapes.AgentRowView]:
    """Create an agent for one project, or override an existing one."""
    return _create(request, _project_place(request, project_id), payload)


@router.get("/agents/{agent_id}", response=shapes.AgentRowView, operation_id="get_agent")
def get_agent(request: HttpRequest, agent_id: str) -> shapes.AgentRowView:
    """Return the overrides of an agent that the site, a team or a project has saved."""
    row = _find(request, agent_id)
    set_version(request, str(row.version))
    return shapes.AgentRowView.of(row, can_edit=_may_edit(request, row))


@router.patch("/agents/{agent_id}", response=shapes.AgentRowView, operation_id="update_agent")
@conditional
def patch_agent(request: HttpRequest, agent_id: str, payload: shapes.AgentChange) -> shapes.AgentRowView:
    """Change the fields of an agent that are present. A field that is null is reset and no longer overridden."""
    row = change_agent(
        actor=current_user(request),
        agent=_find(request, agent_id),
        document=payload.document,
        base_version=payload.base_version,
        versions=accepted_versions(request),
    )
    set_version(request, str(row.version))
    return shapes.AgentRowView.of(row, can_edit=True)


@router.delete("/agents/{agent_id}", response={204: None}, operation_id="delete_agent")
def delete_agent(request: HttpRequest, agent_id: str) -> Status[None]:
    """Delete an agent. A built-in agent gets its original settings back."""
    remove_agent(actor=current_user(request), agent=_find(request, agent_id))
    return Status(204, None)


@router.get("/sessions/{session_id}/agents", response=shapes.SessionAgents, operation_id="list_session_agents")
def list_session_agents(request: HttpRequest, session_id: str) -> shapes.SessionAgents:
    """List every agent that can work in the session now, except the site's internal ones."""
    session = find_session(request, session_id)
    agents = effective_agents(session)
    shown = [agent for agent in agents.values() if agent.is_selectable or agent.is_callable]
    return shapes.SessionAgents(
        items=[shapes.EffectiveAgentView.of(agent) for agent in shown],
        current=session.agent,
        callable=list(callable_agents(agents, *session_layers(session, agents=agents))),
        problems=problems_of_files(session.workspace),
    )


@router.get("/sessions/{session_id}/agents/explain", response=shapes.AgentExplanation, operation_id="explain_agent")
def explain_agent(request: HttpRequest, session_id: str, name: str) -> shapes.AgentExplanation:
    """Show the rules, limits and tools that an agent would have if it worked in the session."""
    session = find_session(request, session_id)
    agents = effective_agents(session)
    if name not in agents:
        raise Missing(f"There is no agent '{name[:60]}' in this session.")
    rules = replace(session_rules(session, agents), agent=agents[name].permissions)
    preferences, limits = rules.layers(session_policies(session))
    model = model_for(session, agents[name])
    offer = OfferContext(agent=name, model=traits_of(model, session.project.team_id))
    tools = session_catalogue(session)
    offered = [each.name for each in tools.offered(preferences, limits, offer)]
    return shapes.AgentExplanation(
        agent=shapes.EffectiveAgentView.of(agents[name]),
        model=model,
        preferences=[
            PreferenceView(name=layer.name, tightens_only=layer.tightens_only, rules=shapes.rule_views(layer.rules))
            for layer in preferences
        ],
        limits=[LayerView(name=layer.name, rules=shapes.rule_views(layer.rules)) for layer in limits],
        tools=offered,
        hidden_tools=[tool.id for tool in tools.known_to(offer) if tool.id not in offered],
        callable=list(callable_agents(agents, preferences, limits)),
    )


def _find(request: HttpRequest, agent_id: str) -> Agent:
    return Agent.objects.visible_to(current_user(request)).select_related("changed_by").by_public_id(agent_id)


def _may_edit(request: HttpRequest, row: Agent) -> bool:
    user = current_user(request)
    return may_edit(user, find_scope(user, row.place))


def _team_place(request: HttpRequest, team_id: str) -> PolicyScope:
    return PolicyScope("team", Team.objects.visible_to(current_user(request)).by_public_id(team_id))


def _project_place(request: HttpRequest, project_id: str) -> PolicyScope:
    rows = Project.objects.visible_to(current_user(request)).select_related("team")
    return PolicyScope("project", rows.by_public_id(project_id))


def _session_now(project: Project, workspace: Workspace | None) -> Session:
    """Return an unsaved session of the project that belongs to no person, to find the values that a new session would
    get."""
    return Session(project=project, workspace=workspace or Workspace(project=project))


def _effective(request: HttpRequest, place: PolicyScope) -> shapes.EffectiveAgents:
    project = place.target if isinstance(place.target, Project) else None
    rows = Workspace.objects.visible_to(current_user(request)).filter(project=project).order_by("id")
    workspace = rows.first() if project else None
    agents = all_agents(project=project, team_id=place.team_id, workspace=workspace)
    usable = {name: agent for name, agent in agents.items() if not agent.disabled}
    return shapes.EffectiveAgents(
        items=[shapes.EffectiveAgentView.of(agent) for agent in agents.values()],
        default=default_agent(_session_now(project, workspace), usable) if project else "",
        models=known_models(place.team_id),
        problems=problems_of_files(workspace),
        can_edit=may_edit(current_user(request), place),
    )


def _create(request: HttpRequest, place: PolicyScope, payload: shapes.NewAgent) -> Status[shapes.AgentRowView]:
    row = create_agent(actor=current_user(request), place=place, name=payload.name, document=payload.document)
    return Status(201, shapes.AgentRowView.of(row, can_edit=True))

"""The tools of a session: which ones its model is offered, and how calls are parsed."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from agentsite.base.ids import to_public
from agentsite.tenancy.models import Project
from sessions_app.agents import callable_agents, effective_agents
from sessions_app.model_endpoints import session_traits
from sessions_app.models import Connection, ProjectRepository, Session
from sessions_app.policy import current_layers, session_policies
from sessions_app.revisions import per_revision
from tools_app.gate import judge
from tools_app.registry import Catalogue, ToolScope, catalogue
from tools_app.spec import OfferContext, PermissionNeed, ToolOffer


def session_catalogue(session: Session) -> Catalogue:
    """Return every tool of the session's project and workspace. Reads `session.project`."""
    return project_catalogue(session.project, session.workspace_id)


def project_catalogue(project: Project, workspace_id: uuid.UUID | None) -> Catalogue:
    """Return every tool of the project, with those of the workspace if one is given."""
    return catalogue(
        ToolScope(
            team_id=to_public("tea", project.team_id),
            project_id=project.public_id,
            workspace_id=to_public("wsp", workspace_id) if workspace_id else "",
        )
    )


def offer_context(session: Session, model: str, output_schema: Mapping[str, Any] | None = None) -> OfferContext:
    """Return the context for choosing offered tools: the session's agent and model, and the JSON Schema of a structured
    output. Includes the agents that may be called. Reads `session.project` and `session.workspace`."""
    known = {agent.name: agent.description for agent in effective_agents(session).values() if agent.is_callable}
    return OfferContext(
        agent=session.agent,
        model=session_traits(session, model),
        agents=known,
        settings=_settings(session),
        output_schema=output_schema,
    )


def offered_tools(
    session: Session, model: str, output_schema: Mapping[str, Any] | None = None
) -> tuple[ToolOffer, ...]:
    """Return the tools offered to the session's model. Reads `session.project` and `session.workspace`."""
    return _usual_offers(session, model) if output_schema is None else _offers(session, model, output_schema)


def _offers(session: Session, model: str, output_schema: Mapping[str, Any] | None = None) -> tuple[ToolOffer, ...]:
    preferences, limits = current_layers(session)
    offer = OfferContext(
        agent=session.agent,
        model=session_traits(session, model),
        agents=callable_agents(effective_agents(session), preferences, limits),
        settings=_settings(session),
        output_schema=output_schema,
    )
    return session_catalogue(session).offered(preferences, limits, offer)


@per_revision
def _usual_offers(session: Session, model: str) -> tuple[ToolOffer, ...]:
    return _offers(session, model)


def _settings(session: Session) -> dict[str, Any]:
    """Return the settings for tools: the site's, the workspace's, and those of the policies. A secret is empty in a
    process whose role must not have it."""
    return {
        "web_allow": tuple(settings.WEB_ALLOW),
        "web_certificates": settings.WEB_CERTIFICATES,
        "search_server": settings.SEARCH_SERVER,
        "search_key": settings.SEARCH_KEY,
        "languages": settings.SANDBOX_LANGUAGES,
        "setup": bool(session.workspace.setup),
        "pull_requests": _has_pull_requests(session),
        **session_policies(session).tool_settings,
    }


@per_revision
def _has_pull_requests(session: Session) -> bool:
    reached = ProjectRepository.objects.filter(project=session.project_id, connection__isnull=False)
    return reached.exclude(connection__kind=Connection.Kind.GIT).exists()


def listed_skills(session: Session) -> list[dict[str, str]]:
    """Return the skills listed for the session's agent: loadable and not denied by a rule. Reads `session.project` and
    `session.workspace`."""
    usable = [skill for skill in session.workspace.skills if not skill["problem"]]
    if not usable:
        return []
    preferences, limits = current_layers(session)
    needs = [PermissionNeed("skill", (skill["name"],)) for skill in usable]
    judged = [judge([need], preferences, limits).action for need in needs]
    return [skill for skill, action in zip(usable, judged, strict=True) if action != "deny"]

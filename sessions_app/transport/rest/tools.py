"""REST endpoint: the tools that a session's model is offered now."""

from django.http import HttpRequest
from ninja import Router, Schema

from agentsite.tenancy.authentication import current_user
from sessions_app.agents import effective_agents
from sessions_app.model_endpoints import model_for
from sessions_app.queries.sessions import find_session
from sessions_app.revisions import TurnPerson
from sessions_app.toolset import offered_tools, session_catalogue
from tools_app.rest import ToolView

router = Router(tags=["tools"])


class SessionTools(Schema):
    items: list[ToolView]


@router.get("/sessions/{session_id}/tools", response=SessionTools, operation_id="list_session_tools")
def list_session_tools(request: HttpRequest, session_id: str) -> SessionTools:
    """List the tools that the next step would offer to the model, given the agent, the model, the rules and the
    project."""
    session = find_session(request, session_id)
    person = TurnPerson(current_user(request).pk)
    agents = effective_agents(session)
    model = model_for(session, agents.get(session.agent))
    offers = offered_tools(session, model, person=person)
    tools = session_catalogue(session, person)
    return SessionTools(
        items=[
            ToolView(
                id=offer.name,
                aliases=list(tools[offer.name].aliases),
                source=tools.source_of(offer.name),
                permission=tools[offer.name].permission,
                offered=True,
                description=offer.description,
                parameters=dict(offer.schema),
            )
            for offer in offers
            if offer.name in tools  # an MCP server may have taken it back meanwhile
        ]
    )

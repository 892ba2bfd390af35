"""REST endpoints: list the tools, and show how a tool is described to a model."""

from typing import Any

from django.http import HttpRequest
from ninja import Field, Router, Schema

from agentsite.base.errors import Missing
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Project
from tools_app.model_families import family_of
from tools_app.project_catalogue import catalogue_of
from tools_app.registry import Catalogue, catalogue, offer_of
from tools_app.spec import ModelTraits, OfferContext, Tool

router = Router(tags=["tools"])


class ToolSummary(Schema):
    """A tool in the list.

    `permission` is the name that rules use. `offered` is false if the tool is not offered to the requested model or not
    offered at all. `source` is the origin of the tool ("built-in").
    """

    id: str
    aliases: list[str]
    source: str
    permission: str
    offered: bool


class ToolPage(Schema):
    items: list[ToolSummary]


class ToolView(ToolSummary):
    """A tool with its description and its parameters, adapted to the model's provider."""

    description: str
    parameters: dict[str, Any] = Field(description="JSON Schema of the arguments.")


@router.get("/tools", response=ToolPage, operation_id="list_tools")
def list_tools(request: HttpRequest, model: str = "", project_id: str = "") -> ToolPage:
    """List the site's tools. With `project_id`, the tools that the project adds are included. With `model`, `offered`
    says which of the tools this model gets."""
    tools, offer = _catalogue(request, project_id), _offer(model)
    offered = {tool.id for tool in tools.known_to(offer)}
    return ToolPage(items=[ToolSummary(**_summary(tools, tool, tool.id in offered)) for tool in tools.values()])


@router.get("/tools/{tool_id}", response=ToolView, operation_id="get_tool")
def get_tool(request: HttpRequest, tool_id: str, model: str = "", project_id: str = "") -> ToolView:
    """Show how a tool is described to the model. The rules, the agent and the settings of a session are not applied."""
    tools, offer = _catalogue(request, project_id), _offer(model)
    tool = tools.find(tool_id)
    if tool is None:
        raise Missing(f"There is no tool '{tool_id[:60]}'.", hint="Use a name from the list of tools.")
    tool_offer = offer_of(tool, offer)
    summary = _summary(tools, tool, tool in tools.known_to(offer))
    return ToolView(**summary, description=tool_offer.description, parameters=dict(tool_offer.schema))


def _catalogue(request: HttpRequest, project_id: str) -> Catalogue:
    if not project_id:
        return catalogue()
    project = Project.objects.visible_to(current_user(request)).select_related("team").by_public_id(project_id)
    return catalogue_of(project)


def _offer(model: str) -> OfferContext:
    return OfferContext(model=ModelTraits(family_of(model)))


def _summary(tools: Catalogue, tool: Tool[Any], offered: bool) -> dict[str, Any]:
    return {
        "id": tool.id,
        "aliases": list(tool.aliases),
        "source": tools.source_of(tool.id),
        "permission": tool.permission,
        "offered": offered,
    }

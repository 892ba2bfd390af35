"""The tools of a project. At start-up, a function can be set that also finds tools of other sources, such as MCP
servers."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tools_app.registry import Catalogue, ToolScope, catalogue

if TYPE_CHECKING:
    from agentsite.tenancy.models import Project


def _from_sources(project: "Project") -> Catalogue:
    return catalogue(ToolScope(team_id=project.team.public_id, project_id=project.public_id))


_find: "list[Callable[[Project], Catalogue]]" = [_from_sources]


def use_project_catalogue(find: "Callable[[Project], Catalogue]") -> None:
    """Set the function from which `catalogue_of` gets the tools of a project. Called at the start of every process,
    including processes without the web packages."""
    _find[0] = find


def catalogue_of(project: "Project") -> Catalogue:
    """Return the tools that sessions of the project can have."""
    return _find[0](project)

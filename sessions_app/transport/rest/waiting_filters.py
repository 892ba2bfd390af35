"""The query parameters that filter lists of permission requests and questions."""

from typing import Any, Literal

from ninja import Field, Schema

from agentsite.tenancy.models import Project, User
from sessions_app.models import Session
from sessions_app.models.asking import AskingQuerySet
from sessions_app.models.base import AnyRow


class AskingFilter(Schema):
    """Filters for permission requests and questions. Items must match all given filters."""

    state: Any = "open"
    session_id: str | None = None
    project: str | None = Field(default=None, description="The id of a project.")
    tool: str | None = Field(default=None, max_length=200, description="The tool whose call waits, or waited.")

    def among(self, rows: AskingQuerySet[AnyRow], user: User) -> AskingQuerySet[AnyRow]:
        """Return the permission requests or questions in `rows` that match the filter. Raises Missing if the user
        cannot see the session or project of the filter."""
        if self.state != "all":
            rows = rows.filter(state=self.state)
        if self.session_id is not None:
            rows = rows.filter(session=Session.objects.visible_to(user).by_public_id(self.session_id))
        if self.project is not None:
            rows = rows.filter(session__project=Project.objects.visible_to(user).by_public_id(self.project))
        return rows if self.tool is None else rows.filter(call__tool=self.tool)


class RequestFilter(AskingFilter):
    state: Literal["open", "once", "always", "rejected", "cancelled", "all"] = "open"


class QuestionFilter(AskingFilter):
    state: Literal["open", "answered", "dismissed", "cancelled", "all"] = "open"

"""Which sessions a list shows."""

from typing import Any, Literal

from django.db.models import QuerySet
from ninja import Field, Schema

from agentsite.ids import from_public
from agentsite.moments import Moment
from agentsite.tenancy.models import Project
from sessions_app.models import Session


class SessionFilter(Schema):
    """Those that fit all that is given."""

    status: Literal["idle", "running", "waiting"] | None = None
    project: str | None = Field(default=None, description="The id of a project.")
    created_by: str | None = Field(default=None, description="The id of the person who opened it.")
    archived: bool = Field(default=False, description="Those in the archive, in place of the others.")
    since: Moment | None = Field(default=None, description="Opened at that time or later.")
    until: Moment | None = Field(default=None, description="Opened before that time.")

    def of(self, user: Any) -> QuerySet[Session]:
        """Of those that the person sees, newest first. Raises Missing for a project that is none of theirs."""
        rows = Session.objects.visible_to(user).filter(archived=self.archived, parent=None)
        if self.project:
            rows = rows.filter(project=Project.objects.visible_to(user).by_public_id(self.project))
        if self.created_by:
            rows = rows.filter(created_by=from_public("usr", self.created_by))
        wanted = {"status": self.status, "created_at__gte": self.since, "created_at__lt": self.until}
        return rows.filter(**{name: value for name, value in wanted.items() if value is not None})

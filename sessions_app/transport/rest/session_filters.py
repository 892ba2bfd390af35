"""The query parameters that filter lists of sessions."""

from typing import Literal

from django.db.models import QuerySet
from ninja import Field, Schema

from agentsite.base.ids import from_public
from agentsite.base.timestamps import Timestamp
from agentsite.tenancy.models import Project, User
from sessions_app.models import Session, SessionMark


class ProjectSessionFilter(Schema):
    """Filters for the sessions of a project. Sessions must match all given filters."""

    status: Literal["idle", "running", "waiting"] | None = None
    agent: str | None = Field(default=None, max_length=64, description="The name of the session's agent.")
    created_by: str | None = Field(default=None, description="The id of the person who opened it.")
    archived: bool = Field(default=False, description="List the archived sessions instead of the others.")
    label: str | None = Field(default=None, max_length=40, description="A label of the session.")
    pinned: bool | None = Field(default=None, description="Only sessions that you have pinned, or only others.")
    since: Timestamp | None = Field(default=None, description="Opened at this time or later.")
    until: Timestamp | None = Field(default=None, description="Opened before this time.")
    updated_since: Timestamp | None = Field(default=None, description="Changed at this time or later.")
    updated_until: Timestamp | None = Field(default=None, description="Last changed before this time.")

    def of(self, user: User) -> QuerySet[Session]:
        """Return the sessions that match the filter and that the user can see, newest first."""
        rows = Session.objects.visible_to(user).filter(archived=self.archived, parent=None)
        if self.created_by:
            rows = rows.filter(created_by=from_public("usr", self.created_by))
        if self.label:
            rows = rows.filter(labels__contains=f"\n{self.label}\n")
        if self.pinned is not None:
            own = SessionMark.objects.filter(user=user, pinned=True).values("session_id")
            rows = rows.filter(id__in=own) if self.pinned else rows.exclude(id__in=own)
        wanted = {
            "status": self.status, "agent": self.agent, "created_at__gte": self.since, "created_at__lt": self.until,
            "updated_at__gte": self.updated_since, "updated_at__lt": self.updated_until,
        }  # fmt: skip
        return rows.filter(**{name: value for name, value in wanted.items() if value is not None})


class SessionFilter(ProjectSessionFilter):
    project: str | None = Field(default=None, description="The id of a project.")

    def of(self, user: User) -> QuerySet[Session]:
        """Return the sessions that match the filter. Raises Missing if the user cannot see the project."""
        rows = super().of(user)
        if self.project:
            rows = rows.filter(project=Project.objects.visible_to(user).by_public_id(self.project))
        return rows

"""Describe the project's repository in the system prompt."""

from typing import Final

from sessions_app.models import Session
from sessions_app.repositories.models import ProjectRepository
from sessions_app.revisions import per_revision

LINE: Final = (
    "Repository: {}, as the remote origin, also where the network is none; no other repository of its server. A push "
    "may need a person's permission: run it, read what git prints, and do not try to get around a refusal."
)


@per_revision
def told_repository(session: Session) -> str:
    """Return the line about the project's repository in the system prompt of a session; "" if the project has no
    repository."""
    row = ProjectRepository.objects.filter(project=session.project_id).values_list("full_name", flat=True).first()
    return LINE.format(row) if row else ""

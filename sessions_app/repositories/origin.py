"""The names of a project's repository and its branches in the git URL that programs in a workspace use."""

import re
import uuid
from typing import Final

from sessions_app.repositories.models import ProjectRepository

_ODD: Final = re.compile(r"[^A-Za-z0-9._-]+")


def origin_name(row: ProjectRepository) -> str:
    """Return the repository's name in the URL that programs in a workspace use: the last part of its full name."""
    last = row.full_name.rstrip("/").rpartition("/")[2].removesuffix(".git")
    return _ODD.sub("-", last).strip(".-_")[:100] or "repository"


def session_branch(row: ProjectRepository, session_id: uuid.UUID) -> str:
    """Return the branch that a session works on: the project's prefix and the end of the session's id."""
    return f"{row.branch_prefix}{session_id.hex[-8:]}"

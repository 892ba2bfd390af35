"""told_repository(): describe the project's repository to agents."""

import time
import uuid
from typing import Final

from sessions_app.models import Session
from sessions_app.repositories.models import ProjectRepository

FRESH: Final = 60.0  # seconds for which a line is kept
MAX_KEPT: Final = 10_000
LINE: Final = (
    "Repository: {}, as the remote origin, also where the network is none; no other repository of its server. A push "
    "may need a person's permission: run it, read what git prints, and do not try to get around a refusal."
)

_kept: dict[uuid.UUID, tuple[float, str]] = {}


def told_repository(session: Session) -> str:
    """Return the line for a session's agent; "" if the project has no repository. Changes appear after `FRESH` seconds
    at most."""
    now = time.monotonic()
    at, line = _kept.get(session.project_id, (-FRESH, ""))
    if now - at >= FRESH:
        row = ProjectRepository.objects.filter(project=session.project_id).values_list("full_name", flat=True).first()
        line = LINE.format(row) if row else ""
        if len(_kept) >= MAX_KEPT:
            _kept.clear()
        _kept[session.project_id] = (now, line)
    return line

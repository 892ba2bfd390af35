"""Names in commits: the person of the prompt is the author, the agent the committer.

git reads both from variables of its environment. Variables of the team, the project or the person with the same names
replace them.
"""

import time
import uuid
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Subquery

from agentsite.tenancy.display_names import one_line
from agentsite.tenancy.models import User
from sessions_app.repositories.models import ProjectRepository

AGENT_NAME: Final = "agentsite"
TRAILERS: Final = "AGENTSITE_TRAILERS"
"""The variable with the lines that the hook of `workers/sandbox/clone.sh` adds to commit messages."""
FRESH: Final = 60.0  # seconds for which a name is kept
MAX_KEPT: Final = 10_000

_kept: dict[tuple[uuid.UUID | None, uuid.UUID], tuple[float, Mapping[str, str]]] = {}


def commit_identity(person_id: uuid.UUID | None, project_id: uuid.UUID) -> Mapping[str, str]:
    """Return the variables for commits in a project with a repository; none for other projects. A changed name counts
    after `FRESH` seconds at most."""
    key, now = (person_id, project_id), time.monotonic()
    at, found = _kept.get(key, (-FRESH, {}))
    if now - at >= FRESH:
        found = _load(person_id, project_id)
        if len(_kept) >= MAX_KEPT:
            _kept.clear()
        _kept[key] = (now, found)
    return found


def agent_email() -> str:
    """Return the address of the agent in commits."""
    return f"{AGENT_NAME}@{urlsplit(settings.SITE_URL).hostname or 'localhost'}"


def _load(person_id: uuid.UUID | None, project_id: uuid.UUID) -> Mapping[str, str]:
    person = User.objects.filter(pk=person_id) if person_id else User.objects.none()
    rows = ProjectRepository.objects.filter(project=project_id).annotate(
        person_name=Subquery(person.values("name")[:1]), person_email=Subquery(person.values("email")[:1])
    )
    row = rows.values("person_name", "person_email", "co_author", "sign_off").first()
    if row is None:
        return {}
    agent = (AGENT_NAME, agent_email())
    email = row["person_email"] or ""
    author = (_name(row["person_name"] or email.partition("@")[0]), email) if email else agent
    trailers = []
    if row["co_author"] and author != agent:
        trailers.append("Co-authored-by: {} <{}>".format(*agent))
    if row["sign_off"]:
        trailers.append("Signed-off-by: {} <{}>".format(*author))
    return {
        "GIT_AUTHOR_NAME": author[0],
        "GIT_AUTHOR_EMAIL": author[1],
        "GIT_COMMITTER_NAME": agent[0],
        "GIT_COMMITTER_EMAIL": agent[1],
        **({TRAILERS: "\n".join(trailers)} if trailers else {}),
    }


def _name(text: str) -> str:
    """Return a name without what git does not allow in one."""
    return one_line(text).translate(str.maketrans("", "", "<>")).strip() or "somebody"

"""The names in commits: the author is the person who wrote the prompt, the committer is the agent, unless the settings
say otherwise.

git reads author and committer from environment variables, which the configuration of a repository cannot replace.
Variables of the team, the project or the person with the same names take precedence.
"""

import time
import uuid
from collections.abc import Mapping
from typing import Any, Final

from django.db.models import Subquery

from agentsite.tenancy.display_names import one_line
from agentsite.tenancy.models import User
from sessions_app.repositories.commits.effective import FIELDS, CommitOptions, Identity
from sessions_app.repositories.models import Author, ProjectRepository

TRAILERS: Final = "AGENTSITE_TRAILERS"
"""The variable with the lines that the hook of `workers/sandbox/clone.sh` adds to commit messages."""
FRESH: Final = 60.0  # seconds for which a name is kept
MAX_KEPT: Final = 10_000
OF_TEAM: Final = "project__team__commits__"
KEY: Final = f"{OF_TEAM}signing_key"
HELPER: Final = "/opt/agentsite/sign-commit"  # of the image: `sandbox/image/sign_commit.py`

_kept: dict[tuple[uuid.UUID | None, uuid.UUID], tuple[float, Mapping[str, str]]] = {}


def commit_identity(person_id: uuid.UUID | None, project_id: uuid.UUID) -> Mapping[str, str]:
    """Return the environment variables with which git makes commits in a project; none for a project without a
    repository. A changed name is used after `FRESH` seconds at most."""
    key, now = (person_id, project_id), time.monotonic()
    at, found = _kept.get(key, (-FRESH, {}))
    if now - at >= FRESH:
        found = _load(person_id, project_id)
        if len(_kept) >= MAX_KEPT:
            _kept.clear()
        _kept[key] = (now, found)
    return found


def commit_options(project_id: uuid.UUID) -> CommitOptions | None:
    """Return the commit settings of a project; None if the project has no repository."""
    rows = ProjectRepository.objects.filter(project=project_id)
    row = rows.values(*FIELDS, *(f"{OF_TEAM}{name}" for name in FIELDS)).first()
    return None if row is None else _options(row)


def co_author_of(options: CommitOptions) -> str:
    """Return the agent's name and address for the co-author line in commits of people; "" if the settings do not ask
    for such a line."""
    return str(options.committer) if options.co_author and options.author == Author.PERSON else ""


def _load(person_id: uuid.UUID | None, project_id: uuid.UUID) -> Mapping[str, str]:
    person = User.objects.filter(pk=person_id) if person_id else User.objects.none()
    rows = ProjectRepository.objects.filter(project=project_id).annotate(
        person_name=Subquery(person.values("name")[:1]), person_email=Subquery(person.values("email")[:1])
    )
    of_team = (f"{OF_TEAM}{name}" for name in FIELDS)
    row = rows.values("person_name", "person_email", KEY, *FIELDS, *of_team).first()
    if row is None:
        return {}
    options = _options(row)
    return {**_variables(_person(row), options), **(_signing(row[KEY]) if options.sign and row[KEY] else {})}


def _signing(public_key: str) -> Mapping[str, str]:
    """Return the environment variables with which git signs commits with the key `public_key`. They take precedence
    over the configuration of the repository."""
    settings = {
        "gpg.format": "ssh",
        "gpg.ssh.program": HELPER,
        "user.signingKey": f"key::{public_key}",
        "commit.gpgSign": "true",
    }
    numbered = [(f"GIT_CONFIG_KEY_{at}", name) for at, name in enumerate(settings)]
    values = [(f"GIT_CONFIG_VALUE_{at}", value) for at, value in enumerate(settings.values())]
    return {"GIT_CONFIG_COUNT": str(len(settings)), **dict(numbered), **dict(values)}


def _options(row: Mapping[str, Any]) -> CommitOptions:
    return CommitOptions.of(row, {name: row[f"{OF_TEAM}{name}"] for name in FIELDS})


def _person(row: Mapping[str, Any]) -> Identity | None:
    email = row["person_email"] or ""
    return Identity(_name(row["person_name"] or email.partition("@")[0]), email) if email else None


def _variables(person: Identity | None, options: CommitOptions) -> Mapping[str, str]:
    agent = options.committer
    author, other = (agent, person) if options.author == Author.AGENT or person is None else (person, agent)
    trailers = []
    if options.co_author and other is not None:
        trailers.append(f"Co-authored-by: {other}")
    if options.sign_off:
        trailers.append(f"Signed-off-by: {person or agent}")
    return {
        "GIT_AUTHOR_NAME": author.name,
        "GIT_AUTHOR_EMAIL": author.email,
        "GIT_COMMITTER_NAME": agent.name,
        "GIT_COMMITTER_EMAIL": agent.email,
        **({TRAILERS: "\n".join(trailers)} if trailers else {}),
    }


def _name(text: str) -> str:
    """Return a person's or agent's name without the characters that git does not allow in names."""
    return one_line(text).translate(str.maketrans("", "", "<>")).strip() or "somebody"

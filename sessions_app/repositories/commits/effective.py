"""The commit settings that apply to a project: the project's own settings, else the team's. Pure functions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self
from urllib.parse import urlsplit

from django.conf import settings

from sessions_app.repositories.models import Author

AGENT_NAME: Final = "agentsite"
FIELDS: Final = ("author", "committer_name", "committer_email", "co_author", "sign_off", "sign")
UNSET: Final = ("", None)


@dataclass(frozen=True, slots=True)
class Identity:
    """A name and an address in commits."""

    name: str
    email: str

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>"


@dataclass(frozen=True, slots=True)
class CommitOptions:
    """The commit settings that apply to a project. `committer` is the committer's name and e-mail address, by default
    the name and address of the site's agent."""

    author: str
    committer: Identity
    co_author: bool
    sign_off: bool
    sign: bool

    @classmethod
    def of(cls, project: Mapping[str, Any], team: Mapping[str, Any]) -> Self:
        """Return the effective settings: the project's, or else the team's, or else the defaults."""
        values = {name: _first(project.get(name), team.get(name)) for name in FIELDS}
        committer = Identity(values["committer_name"] or AGENT_NAME, values["committer_email"] or agent_email())
        return cls(
            author=values["author"] or Author.PERSON,
            committer=committer,
            co_author=values["co_author"] is not False,
            sign_off=values["sign_off"] is True,
            sign=values["sign"] is True,
        )


def agent_email() -> str:
    """Return the agent's address in commits of teams that have not set another one."""
    return f"{AGENT_NAME}@{urlsplit(settings.SITE_URL).hostname or 'localhost'}"


def _first(*values: Any) -> Any:
    return next((value for value in values if value not in UNSET), None)

"""Change what the commits of a team's agents are made with, and check such settings of teams and projects."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from agentsite.base.errors import BadInput
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.display_names import one_line
from agentsite.tenancy.models import Team, User
from agentsite.tenancy.roles import Act
from sessions_app.repositories.commits.effective import FIELDS
from sessions_app.repositories.models import TeamCommits

_EMAIL: Final = re.compile(r"[^\s<>@,;:]{1,100}@[A-Za-z0-9.-]{1,150}")


@dataclass(frozen=True, slots=True)
class CommitChoice:
    """Settings of a team or a project. In a project, "" and None stand for what the team has."""

    author: str = ""
    committer_name: str = ""
    committer_email: str = ""
    co_author: bool | None = None
    sign_off: bool | None = None

    def checked(self) -> Mapping[str, Any]:
        """Return the columns. Raises BadInput."""
        name, email = self.committer_name.strip(), self.committer_email.strip()
        problems = {}
        if name != one_line(name) or set(name) & set("<>"):
            problems["committer_name"] = "one line without < and >"
        if email and _EMAIL.fullmatch(email) is None:
            problems["committer_email"] = "an address, such as bot@example.org"
        if problems:
            raise BadInput("This cannot be the committer of commits.", fields=problems)
        return {
            "author": self.author,
            "committer_name": name,
            "committer_email": email,
            "co_author": self.co_author,
            "sign_off": self.sign_off,
        }


def team_commits(team: Team) -> TeamCommits:
    """Return the settings of a team, with their defaults and version 0 if nobody has set them."""
    return TeamCommits.objects.select_related("changed_by").filter(team=team).first() or TeamCommits(
        team=team, version=0
    )


def set_team_commits(
    *, actor: User, team: Team, choice: CommitChoice, check_version: Callable[[TeamCommits], None]
) -> TeamCommits:
    """Set what commits are made with in projects that do not say otherwise. Raises BadInput."""
    require(actor, Act.MANAGE_CONNECTIONS, team_id=team.pk)
    values = choice.checked()
    with sqlite_write_lock(), transaction.atomic():
        Team.objects.select_for_update().get(pk=team.pk)
        row = team_commits(team)
        check_version(row)
        for name, value in values.items():
            setattr(row, name, value)
        row.version, row.changed_by, row.changed_at = row.version + 1, actor, timezone.now()
        row.save()
        data = {name: getattr(row, name) for name in FIELDS}
        audit.record(team_id=team.pk, actor=actor, action="team.commits_set", subject=team.public_id, data=data)
    return row

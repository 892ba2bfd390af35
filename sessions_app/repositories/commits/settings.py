"""Change the commit settings of a team, and check the settings of teams and projects."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from agentsite.base.errors import BadInput
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.display_names import one_line
from agentsite.tenancy.door_encryption import DOOR
from agentsite.tenancy.models import Team, User
from agentsite.tenancy.roles import Act
from sessions_app.repositories.commits.effective import FIELDS
from sessions_app.repositories.models import TeamCommits
from tools_app.network.git.ssh_keys import fingerprint, new_key

_EMAIL: Final = re.compile(r"[^\s<>@,;:]{1,100}@[A-Za-z0-9.-]{1,150}")


@dataclass(frozen=True, slots=True)
class CommitChoice:
    """Commit settings of a team or a project. In a project, "" and None mean that the team's setting is used."""

    author: str = ""
    committer_name: str = ""
    committer_email: str = ""
    co_author: bool | None = None
    sign_off: bool | None = None
    sign: bool | None = None

    def checked(self) -> Mapping[str, Any]:
        """Check the commit settings and return them as a mapping from model fields to values. Raises BadInput."""
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
            "sign": self.sign,
        }


def team_commits(team: Team) -> TeamCommits:
    """Return the commit settings of a team; if nobody has set them, the defaults with version 0."""
    return TeamCommits.objects.select_related("changed_by", "team").filter(team=team).first() or TeamCommits(
        team=team, version=0
    )


def set_team_commits(
    *, actor: User, team: Team, choice: CommitChoice, check_version: Callable[[TeamCommits], None]
) -> TeamCommits:
    """Set the commit settings of a team, which projects can override. Raises BadInput."""
    require(actor, Act.MANAGE_CONNECTIONS, team_id=team.pk)
    values = choice.checked()
    with _changed(actor, team) as row:
        check_version(row)
        for name, value in values.items():
            setattr(row, name, value)
        if row.sign and not row.signing_key:
            _replace_key(actor, row)
        data = {name: getattr(row, name) for name in FIELDS}
        audit.record(team_id=team.pk, actor=actor, action="team.commits_set", subject=team.public_id, data=data)
    return row


def replace_signing_key(*, actor: User, team: Team) -> TeamCommits:
    """Make a new key that signs the commits of the team's agents; the former key is deleted."""
    require(actor, Act.MANAGE_CONNECTIONS, team_id=team.pk)
    with _changed(actor, team) as row:
        _replace_key(actor, row)
    return row


def need_signing_key(*, actor: User, team: Team) -> None:
    """Create the signing key of a team unless the team already has one."""
    if not team_commits(team).signing_key:
        replace_signing_key(actor=actor, team=team)


@contextmanager
def _changed(actor: User, team: Team) -> Iterator[TeamCommits]:
    """Context manager that yields the team's commit settings in a transaction with the team locked, and then saves them
    as a new version."""
    with sqlite_write_lock(), transaction.atomic():
        Team.objects.select_for_update().get(pk=team.pk)
        row = team_commits(team)
        yield row
        row.version, row.changed_by, row.changed_at = row.version + 1, actor, timezone.now()
        row.save()


def _replace_key(actor: User, row: TeamCommits) -> None:
    key = new_key(f"agentsite-{row.team.slug}")
    row.signing_key, row.sealed_key, row.key_made_at = key.public, DOOR.seal(key.private), timezone.now()
    data = {"fingerprint": fingerprint(key.public)}
    audit.record(
        team_id=row.team_id, actor=actor, action="team.signing_key_made", subject=row.team.public_id, data=data
    )

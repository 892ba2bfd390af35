"""Connect projects with their repositories."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from django.db import transaction
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Stale
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.models import Project, User
from agentsite.tenancy.roles import Act
from sessions_app.repositories.addresses import clone_address
from sessions_app.repositories.commits.effective import FIELDS, UNSET
from sessions_app.repositories.commits.settings import CommitChoice, need_signing_key
from sessions_app.repositories.models import DEFAULT_PREFIX, Connection, History, ProjectRepository, default_protected
from sessions_app.repositories.submodules import MAX_SUBMODULES, is_allowed_name

MAX_REF_CHARS: Final = 255
MAX_PATTERNS: Final = 50
_BAD_IN_REF: Final = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[-./]|[./]$|\.lock(/|$)|/\.")
_BAD_IN_FOLDER: Final = re.compile(r"[\x00-\x1f\x7f\\*?\[\]\"]|^[-!#]")
MAX_FOLDERS: Final = 100
_BAD_IN_PATTERN: Final = re.compile(r"[\x00-\x20\x7f~^:\\]|\.\.|//|^-")


@dataclass(frozen=True, slots=True)
class RepositoryChoice:
    """The repository to set for a project, and how sessions use it. If `connection` is None, the repository is
    public."""

    connection: Connection | None
    name: str = ""
    url: str = ""
    ref: str = ""
    branch_prefix: str = DEFAULT_PREFIX
    protected: Sequence[str] | None = None
    history: str = History.AUTO
    depth: int = 50
    folders: Sequence[str] = ()
    submodules: Sequence[str] = ()
    lfs: bool = True
    commits: CommitChoice = field(default_factory=CommitChoice)


def set_repository(
    *,
    actor: User,
    project: Project,
    choice: RepositoryChoice,
    check_version: Callable[[ProjectRepository | None], None] = lambda _row: None,
) -> ProjectRepository:
    """Set or change the repository of a project. Existing workspaces keep their files; new workspaces start from the
    repository.

    Raises BadInput, and Stale if the connection was revoked.
    """
    require(actor, Act.MANAGE_PROJECT, team_id=project.team_id)
    values = _checked(project, choice)
    with sqlite_write_lock(), transaction.atomic():
        row = ProjectRepository.objects.select_for_update().filter(project=project).first()
        check_version(row)
        row = row or ProjectRepository(project=project, version=0)
        for name, value in values.items():
            setattr(row, name, value)
        row.version, row.changed_by, row.changed_at = row.version + 1, actor, timezone.now()
        row.save()
        if row.sign:
            need_signing_key(actor=actor, team=project.team)
        _audit(actor, project, "project.repository_set", row)
    return row


def remove_repository(*, actor: User, project: Project) -> None:
    """Disconnect a project from its repository. Workspaces keep their files."""
    require(actor, Act.MANAGE_PROJECT, team_id=project.team_id)
    with sqlite_write_lock(), transaction.atomic():
        row = ProjectRepository.objects.filter(project=project).first()
        if row is not None:
            row.delete()
            _audit(actor, project, "project.repository_removed", row)


def check_ref(ref: str, field: str = "ref") -> str:
    """Check a text that names a branch, a tag or a commit, and return it. Raises BadInput unless git allows this
    name."""
    ref = ref.strip()
    if len(ref) > MAX_REF_CHARS or _BAD_IN_REF.search(ref):
        raise BadInput("This is not the name of a branch or tag, or a commit.", fields={field: "not a valid name"})
    return ref


def _checked(project: Project, choice: RepositoryChoice) -> dict[str, object]:
    connection = choice.connection
    if connection is not None and connection.state == Connection.State.REVOKED:
        raise Stale(f"The connection '{connection.name}' was revoked.", code=ErrorCode.CONNECTION_REVOKED)
    if connection is not None and connection.team_id != project.team_id:
        raise BadInput("This connection belongs to another team.", fields={"connection": "of another team"})
    url, full_name = clone_address(connection, choice.name, choice.url)
    prefix = choice.branch_prefix.strip()
    if not prefix or _BAD_IN_REF.search(f"{prefix}x") or len(prefix) > 100:
        raise BadInput("Names of branches cannot begin so.", fields={"branch_prefix": "such as agentsite/"})
    return {
        "connection": connection,
        "clone_url": url,
        "full_name": full_name,
        "default_branch": check_ref(choice.ref),
        "branch_prefix": prefix,
        "protected": default_protected() if choice.protected is None else _patterns(choice.protected),
        "history": choice.history,
        "depth": choice.depth,
        "folders": _folders(choice.folders),
        "submodules": _submodules(choice),
        "lfs": choice.lfs,
        **choice.commits.checked(),
    }


def _patterns(given: Sequence[str]) -> list[str]:
    patterns = list(dict.fromkeys(filter(None, (each.strip() for each in given))))
    if len(patterns) > MAX_PATTERNS or any(
        len(each) > MAX_REF_CHARS or _BAD_IN_PATTERN.search(each) for each in patterns
    ):
        raise BadInput("A pattern is not valid.", fields={"protected": f"at most {MAX_PATTERNS}, such as release/*"})
    return patterns


def _folders(given: Sequence[str]) -> list[str]:
    folders = list(dict.fromkeys(filter(None, (each.strip().strip("/") for each in given))))
    if len(folders) > MAX_FOLDERS or any(
        len(each) > MAX_REF_CHARS or _BAD_IN_FOLDER.search(each) or {"", ".", "..", ".git"} & set(each.split("/"))
        for each in folders
    ):
        raise BadInput("A folder is not valid.", fields={"folders": f"at most {MAX_FOLDERS}, such as services/shop"})
    return folders


def _submodules(choice: RepositoryChoice) -> list[str]:
    names = [each.strip().strip("/").removesuffix(".git") for each in choice.submodules]
    names = list(dict.fromkeys(filter(None, names)))
    if names and choice.connection is None:
        raise BadInput(
            "Submodules of a public repository need no entry.", fields={"submodules": "only with a connection"}
        )
    if len(names) > MAX_SUBMODULES or not all(map(is_allowed_name, names)):
        raise BadInput("This is not the name of a repository.", fields={"submodules": "such as owner/name or owner/*"})
    return names


def _audit(actor: User, project: Project, action: str, row: ProjectRepository) -> None:
    audit.record(
        team_id=project.team_id,
        actor=actor,
        action=action,
        subject=project.public_id,
        data={
            "repository": row.clone_url,
            "connection": row.connection.name if row.connection else "",
            "branch": row.default_branch,
            "protected": row.protected,
            "history": row.history,
            "folders": row.folders,
            "submodules": row.submodules,
            "lfs": row.lfs,
            **{name: getattr(row, name) for name in FIELDS if getattr(row, name) not in UNSET},
        },
        project_id=project.pk,
    )

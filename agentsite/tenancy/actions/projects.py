"""Create and change projects. `sessions_app.actions.deletion` deletes them after their workspaces."""

from collections.abc import Container
from typing import Any, Final

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Stale, TooMany
from agentsite.http.etags import require_version, version_tag
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.team_lock import team_write
from agentsite.tenancy.actions.teams import free_slug
from agentsite.tenancy.display_names import required_name
from agentsite.tenancy.models import Project, Team, User
from agentsite.tenancy.roles import Act

MAX_PROJECTS: Final = 500  # of one team
MAX_TEXT_CHARS: Final = 10_000


def create_project(
    *, actor: User, team: Team, name: str, description: str = "", suggested_prompt: str = "", default_agent: str = ""
) -> Project:
    """Create a project. The first workspace of the project is created together with its first session."""
    require(actor, Act.MANAGE_PROJECT, team_id=team.pk)
    texts = _texts(name=name, description=description, suggested_prompt=suggested_prompt)
    with team_write(team.pk) as row:
        others = Project.objects.filter(team=row)
        if others.count() >= MAX_PROJECTS:
            raise TooMany(
                f"A team can have at most {MAX_PROJECTS} projects.", hint="Delete a project that is not needed."
            )
        project = Project.objects.create(
            team=row, slug=free_slug(name, others), default_agent=default_agent or "build", **texts
        )
        _record("project.created", project, actor, name=project.name)
    return project


def version_of_project(project: Project) -> str:
    return version_tag(project.name, project.description, project.suggested_prompt, project.default_agent)


def change_project(*, actor: User, project: Project, versions: Container[str] | None = None, **changes: str) -> Project:
    """Change the given fields of a project: name, description, suggested prompt or default agent.

    `versions` are the versions that the client may have read. Raises Changed if the current version is not one of them.
    """
    require(actor, Act.MANAGE_PROJECT, team_id=project.team_id)
    texts = _texts(**changes)
    with team_write(project.team_id):
        project.refresh_from_db()
        require_usable_project(project)
        require_version(versions, version_of_project(project))
        changed = {name: text for name, text in texts.items() if getattr(project, name) != text}
        for name, text in changed.items():
            setattr(project, name, text)
        if changed:
            project.save(update_fields=[*changed])
            _record("project.changed", project, actor, name=project.name, fields=sorted(changed))
    return project


def require_usable_project(project: Project) -> None:
    """Raise Stale if the project is deactivated for deletion."""
    if project.remove_at is not None:
        raise Stale(
            "This project is deactivated and will be deleted.",
            code=ErrorCode.PROJECT_REMOVING,
            hint="An admin of the team can restore it during the grace period.",
        )


def _texts(**texts: str) -> dict[str, str]:
    if "name" in texts:
        texts["name"] = required_name(texts["name"])
    long = {name: f"at most {MAX_TEXT_CHARS} characters" for name, text in texts.items() if len(text) > MAX_TEXT_CHARS}
    if long:
        raise BadInput("Some texts are too long.", fields=long)
    return texts


def _record(action: str, project: Project, actor: User, **data: Any) -> None:
    audit.record(
        team_id=project.team_id,
        actor=actor,
        action=action,
        subject=project.public_id,
        data=data,
        project_id=project.pk,
    )

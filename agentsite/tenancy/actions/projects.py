"""Projects: made, changed. How they end is told in `sessions_app.actions.deletion`, since their workspaces go first."""

from collections.abc import Container
from typing import Any, Final

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Stale, TooMany
from agentsite.http.etags import edition_of, require_edition
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.team_lock import team_write
from agentsite.tenancy.actions.teams import free_slug
from agentsite.tenancy.display_names import required_name
from agentsite.tenancy.models import Project, Team
from agentsite.tenancy.roles import Act

MOST_PROJECTS: Final = 500  # of one team
LONGEST_TEXT: Final = 10_000


def create_project(
    *, actor: Any, team: Team, name: str, description: str = "", suggested_prompt: str = "", default_agent: str = ""
) -> Project:
    """An empty project; its first workspace is made with its first session."""
    require(actor, Act.MANAGE_PROJECT, team_id=team.pk)
    texts = _texts(name=name, description=description, suggested_prompt=suggested_prompt)
    with team_write(team.pk) as row:
        others = Project.objects.filter(team=row)
        if others.count() >= MOST_PROJECTS:
            raise TooMany(f"A team may have {MOST_PROJECTS} projects.", hint="Delete one that nobody needs.")
        project = Project.objects.create(
            team=row, slug=free_slug(name, others), default_agent=default_agent or "build", **texts
        )
        _record("project.created", project, actor, name=project.name)
    return project


def edition_of_project(project: Project) -> str:
    return edition_of(project.name, project.description, project.suggested_prompt, project.default_agent)


def change_project(*, actor: Any, project: Project, editions: Container[str] | None = None, **changes: str) -> Project:
    """Its name, description, suggested prompt or default agent: those that are given. Raises Changed when its edition
    is none of those that the actor may have looked at."""
    require(actor, Act.MANAGE_PROJECT, team_id=project.team_id)
    texts = _texts(**changes)
    with team_write(project.team_id):
        project.refresh_from_db()
        require_usable_project(project)
        require_edition(editions, edition_of_project(project))
        changed = {name: text for name, text in texts.items() if getattr(project, name) != text}
        for name, text in changed.items():
            setattr(project, name, text)
        if changed:
            project.save(update_fields=[*changed])
            _record("project.changed", project, actor, name=project.name, fields=sorted(changed))
    return project


def require_usable_project(project: Project) -> None:
    """Raises Stale for one that is being deleted."""
    if project.remove_at is not None:
        raise Stale(
            "This project is being deleted.",
            code=ErrorCode.PROJECT_REMOVING,
            hint="Until then an admin of the team can keep it.",
        )


def _texts(**texts: str) -> dict[str, str]:
    if "name" in texts:
        texts["name"] = required_name(texts["name"])
    long = {name: f"at most {LONGEST_TEXT} characters" for name, text in texts.items() if len(text) > LONGEST_TEXT}
    if long:
        raise BadInput("A text is too long.", fields=long)
    return texts


def _record(action: str, project: Project, actor: Any, **data: Any) -> None:
    audit.record(
        team_id=project.team_id,
        actor=actor,
        action=action,
        subject=project.public_id,
        data=data,
        project_id=project.pk,
    )

"""What a team, or a project of it, says about the models that it uses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from agentsite.base.errors import BadInput, Stale
from agentsite.base.sqlite_lock import writers_turn
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.available_models import menu_of
from agentsite.tenancy.models import ModelChoice, Project, Team
from agentsite.tenancy.roles import Act

MOST_NAMED: Final = 500


@dataclass(frozen=True, slots=True)
class Choice:
    """Empty means nothing is said: what the place above says holds."""

    default_model: str = ""
    small_model: str = ""
    blocked: Sequence[str] = ()
    only: Sequence[str] = ()


def choose_models(
    *, actor: Any, team: Team, project: Project | None = None, choice: Choice, base_version: int | None = None
) -> ModelChoice:
    """`base_version` is the version that the actor looked at, 0 when there was none. What is chosen must be offered
    when everything else here holds."""
    require(actor, Act.MANAGE_PROVIDERS if project is None else Act.MANAGE_PROJECT, team_id=team.pk)
    if max(len(choice.blocked), len(choice.only)) > MOST_NAMED:
        raise BadInput(f"At most {MOST_NAMED} models can be named.")
    place = (project or team).public_id
    with writers_turn(), transaction.atomic():
        Team.objects.select_for_update().get(pk=team.pk)
        row = ModelChoice.objects.filter(place=place).first() or ModelChoice(
            place=place, team=team, project=project, version=0
        )
        if base_version is not None and base_version != row.version:
            raise Stale("Somebody else changed this meanwhile.", code="stale_models", hint="Reload, then choose again.")
        row.default_model, row.small_model = choice.default_model, choice.small_model
        row.blocked, row.only = _tidy(choice.blocked), _tidy(choice.only)
        row.version, row.changed_by, row.changed_at = row.version + 1, actor, timezone.now()
        row.save()
        _require_offered(row)
        data = {name: getattr(row, name) for name in ("default_model", "small_model", "blocked", "only")}
        audit.record(team_id=team.pk, actor=actor, action="models.chosen", subject=place, data=data)
    return row


def _require_offered(row: ModelChoice) -> None:
    """As the row is now; raising takes it back."""
    offered = menu_of(row.team_id, row.project_id).offered
    chosen = {"default_model": row.default_model, "small_model": row.small_model}
    problems = {name: "is not offered here" for name, model in chosen.items() if model and model not in offered}
    if not offered:
        problems["blocked" if row.blocked else "only"] = "leaves no model at all"
    if problems:
        raise BadInput("These models cannot be used here.", fields=problems)


def _tidy(models: Sequence[str]) -> list[str]:
    return sorted({model.strip() for model in models if model.strip()})

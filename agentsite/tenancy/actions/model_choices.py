"""Set the default, small, blocked, allowed and fallback models of a team or project."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Stale
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.available_models import menu_of
from agentsite.tenancy.models import ModelChoice, Project, Team, User
from agentsite.tenancy.roles import Act

MAX_NAMED: Final = 500  # models in one list
MAX_FALLBACKS: Final = 5  # because each costs a turn the time of its retries
_AUDITED: Final = ("default_model", "small_model", "blocked", "only", "fallbacks")


@dataclass(frozen=True, slots=True)
class Choice:
    """The models that a team or project chooses. An empty field inherits the setting of the team or site above."""

    default_model: str = ""
    small_model: str = ""
    blocked: Sequence[str] = ()
    only: Sequence[str] = ()
    fallbacks: Sequence[str] = ()


def choose_models(
    *, actor: User, team: Team, project: Project | None = None, choice: Choice, base_version: int | None = None
) -> ModelChoice:
    """Save the models of a team, or of one of its projects.

    `base_version` is the version that the actor has read, 0 if there was none; raises Stale if it is outdated. Raises
    BadInput if a chosen model is not available under the new settings.
    """
    require(actor, Act.MANAGE_PROVIDERS if project is None else Act.MANAGE_PROJECT, team_id=team.pk)
    if max(len(choice.blocked), len(choice.only)) > MAX_NAMED:
        raise BadInput(f"At most {MAX_NAMED} models can be listed.")
    if len(choice.fallbacks) > MAX_FALLBACKS:
        raise BadInput(
            f"At most {MAX_FALLBACKS} fallback models can be listed.", fields={"fallbacks": "lists too many models"}
        )
    place = (project or team).public_id
    with sqlite_write_lock(), transaction.atomic():
        Team.objects.select_for_update().get(pk=team.pk)
        row = ModelChoice.objects.filter(place=place).first() or ModelChoice(
            place=place, team=team, project=project, version=0
        )
        if base_version is not None and base_version != row.version:
            raise Stale(
                "The models were changed by somebody else in the meantime.",
                code=ErrorCode.STALE_MODELS,
                hint="Reload the page, then choose again.",
            )
        row.default_model, row.small_model = choice.default_model, choice.small_model
        row.blocked, row.only = _tidy(choice.blocked), _tidy(choice.only)
        row.fallbacks = list(dict.fromkeys(name.strip() for name in choice.fallbacks if name.strip()))
        row.version, row.changed_by, row.changed_at = row.version + 1, actor, timezone.now()
        row.save()
        _require_offered(row)
        data = {name: getattr(row, name) for name in _AUDITED}
        audit.record(team_id=team.pk, actor=actor, action="models.chosen", subject=place, data=data)
    return row


def _require_offered(row: ModelChoice) -> None:
    """Raise BadInput if a saved choice of models leaves no model available, or names a model that is not available. The
    exception rolls back the transaction that saved the choice."""
    offered = menu_of(row.team_id, row.project_id).offered
    chosen = {"default_model": row.default_model, "small_model": row.small_model}
    problems = {name: "is not available here" for name, model in chosen.items() if model and model not in offered}
    if unusable := [model for model in row.fallbacks if model not in offered]:
        problems["fallbacks"] = f"'{unusable[0][:200]}' is not available here"
    if not offered:
        problems["blocked" if row.blocked else "only"] = "leaves no model available"
    if problems:
        raise BadInput("These models cannot be used here.", fields=problems)


def _tidy(models: Sequence[str]) -> list[str]:
    return sorted({model.strip() for model in models if model.strip()})

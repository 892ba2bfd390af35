"""The models that a team or project can use, and their providers.

A model is named as in the site's settings, or `slug/name` if it comes from one of the team's providers. If both exist,
the site's model wins: a team's provider cannot replace it.
"""

import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from agentsite.base.ids import to_public
from agentsite.tenancy.models import ModelChoice, Project, Provider, Team


@dataclass(frozen=True, slots=True)
class MenuModel:
    """An entry of a `Menu`: a model of the site or of a team's provider."""

    id: str
    name: str
    provider: Provider | None = None
    """The provider of the model; None for the site's own models."""
    declared: Mapping[str, Any] = field(default_factory=dict)
    """The model's entry in `Provider.model_list`."""
    refusal: str = ""
    """The reason why the model may not be used; empty if it may."""


@dataclass(frozen=True, slots=True)
class Menu:
    """All models that exist for a team or project, by id, including models that may not be used.

    `default` and `small` are the default model and the small model that apply.
    """

    models: Mapping[str, MenuModel]
    default: str
    small: str

    @property
    def offered(self) -> list[str]:
        return [model.id for model in self.models.values() if not model.refusal]


def site_models() -> list[str]:
    """Return the names of the site's own models."""
    return list(dict.fromkeys((settings.MODEL_NAME, settings.SMALL_MODEL_NAME, *settings.MODEL_CHOICES)))


def menu_of(team_id: uuid.UUID | None, project_id: uuid.UUID | None = None) -> Menu:
    """Return the `Menu` of the models that a team or project can choose from; the site's models if `team_id` is None.

    Runs two queries for a team or project, none for the site.
    """
    if team_id is None:
        return Menu({name: MenuModel(name, name) for name in site_models()}, *defaults_by(()))
    choices = choices_of(team_id, project_id)
    providers = Provider.objects.filter(team_id=team_id).order_by("id")
    models = {name: MenuModel(name, name, refusal=refusal_by(choices, name)) for name in site_models()}
    for provider in providers:
        for model in _of_provider(provider, choices):
            models.setdefault(model.id, model)
    return Menu(models, *defaults_by(choices))


def choices_of(team_id: uuid.UUID, project_id: uuid.UUID | None = None) -> list[ModelChoice]:
    """Return the model choices that exist for the team and the project, the team's first."""
    places = [to_public(Team.PREFIX, team_id)]
    if project_id is not None:
        places.append(to_public(Project.PREFIX, project_id))
    found = {choice.place: choice for choice in ModelChoice.objects.filter(place__in=places)}
    return [found[place] for place in places if place in found]


def defaults_by(choices: Iterable[ModelChoice]) -> tuple[str, str]:
    """Return the default model and the small model that result from these choices. Later choices take precedence.

    If a level chooses a default model but no small model, its default model is also the small model, so that titles are
    not sent to another provider.
    """
    default, small = settings.MODEL_NAME, settings.SMALL_MODEL_NAME
    for choice in choices:
        if choice.default_model:
            default = small = choice.default_model
        small = choice.small_model or small
    return default, small


def refusal_by(choices: Iterable[ModelChoice], model: str) -> str:
    """Return the reason why these choices do not allow the model; "" if all of them allow it."""
    for choice in choices:
        who = "this project" if choice.project_id else "your team"
        if model in choice.blocked:
            return f"{who} has blocked it"
        if choice.only and model not in choice.only:
            return f"{who} uses other models only"
    return ""


def disabled_reason(provider: Provider) -> str:
    return f"the provider '{provider.name}' is switched off"


def _of_provider(provider: Provider, choices: list[ModelChoice]) -> Iterator[MenuModel]:
    for declared in provider.model_list:
        model_id = f"{provider.slug}/{declared['name']}"
        refusal = refusal_by(choices, model_id) if provider.enabled else disabled_reason(provider)
        yield MenuModel(model_id, declared["name"], provider, declared, refusal)

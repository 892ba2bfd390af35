"""Which models a team, or a project of it, may use, and where each of them comes from.

A model is named as the site's settings name it, or `slug/name` for one of a team's providers. Names of the site come
first: a provider cannot take one over.
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
    """`provider` None: the site's own. `said` is what the provider's team says about the model. `refusal` says why it
    may not be used; empty: it may."""

    id: str
    name: str
    provider: Provider | None = None
    said: Mapping[str, Any] = field(default_factory=dict)
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Menu:
    """Every model that there is, those that may not be used among them, by id. `default` and `small` are what is used
    where nobody chose."""

    models: Mapping[str, MenuModel]
    default: str
    small: str

    @property
    def offered(self) -> list[str]:
        return [model.id for model in self.models.values() if not model.refusal]


def site_models() -> list[str]:
    """The names of the site's own models."""
    return list(dict.fromkeys((settings.MODEL_NAME, settings.SMALL_MODEL_NAME, *settings.MODEL_CHOICES)))


def menu_of(team_id: uuid.UUID | None, project_id: uuid.UUID | None = None) -> Menu:
    """Two queries; none for the site itself."""
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
    """Return the model choices of the team and then of the project, where they exist."""
    places = [to_public(Team.PREFIX, team_id)]
    if project_id is not None:
        places.append(to_public(Project.PREFIX, project_id))
    found = {choice.place: choice for choice in ModelChoice.objects.filter(place__in=places)}
    return [found[place] for place in places if place in found]


def defaults_by(choices: Iterable[ModelChoice]) -> tuple[str, str]:
    """The default and the small model. Who chose a default and no small one wants no other provider for titles."""
    default, small = settings.MODEL_NAME, settings.SMALL_MODEL_NAME
    for choice in choices:
        if choice.default_model:
            default = small = choice.default_model
        small = choice.small_model or small
    return default, small


def refusal_by(choices: Iterable[ModelChoice], model: str) -> str:
    """Why the model may not be used; empty when it may."""
    for choice in choices:
        who = "this project" if choice.project_id else "your team"
        if model in choice.blocked:
            return f"{who} has blocked it"
        if choice.only and model not in choice.only:
            return f"{who} uses other models only"
    return ""


def switched_off(provider: Provider) -> str:
    return f"the provider '{provider.name}' is switched off"


def _of_provider(provider: Provider, choices: list[ModelChoice]) -> Iterator[MenuModel]:
    for said in provider.model_list:
        model_id = f"{provider.slug}/{said['name']}"
        refusal = refusal_by(choices, model_id) if provider.enabled else switched_off(provider)
        yield MenuModel(model_id, said["name"], provider, said, refusal)

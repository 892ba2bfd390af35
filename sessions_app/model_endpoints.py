"""Resolve the name of a model to its endpoint, without its API key, and to its traits. Usable in every process.

Traits are the facts about a model that tools may use: its family, derived from the name, and its input types, from
litellm's table or declared by the site's operators or the team.
"""

import uuid
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from django.conf import settings

from agentsite.base.error_codes import ErrorCode
from agentsite.tenancy.available_models import (
    MenuModel,
    choices_of,
    disabled_reason,
    refusal_by,
    site_models,
)
from agentsite.tenancy.models import ModelChoice, Provider
from agentsite.tenancy.provider_kinds import KINDS
from sessions_app.agent.definitions import AgentDefinition, request_options
from sessions_app.configuration.merging import Merged
from sessions_app.configuration.reading import Origin
from sessions_app.configured import configuration_of, provider_refusal
from sessions_app.llm.port import EFFORTS, AdapterKind, LlmRefused, ModelEndpoint, ModelOverrides, PriceOverrides
from sessions_app.llm.prices import Stamp, model_facts, table_stamp
from sessions_app.models import Session
from sessions_app.revisions import per_revision
from tools_app.model_families import family_of
from tools_app.spec import ModelTraits

_PER: Final = Decimal(1_000_000)
_MAX_CACHED_TRAITS: Final = 500
_LITELLM_OPTIONS: Final = {
    "region": "aws_region_name",
    "api_version": "api_version",
    "project": "vertex_project",
    "location": "vertex_location",
}


class ModelNotOffered(LlmRefused):
    """The model of a session no longer exists or may not be used there."""

    code = ErrorCode.MODEL_NOT_OFFERED


def site_kind() -> AdapterKind:
    """Return the kind of adapter that sends the site's model calls."""
    return "litellm" if settings.MODEL_KIND == "litellm" else "openai_compatible"


def site_endpoint(model: str) -> ModelEndpoint:
    declared = tuple(effort for effort in EFFORTS if effort in settings.MODEL_EFFORTS)
    overrides = ModelOverrides(efforts=declared if settings.MODEL_EFFORTS else None)
    return ModelEndpoint(kind=site_kind(), model=model, base_url=settings.MODEL_BASE_URL, overrides=overrides)


def find_endpoint(team_id: uuid.UUID | None, model: str) -> ModelEndpoint | None:
    """Return the model's endpoint; None if it does not exist. Queries the database only for models of a team's
    providers."""
    if model in site_models():
        return site_endpoint(model)
    found = find_provider_model(team_id, model)
    return None if found is None or found.provider is None else provider_endpoint(found.provider, found.declared)


def find_provider_model(team_id: uuid.UUID | None, model: str) -> MenuModel | None:
    slug, _, name = model.partition("/")
    if team_id is None or not name:
        return None
    provider = Provider.objects.filter(team_id=team_id, slug=slug).first()
    declared = next((each for each in provider.model_list if each["name"] == name), None) if provider else None
    return None if declared is None else MenuModel(model, name, provider, declared)


@per_revision
def usable_model(session: Session, model: str) -> MenuModel:
    """Return the model if the session's team and project may use it. Raises ModelNotOffered. Reads
    `session.project`."""
    found = MenuModel(model, model) if model in site_models() else _provider_model(session, model)
    if found is None:
        raise not_offered(model, "it no longer exists")
    refusal = refusal_by(_choices(session), model) or provider_refusal(configuration_of(session), model)
    if found.provider is not None and not found.provider.enabled:
        refusal = disabled_reason(found.provider)
    if refusal:
        raise not_offered(model, refusal)
    return found


def chosen_model(session: Session, model: str) -> MenuModel:
    """Return the model with the id `model`, which somebody wants to choose for an agent. Raises ModelNotOffered if it
    may not be used or is known to be unable to call tools. Reads `session.project`."""
    found = usable_model(session, model)
    require_tools(found)
    return found


def require_tools(found: MenuModel) -> None:
    """Raise ModelNotOffered if it is known that a team's model cannot call tools. Models that operators chose are not
    checked."""
    if (
        found.provider is not None
        and model_facts(provider_endpoint(found.provider, found.declared)).calls_tools is False
    ):
        raise ModelNotOffered(
            f"The model '{found.id[:200]}' cannot call tools, as far as this site knows, so no agent can work with it.",
            hint="Choose another model. If this one can call tools, an admin of the team says so under Providers.",
        )


@per_revision
def _provider_model(session: Session, model: str) -> MenuModel | None:
    return find_provider_model(session.project.team_id, model)


@per_revision
def _choices(session: Session) -> list[ModelChoice]:
    return choices_of(session.project.team_id, session.project_id)


def not_offered(model: str, why: str) -> ModelNotOffered:
    return ModelNotOffered(
        f"The model '{model[:200]}' cannot be used: {why}.",
        hint="Choose another model for this session, then send the message again. Everything before is kept.",
    )


def model_for(session: Session, agent: AgentDefinition | None) -> str:
    """Return the model of the agent in the session, or the default model.

    A model of the session takes precedence over the agent's; in a sub-agent's session it is the other way round, and
    the session has a model only if the caller passed one.
    """
    of_agent = agent.model if agent else ""
    chosen = (session.model, of_agent) if session.parent_id is None else (of_agent, session.model)
    return next(filter(None, chosen), "") or default_models(session)[0]


def effort_for(session: Session, agent: AgentDefinition, model: str, command: str = "") -> str:
    """Return the reasoning effort with which the agent calls the model; "" leaves the effort to the model.

    The effort of the command, or else the effort that the session's user chose, takes precedence over the agent's if
    the model accepts it. A sub-agent with its own model or effort ignores the effort chosen for its session. Reads
    `session.project`.
    """
    own = str(request_options(agent.options, agent.variant).get("reasoning_effort", ""))
    passed = "" if session.parent_id is not None and (own or agent.model) else session.effort
    chosen = command or passed
    return chosen if chosen and chosen in efforts_of(session, model) else own


def efforts_of(session: Session, model: str) -> tuple[str, ...]:
    """Return the reasoning efforts that the model accepts, lowest first; () if it accepts none or its efforts are
    unknown. Reads `session.project`."""
    if model in site_models():
        return model_facts(site_endpoint(model)).efforts
    found = _provider_model(session, model)
    if found is None or found.provider is None:
        return ()
    return model_facts(provider_endpoint(found.provider, found.declared)).efforts


def next_fallback(session: Session, model: str) -> str:
    """Return the model that continues a turn after `model` has failed permanently, or "" if there is none. The
    candidates are the fallback models of the project or, if it has none, of the team. If `model` is itself a fallback,
    only the fallbacks after it are candidates. Models that may not be used in the session are skipped. Reads
    `session.project`."""
    listed: list[str] = next((choice.fallbacks for choice in reversed(_choices(session)) if choice.fallbacks), [])
    rest = listed[listed.index(model) + 1 :] if model in listed else listed
    return next((name for name in rest if _is_usable(session, name)), "")


def retries_of(session: Session, model: str) -> int | None:
    """Return the number of retries of a failed call that is set for the model's provider; None if none is set. Reads
    `session.project`."""
    found = None if model in site_models() else _provider_model(session, model)
    return None if found is None or found.provider is None else found.provider.retries


def default_models(session: Session) -> tuple[str, str]:
    """Return the default and the small model of a session. They may be chosen by the project, the team or the site, or
    named in configuration documents. A project's choice wins over its files. Reads `session.project` and
    `session.workspace`."""
    return _default_models(session, (settings.MODEL_NAME, settings.SMALL_MODEL_NAME))


@per_revision
def _default_models(session: Session, of_site: tuple[str, str]) -> tuple[str, str]:
    merged = configuration_of(session)
    named = {key: _named_model(session, merged, key) for key in ("model", "small_model")}
    of_project = {choice.project_id is not None: choice for choice in _choices(session)}
    models = of_site
    for origins, choice in (
        (("remote", "site"), of_project.get(False)),
        (("team", "person", "file"), of_project.get(True)),
        (("project", "session"), None),
    ):
        found = {key: value[0] for key, value in named.items() if value is not None and value[1] in origins}
        models = _chosen(models, found.get("model", ""), found.get("small_model", ""))
        if choice is not None:
            models = _chosen(models, choice.default_model, choice.small_model)
    return models


def _named_model(session: Session, merged: Merged, key: str) -> tuple[str, Origin] | None:
    """Return the model that configuration documents set for the key `key`, and the level that sets it; None if no
    document sets a model, or the model may not be used in the session."""
    found = merged.effective.get((key,))
    if found is None or not _is_usable(session, found.setting.value):
        return None
    return found.setting.value, found.setting.source.origin


def _is_usable(session: Session, model: str) -> bool:
    try:
        usable_model(session, model)
    except ModelNotOffered:
        return False
    return True


def _chosen(models: tuple[str, str], default: str, small: str) -> tuple[str, str]:
    """Return the default and the small model after a level (project, team or site) has set `default` and `small`. A
    level that sets only the default model sets the small one too, so that titles are not sent to another provider."""
    return (default, small or default) if default else (models[0], small or models[1])


def provider_endpoint(provider: Provider, declared: Mapping[str, Any]) -> ModelEndpoint:
    """Return the endpoint of a team's model. `declared` is the team's description of the model, with at least a
    `name`."""
    kind = KINDS[provider.kind]
    return ModelEndpoint(
        kind=kind.adapter,
        model=f"{kind.prefix}/{declared['name']}" if kind.prefix else declared["name"],
        base_url=provider.base_url or kind.base_url,
        options={_LITELLM_OPTIONS[name]: value for name, value in provider.options.items()},
        provider=provider.public_id,
        provider_name=provider.name,
        unverified=provider.state != Provider.State.OK,
        overrides=_model_overrides(declared),
        silence_seconds=provider.timeout_seconds,
        exchange=kind.exchange,
    )


def _model_overrides(declared: Mapping[str, Any]) -> ModelOverrides:
    prices, sees, efforts = declared.get("prices"), declared.get("sees"), declared.get("efforts")
    return ModelOverrides(
        context=declared.get("context") or None,
        max_output=declared.get("max_output") or None,
        prices=None if prices is None else _own_prices(prices),
        sees=None if sees is None else frozenset(sees),
        calls_tools=declared.get("calls_tools"),
        efforts=None if efforts is None else tuple(effort for effort in EFFORTS if effort in efforts),
    )


def _own_prices(declared: Mapping[str, Any]) -> PriceOverrides:
    def price(name: str, otherwise: str) -> Decimal:
        value = declared.get(name)
        return Decimal(declared[otherwise] if value is None else value) / _PER

    return PriceOverrides(
        input=price("input", "input"),
        output=price("output", "output"),
        reasoning=price("reasoning", "output"),
        cache_read=price("cache_read", "input"),
        cache_write=price("cache_write", "input"),
    )


def traits_of(model: str, team_id: uuid.UUID | None) -> ModelTraits:
    """Return the family of a model and the kinds of files that it sees, as configured for the team. "" stands for the
    site's default model."""
    model = model or settings.MODEL_NAME
    endpoint = None if model in site_models() else find_endpoint(team_id, model)
    if endpoint is None:
        return _traits_of_site(model, settings.MODEL_BASE_URL, tuple(settings.MODEL_SEES), site_kind(), table_stamp())
    return _traits(endpoint)


@per_revision
def session_traits(session: Session, model: str) -> ModelTraits:
    """Return the family of a model and the kinds of files that it sees, as configured for the session's team. Reads
    `session.project`."""
    return traits_of(model, session.project.team_id)


@lru_cache(maxsize=_MAX_CACHED_TRAITS)
def _traits_of_site(name: str, _base_url: str, sees: tuple[str, ...], _kind: str, _table: Stamp) -> ModelTraits:
    """Return the family of a site model and the kinds of files that it sees. `sees` are the kinds that the operators
    declared; if it is empty, litellm's table is used."""
    traits = _traits(site_endpoint(name))
    return ModelTraits(traits.family, "images" in sees, "pdf" in sees) if sees else traits


def _traits(endpoint: ModelEndpoint) -> ModelTraits:
    facts = model_facts(endpoint)
    return ModelTraits(family_of(endpoint.model), facts.sees_images, facts.sees_pdf)

"""Traits of a session's model for tools: its family, derived from the name, and its input types, from litellm's table
or declared by the site's operators or the team."""

import uuid
from functools import lru_cache
from typing import Final

from django.conf import settings

from agentsite.tenancy.available_models import site_models
from sessions_app.llm.port import ModelEndpoint
from sessions_app.llm.prices import model_facts
from sessions_app.model_endpoints import find_endpoint, site_endpoint, site_kind
from sessions_app.models import Session
from sessions_app.revisions import per_revision
from tools_app.model_families import family_of
from tools_app.spec import ModelTraits

MAX_CACHED: Final = 500


def traits_of(model: str, team_id: uuid.UUID | None) -> ModelTraits:
    """Return the traits of the model as the team reaches it; "" is the site's default model."""
    model = model or settings.MODEL_NAME
    endpoint = None if model in site_models() else find_endpoint(team_id, model)
    if endpoint is None:
        return _traits_of_site(model, settings.MODEL_BASE_URL, tuple(settings.MODEL_SEES), site_kind())
    return _traits(endpoint)


@per_revision
def session_traits(session: Session, model: str) -> ModelTraits:
    """Return the traits of the model as the session's team reaches it. Reads `session.project`."""
    return traits_of(model, session.project.team_id)


@lru_cache(maxsize=MAX_CACHED)
def _traits_of_site(name: str, _base_url: str, sees: tuple[str, ...], _kind: str) -> ModelTraits:
    """Return the traits of a site model. `sees` are the input types declared by the operators; if empty, litellm's
    table is used."""
    traits = _traits(site_endpoint(name))
    return ModelTraits(traits.family, "images" in sees, "pdf" in sees) if sees else traits


def _traits(endpoint: ModelEndpoint) -> ModelTraits:
    facts = model_facts(endpoint)
    return ModelTraits(family_of(endpoint.model), facts.sees_images, facts.sees_pdf)

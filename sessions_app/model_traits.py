"""What tools may know of a session's model: its family by its name, and what it can see by litellm's table
or by what the site's operators say."""

from functools import lru_cache
from typing import Final

from django.conf import settings

from sessions_app.llm.port import AdapterKind, ModelEndpoint
from sessions_app.llm.prices import model_facts
from tools_app.model_families import family_of
from tools_app.spec import ModelTraits

MOST_REMEMBERED: Final = 500


def model_kind() -> AdapterKind:
    """The adapter that the site's models are reached through."""
    return "litellm" if settings.MODEL_KIND == "litellm" else "openai_compatible"


def traits_of(model: str) -> ModelTraits:
    """Of the model of this name, as the site reaches it; "" is the site's default."""
    return _traits(model or settings.MODEL_NAME, model_kind(), settings.MODEL_BASE_URL, tuple(settings.MODEL_SEES))


@lru_cache(maxsize=MOST_REMEMBERED)
def _traits(name: str, kind: AdapterKind, base_url: str, sees: tuple[str, ...]) -> ModelTraits:
    """`sees` is what the site's operators say that their models can look at; empty: what the table says."""
    facts = model_facts(ModelEndpoint(kind=kind, model=name, base_url=base_url))
    if sees:
        return ModelTraits(family_of(name), "images" in sees, "pdf" in sees)
    return ModelTraits(family_of(name), facts.sees_images, facts.sees_pdf)

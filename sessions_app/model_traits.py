"""What tools may know of a session's model: its family by its name, and what it can see by litellm's table."""

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


@lru_cache(maxsize=MOST_REMEMBERED)
def traits_of(model: str) -> ModelTraits:
    """Of the model of this name, as the site reaches it; "" is the site's default."""
    name = model or settings.MODEL_NAME
    facts = model_facts(ModelEndpoint(kind=model_kind(), model=name, base_url=settings.MODEL_BASE_URL))
    return ModelTraits(family_of(name), facts.sees_images, facts.sees_pdf)

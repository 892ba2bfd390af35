"""File types that a model supports, according to litellm's table or to the settings of the site's operators."""

import pytest
from pytest_django import Settings

from sessions_app.model_endpoints import traits_of


@pytest.mark.parametrize(
    ("model", "sees"),
    [("gpt-4o", (True, True)), ("gpt-3.5-turbo", (False, False)), ("my-own-model", (False, False))],
)
def test_the_table_says_it_where_nobody_else_does(settings: Settings, model: str, sees: tuple[bool, bool]) -> None:
    settings.MODEL_BASE_URL = "https://api.openai.com/v1"
    found = traits_of(model, None)
    assert (found.sees_images, found.sees_pdf) == sees


@pytest.mark.parametrize(
    ("said", "sees"),
    [(["images"], (True, False)), (["images", "pdf"], (True, True)), (["nothing"], (False, False))],
)
def test_the_sites_operators_have_the_last_word(settings: Settings, said: list[str], sees: tuple[bool, bool]) -> None:
    settings.MODEL_BASE_URL, settings.MODEL_SEES = "https://api.openai.com/v1", said
    for model in ("gpt-4o", "my-own-model"):
        found = traits_of(model, None)
        assert (found.sees_images, found.sees_pdf) == sees


def test_the_demo_model_looks_at_everything(settings: Settings) -> None:
    found = traits_of("demo", None)
    assert (found.family, found.sees_images, found.sees_pdf) == ("demo", True, True)

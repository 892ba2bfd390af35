"""Ask the server of a provider for its models: Ollama, vLLM, LM Studio and every server that lists `/models`."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final, Literal

from sessions_app.llm import failures
from sessions_app.llm.found_models import (
    FoundModel,
    entries_of,
    is_owned_by,
    read_entries,
    with_details,
    with_ollama_details,
)
from sessions_app.llm.port import LlmError, ModelEndpoint

Server = Literal["", "ollama", "lm_studio"]
Ask = Callable[[ModelEndpoint, str, Mapping[str, Any] | None], Awaitable[Any]]
"""Send GET, or POST if there is a body, to an address with the endpoint's key, and return the JSON. Raises LlmError."""

MAX_DETAILED: Final = 100  # models of Ollama that are asked about one by one
AT_ONCE: Final = 4  # requests
_OWNER_AT_OLLAMA: Final = "library"
_OWNER_AT_LM_STUDIO: Final = "organization_owner"


async def find_models(ask: Ask, endpoint: ModelEndpoint, server: Server = "") -> list[FoundModel]:
    """Return the models of an endpoint by name. `server` names the server program if it is known; Ollama and LM Studio
    are also recognised by their lists. Raises LlmError with a sentence if there is no list."""
    address = endpoint.base_url.rstrip("/")
    root = address.removesuffix("/v1")
    entries = entries_of(await ask(endpoint, f"{address}/models", None))
    if entries is None:
        raise failures.no_model_list(endpoint)
    models = read_entries(entries)
    if server == "ollama" or is_owned_by(entries, _OWNER_AT_OLLAMA):
        return await _of_ollama(ask, endpoint, root, models)
    if server == "lm_studio" or is_owned_by(entries, _OWNER_AT_LM_STUDIO):
        with suppress(LlmError):  # older versions have no such list
            details = entries_of(await ask(endpoint, f"{root}/api/v0/models", None))
            return with_details(models, read_entries(details or ()))
    return models


async def _of_ollama(ask: Ask, endpoint: ModelEndpoint, root: str, models: list[FoundModel]) -> list[FoundModel]:
    """Return Ollama's models with their sizes and abilities. A model whose details cannot be read is returned without
    them."""
    with suppress(LlmError):
        tags = entries_of(await ask(endpoint, f"{root}/api/tags", None))
        models = read_entries(tags or ()) or models
    places = asyncio.Semaphore(AT_ONCE)

    async def detailed(model: FoundModel) -> FoundModel:
        async with places:
            with suppress(LlmError):
                return with_ollama_details(model, await ask(endpoint, f"{root}/api/show", {"model": model.name}))
        return model

    return [*await asyncio.gather(*map(detailed, models[:MAX_DETAILED])), *models[MAX_DETAILED:]]

"""Read the lists of models of OpenAI-compatible servers, with the facts about the models. Pure.

Every server adds fields of its own to the list. Fields that are missing or odd mean that nothing is known; an entry
never makes the whole list unusable.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

MODEL_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+~-]{0,199}")
MAX_TOKENS: Final = 100_000_000
_CONTEXT: Final = (
    "loaded_context_length", "max_model_len", "context_length", "context_window", "max_context_length",
    "max_context_window_tokens", "n_ctx",
)  # fmt: skip
_OUTPUT: Final = ("max_completion_tokens", "max_output_tokens", "max_tokens")
_TOOLS: Final = ("function_calling", "tool_calls", "tools", "tool_use", "tool-use", "trained_for_tool_use")
_IMAGES: Final = ("vision", "image")
_REASONS: Final = ("thinking", "reasoning")
_CHATS: Final = ("completion_chat", "completion")
_OTHER_TYPES: Final = frozenset(
    {"embedding", "embeddings", "image", "moderation", "audio", "transcribe", "tts", "rerank", "reranker", "video"}
)
_NUM_CTX: Final = re.compile(r"(?m)^\s*num_ctx\s+(\d{1,9})\s*$")


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A model that a server lists, with the facts that the server gives. None: the server does not say. `chats` is
    false for models that cannot chat, such as those for embeddings."""

    name: str
    context: int | None = None
    max_output: int | None = None
    calls_tools: bool | None = None
    sees_images: bool | None = None
    reasons: bool | None = None
    chats: bool = True


def entries_of(answer: Any) -> list[Mapping[str, Any]] | None:
    """Return the entries of a list of models, which may be below `data` or `models`; None if the answer has no such
    list."""
    listed = answer
    if isinstance(answer, Mapping):
        listed = answer["data"] if "data" in answer else answer.get("models")
    if not isinstance(listed, list):
        return None
    return [entry for entry in listed if isinstance(entry, Mapping)]


def read_entries(entries: Iterable[Mapping[str, Any]]) -> list[FoundModel]:
    """Return the models of the entries without duplicates, sorted by name. Names that this site cannot use are left
    out."""
    found: dict[str, FoundModel] = {}
    for entry in entries:
        name = name_of(entry)
        if MODEL_NAME.fullmatch(name):
            found.setdefault(name, _described(name, entry))
    return [found[name] for name in sorted(found)]


def name_of(entry: Mapping[str, Any]) -> str:
    """Return the model name of an entry, as requests to the server use it; "" if the entry has none."""
    name = next((entry[key] for key in ("id", "model", "key", "name") if isinstance(entry.get(key), str)), "")
    return str(name).removeprefix("models/")


def is_owned_by(entries: Iterable[Mapping[str, Any]], owner: str) -> bool:
    """Return whether every model of the list names this owner, by which some model servers can be recognised."""
    owners = {entry.get("owned_by") for entry in entries}
    return owners == {owner}


def with_ollama_details(model: FoundModel, answer: Any) -> FoundModel:
    """Return the model with the facts in Ollama's answer to `/api/show`. A context size that the model's Modelfile sets
    takes precedence over the size for which the model was trained."""
    if not isinstance(answer, Mapping):
        return model
    capabilities = answer.get("capabilities")
    about = answer.get("model_info")
    trained = next(
        (value for key, value in about.items() if str(key).endswith(".context_length")), None
    ) if isinstance(about, Mapping) else None  # fmt: skip
    parameters = answer.get("parameters")
    chosen = _NUM_CTX.search(parameters) if isinstance(parameters, str) else None
    context = _count(int(chosen[1])) if chosen else _count(trained)
    if not isinstance(capabilities, list):
        return replace(model, context=context)
    return replace(
        model, context=context, calls_tools="tools" in capabilities, sees_images="vision" in capabilities,
        reasons="thinking" in capabilities, chats="completion" in capabilities,
    )  # fmt: skip


def with_details(models: Sequence[FoundModel], details: Iterable[FoundModel]) -> list[FoundModel]:
    """Return the models. If `details` has a model of the same name, it replaces the model."""
    better = {model.name: model for model in details}
    return [better.get(model.name, model) for model in models]


def _described(name: str, entry: Mapping[str, Any]) -> FoundModel:
    places = _places(entry)
    flags = _flags(entry)
    return FoundModel(
        name,
        context=_first(places, _CONTEXT),
        max_output=_first(places, _OUTPUT),
        calls_tools=_flag(flags, _TOOLS),
        sees_images=True if entry.get("type") == "vlm" else _flag(flags, _IMAGES),
        reasons=_flag(flags, _REASONS),
        chats=_type_of(entry) not in _OTHER_TYPES and _flag(flags, _CHATS) is not False,
    )


def _type_of(entry: Mapping[str, Any]) -> str:
    capabilities = entry.get("capabilities")
    told = capabilities.get("type") if isinstance(capabilities, Mapping) else None
    return str(entry.get("type") or told or "").lower()


def _places(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the objects that may contain the size limits of a model: the model's entry in a server's list, and objects
    inside the entry."""
    capabilities = entry.get("capabilities")
    limits = capabilities.get("limits") if isinstance(capabilities, Mapping) else None
    inner = (entry.get("top_provider"), entry.get("meta"), limits)
    return [entry, *(each for each in inner if isinstance(each, Mapping))]


def _flags(entry: Mapping[str, Any]) -> dict[str, bool]:
    """Return the abilities that a provider's entry lists for its model, under the provider's own names, such as
    "tools"."""
    flags: dict[str, bool] = {}
    capabilities = entry.get("capabilities")
    supports = capabilities.get("supports") if isinstance(capabilities, Mapping) else None
    for told in (capabilities, supports):
        if isinstance(told, Mapping):
            flags |= {str(key): value for key, value in told.items() if isinstance(value, bool)}
    architecture = entry.get("architecture")
    inputs = architecture.get("input_modalities") if isinstance(architecture, Mapping) else None
    for listed, closed in (
        (capabilities, _TOOLS), (entry.get("supported_parameters"), ("tools", "reasoning")), (inputs, ("image",)),
        (entry.get("tags"), ()),
    ):  # fmt: skip
        if isinstance(listed, list):
            flags |= dict.fromkeys(closed, False) | {each: True for each in listed if isinstance(each, str)}
    return flags


def _flag(flags: Mapping[str, bool], names: Sequence[str]) -> bool | None:
    told = [flags[name] for name in names if name in flags]
    return any(told) if told else None


def _first(places: Iterable[Mapping[str, Any]], names: Iterable[str]) -> int | None:
    found = (_count(place.get(name)) for name in names for place in places)
    return next((number for number in found if number), None)


def _count(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= MAX_TOKENS:
        return None
    return value

"""The kinds of providers that a team can add: one row each. Pure.

A team names a host of its own only where we connect to it ourselves and can look where it leads (`openai_compatible`);
litellm's providers stand at addresses that litellm knows, or under the domain that is named here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import urlsplit

Adapter = Literal["openai_compatible", "litellm"]


@dataclass(frozen=True, slots=True)
class ProviderKind:
    """`base_url` is where the provider always is; empty with `wants_address`: the team says where. `domains` are those
    that such an address must lie under; empty: any. `prefix` stands before a model's name for litellm and in the table
    of prices. `options` are what else it needs, by name, with the form of the value. `lists_models`: it can be asked
    which models there are."""

    name: str
    title: str
    adapter: Adapter
    base_url: str = ""
    prefix: str = ""
    wants_address: bool = False
    domains: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    needs_key: bool = True
    lists_models: bool = True


_REGION: Final = r"[a-z]{2}(-[a-z]+)+-[0-9]"
_API_VERSION: Final = r"20[0-9]{2}-[0-9]{2}-[0-9]{2}(-preview)?"
_AZURE: Final = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")

_ROWS: Final = (
    ProviderKind("openai_compatible", "OpenAI-compatible", "openai_compatible", wants_address=True, needs_key=False),
    ProviderKind("openai", "OpenAI", "openai_compatible", "https://api.openai.com/v1"),
    ProviderKind("anthropic", "Anthropic", "litellm", prefix="anthropic", lists_models=False),
    ProviderKind("gemini", "Google Gemini", "litellm", prefix="gemini", lists_models=False),
    ProviderKind(
        "bedrock", "Amazon Bedrock", "litellm", prefix="bedrock", options=(("region", _REGION),), lists_models=False
    ),
    ProviderKind(
        "azure", "Azure OpenAI", "litellm", prefix="azure", wants_address=True, domains=_AZURE,
        options=(("api_version", _API_VERSION),), lists_models=False,
    ),
    ProviderKind("openrouter", "OpenRouter", "openai_compatible", "https://openrouter.ai/api/v1"),
    ProviderKind("mistral", "Mistral", "openai_compatible", "https://api.mistral.ai/v1"),
    ProviderKind("groq", "Groq", "openai_compatible", "https://api.groq.com/openai/v1"),
    ProviderKind("deepseek", "DeepSeek", "openai_compatible", "https://api.deepseek.com/v1"),
    ProviderKind("xai", "xAI", "openai_compatible", "https://api.x.ai/v1"),
)  # fmt: skip
KINDS: Final[Mapping[str, ProviderKind]] = {kind.name: kind for kind in _ROWS}


def option_problems(kind: ProviderKind, options: Mapping[str, str]) -> dict[str, str]:
    """Field -> what is wrong with it."""
    known = dict(kind.options)
    problems = {f"options.{name}": f"{kind.title} has no such option" for name in options if name not in known}
    for name, form in known.items():
        if re.fullmatch(form, options.get(name, "")) is None:
            problems[f"options.{name}"] = "is missing" if not options.get(name) else "is not of the right form"
    return problems


def is_under(kind: ProviderKind, base_url: str) -> bool:
    """Whether the address lies where addresses of this kind must."""
    host = urlsplit(base_url).hostname or ""
    return not kind.domains or host.endswith(kind.domains)

"""The kinds of model providers that a team can add.

Only kinds with the adapter `openai_compatible` may have an arbitrary address, because this site itself connects to such
providers and can check the address first. Providers that litellm connects to have addresses that litellm knows, or
addresses under the domains that are listed here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import urlsplit

Adapter = Literal["openai_compatible", "litellm"]


@dataclass(frozen=True, slots=True)
class ProviderKind:
    """A kind of model provider that teams can add."""

    name: str
    title: str
    adapter: Adapter
    base_url: str = ""
    """The provider's fixed address, if it has one."""
    prefix: str = ""
    """The prefix of the model's name for litellm and in the table of prices."""
    wants_address: bool = False
    """Whether the team must enter a base URL."""
    domains: tuple[str, ...] = ()
    """Suffixes of the hosts that a team may enter; empty permits any host."""
    options: tuple[tuple[str, str], ...] = ()
    """The required options: the name of each, and a regular expression for its value."""
    needs_key: bool = True
    key_form: Literal["key", "service_account"] = "key"
    """The form of the key: one line of text, or the key file of a Google service account."""
    exchange: Literal["", "copilot", "gitlab"] = ""
    """The provider at which the key is exchanged for short-lived tokens; "" if it is used directly."""
    signs_in: bool = False
    """Whether people can get the key by signing in with a code."""
    client_setting: str = ""
    """The name of the setting with the id of the OAuth client that signs people in."""
    lists_models: bool = True
    """Whether the provider has an endpoint that lists its models."""
    server: Literal["", "ollama", "lm_studio"] = ""
    """The kind of server at the address, if the server has an API of its own with more than the names of its models."""
    usual_path: str = ""
    """The path that is added to an address without a path."""
    example: str = ""
    """An address as people may enter it."""


_REGION: Final = r"[a-z]{2}(-[a-z]+)+-[0-9]"
_API_VERSION: Final = r"20[0-9]{2}-[0-9]{2}-[0-9]{2}(-preview)?"
_GOOGLE_PROJECT: Final = r"([a-z0-9.-]{1,60}:)?[a-z][a-z0-9-]{4,28}[a-z0-9]"
_GOOGLE_LOCATION: Final = r"global|us|eu|[a-z]{2,20}-[a-z]{2,20}[0-9]{1,2}"
_VERTEX_OPTIONS: Final = (("project", _GOOGLE_PROJECT), ("location", _GOOGLE_LOCATION))
_AZURE: Final = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")

_ROWS: Final = (
    ProviderKind("openai_compatible", "OpenAI-compatible", "openai_compatible", wants_address=True, needs_key=False),
    ProviderKind(
        "ollama", "Ollama", "openai_compatible", wants_address=True, needs_key=False, server="ollama",
        usual_path="/v1", example="http://gpu.example:11434/v1",
    ),
    ProviderKind(
        "vllm", "vLLM", "openai_compatible", wants_address=True, needs_key=False, usual_path="/v1",
        example="http://gpu.example:8000/v1",
    ),
    ProviderKind(
        "lm_studio", "LM Studio", "openai_compatible", wants_address=True, needs_key=False, server="lm_studio",
        usual_path="/v1", example="http://gpu.example:1234/v1",
    ),
    ProviderKind("openai", "OpenAI", "openai_compatible", "https://api.openai.com/v1"),
    ProviderKind("anthropic", "Anthropic", "litellm", prefix="anthropic", lists_models=False),
    ProviderKind("gemini", "Google Gemini", "litellm", prefix="gemini", lists_models=False),
    ProviderKind(
        "vertex", "Google Vertex AI", "litellm", prefix="vertex_ai", options=_VERTEX_OPTIONS,
        key_form="service_account", lists_models=False,
    ),
    ProviderKind(
        "vertex_anthropic", "Claude on Vertex AI", "litellm", prefix="vertex_ai", options=_VERTEX_OPTIONS,
        key_form="service_account", lists_models=False,
    ),
    ProviderKind(
        "bedrock", "Amazon Bedrock", "litellm", prefix="bedrock", options=(("region", _REGION),), lists_models=False
    ),
    ProviderKind(
        "azure", "Azure OpenAI", "litellm", prefix="azure", wants_address=True, domains=_AZURE,
        options=(("api_version", _API_VERSION),), lists_models=False,
    ),
    ProviderKind(
        "github_copilot", "GitHub Copilot", "openai_compatible", "https://api.githubcopilot.com", exchange="copilot",
        signs_in=True, client_setting="COPILOT_CLIENT_ID",
    ),
    ProviderKind(
        "gitlab", "GitLab Duo", "litellm", "https://cloud.gitlab.com/ai/v1/proxy/anthropic", prefix="anthropic",
        exchange="gitlab", signs_in=True, client_setting="GITLAB_CLIENT_ID", lists_models=False,
    ),
    ProviderKind("openrouter", "OpenRouter", "openai_compatible", "https://openrouter.ai/api/v1"),
    ProviderKind("mistral", "Mistral", "openai_compatible", "https://api.mistral.ai/v1"),
    ProviderKind("groq", "Groq", "openai_compatible", "https://api.groq.com/openai/v1"),
    ProviderKind("deepseek", "DeepSeek", "openai_compatible", "https://api.deepseek.com/v1"),
    ProviderKind("xai", "xAI", "openai_compatible", "https://api.x.ai/v1"),
    ProviderKind("cerebras", "Cerebras", "openai_compatible", "https://api.cerebras.ai/v1"),
    ProviderKind(
        "cohere", "Cohere", "openai_compatible", "https://api.cohere.ai/compatibility/v1", lists_models=False
    ),
    ProviderKind("deepinfra", "DeepInfra", "openai_compatible", "https://api.deepinfra.com/v1/openai"),
    ProviderKind("fireworks", "Fireworks", "openai_compatible", "https://api.fireworks.ai/inference/v1"),
    ProviderKind("moonshot", "Moonshot", "openai_compatible", "https://api.moonshot.ai/v1"),
    ProviderKind("perplexity", "Perplexity", "openai_compatible", "https://api.perplexity.ai", lists_models=False),
    ProviderKind("together", "Together", "openai_compatible", "https://api.together.xyz/v1"),
    ProviderKind("vercel", "Vercel AI Gateway", "openai_compatible", "https://ai-gateway.vercel.sh/v1"),
    ProviderKind("zai", "Z.ai", "openai_compatible", "https://api.z.ai/api/paas/v4", lists_models=False),
)  # fmt: skip
KINDS: Final[Mapping[str, ProviderKind]] = {kind.name: kind for kind in _ROWS}


def option_problems(kind: ProviderKind, options: Mapping[str, str]) -> dict[str, str]:
    """Return the problems of the options that a team entered for a provider of this kind, by field name."""
    known = dict(kind.options)
    problems = {f"options.{name}": f"{kind.title} does not have this option" for name in options if name not in known}
    for name, form in known.items():
        if re.fullmatch(form, options.get(name, "")) is None:
            problems[f"options.{name}"] = "is missing" if not options.get(name) else "has an invalid format"
    return problems


def whole_address(kind: ProviderKind, base_url: str) -> str:
    """Return a provider's base URL. If it has no path, the usual path of the provider kind is appended."""
    has_path = bool(urlsplit(base_url).path.strip("/")) if base_url else True
    return base_url if has_path else f"{base_url.rstrip('/')}{kind.usual_path}"


def is_under(kind: ProviderKind, base_url: str) -> bool:
    """Return whether the host of an address is in one of the kind's domains; always true for kinds without domains."""
    host = urlsplit(base_url).hostname or ""
    return not kind.domains or host.endswith(kind.domains)

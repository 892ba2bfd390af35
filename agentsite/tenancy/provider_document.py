"""Validate the settings, key and extra headers of a team's model provider."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from agentsite.base.errors import BadInput
from agentsite.tenancy.provider_kinds import KINDS, is_under, option_problems

MAX_MODELS: Final = 500  # of one provider
MAX_HEADERS: Final = 20  # of one provider
MAX_KEY_CHARS: Final = 8_000
_VISIBLE: Final = re.compile(r"[\x21-\x7e]+")
_MODEL_NAME: Final = r"[A-Za-z0-9][A-Za-z0-9._:/@+~-]{0,199}"
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_HEADER_VALUE: Final = re.compile(r"[\x20-\x7e]{1,2000}")
_RESERVED_HEADERS: Final = frozenset(
    {"host", "content-length", "content-type", "transfer-encoding", "connection", "accept", "accept-encoding", "cookie"}
)
Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
Price = Annotated[Decimal, Field(ge=0, le=100_000, max_digits=12, decimal_places=6)]


def _plain(text: str) -> str:
    if any(char < " " or "\ud800" <= char <= "\udfff" for char in text):
        raise ValueError("must be one line of text without control characters")
    return text


Line = Annotated[str, AfterValidator(_plain)]


class ModelPrices(BaseModel):
    """Prices in US dollars per million tokens.

    Without a price of their own, reading and writing the provider's cache cost as much as input, and reasoning as much
    as output.
    """

    model_config = ConfigDict(extra="forbid")

    input: Price
    output: Price
    reasoning: Price | None = None
    cache_read: Price | None = None
    cache_write: Price | None = None


class ProviderModel(BaseModel):
    """A model of a provider.

    If `context` or `max_output` is 0, or another field is null, the value from the built-in table of models is used, if
    the table contains the model. `max_output` is the longest answer in tokens. `efforts` are the reasoning efforts that
    the model takes, `calls_tools` says whether it can call tools.
    """

    model_config = ConfigDict(extra="forbid")

    name: str = Field(pattern=f"^{_MODEL_NAME}$")
    context: int = Field(default=0, ge=0, le=100_000_000)
    max_output: int = Field(default=0, ge=0, le=100_000_000)
    sees: list[Literal["images", "pdf"]] | None = None
    prices: ModelPrices | None = None
    efforts: list[Effort] | None = Field(default=None, max_length=7)
    calls_tools: bool | None = None


class ProviderDocument(BaseModel):
    """The settings of a provider. `base_url` must be empty for kinds with a fixed address. `timeout_seconds` is the
    longest silence of a model call, `retries` how often a failed call is repeated; null stands for 300 seconds and 5
    retries."""

    model_config = ConfigDict(extra="forbid")

    name: Line = Field(min_length=1, max_length=120)
    kind: str = Field(max_length=32)
    base_url: str = Field(default="", max_length=500)
    options: dict[str, Annotated[str, Field(max_length=100)]] = Field(default_factory=dict, max_length=10)
    enabled: bool = True
    models: list[ProviderModel] = Field(default_factory=list, max_length=MAX_MODELS)
    timeout_seconds: int | None = Field(default=None, ge=5, le=3_600)
    retries: int | None = Field(default=None, ge=0, le=5)


def check_document(document: ProviderDocument, *, exempted: Sequence[str]) -> None:
    """Validate the settings of a provider. Raises BadInput with a problem for each invalid field.

    `exempted` lists the `host:port` pairs for which operators permit unencrypted HTTP.
    """
    kind = KINDS.get(document.kind)
    if kind is None:
        raise BadInput("This kind of provider does not exist.", fields={"kind": f"one of {', '.join(KINDS)}"})
    problems = option_problems(kind, document.options)
    if not document.name.strip():
        problems["name"] = "must not be empty"
    if address_problem := _address_problem(document.base_url.strip(), wanted=kind.wants_address):
        problems["base_url"] = address_problem
    elif kind.wants_address and not _is_encrypted(document.base_url, () if kind.domains else exempted):
        problems["base_url"] = "must start with https://; an operator can exempt a host (PROVIDER_ALLOW)"
    elif not is_under(kind, document.base_url) and kind.wants_address:
        problems["base_url"] = f"must be under {' or '.join(kind.domains)}"
    if repeated := _repeated([model.name for model in document.models]):
        problems["models"] = f"'{repeated}' is listed twice"
    if problems:
        raise BadInput("Some fields are not valid.", fields=problems)


def check_key(key: str) -> str:
    """Return the API key without surrounding whitespace. Raises BadInput, never with the key in its text."""
    key = key.strip()
    if key and (len(key) > MAX_KEY_CHARS or _VISIBLE.fullmatch(key) is None):
        raise BadInput(
            "This is not a valid key.", fields={"key": "must be one line of ASCII characters without spaces"}
        )
    return key


def check_headers(headers: Mapping[str, str]) -> None:
    found = {f"headers.{name[:64]}": _header_problem(name, value) for name, value in headers.items()}
    problems = {place: problem for place, problem in found.items() if problem}
    if len(headers) > MAX_HEADERS:
        problems["headers"] = f"at most {MAX_HEADERS} headers are allowed"
    if len({name.lower() for name in headers}) != len(headers):
        problems["headers"] = "a header is listed twice"
    if problems:
        raise BadInput("Some headers are not valid.", fields=problems)


def _header_problem(name: str, value: str) -> str:
    if _HEADER_NAME.fullmatch(name) is None:
        return "a header name can only contain letters, digits, hyphens and underscores"
    if name.lower() in _RESERVED_HEADERS:
        return "this header is set by the site"
    return "" if _HEADER_VALUE.fullmatch(value) else "must be one line of 1 to 2,000 ASCII characters"


def _address_problem(base_url: str, *, wanted: bool) -> str:
    if not wanted:
        return "must be empty: this kind of provider has a fixed address" if base_url else ""
    if not base_url:
        return "is missing"
    try:
        address = urlsplit(base_url)
        usable = address.scheme in ("http", "https") and address.hostname and address.port != 0
    except ValueError:
        usable = False
    if not usable or _VISIBLE.fullmatch(base_url) is None:
        return "must be an address such as https://models.example.org/v1"
    if address.username is not None or address.password is not None or "@" in address.netloc:
        return "must not contain a user name or password; enter the key in its own field"
    return "must not contain a query string or fragment (? or #)" if address.query or address.fragment else ""


def _is_encrypted(base_url: str, exempted: Sequence[str]) -> bool:
    address = urlsplit(base_url.strip())
    host = f"[{address.hostname}]" if ":" in (address.hostname or "") else address.hostname
    return address.scheme == "https" or f"{host}:{address.port or 80}" in {entry.lower() for entry in exempted}


def _repeated(names: Sequence[str]) -> str:
    return next((name for name in names if names.count(name) > 1), "")

"""Check the settings of MCP servers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import httpx
from django.conf import settings

from agentsite.base.errors import BadInput
from sessions_app.llm.guarded_http import EndpointRefused, check_address
from tools_app.mcp.definitions import SERVER_NAME
from tools_app.text import is_clean
from tools_app.web.rules import WebRules

MAX_WORDS: Final = 100  # of a command
MAX_COMMAND_BYTES: Final = 16 << 10
MAX_ENTRIES: Final = 50  # of an environment, and headers
MAX_VALUE_BYTES: Final = 8 << 10
MIN_TIMEOUT_SECONDS: Final = 1
MAX_TIMEOUT_SECONDS: Final = 600
MAX_CLIENT_CHARACTERS: Final = 500  # of a client id, and of its secret
REMOTE_ONLY: Final = ("url", "transport", "headers", "secret_headers", "sign_in", "client_id", "client_secret")
VARIABLE: Final = re.compile(r"\{env:([A-Za-z_][A-Za-z0-9_]*)\}")
"""Stands for a variable of the project or the team in a value of an environment."""

_VARIABLE_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_RESERVED: Final = re.compile(r"(?i:AGENTSITE_\w*|SANDBOX_\w*)")
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HEADERS_OF_PROTOCOL: Final = frozenset(
    {
        "host", "content-length", "content-type", "transfer-encoding", "connection", "upgrade", "accept", "te",
        "mcp-session-id", "mcp-protocol-version", "mcp-method", "mcp-name", "last-event-id", "expect", "trailer",
    }
)  # fmt: skip

Kind = Literal["local", "remote"]
Transport = Literal["http", "sse"]
SignIn = Literal["person", "team"]


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """New settings of an MCP server; None keeps the stored value.

    `secret_headers` replaces all secret headers, whose values are never returned; a value of None keeps the stored
    value. `client_id` and `client_secret` belong to an OAuth client that an admin has registered at the authorization
    server; with an empty id the site registers itself.
    """

    description: str | None = None
    enabled: bool | None = None
    command: Sequence[str] | None = None
    environment: Mapping[str, str] | None = None
    url: str | None = None
    transport: Transport | None = None
    headers: Mapping[str, str] | None = None
    secret_headers: Mapping[str, str | None] | None = None
    timeout_seconds: int | None = None
    sign_in: SignIn | None = None
    client_id: str | None = None
    client_secret: str | None = None

    def given(self) -> dict[str, Any]:
        """Return the settings that are not None, by name."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(slots=True)
class _Problems:
    fields: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, problem: str) -> None:
        if problem:
            self.fields.setdefault(name, problem)


def check_name(name: str) -> None:
    """Raise BadInput unless an MCP server may have this name."""
    if not SERVER_NAME.fullmatch(name):
        problem = "1 to 32 letters, digits, dashes and underscores, beginning with a letter"
        raise BadInput(f"The name '{name[:60]}' is not valid.", fields={"name": problem})


def check_settings(kind: Kind, wanted: ServerSettings) -> None:
    """Raise BadInput for settings that a server of this kind (local or remote) cannot have."""
    found = _Problems()
    of_other = REMOTE_ONLY if kind == "local" else ("command", "environment")
    for name in of_other:
        if getattr(wanted, name):
            found.add(name, f"not for a {kind} server")
    if kind == "local":
        found.add("command", _command_problem(wanted.command))
        found.add("environment", _environment_problem(wanted.environment or {}))
    else:
        found.add("url", _url_problem(wanted.url))
        found.add("headers", _headers_problem(wanted.headers or {}))
        found.add("secret_headers", _headers_problem(wanted.secret_headers or {}))
        twice = {name.lower() for name in wanted.headers or {}} & {name.lower() for name in wanted.secret_headers or {}}
        found.add("secret_headers", f"{min(twice)} is already among the other headers" if twice else "")
        found.add("client_id", _client_problem(wanted.client_id or ""))
        found.add("client_secret", _client_problem(wanted.client_secret or ""))
    seconds = wanted.timeout_seconds
    if seconds is not None and not MIN_TIMEOUT_SECONDS <= seconds <= MAX_TIMEOUT_SECONDS:
        found.add("timeout_seconds", f"{MIN_TIMEOUT_SECONDS} to {MAX_TIMEOUT_SECONDS}")
    if not is_clean(wanted.description or ""):
        found.add("description", "it contains a NUL or half of a character")
    if found.fields:
        name, problem = next(iter(found.fields.items()))
        raise BadInput(f"The server's {name.replace('_', ' ')} cannot be used: {problem}.", fields=found.fields)


def _command_problem(command: Sequence[str] | None) -> str:
    if command is None:
        return ""
    if not command or not command[0].strip():
        return "it needs at least one word, the program"
    if (
        len(command) > MAX_WORDS
        or sum(len(word.encode("utf-8", "surrogatepass")) for word in command) > MAX_COMMAND_BYTES
    ):
        return f"at most {MAX_WORDS} words and {MAX_COMMAND_BYTES // 1024} KiB"
    return "" if all(map(is_clean, command)) else "it contains a NUL or half of a character"


def _environment_problem(environment: Mapping[str, str]) -> str:
    for name in environment:
        if not _VARIABLE_NAME.fullmatch(name) or _RESERVED.fullmatch(name):
            return f"'{name[:60]}' is not a name for a variable, or the sandbox sets it"
    return _values_problem(environment)


def _headers_problem(headers: Mapping[str, str | None]) -> str:
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            return f"'{name[:60]}' is not the name of a header"
        if name.lower() in _HEADERS_OF_PROTOCOL:
            return f"{name} is set by the protocol"
        if value is not None and (not value.isascii() or not value.isprintable()):
            return f"the value of {name} has characters that no header can have"
    return _values_problem({name: value for name, value in headers.items() if value is not None})


def _client_problem(value: str) -> str:
    is_text = value.isascii() and value.isprintable() if value else True
    return (
        "" if is_text and len(value) <= MAX_CLIENT_CHARACTERS else f"at most {MAX_CLIENT_CHARACTERS} plain characters"
    )


def _values_problem(values: Mapping[str, str]) -> str:
    if len(values) > MAX_ENTRIES:
        return f"at most {MAX_ENTRIES}"
    for name, value in values.items():
        if not is_clean(value) or len(value.encode()) > MAX_VALUE_BYTES:
            return f"the value of {name[:60]} has more than {MAX_VALUE_BYTES // 1024} KiB, or a NUL"
    return ""


def _url_problem(url: str | None) -> str:
    if url is None:
        return ""
    if not url.strip():
        return "it is missing"
    try:
        httpx.URL(url)
        check_address(url, WebRules.exempting(settings.NETWORK_ALLOW))
    except (httpx.InvalidURL, EndpointRefused) as error:
        return str(error).removesuffix(".")
    return ""

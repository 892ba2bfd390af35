"""The MCP servers that a repository declares, read from the files of OpenCode, Claude Code and VS Code, and from
skills. Pure.

The files are not trusted. Reading them starts nothing and sends nothing: a person decides about each server, and the
decision is for exactly what `digest` identifies. References to variables are converted to `{env:NAME}`.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from sandbox.ports import WORKSPACE_ROOT
from tools_app.mcp.definitions import DIGEST_CHARACTERS, SERVER_NAME
from tools_app.policies import jsonc
from tools_app.project_paths import PROJECT_FILES
from tools_app.text import clean, is_clean

CLAUDE_FILE: Final = ".mcp.json"
VSCODE_FILE: Final = ".vscode/mcp.json"
FILES: Final = (*PROJECT_FILES, CLAUDE_FILE, VSCODE_FILE)
"""Paths of files that declare servers. Of several servers with one name, the one in the first file is used."""
MAX_DECLARED: Final = 30  # of all files together
MAX_DECLARATION_BYTES: Final = 16_384
DEFAULT_TIMEOUT_SECONDS: Final = 60
MAX_TIMEOUT_SECONDS: Final = 600
REPEATED: Final = "{} declares a server of this name, too, and is read first."

_DOLLAR: Final = re.compile(r"\$\{([^{}]*)\}")
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]+")


class BadDeclaration(ValueError):
    """The declaration of an MCP server cannot be used. The message is a sentence for people."""


@dataclass(frozen=True, slots=True)
class DeclaredServer:
    """A server as a file declares it; `problem` says why it cannot be used. `name` is the name in the file without
    characters that are not allowed; the names of the server's tools begin with it."""

    name: str
    source: str
    kind: str = "local"
    command: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    transport: str = "http"
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout_seconds: int = DEFAULT_TIMEOUT_SECONDS
    problem: str = ""

    @property
    def digest(self) -> str:
        """A hash of all settings that decide which program is started, or which server is connected to."""
        parts = [self.name, self.source, self.kind, list(self.command), dict(self.environment), self.url]
        text = json.dumps([*parts, self.transport, dict(self.headers), self.timeout_seconds], sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_CHARACTERS]

    @property
    def pattern(self) -> str:
        """The pattern for the permission to use this server. It is bound to the file that declares the server, and
        to the exact declaration."""
        return f"{self.name} {self.source} {self.digest}"

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "command": list(self.command), "digest": self.digest}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "DeclaredServer":
        return cls(**{name: value for name, value in data.items() if name != "digest"})


def read_declarations(path: str, content: bytes) -> list[DeclaredServer]:
    """Return the MCP servers that a file declares. A server that cannot be read has a `problem`. If the whole file
    cannot be parsed, the result is one entry with the name "" and the problem, or nothing for a file that also has
    permission rules."""
    try:
        parsed = jsonc.loads(content.decode("utf-8-sig"))
        block = _block(path, parsed)
    except (ValueError, RecursionError) as error:
        if path in PROJECT_FILES:  # its problem is named with its permission rules
            return []
        return [DeclaredServer("", path, problem=clean(f"The file cannot be parsed: {error}"[:300]))]
    return [_read(path, str(name), entry) for name, entry in list(block.items())[: MAX_DECLARED + 1]]


def read_skill(path: str, servers: Mapping[str, Any]) -> list[DeclaredServer]:
    """Return the servers that a skill brings in the field `mcp` of its file, in the format of OpenCode, Claude Code or
    VS Code."""
    return [_read(path, str(name), entry) for name, entry in list(servers.items())[: MAX_DECLARED + 1]]


def chosen(found: Sequence[DeclaredServer]) -> list[DeclaredServer]:
    """Return the declared servers of all files, at most `MAX_DECLARED`. A server gets a `problem` if an earlier file
    declares the same name."""
    sources: dict[str, str] = {}
    kept: list[DeclaredServer] = []
    for each in found[:MAX_DECLARED]:
        before = sources.setdefault(each.name.lower(), each.source) if each.name else each.source
        kept.append(each if before == each.source else replace(each, problem=REPEATED.format(before)))
    if len(found) > MAX_DECLARED:
        problem = f"The files declare more than {MAX_DECLARED} servers. The others are left out."
        kept.append(DeclaredServer("", found[MAX_DECLARED].source, problem=problem))
    return kept


def _block(path: str, parsed: Any) -> Mapping[str, Any]:
    if not isinstance(parsed, Mapping):
        raise BadDeclaration("it must contain a JSON object.")
    name = {CLAUDE_FILE: "mcpServers", VSCODE_FILE: "servers"}.get(path, "mcp")
    block = parsed.get(name, {})
    if not isinstance(block, Mapping):
        raise BadDeclaration(f"`{name}` must be an object.")
    return block


def _read(path: str, name: str, entry: Any) -> DeclaredServer:
    cleaned = _UNSAFE.sub("_", clean(name)).strip("_")[:32]
    server = DeclaredServer(cleaned, path)
    try:
        return _with_settings(server, entry)
    except BadDeclaration as error:
        return replace(server, problem=clean(str(error)))


def _with_settings(server: DeclaredServer, entry: Any) -> DeclaredServer:
    """Return the server with the settings that `entry` of a file declares. Raises BadDeclaration."""
    if not SERVER_NAME.fullmatch(server.name):
        raise BadDeclaration("Its name must begin with a letter.")
    if not isinstance(entry, Mapping) or len(json.dumps(entry, default=str)) > MAX_DECLARATION_BYTES:
        raise BadDeclaration(f"It must be an object of at most {MAX_DECLARATION_BYTES // 1024} KiB.")
    if entry.get("enabled") is False or entry.get("disabled") is True:
        raise BadDeclaration("The file disables it.")
    if any(not is_clean(text) for text in _texts(entry)):
        raise BadDeclaration("It contains a NUL or an incomplete character.")
    is_skill = server.source not in FILES
    is_opencode = server.source in PROJECT_FILES or (is_skill and entry.get("type") in ("local", "remote"))
    settings = _of_opencode(entry) if is_opencode else _of_others(entry)
    found = replace(server, **settings)
    if found.kind == "local" and not found.command:
        raise BadDeclaration("It has no command.")
    if found.kind == "remote" and not found.url:
        raise BadDeclaration("It has neither a command nor an address.")
    return found


def _of_opencode(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a server in the format of OpenCode's `mcp` block."""
    if entry.get("type") == "remote":
        return {"kind": "remote", "url": _text(entry, "url"), "headers": _mapping(entry, "headers"), **_timeout(entry)}
    if entry.get("type", "local") != "local":
        raise BadDeclaration("Its type must be local or remote.")
    return {"command": _words(entry, "command"), "environment": _mapping(entry, "environment"), **_timeout(entry)}


def _of_others(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Parse the definition of an MCP server in the format of Claude Code and VS Code."""
    kind = entry.get("type", "stdio" if "command" in entry else "http")
    if kind in ("http", "streamable-http", "sse"):
        found = {"url": _text(entry, "url"), "headers": _mapping(entry, "headers")}
        return _spelled({"kind": "remote", "transport": "sse" if kind == "sse" else "http", **found})
    if kind != "stdio":
        raise BadDeclaration("Its type must be stdio, http or sse.")
    for name in ("cwd", "envFile"):
        if entry.get(name) not in (None, "", "${workspaceFolder}", "."):
            raise BadDeclaration(f"`{name}` is not supported.")
    command = [_text(entry, "command"), *_words(entry, "args")]
    return _spelled({"command": command if command[0] else [], "environment": _mapping(entry, "env")})


def _spelled(settings: dict[str, Any]) -> dict[str, Any]:
    """Rewrite references to variables, inputs and the workspace's folder in the syntax of this site, such as
    `{env:NAME}`."""
    found: dict[str, Any] = _each_text(settings, _references)
    return found


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {name: _each_text(each, change) for name, each in value.items()}
    return [_each_text(each, change) for each in value] if isinstance(value, list) else value


def _references(text: str) -> str:
    return _DOLLAR.sub(lambda found: _reference(found[1]), text)


def _reference(inner: str) -> str:
    """Return the text that replaces the reference `${inner}`. An input of VS Code becomes a variable with the input's
    name in upper case. A default after `:-` is not supported, because a missing variable must not silently become
    another value."""
    if inner in ("workspaceFolder", "workspaceRoot"):
        return WORKSPACE_ROOT
    name = inner.removeprefix("env:")
    if inner.startswith("input:"):
        name = _UNSAFE.sub("_", inner.removeprefix("input:").replace("-", "_")).upper()
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise BadDeclaration(f"`${{{inner[:60]}}}` is not supported.")
    return f"{{env:{name}}}"


def _text(entry: Mapping[str, Any], name: str) -> str:
    value = entry.get(name, "")
    if not isinstance(value, str):
        raise BadDeclaration(f"`{name}` must be a text.")
    return value


def _words(entry: Mapping[str, Any], name: str) -> list[str]:
    value = entry.get(name, [])
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise BadDeclaration(f"`{name}` must be a list of texts.")
    return value


def _mapping(entry: Mapping[str, Any], name: str) -> dict[str, str]:
    value = entry.get(name) or {}
    if not isinstance(value, Mapping) or not all(isinstance(each, str) for each in value.values()):
        raise BadDeclaration(f"`{name}` must be an object of texts.")
    return dict(value)


def _timeout(entry: Mapping[str, Any]) -> dict[str, int]:
    """Return the setting `timeout_seconds`, at least the default, or {} if none is declared. OpenCode's value is in
    milliseconds, and also limits the listing of tools."""
    value = entry.get("timeout")
    if not isinstance(value, int) or isinstance(value, bool):
        return {}
    return {"timeout_seconds": min(max(value // 1000, DEFAULT_TIMEOUT_SECONDS), MAX_TIMEOUT_SECONDS)}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield name
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)

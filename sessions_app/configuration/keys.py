"""Decide for each key of a configuration document whether it applies on this site, with the reason if it does not.
Pure.

A value from a repository is not trusted: it may describe agents and commands and make rules stricter, but never send a
key or a request to another address.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

Status = Literal["applied", "elsewhere", "refused", "unsupported", "unknown", "invalid"]
"""`applied`: in force. `elsewhere`: does not apply on a server, or is set in another place. `refused`: not accepted at
this level. `unsupported`: this site cannot do it yet. `unknown`: there is no such key. `invalid`: the value was not
understood."""

Path = tuple[str, ...]
HIDDEN: Final = "(hidden)"
_SECRET_FIELDS: Final = frozenset({"apikey", "api_key", "headers", "environment", "env", "client_secret", "token"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision whether a value applies. `reason` is a sentence; it is empty if the value applies without
    restriction."""

    status: Status
    reason: str = ""


APPLIED: Final = Verdict("applied")
_NO_KEYS: Final = Verdict(
    "refused",
    "Keys of providers are stored encrypted in the team's settings, and a key in a configuration is never used. Remove "
    "it: everybody who can read the file has the key.",
)
_NO_ADDRESS: Final = Verdict(
    "refused",
    "The team's key is sent only to the address in the team's settings. An admin can add a provider with this address "
    "there.",
)
_PROVIDERS: Final = Verdict("elsewhere", "Providers and their models are added in the team's settings, under Models.")
_SERVERS: Final = Verdict(
    "applied",
    "A server of a file waits until a person allows it; a remote one also needs a policy that allows its host.",
)
_OWN_FORMATTER: Final = Verdict(
    "applied",
    "It runs after an edit if the rules allow its command in `bash` without asking; otherwise the agent is told that it"
    " did not run.",
)
_OWN_LANGUAGE_SERVER: Final = Verdict(
    "unsupported",
    "Language servers are those of the sandbox's image. One of a repository would run for all sessions of the"
    " workspace, also for those whose rules do not allow its command. `disabled` is respected.",
)
_TERMINAL: Final = "It is a setting of OpenCode's terminal; this site is used in a browser."

_VERDICTS: Final[Mapping[Path, Verdict]] = {
    ("$schema",): Verdict("elsewhere", "It helps editors to complete the file; nothing here depends on it."),
    ("model",): APPLIED,
    ("small_model",): APPLIED,
    ("default_agent",): APPLIED,
    ("agent",): APPLIED,
    ("mode",): APPLIED,
    ("permission",): APPLIED,
    ("tools",): APPLIED,
    ("command",): APPLIED,
    ("instructions",): APPLIED,
    ("skills", "paths"): APPLIED,
    ("skills", "urls"): APPLIED,
    ("disabled_providers",): APPLIED,
    ("enabled_providers",): APPLIED,
    ("provider",): _PROVIDERS,
    ("mcp",): _SERVERS,
    ("formatter",): APPLIED,
    ("lsp",): APPLIED,
    ("compaction",): APPLIED,
    ("tool_output",): APPLIED,
    ("subagent_depth",): APPLIED,
    ("share",): APPLIED,
    ("autoshare",): Verdict("refused", "Sessions are never shared by themselves: a person creates each share link."),
    ("snapshot",): Verdict(
        "elsewhere",
        "What an agent changes is always recorded, because undo also protects the others who work in the workspace.",
    ),
    ("watcher",): Verdict("elsewhere", "No process watches files here: changes are found before each call."),
    ("username",): Verdict("elsewhere", "Prompts show the name of the account that sent them."),
    ("shell",): Verdict("elsewhere", "Commands run in bash, because the permission rules judge what bash will do."),
    ("experimental", "primary_tools"): APPLIED,
    ("experimental", "batch_tool"): Verdict("elsewhere", "Agents always have the tool `batch`; a rule can deny it."),
    ("experimental", "continue_loop_on_deny"): APPLIED,
    ("experimental", "mcp_timeout"): Verdict("elsewhere", "The timeout is part of each MCP server's settings."),
    ("experimental", "policies"): Verdict("elsewhere", "The team's policy decides which models may be used."),
    ("experimental", "openTelemetry"): Verdict("elsewhere", "The operators of the site decide about tracing."),
    ("experimental", "disable_paste_summary"): Verdict("elsewhere", _TERMINAL),
    ("plugin",): Verdict("unsupported", "Plugins are not loaded yet: they would run beside the keys."),
    ("references",): Verdict(
        "unsupported",
        "A workspace has one repository, whose connection decides what may be cloned. Clone others in the set-up"
        " script.",
    ),
    ("attachment",): Verdict("elsewhere", "The site limits the size of attachments and shrinks pictures itself."),
    ("enterprise",): Verdict("elsewhere", "Share links lead to this site."),
    ("server",): Verdict("elsewhere", "The operators of the site decide on which addresses it listens."),
    ("logLevel",): Verdict("elsewhere", "The operators of the site decide what is logged."),
    ("autoupdate",): Verdict("elsewhere", "The operators of the site update it."),
    ("layout",): Verdict("elsewhere", _TERMINAL),
    ("theme",): Verdict("elsewhere", _TERMINAL),
    ("keybinds",): Verdict("elsewhere", _TERMINAL),
    ("tui",): Verdict("elsewhere", _TERMINAL),
}  # fmt: skip

_OWN_AGENTS: Final = Verdict("elsewhere", "Agents of the site, a team or a project are defined on the page Agents.")
_OWN_RULES: Final = Verdict("elsewhere", "Rules of the site, a team or a project are part of its policy.")
_OWN_SERVERS: Final = Verdict("elsewhere", "MCP servers are added in the settings, under MCP servers.")
_NO_FILES: Final = Verdict(
    "elsewhere", "It names files, so it has an effect only in the repository and for the site, a team or a project."
)
_OF_PLACES: Final[Mapping[str, Verdict]] = {
    "agent": _OWN_AGENTS, "mode": _OWN_AGENTS, "permission": _OWN_RULES, "tools": _OWN_RULES, "mcp": _OWN_SERVERS,
}  # fmt: skip
_OF_PEOPLE: Final[Mapping[str, Verdict]] = {"mcp": _OWN_SERVERS, "instructions": _NO_FILES, "skills": _NO_FILES}
_STORED: Final[Mapping[str, Mapping[str, Verdict]]] = {
    "remote": {"mcp": _OWN_SERVERS}, "person": _OF_PEOPLE, "session": _OF_PEOPLE,
}  # fmt: skip

_ADDRESSES: Final = Verdict(
    "applied",
    "An address that only files of the repository name is fetched if the rules allow `webfetch` of it without asking.",
)

_FETCHED_SKILLS: Final = Verdict(
    "refused",
    "Skills are not fetched from an address that a file of the repository names: everybody who can push would decide"
    " from outside what agents are told. Put it into the configuration of the project or the team, or the skill into"
    " the repository.",
)

JOINED: Final[frozenset[Path]] = frozenset(
    {
        ("instructions",), ("plugin",), ("disabled_providers",), ("skills", "paths"), ("skills", "urls"),
        ("watcher", "ignore"), ("experimental", "primary_tools"),
    }
)  # fmt: skip
"""Lists that are joined over all levels, without duplicates. Any other list is replaced by that of a later level."""


def verdict(path: Path, value: Any) -> Verdict:
    """Return the verdict on a value of a configuration document: whether the value applies, and the reason if not."""
    if path[0] == "provider":
        return _of_provider(path)
    if path == ("share",) and value == "auto":
        return _VERDICTS["autoshare",]
    if path == ("snapshot",) and value is True:
        return APPLIED
    if path[0] in ("formatter", "lsp") and len(path) > 2 and path[2] != "disabled":
        return _OWN_FORMATTER if path[0] == "formatter" else _OWN_LANGUAGE_SERVER
    if path == ("instructions",):
        return _of_instructions(value)
    for length in range(len(path), 0, -1):
        if found := _VERDICTS.get(path[:length]):
            return found
    return APPLIED


def file_verdict(path: Path) -> Verdict:
    """Return whether the value at the path of a configuration document also applies if it comes from a file of the
    repository."""
    return _FETCHED_SKILLS if path == ("skills", "urls") else APPLIED


def stored_verdict(path: Path, level: str) -> Verdict:
    """Return whether a value of a stored document of this level applies. Documents of the site, teams and projects
    cannot set agents, rules and MCP servers, which have pages of their own. Documents of a person or a session cannot
    set MCP servers, or name files of the workspace, which people share. Published defaults cannot set MCP servers;
    their rules can only make other rules stricter."""
    return _STORED.get(level, _OF_PLACES).get(path[0], APPLIED)


def is_secret(path: Path) -> bool:
    """Return whether the value at the path may be a key or password, which no page shows."""
    return path[0] in ("provider", "mcp") and any(step.lower() in _SECRET_FIELDS for step in path[2:])


def shown(path: Path, value: Any) -> Any:
    """Return the value at the path as people may see it: without keys and passwords."""
    return HIDDEN if is_secret(path) and value not in ("", None) else value


def _of_provider(path: Path) -> Verdict:
    fields = [step.lower() for step in path[2:]]
    if "apikey" in fields or "api_key" in fields or "headers" in fields:
        return _NO_KEYS
    if fields and fields[-1] in ("baseurl", "base_url", "api", "enterpriseurl", "endpoint", "resourcename"):
        return _NO_ADDRESS
    return _PROVIDERS


def _of_instructions(value: Any) -> Verdict:
    return _ADDRESSES if any(isinstance(each, str) and is_address(each) for each in value) else APPLIED


def is_address(text: str) -> bool:
    """Return whether an entry of `instructions` is a web address instead of a path of files."""
    return text.lower().startswith(("http://", "https://"))

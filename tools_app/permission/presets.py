"""Presets: complete sets of rules that a policy starts from. Each decides every request on its own."""

from collections.abc import Mapping
from typing import Final, Literal, get_args

from tools_app.permission import harmless, leaving
from tools_app.permission.model import Action, Rule
from tools_app.sandbox_paths import SKILLS_DIRECTORY, TOOL_OUTPUT_DIRECTORY
from tools_app.secret_paths import GIT_INTERNALS, HARMLESS_PATTERNS, RULE_FILES, SECRET_PATTERNS

DEFAULT: Final = "balanced"
PresetName = Literal["cautious", "balanced", "autonomous", "contained"]
NAMES: Final[tuple[PresetName, ...]] = get_args(PresetName)
Incomplete = Literal["allow", "ask"]
"""The action for a command that the analysis cannot read completely, where the rules allow every command."""

HOME: Final = "/home/agent"

HARMLESS_COMMANDS: Final = (*harmless.READ_ONLY, *harmless.WRAPPERS, *harmless.PROJECT_COMMANDS)
"""Command patterns. They apply only to a command text whose analysis is complete: then every command, every path that
it reads or changes, and every directory outside the workspace is judged separately."""

READ_ONLY_COMMANDS: Final = (*harmless.READ_ONLY, *harmless.WRAPPERS)

HOME_FILES: Final = (f"{HOME}/*",)
"""Files in the home directory: settings there control git and other programs too, and programs in `.local/bin` take
precedence in PATH."""

TEMPORARY: Final = "/tmp"  # noqa: S108 - in the container, where it belongs to the workspace alone
"""The folder for temporary files. Agents write logs and notes there so as not to leave them in the repository."""

_READING: Final = ("read", "glob", "grep", "list", "lsp", "skill", "todoread", "todowrite", "question", "task")
_TOGETHER: Final = ("batch",)
"""`batch` does nothing itself; each call in it is judged."""
_OWN_COMMANDS: Final = ("bash_output", "bash_stop")
"""Tools that reach only commands of the same session, which were judged when they started."""
_IN_TERMINALS: Final = ("start *", "screen", "resize", "stop")
"""Actions of `interactive` that need no question: starting a program, which is also judged as a command, and those that
type nothing. Typing is asked about."""

_LOOKING: Final = ("text *", "screenshot *", "console *", "close")
"""Actions of `browser` that need no question: looking at a page that was opened. A page elsewhere also needs
`webfetch`."""
_OWN_PAGES: Final = tuple(
    f"{action} {scheme}://localhost:*" for action in ("open", "click", "type", "press") for scheme in ("http", "https")
)
"""Actions of `browser` on pages that programs of the workspace serve."""


def rules(name: str) -> tuple[Rule, ...]:
    """Return the rules of the preset with this name. Raises KeyError for a name that is not one of `NAMES`."""
    return _PRESETS[name]


def incomplete_commands(name: str) -> Incomplete:
    """Return the preset's decision about commands whose analysis is incomplete, for policies whose options set no
    decision."""
    return "allow" if name == "contained" else "ask"


def _each(permissions: tuple[str, ...], patterns: tuple[str, ...], action: Action) -> tuple[Rule, ...]:
    return tuple(Rule(permission, pattern, action) for permission in permissions for pattern in patterns)


def _preset(
    *,
    edit: Action,
    bash: Action,
    web: Action,
    pages: Action,
    temporary: Action,
    commands: tuple[str, ...] = HARMLESS_COMMANDS,
    secrets: tuple[str, ...] = ("read", "grep", "edit"),
) -> tuple[Rule, ...]:
    return (
        Rule("*", "*", "ask"),
        *_each((*_READING, *_TOGETHER, *_OWN_COMMANDS), ("*",), "allow"),
        *_each(("interactive",), _IN_TERMINALS, "allow"),
        *_each(("browser",), _LOOKING, "allow"),
        *_each(("browser",), _OWN_PAGES, pages),
        Rule("edit", "*", edit),
        *_each(secrets, SECRET_PATTERNS, "ask"),
        *_each(("read", "grep"), HARMLESS_PATTERNS, "allow"),
        *_each(("edit",), HARMLESS_PATTERNS, edit),
        *_each(("edit",), (*GIT_INTERNALS, *RULE_FILES, *HOME_FILES), "ask"),
        Rule("bash", "*", bash),
        *_each(("bash",), commands, "allow"),
        *_each(("webfetch", "websearch", "codesearch"), ("*",), web),
        Rule("external_directory", "*", "ask"),
        Rule("external_directory", f"{TEMPORARY}/*", temporary),
        Rule("external_directory", f"{TOOL_OUTPUT_DIRECTORY}/*", "allow"),
        Rule("external_directory", f"{SKILLS_DIRECTORY}/*", "allow"),
    )


_PRESETS: Final[Mapping[str, tuple[Rule, ...]]] = {
    "cautious": _preset(edit="ask", bash="ask", web="ask", pages="ask", temporary="ask", commands=READ_ONLY_COMMANDS),
    "balanced": _preset(edit="allow", bash="ask", web="ask", pages="allow", temporary="allow"),
    "autonomous": (
        *_preset(edit="allow", bash="allow", web="allow", pages="allow", temporary="allow"),
        Rule("browser", "*", "allow"),
    ),
    "contained": (
        *_preset(
            edit="allow",
            bash="allow",
            web="ask",
            pages="allow",
            temporary="allow",
            commands=(),
            secrets=("read", "grep"),
        ),
        *_each(("bash",), leaving.COMMANDS, "ask"),
        *_each(("interactive", "browser"), ("*",), "allow"),
        Rule("external_directory", "*", "allow"),
    ),
}

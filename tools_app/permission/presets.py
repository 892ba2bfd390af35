"""Presets: complete sets of rules that a policy starts from. Each decides every request on its own."""

from collections.abc import Mapping
from typing import Final

from tools_app.permission import harmless
from tools_app.permission.model import Action, Rule
from tools_app.sandbox_paths import TOOL_OUTPUT_DIRECTORY
from tools_app.secret_paths import HARMLESS_PATTERNS, SECRET_PATTERNS

DEFAULT: Final = "balanced"

HOME: Final = "/home/agent"

HARMLESS_COMMANDS: Final = (*harmless.READ_ONLY, *harmless.WRAPPERS, *harmless.PROJECT_COMMANDS)
"""Command patterns. They apply only to a command text whose analysis is complete: then every command, every path that
it reads or changes, and every directory outside the workspace is judged separately."""

READ_ONLY_COMMANDS: Final = (*harmless.READ_ONLY, *harmless.WRAPPERS)

GIT_INTERNALS: Final = (".git", ".git/*", "*/.git", "*/.git/*", "HEAD", "*/HEAD")
"""Paths whose content makes git run programs chosen by whoever wrote it, so that even `git status` would not be
harmless. A file named HEAD is what turns a directory into a repository."""

RULE_FILES: Final = ("agentsite.json*", "opencode.json*", ".agentsite", ".agentsite/*", ".opencode", ".opencode/*")
"""Project files with permission rules. They tighten, so an agent must not change or remove them without asking."""

HOME_FILES: Final = (f"{HOME}/*",)
"""Files in the home directory: settings there control git and other programs too, and programs in `.local/bin` take
precedence in PATH."""

_READING: Final = ("read", "glob", "grep", "list", "lsp", "skill", "todoread", "todowrite", "question", "task")
_TOGETHER: Final = ("batch",)
"""`batch` does nothing itself; each call in it is judged."""
_OWN_COMMANDS: Final = ("bash_output", "bash_stop")
"""Tools that reach only commands of the same session, which were judged when they started."""
_SECRET_PERMISSIONS: Final = ("read", "grep", "edit")


def rules(name: str) -> tuple[Rule, ...]:
    """Return the rules of the preset "cautious", "balanced" or "autonomous". Raises KeyError for any other name."""
    return _PRESETS[name]


def _each(permissions: tuple[str, ...], patterns: tuple[str, ...], action: Action) -> tuple[Rule, ...]:
    return tuple(Rule(permission, pattern, action) for permission in permissions for pattern in patterns)


def _preset(
    *, edit: Action, bash: Action, web: Action, commands: tuple[str, ...] = HARMLESS_COMMANDS
) -> tuple[Rule, ...]:
    return (
        Rule("*", "*", "ask"),
        *_each((*_READING, *_TOGETHER, *_OWN_COMMANDS), ("*",), "allow"),
        Rule("edit", "*", edit),
        *_each(_SECRET_PERMISSIONS, SECRET_PATTERNS, "ask"),
        *_each(("read", "grep"), HARMLESS_PATTERNS, "allow"),
        *_each(("edit",), HARMLESS_PATTERNS, edit),
        *_each(("edit",), (*GIT_INTERNALS, *RULE_FILES, *HOME_FILES), "ask"),
        Rule("bash", "*", bash),
        *_each(("bash",), commands, "allow"),
        *_each(("webfetch", "websearch", "codesearch"), ("*",), web),
        Rule("external_directory", "*", "ask"),
        Rule("external_directory", f"{TOOL_OUTPUT_DIRECTORY}/*", "allow"),
    )


_PRESETS: Final[Mapping[str, tuple[Rule, ...]]] = {
    "cautious": _preset(edit="ask", bash="ask", web="ask", commands=READ_ONLY_COMMANDS),
    "balanced": _preset(edit="allow", bash="ask", web="ask"),
    "autonomous": _preset(edit="allow", bash="allow", web="allow"),
}

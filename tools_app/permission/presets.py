"""The rule sets a team picks from. Each is complete: together with nothing else it decides every request."""

from collections.abc import Mapping
from typing import Final

from tools_app.permission import harmless
from tools_app.permission.model import Action, Rule
from tools_app.sandbox_paths import TOOL_OUTPUT_DIRECTORY
from tools_app.secret_paths import HARMLESS_PATTERNS, SECRET_PATTERNS

DEFAULT: Final = "balanced"

HOME: Final = "/home/agent"

HARMLESS_COMMANDS: Final = (*harmless.LOOKING, *harmless.WRAPPING, *harmless.PROJECT)
"""Shapes of commands. They count only for texts whose analysis is complete, where every command, every place it
reads or changes and every folder outside is judged for itself."""

READ_ONLY_COMMANDS: Final = (*harmless.LOOKING, *harmless.WRAPPING)

GIT_INTERNALS: Final = (".git", ".git/*", "*/.git", "*/.git/*", "HEAD", "*/HEAD")
"""Settings in these make git run programs of the writer's choice, so that even `git status` would no longer be
harmless. A file HEAD is what turns any folder into a repository."""

RULE_FILES: Final = ("agentsite.json*", "opencode.json*", ".agentsite", ".agentsite/*", ".opencode", ".opencode/*")
"""What a repository says about permissions. It tightens, so an agent must not take it away unasked."""

HOME_FILES: Final = (f"{HOME}/*",)
"""Settings in the home steer git and others just as well, and what lies in `.local/bin` is found first."""

_LOOKING: Final = ("read", "glob", "grep", "list", "lsp", "skill", "todoread", "todowrite", "question", "task")
_TOGETHER: Final = ("batch",)
"""It does nothing itself; each call in it is judged."""
_OWN_COMMANDS: Final = ("bash_output", "bash_stop")
"""They reach only what the session itself started, after the command was judged."""
_SECRET_PERMISSIONS: Final = ("read", "grep", "edit")


def rules(name: str) -> tuple[Rule, ...]:
    """The rules of 'cautious', 'balanced' or 'autonomous'; KeyError for any other name."""
    return _PRESETS[name]


def _each(permissions: tuple[str, ...], patterns: tuple[str, ...], action: Action) -> tuple[Rule, ...]:
    return tuple(Rule(permission, pattern, action) for permission in permissions for pattern in patterns)


def _preset(
    *, edit: Action, bash: Action, web: Action, commands: tuple[str, ...] = HARMLESS_COMMANDS
) -> tuple[Rule, ...]:
    return (
        Rule("*", "*", "ask"),
        *_each((*_LOOKING, *_TOGETHER, *_OWN_COMMANDS), ("*",), "allow"),
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

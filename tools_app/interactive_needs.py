"""The permissions that the tool `interactive` needs to start a program and to type into it.

The rules for the same command in `bash` decide about starting a program. No analysis knows what the program does with
the text that is typed into it, so a rule can only allow typing by the name of the program. If the program is a shell,
the rules also decide about the text as a command, but as one that was not analysed completely: aliases, the folder and
unfinished lines are not known.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sandbox.ports import WORKSPACE_ROOT
from tools_app.command_needs import CommandText, needs_of_command
from tools_app.permission.wildcard import is_literal
from tools_app.spec import PermissionNeed, ToolContext
from tools_app.terminal_keys import shown
from tools_app.text import first_line

PERMISSION: Final = "interactive"
SHELLS: Final = re.compile(r"(?<![\w.-])(?:ba|da|z|k|mk|c|tc|fi|a|s)?sh(?![\w-])")
"""Finds the name of a shell in a command, such as `docker exec -it web bash`; `ssh` is one, because it starts a shell
elsewhere."""
_UNKNOWN_STATE: Final = "This is typed into a shell, whose folder, aliases and unfinished lines are not known."
_VERBS: Final = {"screen": "Look at the screen of", "resize": "Resize the terminal of", "stop": "Stop"}


def needs_of_start(command: str, title: str) -> list[PermissionNeed]:
    """Return the permission needed to run a command in a terminal."""
    pattern = f"start {command}"
    return [PermissionNeed(PERMISSION, (pattern,), _always(pattern), {"title": title})]


def plain_need(action: str, command: str) -> PermissionNeed:
    """Return the permission needed to look at, resize or stop a terminal (the actions of the tool `interactive` that
    type nothing). `command` is the command that runs in the terminal."""
    return PermissionNeed(PERMISSION, (action,), (action,), {"title": f"{_VERBS[action]} {first_line(command)}"})


async def needs_of_typing(command: str, text: str, keys: Sequence[str], ctx: ToolContext) -> list[PermissionNeed]:
    """Return the permissions needed to type the text and the keys into a terminal in which the command runs."""
    title = f"Type into {first_line(command)}"
    pattern = f"type {command}"
    is_shell = bool(SHELLS.search(command))
    metadata = {"title": title, "description": f"Typed into {first_line(command)}:", "prompt": shown(text, keys)}
    own = PermissionNeed(PERMISSION, (pattern,), () if is_shell else _always(pattern), metadata)
    if not is_shell or not text.strip():
        return [own]
    judged = await needs_of_command(CommandText(text, text, WORKSPACE_ROOT), ctx, title=title)
    return [own, *map(_as_incomplete, judged)]


def _as_incomplete(need: PermissionNeed) -> PermissionNeed:
    if need.permission != "bash":
        return need
    reasons = [_UNKNOWN_STATE, *need.metadata.get("reasons", ())]
    return replace(need, always=(), metadata={**need.metadata, "complete": False, "reasons": reasons})


def _always(pattern: str) -> tuple[str, ...]:
    return (pattern,) if is_literal(pattern) else ()

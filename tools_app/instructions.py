"""Instruction files (AGENTS.md and others), shown to the model when it first reads something in their folder, and rules
of Cursor, shown when it first reads or changes a file that their patterns match.

A file is shown again when the text is no longer part of the conversation, after a compaction. The file in the
workspace's root is part of the system prompt and not repeated here. The same applies to the files of the session's
folder and of the folders above it.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import WORKSPACE_ROOT
from tools_app.arguments import ResolvedPath, resolve
from tools_app.cursor_rules import read_rule, rules_for
from tools_app.front_matter import BadFrontMatter
from tools_app.spec import ToolContext

FILE_NAMES: Final = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md")  # the first that a folder has is used
MAX_BYTES: Final = 32_768  # of a file; the rest is not shown


async def reminders(target: ResolvedPath, ctx: ToolContext) -> str:
    """Return the instructions of the folders between the workspace's root and a path, except instructions that this
    session has already been shown."""
    known = f"{WORKSPACE_ROOT}/{ctx.folder}/"  # whose instructions are in the system prompt
    folders = [folder for folder in _folders(target) if not known.startswith(f"{folder}/")]
    found = [text for folder in folders if (text := await _of_folder(folder, target, ctx))]
    return "\n\n".join([*found, *await rules_about([target], ctx)])


async def rules_about(targets: Sequence[ResolvedPath], ctx: ToolContext) -> list[str]:
    """Return the rules of Cursor that match one of the files and that this session has not been shown yet."""
    rules = ctx.settings.get("cursor_rules")
    if not rules:
        return []
    paths = [target.real.removeprefix(f"{WORKSPACE_ROOT}/") for target in targets if target.inside]
    wanted = dict.fromkeys(rule for path in paths for rule in rules_for(rules, path))
    return [text for rule in wanted if (text := await _of_rule(rule, ctx))]


async def _of_rule(path: str, ctx: ToolContext) -> str:
    if not await ctx.memory().first_time(f"instructions:{path}"):
        return ""
    text = await _content(f"{WORKSPACE_ROOT}/{path}", ctx)
    with suppress(BadFrontMatter):
        text = read_rule(path, text).text
    return f"<reminder>\nInstructions for files like this one, from {path}:\n{text}\n</reminder>" if text else ""


def _folders(target: ResolvedPath) -> Iterator[str]:
    """Yield the folders between the workspace's root (not included) and the target's folder (included); nothing if the
    target is outside of the workspace."""
    names = target.directory.removeprefix(WORKSPACE_ROOT).strip("/").split("/") if target.inside else []
    for depth in range(1, len(names) + 1):
        if names[0]:
            yield "/".join([WORKSPACE_ROOT, *names[:depth]])


async def _of_folder(folder: str, target: ResolvedPath, ctx: ToolContext) -> str:
    if not await ctx.memory().first_time(f"instructions:{folder}"):
        return ""
    for name in FILE_NAMES:
        path = f"{folder}/{name}"
        if path != target.real and (text := await _content(path, ctx)):
            shown = path.removeprefix(WORKSPACE_ROOT)[1:]
            return f"<reminder>\nInstructions for this folder, from {shown}:\n{text}\n</reminder>"
    return ""


async def _content(path: str, ctx: ToolContext) -> str:
    """Return the text of a file; "" if it is missing or a symbolic link, or the rules deny or ask about reading it.

    A link could lead to a file that needs a permission.
    """
    found = await resolve(path, ctx.runtime)
    rules = await ctx.path_rules() if ctx.path_rules else None
    if found.kind != "file" or found.real != path or (rules and rules.hiding(("read",), "", found.shown)):
        return ""
    try:
        read = await ctx.runtime.read(found.real, limit=MAX_BYTES)
    except (SandboxRefused, LimitReached):
        return ""
    return read.content.decode("utf-8", "replace").strip()

"""Instruction files of nearby folders, shown to the model once when it reads something there,
and once more when what it was shown is not part of the conversation any more.

The workspace root's own file is part of the system prompt and is not repeated here.
"""

from collections.abc import Iterator
from typing import Final

from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import WORKSPACE_ROOT
from tools_app.arguments import Place, resolve
from tools_app.spec import ToolContext

NAMES: Final = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md")
LARGEST: Final = 32_768


async def reminders(place: Place, ctx: ToolContext) -> str:
    """The instruction files between the place and the workspace root that this session has not been shown yet."""
    found = [text for folder in _folders(place) if (text := await _of_folder(folder, place, ctx))]
    return "\n\n".join(found)


def _folders(place: Place) -> Iterator[str]:
    """Outermost first, without the root itself."""
    names = place.directory.removeprefix(WORKSPACE_ROOT).strip("/").split("/") if place.inside else []
    for depth in range(1, len(names) + 1):
        if names[0]:
            yield "/".join([WORKSPACE_ROOT, *names[:depth]])


async def _of_folder(folder: str, place: Place, ctx: ToolContext) -> str:
    if not await ctx.memory.first_time(f"instructions:{folder}"):
        return ""
    for name in NAMES:
        path = f"{folder}/{name}"
        if path != place.real and (text := await _content(path, ctx)):
            shown = path.removeprefix(WORKSPACE_ROOT)[1:]
            return f"<reminder>\nInstructions for this folder, from {shown}:\n{text}\n</reminder>"
    return ""


async def _content(path: str, ctx: ToolContext) -> str:
    """Empty when there is no such file; a link is not followed, it could lead to what must be asked first."""
    found = await resolve(path, ctx.runtime)
    if found.kind != "file" or found.real != path:
        return ""
    try:
        read = await ctx.runtime.read(found.real, limit=LARGEST)
    except (SandboxRefused, LimitReached):
        return ""
    return read.content.decode("utf-8", "replace").strip()

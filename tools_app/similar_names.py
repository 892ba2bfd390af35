"""Suggestions of similar file names for a path that does not exist."""

from difflib import get_close_matches

from sandbox.errors import SandboxRefused
from tools_app.arguments import ResolvedPath
from tools_app.left_out import Sight, inside
from tools_app.spec import ToolContext, ToolError

MAX_SUGGESTIONS = 3


async def missing_file_error(target: ResolvedPath, ctx: ToolContext) -> ToolError:
    """Return the error for a path that does not exist, with up to three similar names from its folder."""
    names = await _similar_names(target, ctx)
    folder = target.shown.rpartition("/")[0]
    meant = ", ".join(f"{folder}/{name}" if folder else name for name in names)
    hint = f"Did you mean {meant}?" if meant else "Use glob or list to see what is there."
    return ToolError(f"{target.shown} does not exist. {hint}")


async def _similar_names(target: ResolvedPath, ctx: ToolContext) -> list[str]:
    try:
        neighbours = await ctx.runtime.list(target.directory)
    except SandboxRefused:
        return []
    wanted = target.real.rpartition("/")[2].lower()
    folder = target.shown.rpartition("/")[0] or "."
    sight = Sight(await ctx.path_rules() if ctx.path_rules else None, folder, ("list", "glob"))
    known = [neighbour.path.rpartition("/")[2] for neighbour in neighbours]
    names = {name.lower(): name for name in known if sight.shows(inside(folder, name))}
    containing = [name for name in names if wanted and (wanted in name or name in wanted)]
    close = get_close_matches(wanted, names, n=MAX_SUGGESTIONS, cutoff=0.6)
    return [names[name] for name in dict.fromkeys([*close, *containing])][:MAX_SUGGESTIONS]

"""Suggestions of similar file names for a path that does not exist."""

from difflib import get_close_matches

from sandbox.errors import SandboxRefused
from sandbox.ports import Runtime
from tools_app.arguments import ResolvedPath
from tools_app.spec import ToolError

MAX_SUGGESTIONS = 3


async def missing_file_error(target: ResolvedPath, runtime: Runtime) -> ToolError:
    """Return the error for a path that does not exist, with up to three similar names from its folder."""
    names = await _similar_names(target, runtime)
    folder = target.shown.rpartition("/")[0]
    meant = ", ".join(f"{folder}/{name}" if folder else name for name in names)
    hint = f"Did you mean {meant}?" if meant else "Use glob or list to see what is there."
    return ToolError(f"{target.shown} does not exist. {hint}")


async def _similar_names(target: ResolvedPath, runtime: Runtime) -> list[str]:
    try:
        neighbours = await runtime.list(target.directory)
    except SandboxRefused:
        return []
    wanted = target.real.rpartition("/")[2].lower()
    names = {neighbour.path.rpartition("/")[2].lower(): neighbour.path.rpartition("/")[2] for neighbour in neighbours}
    containing = [name for name in names if wanted and (wanted in name or name in wanted)]
    close = get_close_matches(wanted, names, n=MAX_SUGGESTIONS, cutoff=0.6)
    return [names[name] for name in dict.fromkeys([*close, *containing])][:MAX_SUGGESTIONS]

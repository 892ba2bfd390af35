"""Marker files that list the workspaces whose files are on this machine, with their generation.

The database says which node a workspace belongs to now. The markers say which files are stored here, whatever happened
meanwhile. So a node that was considered lost finds the files unchanged when it takes the workspace back, and outdated
files can be found and removed.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings


@dataclass(frozen=True, slots=True)
class Marker:
    """The marker of a workspace. `since` is the Unix time at which it was written."""

    workspace_id: str
    generation: int
    since: float


def read_marker(workspace_id: str) -> Marker | None:
    """Return the marker of a workspace, or None."""
    path = _path(workspace_id)
    try:
        content = json.loads(path.read_text())
        return Marker(workspace_id, int(content["generation"]), path.stat().st_mtime)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_marker(workspace_id: str, generation: int) -> None:
    """Write the marker of a workspace, which says that this machine now has the files of that generation."""
    known = read_marker(workspace_id)
    if known and known.generation == generation:
        return
    path = _path(workspace_id)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = path.with_suffix(".new")
    temporary.write_text(json.dumps({"generation": generation}))
    temporary.replace(path)


def delete_marker(workspace_id: str) -> None:
    """Delete the marker of a workspace."""
    _path(workspace_id).unlink(missing_ok=True)


def all_markers() -> Iterator[Marker]:
    """Yield all markers on this machine."""
    for path in sorted(settings.WORKSPACE_MARKERS_DIR.glob("wsp_*")):
        if path.suffix != ".new" and (found := read_marker(path.name)):
            yield found


def _path(workspace_id: str) -> Path:
    path: Path = settings.WORKSPACE_MARKERS_DIR / workspace_id
    return path

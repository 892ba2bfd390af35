"""What this machine holds files of, and of which generation: one small file for each workspace.

The database says whose a workspace is now. These notes say what lies here, whatever happened meanwhile: a node that
was taken for lost and takes its own workspace back finds its files as they are, and stale ones are found and removed.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings


@dataclass(frozen=True, slots=True)
class Held:
    """`since` is a Unix time."""

    workspace_id: str
    generation: int
    since: float


def held(workspace_id: str) -> Held | None:
    path = _path(workspace_id)
    try:
        content = json.loads(path.read_text())
        return Held(workspace_id, int(content["generation"]), path.stat().st_mtime)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def hold(workspace_id: str, generation: int) -> None:
    """From now on this machine has the files of that generation."""
    known = held(workspace_id)
    if known and known.generation == generation:
        return
    path = _path(workspace_id)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = path.with_suffix(".new")
    temporary.write_text(json.dumps({"generation": generation}))
    temporary.replace(path)


def let_go(workspace_id: str) -> None:
    _path(workspace_id).unlink(missing_ok=True)


def all_held() -> Iterator[Held]:
    for path in sorted(settings.HELD_DIR.glob("wsp_*")):
        if path.suffix != ".new" and (found := held(path.name)):
            yield found


def _path(workspace_id: str) -> Path:
    path: Path = settings.HELD_DIR / workspace_id
    return path

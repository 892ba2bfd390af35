"""Skills from a workspace's files, read when it is made ready and checked for changes before every call.

Models are shown the list of skills. A check is a few parallel stat requests; the files are read again only if something
changed.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from agentsite.base.background import background
from sandbox.ports import FileStat, Runtime
from sessions_app.models import Workspace
from sessions_app.workers.sandbox.project_agents import stats
from tools_app.skills import BASES, find_skills

MAX_CACHED: Final = 5000  # workspaces whose last state this process caches

Fingerprint = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Seen:
    """The state of the skill folders at the last check, and the skills read then."""

    places: dict[str, Fingerprint]
    skills: list[dict[str, str]]


_seen: dict[uuid.UUID, _Seen] = {}


def refresh_skills(workspace: Workspace, runtime: Runtime) -> None:
    """Update `workspace.skills` from the workspace's files, in the instance and in its row."""
    seen = background.run(_check(runtime, _seen.get(workspace.pk)))
    if len(_seen) >= MAX_CACHED:
        _seen.clear()
    _seen[workspace.pk] = seen
    if seen.skills != workspace.skills:
        workspace.skills = seen.skills
        Workspace.objects.filter(pk=workspace.pk).update(skills=seen.skills)


async def _check(runtime: Runtime, before: _Seen | None) -> _Seen:
    """Return `before` if nothing changed, otherwise the new state. State is recorded before reading, so a change in
    between is noticed by the next check."""
    places = await _fingerprints(runtime, tuple(before.places) if before else BASES)
    if before and before.places == places:
        return before
    bases = await _fingerprints(runtime, BASES)
    skills, seen = await find_skills(runtime)
    return _Seen({**bases, **{stat.path: _fingerprint(stat) for stat in seen}}, [skill.as_dict() for skill in skills])


async def _fingerprints(runtime: Runtime, names: Sequence[str]) -> dict[str, Fingerprint]:
    found = await stats(runtime, names)
    return {name: _fingerprint(stat) for name, stat in zip(names, found, strict=True)}


def _fingerprint(stat: FileStat) -> Fingerprint:
    return stat.exists, stat.kind, stat.real_path, stat.size, stat.modified_ns

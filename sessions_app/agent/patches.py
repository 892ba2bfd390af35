"""Patch parts: the changes of a call in the workspace, as they are stored with its message and shown to people.

    {"files": [{"path", "before": {"mode", "size", "sha256", "stored"} | None, "after": ..., "shared": bool}],
     "more": 0, "problem": ""}

The contents are kept by the workspace's runner, under their hashes.
"""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

FIRST_INDEX: Final = 1_000_000
"""Parts of patches come after all parts of the answer."""
INDEXES: Final = 1 << 30

State = Mapping[str, Any] | None
Change = tuple[State, State]


def patch_index(call_id: uuid.UUID) -> int:
    """Return the index, within its message, of the part that contains the patch of a call."""
    return FIRST_INDEX + call_id.int % INDEXES


def chains_of(patches: Sequence[Mapping[str, Any]]) -> dict[str, list[Change]]:
    """Map each file in the patches to its changes, in order: [(before, after)], the oldest change first."""
    chains: dict[str, list[Change]] = {}
    for patch in patches:
        for file in patch.get("files", []):
            chains.setdefault(file["path"], []).append((file["before"], file["after"]))
    return {path: joined(chain) for path, chain in chains.items() if joined(chain)}


def chains_through(
    taken_back: Sequence[Mapping[str, Any]], brought: Sequence[Mapping[str, Any]]
) -> dict[str, list[Change]]:
    """Return, for each file, a list of changes (oldest first) whose undoing removes the changes of the patches
    `taken_back` and then makes the changes of the patches `brought` again.

    One revert with these lists therefore does both.
    """
    back, again = chains_of(taken_back), chains_of(brought)
    chains = {
        path: joined([*((after, before) for before, after in reversed(again.get(path, []))), *back.get(path, [])])
        for path in back.keys() | again.keys()
    }
    return {path: chain for path, chain in chains.items() if chain}


def joined(chain: Sequence[Change]) -> list[Change]:
    """Join successive changes of a file if nobody else changed it in between. Changes that cancel each other out are
    left out."""
    changes: list[Change] = []
    for before, after in chain:
        if changes and changes[-1][1] == before:
            changes[-1] = changes[-1][0], after
        else:
            changes.append((before, after))
    return [(before, after) for before, after in changes if before != after]


def shared_paths(patches: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the paths, in these patches, of files that another session may have changed at the same time."""
    return {file["path"] for patch in patches for file in patch.get("files", []) if file["shared"]}


def not_covered(patches: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return sentences for people about changes of the same calls that the patches do not contain."""
    problems = {patch.get("problem", "") for patch in patches}
    more = sum(patch.get("more", 0) for patch in patches)
    found = []
    if "lost" in problems:
        found.append("The sandbox ended while a command ran. What that command changed is not known.")
    if "too_many" in problems:
        found.append("The workspace had too many files to compare. What commands changed is not known.")
    if more:
        found.append(f"{more:,} more files changed than are kept of one call, or have names that are no text.")
    return found

"""Derive the use of a path (such as read or write) from the kind of an argument, and rewrite globs that the analysis
itself makes."""

import re
from dataclasses import replace
from typing import Final

from tools_app.permission.shell.model import PathUse
from tools_app.permission.shell.specs import WRITING, ArgumentKind

_TREE: Final = re.compile(r"(.*)/\*\*(/[^/]*)?", re.DOTALL)
_CLASS_OF_KIND: Final = re.compile(r"\[(?:\[[:.=][^]]*\]|[^]])*\]")


def tree_or_path(use: PathUse) -> PathUse:
    """Rewrite the glob of a path: `a/**` becomes the directory tree `a`, and `a/**/name` the files `name` in that tree.

    Other paths are returned unchanged. The analysis itself makes such globs, for the files that `find` finds.
    """
    found = _TREE.fullmatch(use.path) if use.glob else None
    if not found:
        return use
    before, name = found[1], found[2] or ""
    is_glob = bool(re.search(r"[*?\[]", before))
    tree = replace(use, path=before or "/", glob=is_glob, recursive=True, directory=True)
    if use.recursive:  # what is below the folders that were found is touched too
        return replace(tree, within=(name[1:],) if name else ())
    return replace(tree, only=(name[1:],) if name else use.only)


def use_of_path(path: str, kind: ArgumentKind, *, is_glob: bool, deep: bool) -> PathUse:
    """Return the use of a path that is an argument of the given kind. `deep` includes everything below the path."""
    return PathUse(
        path,
        "write" if kind in WRITING else "read",
        glob=is_glob,
        recursive=deep or kind in {"tree", "list", "folder"},
        flat=kind == "list" and not deep,
        directory=kind in {"list", "enter", "tree", "folder"},
        contents=kind not in {"list", "enter", "names"},
        into=kind == "into",
        known="made" if kind == "folder" else "files",
        whole=kind in {"input", "output"},
    )


def without_kinds(glob: str) -> str:
    """Return a glob in which sets of characters such as `[[:alpha:]]` are replaced by any character."""
    return _CLASS_OF_KIND.sub("?", glob)

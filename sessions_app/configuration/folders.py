"""The folder of a session, such as a package of a monorepo. The configuration files in it and in the folders above it
apply to the session. Pure."""

import posixpath
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

from tools_app.text import is_clean

MAX_FOLDER_CHARACTERS: Final = 255
MAX_DEPTH: Final = 8
MAX_FOLDERS: Final = 12
"""Folders of one workspace, with those above them: the files of all are loaded with the workspace for every step."""

Item = TypeVar("Item", bound=Mapping[str, Any])

_SPECIAL: Final = frozenset("*?[]{}\\")


class BadFolder(ValueError):
    """The text does not name a folder of a workspace; the message of the error is a sentence."""


def read_folder(text: str) -> str:
    """Return the folder that a text names, relative to the workspace's root, "" for the root. Raises BadFolder."""
    folder = posixpath.normpath(text.strip() or ".")
    if folder == ".":
        return ""
    if folder.startswith("/") or folder.split("/")[0] in {"..", "~"}:
        raise BadFolder("Name a folder inside the workspace, relative to its root, such as packages/api.")
    if not is_clean(folder) or not folder.isprintable() or _SPECIAL & set(folder):
        raise BadFolder("The name of a folder may not contain wildcards, brackets, backslashes or control characters.")
    if len(folder) > MAX_FOLDER_CHARACTERS or folder.count("/") >= MAX_DEPTH:
        raise BadFolder(f"A folder has at most {MAX_FOLDER_CHARACTERS} characters and {MAX_DEPTH} levels.")
    if any(step.startswith(".") for step in folder.split("/")):
        raise BadFolder("A session cannot be opened in a hidden folder.")
    return folder


def with_parents(folder: str) -> tuple[str, ...]:
    """Return the root (""), the folders above `folder`, and `folder` itself: "a/b" -> ("", "a", "a/b")."""
    steps = folder.split("/") if folder else []
    return ("", *("/".join(steps[:count]) for count in range(1, len(steps) + 1)))


def in_force(items: Iterable[Item], folder: str) -> list[Item]:
    """Return the items that apply to a session in `folder`: items from the root (without `in_folder`), from `folder`
    and from the folders in between, the root's first."""
    places = with_parents(folder)
    found = [item for item in items if item.get("in_folder", "") in places]
    return sorted(found, key=lambda item: len(item.get("in_folder", "")))


def moved_below(item: Mapping[str, Any], folder: str, *names: str) -> dict[str, Any]:
    """Return the item with `folder` prepended to the paths in its fields `names`.

    The paths are relative to `folder` before, and relative to the workspace afterwards.
    """
    if not folder:
        return dict(item)
    return {**item, **{name: f"{folder}/{item[name]}" for name in names}, "in_folder": folder}

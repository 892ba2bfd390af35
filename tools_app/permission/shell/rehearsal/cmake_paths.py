"""Components of paths, and changed paths, as CMake's `get_filename_component` and `cmake_path` compute them."""

import posixpath
from collections.abc import Callable, Mapping, Sequence
from typing import Final


def part_of(path: str, part: str) -> str:
    """Return the part of a path that CMake calls by this name, such as `NAME_WLE`; the path itself if it has none."""
    folder, name = posixpath.split(path)
    parts = {
        **dict.fromkeys(("NAME", "FILENAME"), name),
        **dict.fromkeys(("NAME_WE", "STEM"), _without_extension(name, last_only=False)),
        **dict.fromkeys(("NAME_WLE", "STEM_LAST"), _without_extension(name, last_only=True)),
        **dict.fromkeys(("EXT", "EXTENSION"), name.removeprefix(_without_extension(name, last_only=False))),
        **dict.fromkeys(("LAST_EXT", "EXTENSION_LAST"), name.removeprefix(_without_extension(name, last_only=True))),
        **dict.fromkeys(("DIRECTORY", "PATH", "PARENT_PATH"), folder),
    }
    return parts.get(part, path)


def _without_extension(name: str, *, last_only: bool) -> str:
    """Remove the extension from a name: the part from the last dot (`last_only`) or the first dot on.

    A dot at the beginning does not start an extension.
    """
    hidden = name[:1] == "."
    rest = name[1:] if hidden else name
    return ("." if hidden else "") + (rest.rpartition(".")[0] or rest if last_only else rest.partition(".")[0])


def _with_extension(path: str, extension: str, *, last_only: bool) -> str:
    folder, name = posixpath.split(path)
    dot = "." if extension and not extension.startswith(".") else ""
    return posixpath.join(folder, f"{_without_extension(name, last_only=last_only)}{dot}{extension}")


PATH_CHANGES: Final[Mapping[str, Callable[[str, Sequence[str], bool], str]]] = {
    "GET": lambda path, *_: path,
    "SET": lambda _, given, __: given[0],
    "APPEND": lambda path, given, _: posixpath.join(path, *given),
    "APPEND_STRING": lambda path, given, _: path + "".join(given),
    "REPLACE_EXTENSION": lambda path, given, last: _with_extension(path, (*given, "")[0], last_only=last),
    "REMOVE_EXTENSION": lambda path, _, last: _with_extension(path, "", last_only=last),
    "REPLACE_FILENAME": lambda path, given, _: posixpath.join(posixpath.dirname(path), *given),
    "REMOVE_FILENAME": lambda path, *_: f"{posixpath.dirname(path)}/".lstrip("/") or path,
}
"""The actions of `cmake_path` that change a path: functions of the path, the other arguments, and whether only the last
extension counts."""

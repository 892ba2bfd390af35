"""places_below(): the files that names in a command mean in folders that the command names elsewhere.

A program may enter a folder, or look for files in it: `tmux new -c config 'cat prod.env'`, `AWKPATH=config gawk -f
prod.env`, lines such as `.cd config`. Which option, variable or line does so is in no table. Instead each word that is
the name of an existing folder counts, and only files count that exist and may contain secrets, or whose names lead out
of the folder (`../keys/server.pem`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import WORKSPACE_ROOT, FileStat, Runtime
from tools_app.permission.shell import PathUse, ShellAnalysis, paths
from tools_app.secret_paths import is_secret
from tools_app.touched_paths import TouchedPaths, displayed, expand_known

MAX_LOOKED_UP: Final = 300  # paths in one request to the sandbox
MAX_FOLDERS: Final = 12
MAX_NAMES: Final = 20
MAX_GLOBS: Final = 4

_GLUED: Final = re.compile(r"-{1,2}[A-Za-z]{2}[\w./-]{1,60}")
"""An option that may be joined to its value."""
_LONGEST_OPTION: Final = 14
_GLOB: Final = re.compile(r"[*?\[]")
_PLAIN: Final = re.compile(r"[\w./~@-]+")


def may_be_below(piece: str) -> bool:
    """Return whether a piece of code may be the name of a secret in any folder, or leads out of the folder in which it
    is used."""
    return piece.startswith("../") or (piece[0] not in "-~" and is_secret(f"x/{piece}"))


def named_places(analysis: ShellAnalysis) -> Iterator[str]:
    """Yield the absolute paths that words and options of the commands name, or may name."""
    yield from analysis.words
    yield from analysis.names
    yield from (use.path for use in analysis.paths)


async def secrets_below(analysis: ShellAnalysis, runtime: Runtime) -> list[str]:
    """Return the secrets that plain words of a command mean in folders that other words name: `frob -D config -f
    x=prod.env`."""
    names = [each.rpartition("/")[2] for each in analysis.possible if _may_be_secret(each)]
    return await places_below(names, named_places(analysis), (WORKSPACE_ROOT,), runtime)


async def places_below(
    names: Sequence[str], pieces: Iterable[str], folders: Sequence[str], runtime: Runtime
) -> list[str]:
    """Return the absolute paths that `names` mean in the folders that `pieces` name: those that lead out of these
    folders, and secrets that exist.

    `folders` are the working directories. A folder may be entered from another one, so pieces are also looked up in the
    folders that others name. Reads the sandbox.
    """
    if not names:
        return []
    words = list(dict.fromkeys(word for piece in pieces for word in _words(piece)))
    entered = await _folders(_joined(folders, words), runtime)
    entered += await _folders(_joined(entered, words), runtime) if entered else []
    entered = list(dict.fromkeys(entered))[:MAX_FOLDERS]
    found = dict.fromkeys(_joined(entered, [each for name in names[:MAX_NAMES] for each in _below(name)]))
    globs = [each for each in found if _GLOB.search(each)][:MAX_GLOBS]
    matched = [place for each in globs for place in await _matches(each, runtime)]
    plain = [each for each in (*found, *matched) if not _GLOB.search(each)]
    secrets = [stat for stat in await _stats(filter(_may_be_secret, plain), runtime) if stat.exists]
    return [
        *(each for each in plain if not _may_be_secret(each)),
        *(place for stat in secrets for place in (stat.path, stat.real_path)),
    ]


def _may_be_secret(place: str) -> bool:
    return is_secret(displayed(place))


def _words(piece: str) -> Iterator[str]:
    """Yield the folders that a piece may name: itself, the folder of a file or a pattern, and the value of an option to
    which it may be joined."""
    if _PLAIN.fullmatch(piece) and piece[0] not in "-~":
        yield piece
    if "/" in piece.strip("/") and piece[0] not in "-~":
        yield piece.rstrip("/").rpartition("/")[0] or "/"
    if _GLUED.fullmatch(piece):
        yield from (piece[end:] for end in range(3, min(len(piece), _LONGEST_OPTION)))


def _below(name: str) -> Iterator[str]:
    """Yield a name, and what remains of an absolute one if a folder takes the place of those above it."""
    parts = name.lstrip("/").split("/")
    yield from ("/".join(parts[index:]) for index in range(len(parts) if name[0] == "/" else 1))


def _joined(folders: Sequence[str], names: Sequence[str]) -> list[str]:
    return [paths.normal(paths.join(folder, name)) for name in names for folder in folders]


async def _folders(places: Iterable[str], runtime: Runtime) -> list[str]:
    stats = await _stats(places, runtime)
    return [each.path for each in stats if each.exists and each.kind == "directory"]


async def _stats(places: Iterable[str], runtime: Runtime) -> Sequence[FileStat]:
    """Return the status of the first paths; nothing if the sandbox refuses to look them up."""
    given = list(islice((each for each in dict.fromkeys(places) if "\0" not in each), MAX_LOOKED_UP))
    try:
        return await runtime.stats(given) if given else ()
    except (SandboxRefused, LimitReached):
        return ()


async def _matches(glob: str, runtime: Runtime) -> list[str]:
    matched, unlisted = await expand_known(PathUse(glob, "read", glob=True), runtime, TouchedPaths())
    return [*matched, *unlisted]

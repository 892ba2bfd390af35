"""Find the set-up script of a workspace, which installs the dependencies of its project.

The first of these is used: the script in the project's settings, `.agentsite/setup.sh`, `postCreateCommand` of
`devcontainer.json`, `install` of `.cursor/environment.json`. Symbolic links are not followed.

The result of a set-up depends on the script, the files that pin dependencies (`PINNING`) and the image. `Setup.key` is
the hash of all of these, and of the services that the workspace declares (`tools_app.services`), which run after set-up
and are approved together with it.
"""

import hashlib
import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import WORKSPACE_ROOT, FileStat, RealPath, RunResult, Runtime
from tools_app.policies import jsonc
from tools_app.services import FILE as SERVICES_FILE
from tools_app.services import Declaration, declaration
from tools_app.text import is_clean

SETTINGS: Final = "settings"
"""The source of a script that is in the project's settings."""

FOLDERS: Final = (".devcontainer", ".cursor")
"""Folders that are watched for scripts; callers watch the root and `.agentsite` anyway."""

MAX_SCRIPT_BYTES: Final = 65_536
MAX_PINNING: Final = 200  # files
NAMES: Final = (
    "requirements*.txt", "constraints*.txt", "pyproject.toml", "uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock",
    "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb", "deno.lock",
    "go.sum", "Cargo.lock", "Gemfile.lock", "composer.lock", "mix.lock", "pubspec.lock", "packages.lock.json",
    "gradle.lockfile", "pom.xml", ".tool-versions", ".nvmrc", ".python-version",
)  # fmt: skip
PINNING: Final = f"**/{{{','.join(NAMES)}}}"
"""The files that pin dependencies, in any folder that ignore files do not exclude."""


@dataclass(frozen=True, slots=True)
class Setup:
    """A set-up script.

    `source` is `settings`, or the path of the file that contains it; both are empty if only services are declared.
    `digest` is a hash of the script's text; `key` is a hash of everything that its result depends on. `problem` says
    why it cannot run.
    """

    source: str
    script: str
    key: str = ""
    problem: str = ""
    services: Declaration | None = None

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.script.encode()).hexdigest()[:16]

    @property
    def is_from_settings(self) -> bool:
        return self.source == SETTINGS


class SetupRuns(Protocol):
    """The set-up of one workspace, for the tool `setup`: find the script to run, and store the outcome of a run."""

    async def plan(self) -> Setup | None:
        """Return the workspace's current set-up, from its files and the project's settings. The result is the same
        throughout one call."""
        ...

    async def environment(self) -> Mapping[str, str]:
        """Return the environment variables that set-up gets in addition to the variables of every command."""
        ...

    async def ended(self, setup: Setup, result: RunResult) -> str:
        """Store the outcome of a run of set-up, and keep the files that a successful run created. Returns a sentence
        for people if that is impossible, otherwise ""."""
        ...

    async def start_services(self) -> str:
        """Start the services of the workspace. Returns one line about each."""
        ...


class Unusable(Exception):
    """A file cannot be used; the message says why."""


async def find_setup(
    runtime: Runtime, settings_script: str, image: str, settings_services: str = ""
) -> tuple[Setup | None, dict[str, FileStat]]:
    """Return the workspace's set-up (None if it has neither a script nor services), and the status of the files that it
    depends on, by path.

    If none of these files changes, the set-up does not change either.
    """
    seen: dict[str, FileStat] = {}
    setup = Setup(SETTINGS, settings_script) if settings_script.strip() else await _in_files(runtime, seen)
    declared = await _services(runtime, settings_services, seen)
    if declared:
        setup = replace(setup or Setup("", ""), services=declared)
    if setup is None or setup.problem:
        return setup, seen
    pinning = await _pinning(runtime, seen)
    return replace(setup, key=_key(setup, image, pinning)), seen


async def _services(runtime: Runtime, settings_services: str, seen: dict[str, FileStat]) -> Declaration | None:
    """Return the services that the project's settings declare or, if there are none, the services in the workspace's
    services file; None without either."""
    if settings_services.strip():
        return declaration(SETTINGS, settings_services)
    stat = await runtime.stat(SERVICES_FILE)
    if not stat.exists:
        return None
    seen[SERVICES_FILE] = stat
    try:
        return declaration(SERVICES_FILE, await text_of(runtime, SERVICES_FILE, stat))
    except Unusable as error:
        return Declaration(SERVICES_FILE, "", str(error))


async def _in_files(runtime: Runtime, seen: dict[str, FileStat]) -> Setup | None:
    names = [*_READERS]
    for name, stat in zip(names, await runtime.stats(names), strict=True):
        if not stat.exists:
            continue
        seen[name] = stat
        try:
            script = _READERS[name](await text_of(runtime, name, stat))
        except Unusable as error:
            return Setup(name, "", problem=str(error))
        if script.strip():
            return Setup(name, script)
    return None


async def text_of(runtime: Runtime, name: str, stat: FileStat) -> str:
    """Return the text of a file of the workspace. Raises Unusable, for example if its path goes through a symbolic
    link."""
    path = RealPath(f"{WORKSPACE_ROOT}/{name}")
    if stat.real_path != path or stat.kind != "file":
        raise Unusable("It is not a file, or it is reached through a link.")
    if stat.size > MAX_SCRIPT_BYTES:
        raise Unusable(f"It is larger than {MAX_SCRIPT_BYTES:,} bytes.")
    try:
        text = (await runtime.read(path, limit=MAX_SCRIPT_BYTES)).content.decode("utf-8-sig")
    except (SandboxRefused, LimitReached) as error:
        raise Unusable(f"It could not be read: {error.message}") from error
    except UnicodeDecodeError as error:
        raise Unusable("It is not UTF-8 text.") from error
    if not is_clean(text):
        raise Unusable("It contains a NUL or an incomplete character.")
    return text


def _of_devcontainer(text: str) -> str:
    return _as_script(fields_of(text).get("postCreateCommand"))


def _of_cursor(text: str) -> str:
    return _as_script(fields_of(text).get("install"))


def fields_of(text: str) -> Mapping[str, Any]:
    """Return the fields of a JSON object with comments. Raises Unusable."""
    try:
        fields = jsonc.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unusable(f"It is not valid JSON: {error}") from error
    if not isinstance(fields, dict):
        raise Unusable("It is not a JSON object.")
    return fields


def _as_script(command: object) -> str:
    """Return a shell script for a command of devcontainer.json, which is a string, a list of arguments, or an object of
    several commands. The commands of an object run one after the other."""
    if isinstance(command, str):
        return command
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        return shlex.join(command)
    if isinstance(command, dict):
        return "\n".join(f"( {_as_script(each)}\n) || exit" for each in command.values())
    if command is None:
        return ""
    raise Unusable("Its command is neither a text, nor a list of texts, nor an object of commands.")


_READERS: Final[Mapping[str, Callable[[str], str]]] = {
    ".agentsite/setup.sh": lambda text: text,
    ".devcontainer/devcontainer.json": _of_devcontainer,
    ".devcontainer.json": _of_devcontainer,
    ".cursor/environment.json": _of_cursor,
}
"""The files that may contain a script, in order of precedence, and the function that reads it from each."""


async def _pinning(runtime: Runtime, seen: dict[str, FileStat]) -> list[tuple[str, str]]:
    """Return the path and the hash of each file that pins dependencies."""
    try:
        found = (await runtime.glob(PINNING, limit=MAX_PINNING)).paths
        names = sorted(path.removeprefix(f"{WORKSPACE_ROOT}/") for path in found)
        stats: Sequence[FileStat] = await runtime.stats(names) if names else ()
        seen.update(zip(names, stats, strict=True))
        return [(name, await _hash(runtime, stat)) for name, stat in zip(names, stats, strict=True)]
    except (SandboxRefused, LimitReached):
        return []


async def _hash(runtime: Runtime, stat: FileStat) -> str:
    if stat.kind != "file":
        return stat.kind
    return (await runtime.read(RealPath(stat.real_path), limit=0)).sha256 if stat.inside else "outside"


def _key(setup: Setup, image: str, pinning: Sequence[tuple[str, str]]) -> str:
    declared = [setup.services.text] if setup.services else []
    return hashlib.sha256(json.dumps([setup.script, image, pinning, *declared]).encode()).hexdigest()

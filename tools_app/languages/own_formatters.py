"""Formatters whose commands are part of the configuration, as in OpenCode: they change the file in place.

Such a command is code of the repository. It runs only if the agent may run exactly this text in `bash` without asking a
person. Variables before a command make the shell analysis incomplete, because a program may read any of them. Here the
repository wrote both the command and the variables. So the rules treat a variable as a part of the text, like an
argument, unless it is known to change which programs run.
"""

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sandbox.ports import WORKSPACE_ROOT, FileContent, RealPath, RunRequest, Runtime
from tools_app.arguments import ResolvedPath
from tools_app.languages.formatters import FORMATTERS
from tools_app.languages.servers import extension_of
from tools_app.permission.shell.assignments import is_powerful

TIMEOUT_SECONDS: Final = 10.0
MAX_FILE_BYTES: Final = 1 << 20
OUTPUT_LIMIT: Final = 65_536
_FILE: Final = "$FILE"
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class OwnFormatter:
    """A formatter that a configuration document defines. `$FILE` in its command stands for the path of the file."""

    name: str
    command: tuple[str, ...]
    extensions: frozenset[str]
    environment: tuple[tuple[str, str], ...] = ()

    def typed(self, path: str) -> str:
        """Return the command as a person would type it in the workspace's root."""
        return " ".join([*(f"{name}={shlex.quote(value)}" for name, value in self.environment), self.bare(path)])

    def bare(self, path: str) -> str:
        """Return the command line that formats the file `path`, without environment variables in front."""
        return shlex.join([word.replace(_FILE, path) for word in self.command])

    @property
    def powerful(self) -> list[str]:
        """The variables that are known to change which programs run, such as `PATH`."""
        return [name for name, _ in self.environment if is_powerful(name)]


def own_formatter_for(path: str, block: Mapping[str, Mapping[str, Any]]) -> OwnFormatter | None:
    """Return the first configured formatter that has a command and accepts the extension of the file. `block` is the
    value of the key `formatter`."""
    extension = extension_of(path)
    return next((each for each in _own_formatters(block) if extension and extension in each.extensions), None)


def _own_formatters(block: Mapping[str, Mapping[str, Any]]) -> Iterable[OwnFormatter]:
    usual = {formatter.name: formatter.extensions for formatter in FORMATTERS}
    for name, fields in block.items():
        command, environment = fields.get("command"), fields.get("environment") or {}
        if fields.get("disabled") is True or not command or not all(map(_NAME.fullmatch, environment)):
            continue
        extensions = frozenset(f".{each.lower().removeprefix('.')}" for each in fields.get("extensions") or ())
        yield OwnFormatter(name, tuple(command), extensions or usual.get(name, frozenset()), tuple(environment.items()))


async def run_in_place(
    formatter: OwnFormatter, target: ResolvedPath, found: FileContent, runtime: Runtime, *, call_id: str
) -> bytes | None:
    """Run a formatter on the file `target` and return the file's new content, or None if it did not change."""
    request = RunRequest(
        call_id,
        f"{formatter.typed(path_typed(target))} > /dev/null 2>&1",
        workdir=RealPath(WORKSPACE_ROOT),
        timeout=TIMEOUT_SECONDS,
        output_limit=OUTPUT_LIMIT,
        flood_limit=OUTPUT_LIMIT,
    )
    await runtime.run(request)
    after = await runtime.read(target.real, limit=MAX_FILE_BYTES)
    return None if after.sha256 == found.sha256 or after.size > MAX_FILE_BYTES else after.content


def path_typed(target: ResolvedPath) -> str:
    """Return the path of a file relative to the workspace's root."""
    return target.real.removeprefix(f"{WORKSPACE_ROOT}/")

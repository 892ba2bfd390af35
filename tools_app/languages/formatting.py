"""Format a file that was just changed: choose the formatter, run it, and write its output.

The formatter reads the file on stdin and never writes it. The output is written here, and only if the file has not
changed meanwhile. A program of the workspace, or one whose configuration can run code from the workspace, runs only if
the agent may run it as a command without asking a person.
"""

import asyncio
import posixpath
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sandbox.errors import Conflict
from sandbox.ports import WORKSPACE_ROOT, FileContent, FileStat, RealPath, RunRequest, Runtime
from tools_app.arguments import ResolvedPath, resolve
from tools_app.languages.formatters import Formatter, formatters_for
from tools_app.languages.prettier import is_plain
from tools_app.languages.programs import IMAGE_ENVIRONMENT, Consent, find_in_image
from tools_app.languages.project_root import find_above, folders_above

TIMEOUT_SECONDS: Final = 10.0
MAX_FILE_BYTES: Final = 1 << 20
MAX_SETTINGS_BYTES: Final = 1 << 18


FilesAbove = Mapping[str, Sequence[FileStat]]
"""Configuration files and programs that were found in the folder of a file and in those above it, by name."""


@dataclass(frozen=True, slots=True)
class FormatterChoice:
    """The formatter to run, and its command line. `is_of_image`: the formatter belongs to the image and runs with
    `IMAGE_ENVIRONMENT`."""

    formatter: Formatter
    command: str
    is_of_image: bool


async def format_file(
    target: ResolvedPath,
    found: FileContent,
    runtime: Runtime,
    consent: Consent,
    *,
    call_id: str,
    off: Collection[str] = (),
) -> tuple[str, bytes] | None:
    """Run the formatter for a file. Returns the formatter's name and the new content, or None if nothing changed.

    `found` is the file as the tool wrote it. `call_id` must be unique, since it identifies the command in the sandbox.
    `off` are the names of disabled formatters; "*" stands for all.
    """
    if found.size > MAX_FILE_BYTES or "*" in off or (choice := await choose(target, runtime, consent, off)) is None:
        return None
    request = RunRequest(
        call_id,
        f"{choice.command} < {shlex.quote(target.real)} 2> /dev/null",
        workdir=RealPath(folders_above(target)[0]),
        timeout=TIMEOUT_SECONDS,
        env=IMAGE_ENVIRONMENT if choice.is_of_image else {},
        output_limit=2 * MAX_FILE_BYTES,
        flood_limit=2 * MAX_FILE_BYTES,
    )
    result = await runtime.run(request)
    formatted = result.output
    if result.end != "exited" or result.exit_code or result.dropped or not formatted or formatted == found.content:
        return None
    try:
        await runtime.write(target.real, formatted, expected=found.sha256)
    except Conflict:  # another call has changed the file meanwhile and will format it
        return None
    return choice.formatter.name, formatted


async def choose(
    target: ResolvedPath, runtime: Runtime, consent: Consent, off: Collection[str] = ()
) -> FormatterChoice | None:
    """Return the first formatter in the table that the project uses, if it may run and is not in `off`; otherwise
    None."""
    formatters = [each for each in formatters_for(target.real) if each.name not in off]
    above = await find_above(target, (name for each in formatters for name in _names(each)), runtime)
    for formatter in formatters:
        if await _is_used(formatter, above, runtime):
            own = await _own_copy(formatter, target, above, consent)
            return own or await _image_copy(formatter, target, above, runtime, consent)
    return None


def _names(formatter: Formatter) -> list[str]:
    """Return the file names that show that a project uses the formatter: its configuration files, and the project's own
    copy of its program."""
    return [*(marker.name for marker in formatter.markers), *_own_programs(formatter)]


def _own_programs(formatter: Formatter) -> list[str]:
    return [f"{folder}/{formatter.argv[0]}" for folder in formatter.own_folders]


async def _is_used(formatter: Formatter, above: FilesAbove, runtime: Runtime) -> bool:
    if not formatter.markers:
        return await find_in_image(formatter.argv[0], runtime) is not None
    for marker in formatter.markers:
        for stat in above.get(marker.name, ()):
            if not marker.text or marker.text in await _text_of(stat, runtime):
                return True
    return False


async def _own_copy(
    formatter: Formatter, target: ResolvedPath, above: FilesAbove, consent: Consent
) -> FormatterChoice | None:
    found = [stat for name in _own_programs(formatter) for stat in above.get(name, ())] if target.inside else []
    if not found:
        return None
    program = found[0].path
    if not await consent(_command(_typed(program), formatter, _typed(target.real))):
        return None
    return FormatterChoice(formatter, _command(program, formatter, target.real), is_of_image=False)


async def _image_copy(
    formatter: Formatter, target: ResolvedPath, above: FilesAbove, runtime: Runtime, consent: Consent
) -> FormatterChoice | None:
    program = await find_in_image(formatter.argv[0], runtime)
    if program is None:
        return None
    choice = FormatterChoice(formatter, _command(program, formatter, target.real), is_of_image=True)
    if not formatter.may_run_code or await _has_plain_settings(formatter, above, runtime):
        return choice
    return choice if await consent(_command(formatter.argv[0], formatter, _typed(target.real))) else None


async def _has_plain_settings(formatter: Formatter, above: FilesAbove, runtime: Runtime) -> bool:
    stats = [stat for marker in formatter.markers for stat in above.get(marker.name, ())]
    texts = await asyncio.gather(*(_text_of(stat, runtime) for stat in stats))
    return bool(stats) and all(
        is_plain(posixpath.basename(stat.path), text) for stat, text in zip(stats, texts, strict=True)
    )


async def _text_of(stat: FileStat, runtime: Runtime) -> str:
    target = await resolve(stat.path, runtime)
    found = await runtime.read(target.real, limit=MAX_SETTINGS_BYTES)
    return found.content.decode("utf-8", "replace")


def _command(program: str, formatter: Formatter, path: str) -> str:
    words: Sequence[str] = [program, *(word.replace("{file}", path) for word in formatter.argv[1:])]
    return shlex.join(words)


def _typed(path: str) -> str:
    """Return the path relative to the workspace's root, without "./", as a person would type it."""
    return path.removeprefix(f"{WORKSPACE_ROOT}/")

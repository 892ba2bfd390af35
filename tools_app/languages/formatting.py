"""Formatting a file that was just changed: choose the formatter, run it, and write what it says.

It reads the file on stdin and never writes it: that is done here, and only while the file is still what it read. A
program that lies in the workspace, or whose settings do, runs only where the agent may run it as a command unasked.
"""

import asyncio
import posixpath
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sandbox.errors import Conflict
from sandbox.ports import WORKSPACE_ROOT, FileContent, FileStat, RealPath, RunRequest, Runtime
from tools_app.arguments import Place, resolve
from tools_app.languages.formatters import Formatter, formatters_for
from tools_app.languages.prettier import is_plain
from tools_app.languages.programs import IMAGE_ENVIRONMENT, Consent, find_in_image
from tools_app.languages.project_root import find_above, folders_above

PATIENCE: Final = 10.0
LARGEST: Final = 1 << 20
LARGEST_SETTINGS: Final = 1 << 18


Above = Mapping[str, Sequence[FileStat]]
"""The files above the edited one that were looked for, by their names there."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The command to run, and whether the environment is the image's own."""

    formatter: Formatter
    command: str
    is_of_image: bool


async def format_file(
    place: Place, found: FileContent, runtime: Runtime, consent: Consent, *, call_id: str
) -> tuple[str, bytes] | None:
    """The name of the formatter that changed the file, and what the file is now. None when nothing changed.

    `found` is the file as it was written; `call_id` names the command for ever.
    """
    if found.size > LARGEST or (choice := await choose(place, runtime, consent)) is None:
        return None
    request = RunRequest(
        call_id,
        f"{choice.command} < {shlex.quote(place.real)} 2> /dev/null",
        workdir=RealPath(folders_above(place)[0]),
        timeout=PATIENCE,
        env=IMAGE_ENVIRONMENT if choice.is_of_image else {},
        output_limit=2 * LARGEST,
        flood_limit=2 * LARGEST,
    )
    result = await runtime.run(request)
    formatted = result.output
    if result.end != "exited" or result.exit_code or result.dropped or not formatted or formatted == found.content:
        return None
    try:
        await runtime.write(place.real, formatted, expected=found.sha256)
    except Conflict:  # somebody has changed it meanwhile, and will have it formatted
        return None
    return choice.formatter.name, formatted


async def choose(place: Place, runtime: Runtime, consent: Consent) -> Choice | None:
    """The first in the table that the project uses and that may run."""
    formatters = list(formatters_for(place.real))
    above = await find_above(place, (name for each in formatters for name in _names(each)), runtime)
    for formatter in formatters:
        if await _is_used(formatter, above, runtime):
            own = await _own_copy(formatter, place, above, consent)
            return own or await _image_copy(formatter, place, above, runtime, consent)
    return None


def _names(formatter: Formatter) -> list[str]:
    """What is looked for above a file: the signs, and a copy of the project's own."""
    return [*(sign.name for sign in formatter.signs), *_own_programs(formatter)]


def _own_programs(formatter: Formatter) -> list[str]:
    return [f"{folder}/{formatter.argv[0]}" for folder in formatter.own_folders]


async def _is_used(formatter: Formatter, above: Above, runtime: Runtime) -> bool:
    if not formatter.signs:
        return await find_in_image(formatter.argv[0], runtime) is not None
    for sign in formatter.signs:
        for stat in above.get(sign.name, ()):
            if not sign.text or sign.text in await _text_of(stat, runtime):
                return True
    return False


async def _own_copy(formatter: Formatter, place: Place, above: Above, consent: Consent) -> Choice | None:
    found = [stat for name in _own_programs(formatter) for stat in above.get(name, ())] if place.inside else []
    if not found:
        return None
    program = found[0].path
    if not await consent(_command(_typed(program), formatter, _typed(place.real))):
        return None
    return Choice(formatter, _command(program, formatter, place.real), is_of_image=False)


async def _image_copy(
    formatter: Formatter, place: Place, above: Above, runtime: Runtime, consent: Consent
) -> Choice | None:
    program = await find_in_image(formatter.argv[0], runtime)
    if program is None:
        return None
    choice = Choice(formatter, _command(program, formatter, place.real), is_of_image=True)
    if not formatter.may_run_code or await _has_plain_settings(formatter, above, runtime):
        return choice
    return choice if await consent(_command(formatter.argv[0], formatter, _typed(place.real))) else None


async def _has_plain_settings(formatter: Formatter, above: Above, runtime: Runtime) -> bool:
    stats = [stat for sign in formatter.signs for stat in above.get(sign.name, ())]
    texts = await asyncio.gather(*(_text_of(stat, runtime) for stat in stats))
    return bool(stats) and all(
        is_plain(posixpath.basename(stat.path), text) for stat, text in zip(stats, texts, strict=True)
    )


async def _text_of(stat: FileStat, runtime: Runtime) -> str:
    place = await resolve(stat.path, runtime)
    found = await runtime.read(place.real, limit=LARGEST_SETTINGS)
    return found.content.decode("utf-8", "replace")


def _command(program: str, formatter: Formatter, path: str) -> str:
    words: Sequence[str] = [program, *(word.replace("{file}", path) for word in formatter.argv[1:])]
    return shlex.join(words)


def _typed(path: str) -> str:
    """As one would type it in the workspace's root."""
    return path.removeprefix(f"{WORKSPACE_ROOT}/")

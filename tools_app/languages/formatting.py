"""Formatting a file that was just changed: choose the formatter, run it, and write what it says.

It reads the file on stdin and never writes it: that is done here, and only while the file is still what it read. A
program that lies in the workspace, or whose settings do, runs only where the agent may run it as a command unasked.
"""

import asyncio
import posixpath
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sandbox.errors import Conflict
from sandbox.ports import WORKSPACE_ROOT, FileContent, FileStat, RealPath, RunRequest, Runtime
from tools_app.arguments import Place, resolve
from tools_app.languages.formatters import Formatter, formatters_for
from tools_app.languages.prettier import is_plain
from tools_app.languages.programs import IMAGE_ENVIRONMENT, Consent, find_in_image
from tools_app.languages.projects import find_above, folders_above

PATIENCE: Final = 10.0
LARGEST: Final = 1 << 20
LARGEST_SETTINGS: Final = 1 << 18


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
    for formatter in formatters_for(place.real):
        if await _is_used(formatter, place, runtime):
            return await _own_copy(formatter, place, runtime, consent) or await _image_copy(
                formatter, place, runtime, consent
            )
    return None


async def _is_used(formatter: Formatter, place: Place, runtime: Runtime) -> bool:
    if not formatter.signs:
        return await find_in_image(formatter.argv[0], runtime) is not None
    texts = {sign.name: sign.text for sign in formatter.signs}
    for stat in await find_above(place, list(texts), runtime):
        wanted = texts[posixpath.basename(stat.path)]
        if not wanted or wanted in await _text_of(stat, runtime):
            return True
    return False


async def _own_copy(formatter: Formatter, place: Place, runtime: Runtime, consent: Consent) -> Choice | None:
    names = [f"{folder}/{formatter.argv[0]}" for folder in formatter.own_folders]
    found = await find_above(place, names, runtime) if place.inside else []
    if not found:
        return None
    program = found[0].path
    if not await consent(_command(_typed(program), formatter, _typed(place.real))):
        return None
    return Choice(formatter, _command(program, formatter, place.real), is_of_image=False)


async def _image_copy(formatter: Formatter, place: Place, runtime: Runtime, consent: Consent) -> Choice | None:
    program = await find_in_image(formatter.argv[0], runtime)
    if program is None:
        return None
    choice = Choice(formatter, _command(program, formatter, place.real), is_of_image=True)
    if not formatter.may_run_code or await _has_plain_settings(formatter, place, runtime):
        return choice
    return choice if await consent(_command(formatter.argv[0], formatter, _typed(place.real))) else None


async def _has_plain_settings(formatter: Formatter, place: Place, runtime: Runtime) -> bool:
    stats = await find_above(place, [sign.name for sign in formatter.signs], runtime)
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

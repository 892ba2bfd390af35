"""What happens after a tool changed files: they are formatted, and the errors in them go back to the model.

Neither ever fails an edit, which has happened already: what cannot be formatted or checked in time is left alone.
"""

import asyncio
import contextlib
import hashlib
import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sandbox.errors import SandboxError
from sandbox.ports import WORKSPACE_ROOT, FileContent
from tools_app.arguments import Place
from tools_app.command_needs import CommandText, needs_of_command
from tools_app.diffing import TextDiff
from tools_app.filetext import Change
from tools_app.languages.diagnostic_format import Problem, described
from tools_app.languages.formatting import format_file
from tools_app.languages.programs import Consent, find_server
from tools_app.spec import ToolContext

MOST_FILES: Final = 20
LARGEST: Final = 1 << 20
PATIENCE: Final = 25.0
"""Seconds in all, well below what a tool has."""
BOM: Final = "\ufeff"

Changed = tuple[Place, FileContent]


@dataclass(frozen=True, slots=True)
class AfterEdit:
    """By the path that people see: `formatted` has the formatter's name, `texts` what the file holds since then, with
    a byte order mark as its first character where there is one.

    `problems` are errors, those of the changed files first; `checked_by` names the servers that looked in time.
    """

    formatted: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    problems: Sequence[Problem] = ()
    checked_by: Sequence[str] = ()

    async def diff(self, place: Place, change: Change, diff: TextDiff) -> TextDiff:
        """Of the change and the formatting together."""
        if place.shown not in self.texts:
            return diff
        text = self.texts[place.shown]
        has_bom = change.before is not None and change.before.bom
        whole = replace(change, after=text.removeprefix(BOM) if has_bom else text)
        return await asyncio.to_thread(whole.diff, place.shown)

    @property
    def metadata(self) -> dict[str, Any]:
        """`formatter` is empty where none changed anything."""
        formatters = ", ".join(dict.fromkeys(self.formatted.values()))
        return {"diagnostics": [problem.as_fields() for problem in self.problems], "formatter": formatters}

    @property
    def note(self) -> str:
        """For the model, behind what the tool says; empty when there is nothing to tell, else after an empty line."""
        by_file: dict[str, list[Problem]] = {}
        for problem in self.problems:
            by_file.setdefault(problem.path, []).append(problem)
        lines = [
            f"{name} has formatted {path}: its text may differ from yours." for path, name in self.formatted.items()
        ]
        return "".join(f"\n\n{part}" for part in (*lines, *map(described, by_file.values())))


async def after_edit(ctx: ToolContext, places: Sequence[Place], *, gone: Sequence[Place] = ()) -> AfterEdit:
    """For files that were just written, twenty at most, and those that went with the same change. Raises nothing but
    cancellation."""
    work = _Work(ctx, list({place.real: place for place in places}.values())[:MOST_FILES])
    with contextlib.suppress(SandboxError, TimeoutError):
        async with asyncio.timeout(PATIENCE):
            await work.format_files()
            await work.check_files(gone)
    return work.done


class _Work:
    """What is done so far is in `done`, whenever it is interrupted."""

    def __init__(self, ctx: ToolContext, places: Sequence[Place]) -> None:
        self._ctx = ctx
        self._places = places
        self._consent = consent_of(ctx)
        self._changed: list[Changed] = []
        self.done = AfterEdit({}, {})

    async def format_files(self) -> None:
        for number, place in enumerate(self._places):
            found = await self._ctx.runtime.read(place.real, limit=LARGEST + 1)
            if found.size <= LARGEST:
                self._changed.append((place, await self._formatted(place, found, number)))

    async def _formatted(self, place: Place, found: FileContent, number: int) -> FileContent:
        """The file as it is then."""
        call_id = f"{self._ctx.call_id}-format-{number}"
        made = await format_file(place, found, self._ctx.runtime, self._consent, call_id=call_id)
        if made is None:
            return found
        name, content = made
        sha256 = hashlib.sha256(content).hexdigest()
        await self._ctx.memory.remember_version(place.real, sha256)
        text = content.decode("utf-8", "surrogateescape")
        self.done = replace(
            self.done,
            formatted={**self.done.formatted, place.shown: name},
            texts={**self.done.texts, place.shown: text},
        )
        return FileContent(found.path, content, len(content), sha256)

    async def check_files(self, gone: Sequence[Place]) -> None:
        """Where the sandbox has no server for any of them, the client is not even loaded."""
        for place, _ in self._changed:
            if await find_server(place.real, self._ctx.runtime, self._consent):
                break
        else:
            return
        await load("tools_app.languages.edit_diagnostics")
        from tools_app.languages.edit_diagnostics import find_errors

        removed = [place.real for place in gone]
        checked = await find_errors(self._changed, self._ctx.runtime, self._consent, gone=removed)
        self.done = replace(self.done, problems=checked.errors, checked_by=checked.servers)


async def load(module: str) -> None:
    """The client takes half a second to import the first time, which nobody else should wait for."""
    await asyncio.to_thread(importlib.import_module, module)


def consent_of(ctx: ToolContext) -> Consent:
    """Whether the agent may run a command, typed in the workspace's root, without asking anybody."""

    async def allowed(command: str) -> bool:
        text = CommandText(command, command, WORKSPACE_ROOT)
        needs = await needs_of_command(text, ctx.runtime, title=f"Run {command}", path=".")
        return await ctx.judge(needs) == "allow"

    return allowed

"""What happens after a tool changed files: they are formatted, and the errors in them go back to the model.

Neither ever fails an edit, which has happened already: what cannot be formatted or checked in time is left alone.
"""

import asyncio
import hashlib
import importlib
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from sandbox.errors import SandboxError
from sandbox.ports import WORKSPACE_ROOT, FileContent
from tools_app.arguments import Place
from tools_app.command_needs import CommandText, needs_of_command
from tools_app.diffing import TextDiff
from tools_app.filetext import Change
from tools_app.languages.formatting import format_file
from tools_app.languages.problems import Problem, described
from tools_app.languages.programs import Consent, find_server
from tools_app.spec import ToolContext

if TYPE_CHECKING:
    from tools_app.languages.diagnosing import Checked

MOST_FILES: Final = 20
LARGEST: Final = 1 << 20

Changed = tuple[Place, FileContent]


@dataclass(frozen=True, slots=True)
class AfterEdit:
    """By the path that people see: `formatted` has the formatter's name, `texts` what the file holds since then,
    without a byte order mark.

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
        whole = replace(change, after=self.texts[place.shown])
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


async def after_edit(ctx: ToolContext, places: Sequence[Place]) -> AfterEdit:
    """For files that were just written, twenty at most. Raises nothing but cancellation."""
    places = list({place.real: place for place in places}.values())[:MOST_FILES]
    consent = consent_of(ctx)
    done = AfterEdit()
    try:
        changed = [(place, found) for place in places if (found := await _content(ctx, place))]
        done, changed = await _formatted(ctx, changed, consent)
        checked = await _checked(ctx, changed, consent)
    except SandboxError:
        return done
    return replace(done, problems=checked.errors, checked_by=checked.servers) if checked else done


async def _content(ctx: ToolContext, place: Place) -> FileContent | None:
    found = await ctx.runtime.read(place.real, limit=LARGEST + 1)
    return found if found.size <= LARGEST else None


async def _formatted(ctx: ToolContext, changed: Sequence[Changed], consent: Consent) -> tuple[AfterEdit, list[Changed]]:
    """What was formatted, and the files as they are then."""
    formatted, texts, after = {}, {}, []
    for number, (place, found) in enumerate(changed):
        made = await format_file(place, found, ctx.runtime, consent, call_id=f"{ctx.call_id}-format-{number}")
        if made is None:
            after.append((place, found))
            continue
        formatted[place.shown], content = made
        sha256 = hashlib.sha256(content).hexdigest()
        await ctx.memory.remember_version(place.real, sha256)
        texts[place.shown] = content.removeprefix(BOM_UTF8).decode("utf-8", "surrogateescape")
        after.append((place, FileContent(found.path, content, len(content), sha256)))
    return AfterEdit(formatted, texts), after


async def _checked(ctx: ToolContext, changed: Sequence[Changed], consent: Consent) -> "Checked | None":
    """None where the sandbox has no server for any of them: then the client is not even loaded."""
    for place, _ in changed:
        if await find_server(place.real, ctx.runtime, consent):
            await load("tools_app.languages.diagnosing")
            from tools_app.languages.diagnosing import find_errors

            return await find_errors(changed, ctx.runtime, consent)
    return None


async def load(module: str) -> None:
    """The client takes half a second to import the first time, which nobody else should wait for."""
    await asyncio.to_thread(importlib.import_module, module)


def consent_of(ctx: ToolContext) -> Consent:
    """Whether the agent may run a command, typed in the workspace's root, without asking anybody."""

    async def allowed(command: str) -> bool:
        text = CommandText(command, command, WORKSPACE_ROOT)
        needs = await needs_of_command(text, ctx.runtime, title=f"Run {command}", path=".")
        return await ctx.allowed(needs)

    return allowed

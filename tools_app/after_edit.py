"""After a tool has changed files: format them, and report to the model the errors that language servers find.

The edit has already happened, so neither step can fail it: a file that cannot be formatted or checked in time is
skipped.
"""

import asyncio
import contextlib
import hashlib
import importlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sandbox.errors import SandboxError
from sandbox.ports import WORKSPACE_ROOT, FileContent
from tools_app.arguments import ResolvedPath
from tools_app.command_needs import CommandText, needs_of_command
from tools_app.diffing import TextDiff
from tools_app.filetext import Change
from tools_app.instructions import rules_about
from tools_app.languages.diagnostic_format import Problem, describe_errors
from tools_app.languages.formatting import format_file
from tools_app.languages.own_formatters import OwnFormatter, own_formatter_for, path_typed, run_in_place
from tools_app.languages.programs import Consent, find_server
from tools_app.spec import PermissionNeed, ToolContext

MAX_FILES: Final = 20  # that are formatted and checked after one call
MAX_FILE_BYTES: Final = 1 << 20
TIMEOUT_SECONDS: Final = 25.0
"""For formatting and checking together; well below the timeout of a tool call."""
BOM: Final = "\ufeff"

Changed = tuple[ResolvedPath, FileContent]


@dataclass(frozen=True, slots=True)
class AfterEdit:
    """The results of formatting and checking. Paths are in the form in which people see them."""

    formatted: Mapping[str, str] = field(default_factory=dict)
    """The name of the formatter for each file that was reformatted, by path."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The formatted texts by path; a byte order mark is kept as the first character."""
    problems: Sequence[Problem] = ()
    """Errors, those of the changed files first."""
    checked_by: Sequence[str] = ()
    """The ids of the language servers that answered in time."""
    notes: Sequence[str] = ()
    """Why formatters of the configuration did not run."""
    rules: Sequence[str] = ()
    """Rules of Cursor about these files that the model has not been shown yet."""

    async def diff(self, target: ResolvedPath, change: Change, diff: TextDiff) -> TextDiff:
        """Return the diff of a file from before the change to after the formatting. `diff` is the diff of the change
        alone."""
        if target.shown not in self.texts:
            return diff
        text = self.texts[target.shown]
        has_bom = change.before is not None and change.before.bom
        whole = replace(change, after=text.removeprefix(BOM) if has_bom else text)
        return await asyncio.to_thread(whole.diff, target.shown)

    @property
    def metadata(self) -> dict[str, Any]:
        """The fields for the result's metadata; `formatter` is empty if no file was reformatted."""
        formatters = ", ".join(dict.fromkeys(self.formatted.values()))
        return {"diagnostics": [problem.as_fields() for problem in self.problems], "formatter": formatters}

    @property
    def note(self) -> str:
        """A text to append to the tool's output. It is "" if there is nothing to report; otherwise it begins a new
        paragraph."""
        by_file: dict[str, list[Problem]] = {}
        for problem in self.problems:
            by_file.setdefault(problem.path, []).append(problem)
        lines = [
            f"{name} has formatted {path}: its text may differ from yours." for path, name in self.formatted.items()
        ]
        return "".join(
            f"\n\n{part}" for part in (*lines, *self.notes, *map(describe_errors, by_file.values()), *self.rules)
        )


async def after_edit(
    ctx: ToolContext, targets: Sequence[ResolvedPath], *, deleted: Sequence[ResolvedPath] = ()
) -> AfterEdit:
    """Format and check files that were just written, at most 20.

    `deleted` are files that the same change deleted. Raises nothing except cancellation.
    """
    work = _AfterEditRun(ctx, list({target.real: target for target in targets}.values())[:MAX_FILES])
    with contextlib.suppress(SandboxError, TimeoutError):
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await work.format_files()
            await work.check_files(deleted)
    with contextlib.suppress(SandboxError):
        return replace(work.done, rules=await rules_about(targets, ctx))
    return work.done


class _AfterEditRun:
    """The formatting and checking of the files that one tool call changed. `done` has the results so far, so they are
    not lost if the run is interrupted."""

    def __init__(self, ctx: ToolContext, targets: Sequence[ResolvedPath]) -> None:
        self._ctx = ctx
        self._targets = targets
        self._consent = consent_of(ctx)
        self._changed: list[Changed] = []
        self.done = AfterEdit({}, {})

    async def format_files(self) -> None:
        off = self._ctx.settings.get("formatter_off", frozenset())
        for number, target in enumerate(self._targets):
            found = await self._ctx.runtime.read(target.real, limit=MAX_FILE_BYTES + 1)
            if found.size <= MAX_FILE_BYTES:
                self._changed.append((target, await self._formatted(target, found, number, off)))

    async def _formatted(
        self, target: ResolvedPath, found: FileContent, number: int, off: Collection[str]
    ) -> FileContent:
        """Format one file and return its content afterwards. `off` are the names of the disabled formatters."""
        call_id = f"{self._ctx.call_id}-format-{number}"
        has_run, made = await self._format_with_own(target, found, call_id, off)
        if not has_run:
            made = await format_file(target, found, self._ctx.runtime, self._consent, call_id=call_id, off=off)
        if made is None:
            return found
        name, content = made
        sha256 = hashlib.sha256(content).hexdigest()
        await self._ctx.memory().remember_version(target.real, sha256)
        text = content.decode("utf-8", "surrogateescape")
        self.done = replace(
            self.done,
            formatted={**self.done.formatted, target.shown: name},
            texts={**self.done.texts, target.shown: text},
        )
        return FileContent(found.path, content, len(content), sha256)

    async def _format_with_own(
        self, target: ResolvedPath, found: FileContent, call_id: str, off: Collection[str]
    ) -> tuple[bool, tuple[str, bytes] | None]:
        """Format a file with the formatter command of the configuration, if the agent may run this command without
        asking a person; otherwise tell the model once why not. Returns whether the command has run, and the formatter's
        name and new content (None if nothing changed)."""
        block = self._ctx.settings.get("formatters")
        formatter = own_formatter_for(target.real, block) if block and target.inside and "*" not in off else None
        if formatter is None:
            return False, None
        command = formatter.typed(path_typed(target))
        if await self._consent(command) or await self._may_run_in_parts(formatter, path_typed(target)):
            content = await run_in_place(formatter, target, found, self._ctx.runtime, call_id=f"{call_id}-own")
            return True, None if content is None else (formatter.name, content)
        if await self._ctx.memory().first_time(f"formatter:{formatter.name}"):
            note = (
                f"The formatter {formatter.name} of the configuration did not run: the rules do not allow `{command}`"
                " without asking."
            )
            if formatter.powerful:
                note += f" Setting {', '.join(formatter.powerful)} can change what runs: leave it out of `environment`."
            self.done = replace(self.done, notes=[*self.done.notes, note])
        return False, None

    async def _may_run_in_parts(self, formatter: OwnFormatter, path: str) -> bool:
        """Return whether the rules allow a formatter's command both with and without its environment variables. False
        if it has no such variables, or some that can make it start other programs."""
        if not formatter.environment or formatter.powerful:
            return False
        bare = formatter.bare(path)
        needs = await needs_of_command(
            CommandText(bare, bare, WORKSPACE_ROOT), self._ctx, title=f"Run {bare}", path="."
        )
        return await self._ctx.judge([*needs, PermissionNeed("bash", (formatter.typed(path),))]) == "allow"

    async def check_files(self, deleted: Sequence[ResolvedPath]) -> None:
        """Check the changed files with their language servers. The language client is only imported if the sandbox has
        a server for a changed file."""
        changed = [each for each in self._changed if await self._has_server(each[0])]
        if not changed:
            return
        await import_in_thread("tools_app.languages.edit_diagnostics")
        from tools_app.languages.edit_diagnostics import find_errors

        removed = [target.real for target in deleted]
        checked = await find_errors(changed, self._ctx.runtime, self._consent, deleted=removed)
        self.done = replace(self.done, problems=checked.errors, checked_by=checked.servers)

    async def _has_server(self, target: ResolvedPath) -> bool:
        off = self._ctx.settings.get("lsp_off", frozenset())
        found = None if "*" in off else await find_server(target.real, self._ctx.runtime, self._consent)
        return found is not None and found[0].id not in off


async def import_in_thread(module: str) -> None:
    """Import a module in a thread, because the language client takes half a second and would block the event loop."""
    await asyncio.to_thread(importlib.import_module, module)


def consent_of(ctx: ToolContext) -> Consent:
    """Return a function that says whether the agent may run a command without asking a person.

    The permission rules are applied to the command as if it were typed in the workspace's root.
    """

    async def allowed(command: str) -> bool:
        text = CommandText(command, command, WORKSPACE_ROOT)
        needs = await needs_of_command(text, ctx, title=f"Run {command}", path=".")
        return await ctx.judge(needs) == "allow"

    return allowed

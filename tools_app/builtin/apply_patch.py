"""The `apply_patch` tool: change several files with one patch."""

import asyncio
import posixpath
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from tools_app.after_edit import after_edit
from tools_app.arguments import ToolArguments, needs_of_paths
from tools_app.description import description_beside
from tools_app.editing.patch_text import UpdateFile, read_patch, renamed
from tools_app.editing.patching import PatchedFile, PatchPlan, plan_patch
from tools_app.filetext import needs_of_quoting
from tools_app.patched_files import files_as_dicts, plan_files, resolve_files, write_files
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolError, ToolResult
from tools_app.text import counted

__all__ = ["ApplyPatchTool", "apply_patch"]


def apply_patch(files: Mapping[str, str], patch_text: str) -> dict[str, str | None]:
    """Apply a patch to `files` (path to text, all existing files) and return the changed paths with their new texts.

    None stands for a path whose file was removed or moved. `./a` and `a` are the same path. `files` is not modified.
    Raises EditError.
    """
    known = {posixpath.normpath(path): path for path in files}

    def name(path: str) -> str:
        plain = posixpath.normpath(path)
        return known.get(plain, plain)

    sections = [renamed(section, name) for section in read_patch(patch_text)]
    return plan_patch(files, sections).texts()


class ApplyPatchArguments(ToolArguments):
    patch_text: str = Field(
        min_length=1, description="The whole patch, from `*** Begin Patch` to `*** End Patch`, as described above."
    )


class ApplyPatchTool(Tool[ApplyPatchArguments]):
    id = "apply_patch"
    aliases = ("patch",)
    permission = "edit"
    parameters = ApplyPatchArguments
    description = description_beside(__file__)
    repeatable = False
    interrupted = "interrupted: either all files of the patch were changed or none. Read one before you go on."

    async def needs(self, args: ApplyPatchArguments, ctx: ToolContext) -> list[PermissionNeed]:
        resolved = await resolve_files(args, read_patch(args.patch_text), ctx)
        targets = list(resolved.targets.values())
        updated = [resolved.targets[each.path] for each in resolved.sections if isinstance(each, UpdateFile)]
        quoting = await needs_of_quoting(updated, ctx)
        try:
            planned = await plan_files(resolved, ctx)
        except ToolError:  # its message may quote a file, so only `run`, after the gate, may report it
            return [*needs_of_paths("edit", targets, title=_title("Patch", list(resolved.targets))), *quoting]
        files = await asyncio.to_thread(files_as_dicts, planned.plan)
        diff = "".join(file["diff"] for file in files)
        files_shown = [_without_diff(file) for file in files]
        title = _title("Patch", [file.path for file in planned.plan.files])
        edits = needs_of_paths("edit", targets, title=title, diff=diff, files=files_shown, **_sums(files))
        return [*edits, *quoting]

    async def run(self, args: ApplyPatchArguments, ctx: ToolContext) -> ToolResult:
        resolved = await resolve_files(args, read_patch(args.patch_text), ctx)
        plan = await write_files(resolved, ctx)
        texts = plan.texts()
        written = [resolved.targets[path] for path, text in texts.items() if text is not None]
        deleted = [resolved.targets[path] for path, text in texts.items() if text is None]
        after = await after_edit(ctx, written, deleted=deleted)
        plan = plan.with_texts(after.texts)
        files = await asyncio.to_thread(files_as_dicts, plan)
        title = _title("Patched", [file.path for file in plan.files])
        output = _output(plan, files) + after.note
        return ToolResult(title, output, {"files": files, **_sums(files)} | after.metadata)


def _title(verb: str, paths: Sequence[str]) -> str:
    return f"{verb} {paths[0]}" if len(paths) == 1 else f"{verb} {counted(len(paths), 'file')}"


def _sums(files: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    return {count: sum(file[count] for file in files) for count in ("additions", "deletions")}


def _without_diff(file: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in file.items() if name != "diff"}


def _output(plan: PatchPlan, files: Sequence[Mapping[str, Any]]) -> str:
    lines = [_line(file, counts) for file, counts in zip(plan.files, files, strict=True)]
    return "\n".join([f"Changed {counted(len(lines), 'file')}:", *lines, *plan.notes])


def _line(file: PatchedFile, counts: Mapping[str, Any]) -> str:
    where = f"{file.path} to {file.moved_to}" if file.moved_to else file.path
    return f"- {file.past_tense} {where} (+{counts['additions']} -{counts['deletions']} lines)"

"""Resolve, read and write the files of a patch together."""

import asyncio
import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sandbox.errors import Conflict, LimitReached, NotFound, SandboxRefused
from sandbox.ports import Expect, FileChange
from tools_app.arguments import ResolvedPath, ToolArguments
from tools_app.diffing import unified_diff
from tools_app.editing.patch_text import AddFile, DeleteFile, Section, UpdateFile, paths_of, removes_source, renamed
from tools_app.editing.patching import PatchedFile, PatchPlan, plan_patch
from tools_app.filetext import MAX_TEXT_BYTES, RETRY_DELAYS_SECONDS
from tools_app.similar_names import missing_file_error
from tools_app.spec import ToolContext, ToolError
from tools_app.text import clean

MAX_FILES: Final = 100  # in one patch
MAX_DIFF_CHARACTERS: Final = 524_288
"""The most characters that all diffs of a patch together may have. The excess is left out."""

MAX_SHOWN_BYTES: Final = 1 << 20
"""The content of a deleted file is shown only up to this size."""

Sections = Sequence[Section]


@dataclass(frozen=True, slots=True)
class ResolvedPatch:
    """The sections of a patch with resolved paths."""

    sections: Sections
    """The sections, with every path as it is displayed."""
    targets: Mapping[str, ResolvedPath]
    """The resolved paths by their displayed form."""


@dataclass(frozen=True, slots=True)
class PlannedPatch:
    """The changes of a patch, and the versions of the files for which they were planned."""

    plan: PatchPlan
    versions: Mapping[str, str]
    """The SHA-256 of each existing file, by displayed path."""


async def resolve_files(args: ToolArguments, sections: Sections, ctx: ToolContext) -> ResolvedPatch:
    """Resolve the paths of the sections, so that different paths of the same file become one.

    Raises ToolError for too many files, and for deleting or moving a symbolic link, because the sandbox would delete
    the target of the link instead.
    """
    paths = list(dict.fromkeys(path for section in sections for path in paths_of(section)))
    if len(paths) > MAX_FILES:
        raise ToolError(f"The patch names {len(paths)} files, and at most {MAX_FILES} are changed at once. Split it.")
    found = {path: await args.resolve(path, ctx.runtime) for path in paths}
    for section in sections:
        if removes_source(section):
            await _refuse_link(section.path, found[section.path], ctx)
    shown = {path: target.shown for path, target in found.items()}
    return ResolvedPatch(
        [renamed(section, shown.__getitem__) for section in sections],
        {target.shown: target for target in found.values()},
    )


async def plan_files(resolved: ResolvedPatch, ctx: ToolContext) -> PlannedPatch:
    """Read the files and plan the changes of the patch. Raises ToolError if the patch does not fit the files."""
    texts: dict[str, str] = {}
    versions: dict[str, str] = {}
    room = MAX_TEXT_BYTES
    for shown, target in resolved.targets.items():
        uses = [section for section in resolved.sections if shown in paths_of(section)]
        if not target.exists:
            if uses[0].path == shown and not isinstance(uses[0], AddFile):
                raise await missing_file_error(target, ctx)
            continue
        if target.kind != "file":
            raise ToolError(f"{shown} is not a file but a {target.kind}: name a file.")
        texts[shown] = ""
        sources = [use for use in uses if use.path == shown and not isinstance(use, AddFile)]
        if sources:
            texts[shown], versions[shown] = await _loaded(target, sources, room, ctx)
            room -= len(texts[shown])
    plan = await asyncio.to_thread(plan_patch, texts, resolved.sections)
    return PlannedPatch(plan, versions)


async def write_files(resolved: ResolvedPatch, ctx: ToolContext) -> PatchPlan:
    """Plan the patch and write its files, either all of them or none.

    If another call of the same step has changed a file meanwhile, the patch is planned again, at most five times.
    Raises ToolError if a file still differs from what the agent last read.
    """
    for delay in RETRY_DELAYS_SECONDS:
        await asyncio.sleep(delay)
        planned = await plan_files(resolved, ctx)
        stale = await _not_as_seen(planned, resolved, ctx)
        if stale is None:
            stale = await _write(planned, resolved, ctx)
        if stale is None:
            return planned.plan
    raise ToolError(f"{stale} None of the files was changed.")


def files_as_dicts(plan: PatchPlan) -> list[dict[str, Any]]:
    """Return the changed files in their JSON form: {path, change, moved_to, diff, additions, deletions}."""
    files: list[dict[str, Any]] = []
    room = MAX_DIFF_CHARACTERS
    for file in plan.files:
        diff = unified_diff(_clean(file.before), _clean(file.after), path=file.path, moved_to=file.moved_to)
        text = diff.diff or _header(file)
        if len(text) > room:
            text = f"{_header(file)}\\ {len(text):,} characters of this diff are not shown.\n"
        room -= len(text)
        counts = {"additions": diff.additions, "deletions": diff.deletions}
        files.append({"path": file.path, "change": file.change, "moved_to": file.moved_to, "diff": text, **counts})
    return files


async def _loaded(target: ResolvedPath, uses: Sections, room: int, ctx: ToolContext) -> tuple[str, str]:
    """Return the text of a file and its SHA-256.

    Bytes that are not UTF-8 become lone surrogates; a byte order mark is kept as the first character. A file that is
    only deleted or moved may be binary. A file that is only deleted may have any size; the text of a large one is left
    out. `room` is the number of bytes that may still be loaded. Raises ToolError.
    """
    only_deleted = all(isinstance(use, DeleteFile) for use in uses)
    left_out = only_deleted and target.size > min(room, MAX_SHOWN_BYTES)
    if target.size > room and not left_out:
        raise ToolError(
            f"With {target.shown} the files of the patch are larger than {MAX_TEXT_BYTES >> 20} MiB together. "
            "Split the patch, or change large files with commands."
        )
    try:
        found = await ctx.runtime.read(target.real, limit=0 if left_out else None)
    except NotFound:
        raise await missing_file_error(target, ctx) from None
    if b"\0" in found.content and any(isinstance(use, UpdateFile) and use.hunks for use in uses):
        raise ToolError(f"{target.shown} is a binary file: it cannot be changed as text.")
    return found.content.decode("utf-8", "surrogateescape"), found.sha256


async def _refuse_link(path: str, target: ResolvedPath, ctx: ToolContext) -> None:
    folder, _, name = path.rpartition("/")
    above = await ctx.runtime.stat(folder or ("/" if path.startswith("/") else "."))
    if target.exists and name not in ("", ".", "..") and target.real != f"{above.real_path.rstrip('/')}/{name}":
        raise ToolError(f"{path} is a link to {target.shown}. Name that file, or use a command for the link itself.")


async def _not_as_seen(planned: PlannedPatch, resolved: ResolvedPatch, ctx: ToolContext) -> str | None:
    """Return an error message about a file that differs from what the agent last read; None if there is none."""
    for shown in planned.plan.texts():
        seen = await ctx.memory().seen_version(resolved.targets[shown].real)
        if seen is not None and planned.versions.get(shown, seen) != seen:
            return f"{shown} has changed since you last read it. Read it again before you change it."
    return None


async def _write(planned: PlannedPatch, resolved: ResolvedPatch, ctx: ToolContext) -> str | None:
    """Write the files of a planned patch. If a file changed since the patch was planned, nothing is written and a
    message is returned."""
    changes = await _changes(planned, resolved, ctx)
    try:
        await ctx.runtime.change(changes)
    except Conflict as conflict:
        return conflict.message
    except (SandboxRefused, LimitReached) as error:
        raise ToolError(f"{error.message} None of the files was changed.") from error
    for change in changes:
        if change.content is not None:
            await ctx.memory().remember_version(change.path, hashlib.sha256(change.content).hexdigest())
    return None


async def _changes(planned: PlannedPatch, resolved: ResolvedPatch, ctx: ToolContext) -> list[FileChange]:
    modes = await _modes(planned.plan.files, resolved, ctx)
    changes: list[FileChange] = []
    for shown, text in planned.plan.texts().items():
        content = None if text is None else text.encode("utf-8", "surrogateescape")
        expected = planned.versions.get(shown, Expect.ABSENT)
        changes.append(FileChange(resolved.targets[shown].real, content, expected, modes.get(shown)))
    return changes


async def _modes(files: Collection[PatchedFile], resolved: ResolvedPatch, ctx: ToolContext) -> dict[str, int]:
    """Return the file modes of moved files by their new paths, so that a move keeps the mode."""
    moved = {file.moved_to: resolved.targets[file.path].real for file in files if file.moved_to}
    return {target: (await ctx.runtime.stat(source)).mode for target, source in moved.items()}


def _clean(text: str | None) -> str | None:
    return None if text is None else clean(text)


def _header(file: PatchedFile) -> str:
    """Return the header of a diff without lines, for an empty file or a file that is only moved."""
    source = "/dev/null" if file.before is None else f"a/{file.path}"
    target = "/dev/null" if file.after is None else f"b/{file.moved_to or file.path}"
    return f"--- {source}\n+++ {target}\n"

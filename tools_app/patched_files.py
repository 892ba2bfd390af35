"""The files of a patch: found, read, judged and written together."""

import asyncio
import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sandbox.errors import Conflict, LimitReached, NotFound, SandboxRefused
from sandbox.ports import Expect, FileChange
from tools_app.arguments import Place, ToolArguments
from tools_app.diffing import unified_diff
from tools_app.editing.patch_text import AddFile, DeleteFile, Section, UpdateFile, leaves, paths_of, renamed
from tools_app.editing.patching import PatchedFile, PatchPlan, plan_patch
from tools_app.filetext import DELAYS, LARGEST_TEXT
from tools_app.similar_names import missing_file
from tools_app.spec import ToolContext, ToolError
from tools_app.text import clean

MOST_FILES: Final = 100
LARGEST_DIFFS: Final = 524_288
"""Characters of all diffs of a patch together that are kept and shown."""

LARGEST_SHOWN: Final = 1 << 20
"""Bytes of a file that is deleted, above which what it held is not shown."""

Sections = Sequence[Section]


@dataclass(frozen=True, slots=True)
class Named:
    """The sections of a patch with every path as people see it, and what each of these paths is."""

    sections: Sections
    places: Mapping[str, Place]


@dataclass(frozen=True, slots=True)
class Planned:
    """`versions` are the hashes of the files that were there."""

    plan: PatchPlan
    versions: Mapping[str, str]


async def name_files(args: ToolArguments, sections: Sections, ctx: ToolContext) -> Named:
    """Two names of one file become one. ToolError for too many files, and for a link that is to go: it would be what
    the link leads to that went."""
    paths = list(dict.fromkeys(path for section in sections for path in paths_of(section)))
    if len(paths) > MOST_FILES:
        raise ToolError(f"The patch names {len(paths)} files, and at most {MOST_FILES} are changed at once. Split it.")
    found = {path: await args.place(path, ctx.runtime) for path in paths}
    for section in sections:
        if leaves(section):
            await _refuse_link(section.path, found[section.path], ctx)
    shown = {path: place.shown for path, place in found.items()}
    return Named(
        [renamed(section, shown.__getitem__) for section in sections], {place.shown: place for place in found.values()}
    )


async def plan_files(named: Named, ctx: ToolContext) -> Planned:
    """What the patch makes of the files as they are now. ToolError when it does not suit them."""
    texts: dict[str, str] = {}
    versions: dict[str, str] = {}
    room = LARGEST_TEXT
    for shown, place in named.places.items():
        uses = [section for section in named.sections if shown in paths_of(section)]
        if not place.exists:
            if uses[0].path == shown and not isinstance(uses[0], AddFile):
                raise await missing_file(place, ctx.runtime)
            continue
        if place.kind != "file":
            raise ToolError(f"{shown} is not a file but a {place.kind}: name a file.")
        texts[shown] = ""
        sources = [use for use in uses if use.path == shown and not isinstance(use, AddFile)]
        if sources:
            texts[shown], versions[shown] = await _loaded(place, sources, room, ctx)
            room -= len(texts[shown])
    plan = await asyncio.to_thread(plan_patch, texts, named.sections)
    return Planned(plan, versions)


async def write_files(named: Named, ctx: ToolContext) -> PatchPlan:
    """Plan and write, all files or none, unless one is not what the agent last saw: ToolError then.

    As with a single file, what another call of the same step changed meanwhile is planned on anew, a few times.
    """
    for delay in DELAYS:
        await asyncio.sleep(delay)
        planned = await plan_files(named, ctx)
        stale = await _not_as_seen(planned, named, ctx)
        if stale is None:
            stale = await _write(planned, named, ctx)
        if stale is None:
            return planned.plan
    raise ToolError(f"{stale} None of the files was changed.")


def told(plan: PatchPlan) -> list[dict[str, Any]]:
    """The files as the interface shows them: {path, change, moved_to, diff, additions, deletions}."""
    files: list[dict[str, Any]] = []
    room = LARGEST_DIFFS
    for file in plan.files:
        diff = unified_diff(_clean(file.before), _clean(file.after), path=file.path, moved_to=file.moved_to)
        text = diff.diff or _header(file)
        if len(text) > room:
            text = f"{_header(file)}\\ {len(text):,} characters of this diff are not shown.\n"
        room -= len(text)
        counts = {"additions": diff.additions, "deletions": diff.deletions}
        files.append({"path": file.path, "change": file.change, "moved_to": file.moved_to, "diff": text, **counts})
    return files


async def _loaded(place: Place, uses: Sections, room: int, ctx: ToolContext) -> tuple[str, str]:
    """The text and its hash. Bytes that are not UTF-8 are surrogates in it, a byte order mark is its first character.
    What is only deleted or moved may be of any kind, and only deleted of any size: of a large one the text is left
    out. `room` is how many bytes may still be loaded."""
    only_deleted = all(isinstance(use, DeleteFile) for use in uses)
    left_out = only_deleted and place.size > min(room, LARGEST_SHOWN)
    if place.size > room and not left_out:
        raise ToolError(
            f"With {place.shown} the files of the patch are larger than {LARGEST_TEXT >> 20} MiB together. Split the "
            "patch, or change large files with commands."
        )
    try:
        found = await ctx.runtime.read(place.real, limit=0 if left_out else None)
    except NotFound:
        raise await missing_file(place, ctx.runtime) from None
    if b"\0" in found.content and any(isinstance(use, UpdateFile) and use.hunks for use in uses):
        raise ToolError(f"{place.shown} is a binary file: it cannot be changed as text.")
    return found.content.decode("utf-8", "surrogateescape"), found.sha256


async def _refuse_link(path: str, place: Place, ctx: ToolContext) -> None:
    folder, _, name = path.rpartition("/")
    above = await ctx.runtime.stat(folder or ("/" if path.startswith("/") else "."))
    if place.exists and name not in ("", ".", "..") and place.real != f"{above.real_path.rstrip('/')}/{name}":
        raise ToolError(f"{path} is a link to {place.shown}. Name that file, or use a command for the link itself.")


async def _not_as_seen(planned: Planned, named: Named, ctx: ToolContext) -> str | None:
    """A sentence about a file that is not what the agent last saw."""
    for shown in planned.plan.texts():
        seen = await ctx.memory.seen_version(named.places[shown].real)
        if seen is not None and planned.versions.get(shown, seen) != seen:
            return f"{shown} has changed since you last read it. Read it again before you change it."
    return None


async def _write(planned: Planned, named: Named, ctx: ToolContext) -> str | None:
    """A sentence about a file that changed while the patch was planned; then nothing was written."""
    changes = await _changes(planned, named, ctx)
    try:
        await ctx.runtime.change(changes)
    except Conflict as conflict:
        return conflict.message
    except (SandboxRefused, LimitReached) as error:
        raise ToolError(f"{error.message} None of the files was changed.") from error
    for change in changes:
        if change.content is not None:
            await ctx.memory.remember_version(change.path, hashlib.sha256(change.content).hexdigest())
    return None


async def _changes(planned: Planned, named: Named, ctx: ToolContext) -> list[FileChange]:
    modes = await _modes(planned.plan.files, named, ctx)
    changes: list[FileChange] = []
    for shown, text in planned.plan.texts().items():
        content = None if text is None else text.encode("utf-8", "surrogateescape")
        expected = planned.versions.get(shown, Expect.ABSENT)
        changes.append(FileChange(named.places[shown].real, content, expected, modes.get(shown)))
    return changes


async def _modes(files: Collection[PatchedFile], named: Named, ctx: ToolContext) -> dict[str, int]:
    """A file that moves keeps its mode."""
    moved = {file.moved_to: named.places[file.path].real for file in files if file.moved_to}
    return {target: (await ctx.runtime.stat(source)).mode for target, source in moved.items()}


def _clean(text: str | None) -> str | None:
    return None if text is None else clean(text)


def _header(file: PatchedFile) -> str:
    """Of a change that shows in no line: an empty file, or one that only moves."""
    source = "/dev/null" if file.before is None else f"a/{file.path}"
    target = "/dev/null" if file.after is None else f"b/{file.moved_to or file.path}"
    return f"--- {source}\n+++ {target}\n"

"""The sections of a patch put into a set of files, of which none is written here."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from tools_app.editing.errors import NothingToChange, PatchMisplaced
from tools_app.editing.hunks import put_hunks
from tools_app.editing.patch_text import AddFile, DeleteFile, Section, UpdateFile
from tools_app.editing.search_budget import OF_A_PATCH, Work

ChangeKind = Literal["add", "update", "delete", "move"]

_DONE: Final = {"add": "added", "update": "updated", "delete": "deleted", "move": "moved"}


@dataclass(frozen=True, slots=True)
class PatchedFile:
    """`before` is None for a file that is added, `after` for one that is deleted. A file that moves is named by where
    it was, and `moved_to` by where it will be."""

    path: str
    change: ChangeKind
    before: str | None
    after: str | None
    moved_to: str | None = None

    @property
    def done(self) -> str:
        """What happened to it, as a word."""
        return _DONE[self.change]


@dataclass(frozen=True, slots=True)
class PatchPlan:
    """`notes` are for the one who wrote the patch."""

    files: tuple[PatchedFile, ...]
    notes: tuple[str, ...]

    def texts(self) -> dict[str, str | None]:
        """Every path that changes, with what it will hold; None: nothing will be there."""
        texts: dict[str, str | None] = {}
        for file in self.files:
            texts |= {file.path: None} if file.moved_to else {file.path: file.after}
        return texts | {file.moved_to: file.after for file in self.files if file.moved_to}

    def with_texts(self, texts: Mapping[str, str]) -> "PatchPlan":
        """The same change, where something else has put these texts into files that it wrote."""
        files = (replace(file, after=texts.get(file.moved_to or file.path, file.after)) for file in self.files)
        return replace(self, files=tuple(files))


def plan_patch(files: Mapping[str, str], sections: Sequence[Section]) -> PatchPlan:
    """What the sections make of `files`, which are all that exist of the paths they name. Each works on what those
    before it left. Raises EditError."""
    drafts = _Drafts(files)
    for section in sections:
        drafts.take(section)
    changed = tuple(drafts.changed())
    if not changed:
        raise NothingToChange("The files already read as the patch would make them: there is nothing to change.")
    return PatchPlan(changed, tuple(drafts.notes))


@dataclass(frozen=True, slots=True)
class _Draft:
    """`origin` is where the text comes from: a path that was there before the patch, or None."""

    text: str
    origin: str | None


class _Drafts:
    """The files as the sections so far leave them."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._before = files
        self._now = {path: _Draft(text, path) for path, text in files.items()}
        self._moved: dict[str, str] = {}
        self._work = Work(OF_A_PATCH)
        self.notes: list[str] = []

    def take(self, section: Section) -> None:
        if isinstance(section, AddFile):
            self._refuse_existing(section.path, "Update it, or delete it first in the same patch.")
            self._now[section.path] = _Draft(section.content, origin=None)
        elif isinstance(section, DeleteFile):
            self._existing(section.path)
            del self._now[section.path]
        else:
            self._update(section)

    def changed(self) -> Iterator[PatchedFile]:
        """In the order of their paths."""
        moved = {draft.origin: path for path, draft in self._now.items() if self._is_move(path, draft)}
        for path in sorted({*self._before, *self._now}):
            before, draft = self._before.get(path), self._now.get(path)
            if draft is None and path in moved:
                yield PatchedFile(path, "move", before, self._now[moved[path]].text, moved[path])
            elif draft is None:
                yield PatchedFile(path, "delete", before, None)
            elif before is None and not self._is_move(path, draft):
                yield PatchedFile(path, "add", None, draft.text)
            elif before is not None and draft.text != before:
                yield PatchedFile(path, "update", before, draft.text)

    def _is_move(self, path: str, draft: _Draft) -> bool:
        """Only to where nothing was, and from where nothing is now: else what is lost there would not be told."""
        return draft.origin not in (None, path) and path not in self._before and draft.origin not in self._now

    def _update(self, section: UpdateFile) -> None:
        draft = self._existing(section.path)
        target = section.move_to if section.move_to != section.path else None
        if target is not None:
            self._refuse_existing(target, "Give another place, or delete that file first in the same patch.")
        patched = put_hunks(draft.text, section.hunks, path=section.path, work=self._work)
        self.notes += patched.notes
        if target is None and patched.text == draft.text:
            self.notes.append(f"A section about {section.path} changes nothing in it.")
        if target is not None:
            del self._now[section.path]
            self._moved[section.path] = target
        self._now[target or section.path] = replace(draft, text=patched.text)

    def _existing(self, path: str) -> _Draft:
        if path in self._now:
            return self._now[path]
        if path in self._moved:
            raise PatchMisplaced(f"The patch moves {path} to {self._moved[path]} before it changes it. Name it there.")
        if path in self._before:
            raise PatchMisplaced(f"The patch deletes {path} before it changes it.")
        raise PatchMisplaced(f"{path} does not exist. To make a new file, use `*** Add File:`.")

    def _refuse_existing(self, path: str, hint: str) -> None:
        if path in self._now:
            raise PatchMisplaced(f"{path} exists already. {hint}")

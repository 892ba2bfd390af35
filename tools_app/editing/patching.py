"""Apply the sections of a patch to a set of files in memory. Nothing is written here."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from tools_app.editing.errors import NothingToChange, PatchMisplaced
from tools_app.editing.hunks import apply_hunks
from tools_app.editing.patch_text import AddFile, DeleteFile, Section, UpdateFile
from tools_app.editing.search_budget import PATCH_ADVICE, SearchBudget

ChangeKind = Literal["add", "update", "delete", "move"]

_PAST_TENSE: Final = {"add": "added", "update": "updated", "delete": "deleted", "move": "moved"}


@dataclass(frozen=True, slots=True)
class PatchedFile:
    """The change that a patch makes to one file."""

    path: str
    """For a moved file, the old path."""
    change: ChangeKind
    before: str | None
    """The old text; None for an added file."""
    after: str | None
    """The new text; None for a deleted file."""
    moved_to: str | None = None
    """The new path of a moved file."""

    @property
    def past_tense(self) -> str:
        """The change of the file as a word in the past tense ("added")."""
        return _PAST_TENSE[self.change]


@dataclass(frozen=True, slots=True)
class PatchPlan:
    """The changes that a patch makes, before they are written."""

    files: tuple[PatchedFile, ...]
    notes: tuple[str, ...]
    """Messages to the author of the patch about doubtful hunks and sections without effect."""

    def texts(self) -> dict[str, str | None]:
        """Return each changed path with its new text; None means that no file will be there."""
        texts: dict[str, str | None] = {}
        for file in self.files:
            texts |= {file.path: None} if file.moved_to else {file.path: file.after}
        return texts | {file.moved_to: file.after for file in self.files if file.moved_to}

    def with_texts(self, texts: Mapping[str, str]) -> "PatchPlan":
        """Return the plan with the texts in `texts` (by path) as the new contents of its files, because a formatter has
        changed them."""
        files = (replace(file, after=texts.get(file.moved_to or file.path, file.after)) for file in self.files)
        return replace(self, files=tuple(files))


def plan_patch(files: Mapping[str, str], sections: Sequence[Section]) -> PatchPlan:
    """Apply the sections to `files` and return the resulting changes.

    `files` has the text of every existing file that the sections name. Each section is applied to the result of the
    sections before it. Raises EditError.
    """
    drafts = _Drafts(files)
    for section in sections:
        drafts.apply(section)
    changed = tuple(drafts.changed())
    if not changed:
        raise NothingToChange("The files already have the content that the patch would give them: nothing to change.")
    return PatchPlan(changed, tuple(drafts.notes))


@dataclass(frozen=True, slots=True)
class _Draft:
    """A file while a patch is applied, with the text after the sections that were applied so far."""

    text: str
    origin: str | None
    """The path at which the file existed before the patch; None for an added file."""


class _Drafts:
    """The files of a patch, with the changes of the sections that were applied so far."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._before = files
        self._now = {path: _Draft(text, path) for path, text in files.items()}
        self._moved: dict[str, str] = {}
        self._budget = SearchBudget(PATCH_ADVICE)
        self.notes: list[str] = []

    def apply(self, section: Section) -> None:
        if isinstance(section, AddFile):
            self._refuse_existing(section.path, "Update it, or delete it first in the same patch.")
            self._now[section.path] = _Draft(section.content, origin=None)
        elif isinstance(section, DeleteFile):
            self._existing(section.path)
            del self._now[section.path]
        else:
            self._update(section)

    def changed(self) -> Iterator[PatchedFile]:
        """Yield the changed files in the order of their paths."""
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
        """Return whether the patch moved a file to `path`.

        A move is only recognised if no file was at the new path and none is at the old path now. Otherwise the report
        would omit the overwritten file, or the new file at the old path.
        """
        return draft.origin not in (None, path) and path not in self._before and draft.origin not in self._now

    def _update(self, section: UpdateFile) -> None:
        draft = self._existing(section.path)
        target = section.move_to if section.move_to != section.path else None
        if target is not None:
            self._refuse_existing(target, "Give another path, or delete that file first in the same patch.")
        patched = apply_hunks(draft.text, section.hunks, path=section.path, budget=self._budget)
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
            raise PatchMisplaced(
                f"The patch moves {path} to {self._moved[path]} before it changes it. Use the new path."
            )
        if path in self._before:
            raise PatchMisplaced(f"The patch deletes {path} before it changes it. Remove one of the two sections.")
        raise PatchMisplaced(f"{path} does not exist. To make a new file, use `*** Add File:`.")

    def _refuse_existing(self, path: str, hint: str) -> None:
        if path in self._now:
            raise PatchMisplaced(f"{path} exists already. {hint}")

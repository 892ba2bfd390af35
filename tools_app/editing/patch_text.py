"""Parse the text of a patch into sections. No file is read here.

    *** Begin Patch
    *** Add File: path            every line of the file begins with `+`
    *** Delete File: path
    *** Update File: path
    *** Move to: path             optional
    @@ a line to find first       optional; with several, each is searched after the one before
     a line that is kept
    -a line that is removed
    +a line that is added
    *** End of File               optional: the lines above are the last of the file
    *** End Patch

Text before `*** Begin Patch` and after `*** End Patch` (a shell heredoc, for example) is ignored. Empty lines between
sections are ignored too.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from tools_app.editing.errors import PatchUnreadable

BEGIN: Final = "*** Begin Patch"
END: Final = "*** End Patch"
ADD: Final = "*** Add File:"
DELETE: Final = "*** Delete File:"
UPDATE: Final = "*** Update File:"
MOVE: Final = "*** Move to:"
END_OF_FILE: Final = "*** End of File"

_HEADERS: Final = (ADD, DELETE, UPDATE)
_BLANK: Final = ""  # text of an empty context line; models often omit its leading space
_LINE_NUMBERS: Final = re.compile(r"@@ -\d+(,\d+)? \+\d+(,\d+)? @@.*")
_MAX_CHARACTERS_SHOWN: Final = 80

Mark = Literal[" ", "-", "+"]


@dataclass(frozen=True, slots=True)
class HunkLine:
    mark: Mark
    text: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """A hunk of a patch: consecutive lines of one file, each of which is kept, removed or added."""

    contexts: tuple[str, ...]
    """The texts of the `@@` lines: lines of the file to find, in order, before the hunk itself."""
    lines: tuple[HunkLine, ...]
    at_end: bool
    """True if the old lines must be the last lines of the file."""

    @property
    def old(self) -> tuple[str, ...]:
        """The lines of the hunk that the file must contain: the kept lines and the removed lines."""
        return tuple(line.text for line in self.lines if line.mark != "+")


@dataclass(frozen=True, slots=True)
class AddFile:
    path: str
    content: str


@dataclass(frozen=True, slots=True)
class DeleteFile:
    path: str


@dataclass(frozen=True, slots=True)
class UpdateFile:
    path: str
    move_to: str | None
    hunks: tuple[Hunk, ...]


Section = AddFile | DeleteFile | UpdateFile


def paths_of(section: Section) -> tuple[str, ...]:
    """Return the paths that a section names: its file and, if the file moves, the new path."""
    if isinstance(section, UpdateFile) and section.move_to is not None:
        return section.path, section.move_to
    return (section.path,)


def removes_source(section: Section) -> bool:
    """Return whether no file is left at the section's path, because it is deleted or moved."""
    return isinstance(section, DeleteFile) or (isinstance(section, UpdateFile) and section.move_to is not None)


def renamed(section: Section, name: Callable[[str], str]) -> Section:
    """Return the section with each of its paths replaced by `name(path)`."""
    if isinstance(section, UpdateFile) and section.move_to is not None:
        return replace(section, path=name(section.path), move_to=name(section.move_to))
    return replace(section, path=name(section.path))


def read_patch(text: str) -> tuple[Section, ...]:
    """Parse a patch and return its sections in order, at least one. Raises PatchUnreadable, which names the line."""
    sections = _Reader(_lines(text)).sections()
    if not sections:
        raise PatchUnreadable("The patch has no section: it adds, deletes and updates no file.")
    return sections


def _lines(text: str) -> list[str]:
    """Split the patch into lines. If all of them end with CRLF, the CR is removed."""
    lines = text.split("\n")
    if len(lines) > 1 and all(line.endswith("\r") for line in lines[:-1]):
        return [line.removesuffix("\r") for line in lines]
    return lines


class _Reader:
    """The parser of a patch: it reads the lines in order, and `_at` is the index of the next line."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._at = 0

    def sections(self) -> tuple[Section, ...]:
        """Return the sections of all patches in the text, since some models send a patch in two parts."""
        if not self._skip_to_begin():
            raise PatchUnreadable(f"The patch has no line `{BEGIN}`. Begin with it, and end with `{END}`.")
        sections: list[Section] = []
        while True:
            while not self._is_at(END):
                sections += self._section()
            self._at += 1
            if not self._skip_to_begin():
                return tuple(sections)

    def _skip_to_begin(self) -> bool:
        while self._at < len(self._lines):
            self._at += 1
            if self._lines[self._at - 1].strip() == BEGIN:
                return True
        return False

    def _section(self) -> list[Section]:
        line = self._peek().rstrip()
        self._at += 1
        if not line:
            return []
        if line.startswith(ADD):
            return [AddFile(self._path(line, ADD), self._added_content())]
        if line.startswith(DELETE):
            return [DeleteFile(self._path(line, DELETE))]
        if line.startswith(UPDATE):
            return [self._update(self._path(line, UPDATE))]
        raise self._unreadable("A section begins with `*** Add File:`, `*** Delete File:` or `*** Update File:`")

    def _path(self, line: str, header: str) -> str:
        path = line.removeprefix(header).strip()
        if not path:
            raise self._unreadable("A path is missing")
        if path.endswith("/"):
            raise self._unreadable("A section must name a file, and this names a folder")
        return path

    def _added_content(self) -> str:
        """Read the content of an added file. An empty line without `+` between lines with `+` becomes an empty line of
        the file."""
        lines: list[str] = []
        while not self._is_at_header():
            line = self._peek()
            self._at += 1
            if not line.startswith("+") and line.strip():
                raise self._unreadable("Every line of an added file begins with `+`")
            lines.append(f"{line[1:]}\n" if line.startswith("+") else "")
        while lines and not lines[-1]:
            lines.pop()
        return "".join(line or "\n" for line in lines)

    def _update(self, path: str) -> UpdateFile:
        move_to = None
        if self._peek().startswith(MOVE):
            self._at += 1
            move_to = self._path(self._lines[self._at - 1].rstrip(), MOVE)
        hunks: list[Hunk] = []
        while not self._is_at_header():
            hunks += self._hunk()
        if not hunks and move_to is None:
            raise self._unreadable(
                f"The update of {path[:_MAX_CHARACTERS_SHOWN]} changes nothing. Give its lines with `-` and `+`"
            )
        return UpdateFile(path, move_to, tuple(hunks))

    def _hunk(self) -> list[Hunk]:
        """Read one hunk. Returns an empty list if only empty lines are left."""
        contexts = self._contexts()
        lines: list[HunkLine | None] = []
        while not (self._is_at_header() or self._is_at(END_OF_FILE) or self._peek().startswith("@@")):
            lines.append(self._hunk_line())
        at_end = self._is_at(END_OF_FILE)
        self._at += at_end
        if not at_end:
            _drop_blank_end(lines)
        if not lines and contexts is None and not at_end:
            return []
        if not lines:
            raise self._unreadable("No line of the update follows it")
        return [Hunk(contexts or (), tuple(line or HunkLine(" ", _BLANK) for line in lines), bool(at_end))]

    def _contexts(self) -> tuple[str, ...] | None:
        """Read the texts of consecutive `@@` lines. Returns None if the next line is not a `@@` line."""
        first, texts = self._at, list[str]()
        while self._peek().startswith("@@"):
            line = self._peek().rstrip()
            self._at += 1
            text = line.removeprefix("@@").removesuffix("@@").strip("\r")
            if text.strip() and not _LINE_NUMBERS.fullmatch(line):
                texts.append(text.rstrip().removeprefix(" "))
        return tuple(texts) if self._at > first else None

    def _hunk_line(self) -> HunkLine | None:
        """Read one line of a hunk. Returns None for an empty line."""
        line = self._peek().removesuffix("\r")
        self._at += 1
        if not line:
            return None
        if line[0] == " ":
            return HunkLine(" ", line[1:])
        if line[0] == "-":
            return HunkLine("-", line[1:])
        if line[0] == "+":
            return HunkLine("+", line[1:])
        raise self._unreadable("A line of an update begins with a space, `-`, `+` or `@@`")

    def _is_at(self, marker: str) -> bool:
        return self._peek().rstrip() == marker

    def _is_at_header(self) -> bool:
        return self._is_at(END) or self._peek().startswith(_HEADERS)

    def _peek(self) -> str:
        if self._at >= len(self._lines):
            raise PatchUnreadable(f"The patch has no line `{END}`: it may have been cut off. Send the whole patch.")
        return self._lines[self._at]

    def _unreadable(self, expected: str) -> PatchUnreadable:
        """Return an error about the line that was read last; `expected` says what the line should be."""
        line = self._lines[self._at - 1]
        return PatchUnreadable(
            f"Line {self._at} of the patch cannot be read: {line[:_MAX_CHARACTERS_SHOWN]!r}. {expected}."
        )


def _drop_blank_end(lines: list[HunkLine | None]) -> None:
    """Remove the empty lines at the end of a hunk. They separate it from the next section and are not context."""
    while lines and lines[-1] is None:
        lines.pop()

"""Read the packages in which people upload skills: zip files with a SKILL.md. Pure.

A package is not trusted. Entries of the zip file that a skill does not need are refused: paths that lead out of the
folder, links, devices, two entries with one path, and contents larger than the entry says.
"""

import io
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from agentsite.base.redaction import find_key
from tools_app.skills import MAX_FILE_BYTES, SKILL_FILE, parse_skill

MAX_ZIP_BYTES: Final = 2 << 20
MAX_BYTES: Final = 4 << 20  # of all files, unpacked
MAX_FILES: Final = 100
MAX_PATH_BYTES: Final = 200
_JUNK: Final = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db"})  # what file managers add
_ENCRYPTED: Final = 0x1  # flag bit of zip entries
_READ_BYTES: Final = 1 << 16
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
_RUNNABLE: Final = 0o755
_PLAIN: Final = 0o644


class BadPackage(ValueError):
    """The file is not a package with a skill; the message of the error is a sentence for people."""


@dataclass(frozen=True, slots=True)
class PackagedFile:
    """A file of a skill."""

    content: bytes
    runnable: bool = False


@dataclass(frozen=True, slots=True)
class SkillPackageContent:
    """The content of a skill. `files` has the skill's files, including SKILL.md, by their path in the skill's
    folder."""

    name: str
    description: str
    files: Mapping[str, PackagedFile]

    @property
    def size(self) -> int:
        """Return the size of all files in bytes."""
        return sum(len(file.content) for file in self.files.values())


def read_package(content: bytes, *, file_name: str = "") -> SkillPackageContent:
    """Return the skill in a zip file. If the SKILL.md has no name, the skill gets the name of its folder or, without
    one, of the zip file. Raises BadPackage."""
    if len(content) > MAX_ZIP_BYTES:
        raise BadPackage(f"The file is larger than {MAX_ZIP_BYTES >> 20} MiB.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            found = dict(_files(archive))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError, RuntimeError) as error:
        if isinstance(error, BadPackage):
            raise
        raise BadPackage("The file is not a zip file, or it is damaged.") from None
    folder, files = _without_top_folder(found)
    return describe(folder or file_name.rpartition("/")[2].removesuffix(".zip"), files)


def pack(files: Mapping[str, PackagedFile]) -> bytes:
    """Return a zip file with these files. Equal files give equal bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, file in sorted(files.items()):
            entry = zipfile.ZipInfo(path, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (stat.S_IFREG | (_RUNNABLE if file.runnable else _PLAIN)) << 16
            archive.writestr(entry, file.content)
    return buffer.getvalue()


def unpack(content: bytes) -> dict[str, PackagedFile]:
    """Return the files of a zip file that `pack` made."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return dict(_files(archive))


def _files(archive: zipfile.ZipFile) -> Iterator[tuple[str, PackagedFile]]:
    left, seen = MAX_BYTES, set[str]()
    for entry in archive.infolist():
        path = _checked_path(entry)
        if entry.is_dir() or not _JUNK.isdisjoint(path.split("/")):
            continue
        if path.casefold() in seen:
            raise BadPackage(f"Two entries of the zip file have the path '{_shown(path)}'.")
        seen.add(path.casefold())
        if len(seen) > MAX_FILES:
            raise BadPackage(f"The skill has more than {MAX_FILES} files.")
        content = _content(archive, entry, left)
        left -= len(content)
        yield path, PackagedFile(content, _is_runnable(entry, content))


def _checked_path(entry: zipfile.ZipInfo) -> str:
    """Return the path of a zip entry, without a slash at its end. Raises BadPackage if the path or the kind of the
    entry is not allowed."""
    raw, path = entry.orig_filename, plain_path(entry.orig_filename)
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        what = "a link" if kind == stat.S_IFLNK else "not a file"
        raise BadPackage(f"The entry '{_shown(raw)}' is {what}. A skill has only files and folders.")
    if entry.flag_bits & _ENCRYPTED:
        raise BadPackage("The zip file is encrypted with a password. Make one without.")
    return path


def plain_path(raw: str) -> str:
    """Return `raw` as a path in the skill's folder, without a slash at its end. Raises BadPackage if the path leads out
    of the folder."""
    path = raw.rstrip("/")
    if raw.startswith("/") or "\\" in raw or ":" in raw or any(part in ("", ".", "..") for part in path.split("/")):
        raise BadPackage(f"The entry '{_shown(raw)}' leads out of the skill's folder, or has no plain path.")
    if not path.isprintable() or len(path.encode("utf-8", "surrogatepass")) > MAX_PATH_BYTES:
        raise BadPackage(f"The path '{_shown(raw)}' is too long, or has characters that cannot be shown.")
    return path


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
    """Return the content of a zip entry. At most `most` bytes are unpacked, whatever size the entry claims."""
    pieces, size = [], 0
    with archive.open(entry) as source:
        while piece := source.read(_READ_BYTES):
            size += len(piece)
            if size > most:
                raise BadPackage(f"Unpacked, the skill has more than {MAX_BYTES >> 20} MiB.")
            pieces.append(piece)
    return b"".join(pieces)


def _is_runnable(entry: zipfile.ZipInfo, content: bytes) -> bool:
    """Return whether a file is a program: by its mode, or by its content because zip files of some systems have no
    modes."""
    return bool(entry.external_attr >> 16 & 0o111) or content.startswith(b"#!")


def _without_top_folder(files: Mapping[str, PackagedFile]) -> tuple[str, dict[str, PackagedFile]]:
    """Return the name of the top folder that contains all files, and the files by their path in it.

    Without such a folder, return "" and the files unchanged.
    """
    tops = {path.partition("/")[0] for path in files}
    if SKILL_FILE in files or len(tops) != 1:
        return "", dict(files)
    (top,) = tops
    return top, {path.partition("/")[2]: file for path, file in files.items()}


def describe(folder: str, files: Mapping[str, PackagedFile]) -> SkillPackageContent:
    """Build the skill that consists of these files. Its name is the name in its SKILL.md or, without one, `folder`.
    Raises BadPackage."""
    file = files.get(SKILL_FILE)
    if file is None:
        raise BadPackage(f"The zip file has no {SKILL_FILE}, neither at its top nor in its single folder.")
    if len(file.content) > MAX_FILE_BYTES:
        raise BadPackage(f"{SKILL_FILE} has more than {MAX_FILE_BYTES >> 10} KiB.")
    try:
        text = file.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadPackage(f"{SKILL_FILE} is not UTF-8 text.") from None
    if key := find_key(text):
        raise BadPackage(f"{SKILL_FILE} contains what looks like a key or token ('{key}…'). Agents would read it.")
    skill = parse_skill(folder, text)
    if skill.problem:
        raise BadPackage(f"{SKILL_FILE} cannot be used. {skill.problem}")
    return SkillPackageContent(skill.name, skill.description, files)


def _shown(path: str) -> str:
    return path[:100].encode("unicode_escape").decode("ascii") if not path.isprintable() else path[:100]

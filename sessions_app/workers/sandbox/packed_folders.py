"""Pack a folder of a workspace into a zip file for a person, under the rules of their session."""

import stat
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from asgiref.sync import sync_to_async

from sandbox.errors import NotFound, WrongKind
from sandbox.ports import FileStat, Runtime
from sessions_app.models import Workspace
from sessions_app.queries.questions import PackFolderQuestion
from sessions_app.workers.sandbox.downloads import new_download
from sessions_app.workers.sandbox.person_files import PersonFiles, Refused, carry_out
from tools_app.arguments import ResolvedPath
from tools_app.text import is_clean

MAX_ENTRIES: Final = 10_000
MAX_BYTES: Final = 512 << 20
PIECE_BYTES: Final = 16 << 20  # the whole file is hashed for each piece
QUICKLY: Final = 1  # compression level
FIRST_DATE: Final = (1980, 1, 1, 0, 0, 0)  # before it, zip files have no dates
INSTEAD: Final = "Download a folder in it, or the archive of the session, which has all files."


async def make_folder_download(workspace: Workspace, runtime: Runtime, question: PackFolderQuestion) -> dict[str, Any]:
    """Write the zip file and return its `token`, its `size` in bytes, and the number of entries that were left out; or
    {problem, message} if the folder is refused. Raises SandboxError."""
    token, path = new_download(workspace)
    try:
        answer = await carry_out(runtime, question, lambda files: _pack(files, question.path, path))
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    if "problem" in answer:
        path.unlink(missing_ok=True)
        return answer
    return {"token": token, "size": path.stat().st_size, **answer}


async def _pack(files: PersonFiles, wanted: str, path: Path) -> dict[str, Any]:
    top = await files.folder(wanted)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=QUICKLY) as archive:
        packing = _Packing(files, archive)
        async for entry, place, may in files.below(top):
            name = place.real.removeprefix(top.real).lstrip("/")
            if may and _is_plain(name) and entry.kind in ("file", "directory"):
                await packing.add(name, entry, place)
            else:
                packing.left_out += 1
        return {"left_out": packing.left_out}


def _is_plain(name: str) -> bool:
    """Return whether a name in a zip file is valid text without backslash, so that every system unpacks it to the same
    path."""
    return is_clean(name) and "\\" not in name


@dataclass
class _Packing:
    """A zip file while a folder is packed into it, with counts of its entries, of the entries left out, and of its
    bytes."""

    files: PersonFiles
    archive: zipfile.ZipFile
    left_out: int = 0
    count: int = 0
    size: int = 0

    async def add(self, name: str, entry: FileStat, place: ResolvedPath) -> None:
        self.count += 1
        self.size += entry.size if entry.kind == "file" else 0
        if self.count > MAX_ENTRIES:
            raise Refused("refused", f"The folder has more than {MAX_ENTRIES:,} files and folders. {INSTEAD}")
        if self.size > MAX_BYTES:
            raise Refused("refused", f"The folder has more than {MAX_BYTES >> 20} MiB. {INSTEAD}")
        if entry.kind == "directory":
            self.archive.writestr(_described(f"{name}/", entry), b"")
            return
        try:
            await self._add_file(name, entry, place)
        except (NotFound, WrongKind):  # removed, or replaced by a link, while the folder was read
            self.left_out += 1

    async def _add_file(self, name: str, entry: FileStat, place: ResolvedPath) -> None:
        """Add a file to the zip file. Raises Refused if the file changes while it is read."""
        piece = first = await self.files.content(place, 0, PIECE_BYTES)
        read = 0
        with self.archive.open(_described(name, entry), "w") as member:
            while piece.content:
                await sync_to_async(member.write, thread_sensitive=False)(piece.content)
                read += len(piece.content)
                if read >= first.size:
                    break
                piece = await self.files.content(place, read, PIECE_BYTES)
                if piece.sha256 != first.sha256:
                    raise Refused("changed", f"{place.shown} changed while the folder was packed. Try again.")
        self.size += max(0, read - entry.size)


def _described(name: str, entry: FileStat) -> zipfile.ZipInfo:
    changed = datetime.fromtimestamp(entry.modified_ns / 1e9, UTC).timetuple()[:6]
    info = zipfile.ZipInfo(name, max(FIRST_DATE, changed))
    info.compress_type = zipfile.ZIP_DEFLATED
    kind = stat.S_IFDIR if entry.kind == "directory" else stat.S_IFREG
    info.external_attr = (kind | (0o755 if entry.mode & 0o100 else 0o644)) << 16
    info.file_size = entry.size if entry.kind == "file" else 0
    return info

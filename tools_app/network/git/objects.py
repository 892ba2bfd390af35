"""Store: a bare repository in which the door reads the objects of a push. Nothing in it is executed.

git runs without configuration files from outside, without network and hooks, and with little time and memory. Only
`index-pack` and `cat-file` are used.
"""

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

INDEX_TIMEOUT: Final = 120.0  # seconds
READ_TIMEOUT: Final = 20.0  # seconds for one object
CPU_SECONDS: Final = 120
MEMORY_KIB: Final = 4 << 20
MAX_OBJECT: Final = 16 << 20  # bytes of a commit or a tree that is looked at
BOUNDED: Final = f'ulimit -v {MEMORY_KIB} -t {CPU_SECONDS} -c 0; exec nice -n 10 git "$@"'


class Unreadable(Exception):
    """Git objects could not be read. The message says why, as a part of a sentence."""


class Store:
    """Objects of one pack. Close it after use."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._reader: asyncio.subprocess.Process | None = None
        self.is_empty = True

    async def __aenter__(self) -> Self:
        self._folder.mkdir()
        for name in ("objects/pack", "refs"):
            (self._folder / name).mkdir(parents=True)
        (self._folder / "HEAD").write_text("ref: refs/heads/none\n")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._reader is not None:
            with suppress(ProcessLookupError):
                self._reader.kill()
            await self._reader.communicate()  # and not only wait, which would leave its pipes open

    async def add_pack(self, pack: Path, *, object_format: str = "sha1") -> None:
        """Add the objects of a pack. Raises Unreadable if it is broken or not complete in itself."""
        self._configure(object_format)
        git = await self._start("index-pack", "--stdin", "--threads=1", stdin=pack)
        try:
            async with asyncio.timeout(INDEX_TIMEOUT):
                await git.communicate()
        except TimeoutError:
            git.kill()
            await git.communicate()
            raise Unreadable("its pack takes too long to read") from None
        if git.returncode:
            raise Unreadable("its pack is broken or not complete in itself")
        self.is_empty = False

    async def read(self, object_id: str) -> tuple[str, bytes] | None:
        """Return the kind and the content of an object; None if it is not in the store. Raises Unreadable."""
        if self.is_empty:
            return None
        try:
            async with asyncio.timeout(READ_TIMEOUT):
                return await self._read(object_id)
        except (TimeoutError, OSError, asyncio.IncompleteReadError, ValueError):
            raise Unreadable("its objects cannot be read") from None

    async def _read(self, object_id: str) -> tuple[str, bytes] | None:
        if self._reader is None:
            self._reader = await self._start("cat-file", "--batch")
        reader = self._reader
        if reader.stdin is None or reader.stdout is None:
            raise OSError("git has no pipes.")
        reader.stdin.write(f"{object_id}\n".encode())
        await reader.stdin.drain()
        head = (await reader.stdout.readline()).decode("ascii", "replace").split()
        if len(head) != 3:
            if not head:
                raise asyncio.IncompleteReadError(b"", None)
            return None
        kind, size = head[1], int(head[2])
        if size > MAX_OBJECT:
            raise Unreadable("one of its objects is too large to read")
        content = await reader.stdout.readexactly(size + 1)
        return kind, content[:-1]

    def _configure(self, object_format: str) -> None:
        extension = "[extensions]\n\tobjectFormat = sha256\n" if object_format == "sha256" else ""
        version = 1 if extension else 0
        config = f"[core]\n\trepositoryformatversion = {version}\n\tbare = true\n{extension}"
        (self._folder / "config").write_text(config)

    async def _start(self, *arguments: str, stdin: Path | None = None) -> asyncio.subprocess.Process:
        given = stdin.open("rb") if stdin else None
        try:
            return await asyncio.create_subprocess_exec(
                "/bin/sh", "-c", BOUNDED, "git", *arguments,
                stdin=given or asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL, env=self._environment(), cwd=self._folder, limit=1 << 20,
            )  # fmt: skip
        finally:
            if given:
                given.close()

    def _environment(self) -> Mapping[str, str]:
        return {
            "PATH": os.defpath,
            "HOME": str(self._folder),
            "GIT_DIR": str(self._folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_TERMINAL_PROMPT": "0",
        }


def parents_of(commit: bytes) -> list[str]:
    """Return the ids of a commit's parents."""
    head = commit.partition(b"\n\n")[0].split(b"\n")
    return [line[7:].decode("ascii", "replace") for line in head if line.startswith(b"parent ")]


def tree_of(commit: bytes) -> str:
    """Return the id of a commit's tree. Raises Unreadable."""
    if not commit.startswith(b"tree "):
        raise Unreadable("one of its commits is broken")
    return commit[5:].partition(b"\n")[0].decode("ascii", "replace")


def entries_of(tree: bytes, id_bytes: int = 20) -> dict[bytes, str]:
    """Return the ids of a tree's entries by name. Raises Unreadable."""
    found: dict[bytes, str] = {}
    at = 0
    while at < len(tree):
        end = tree.find(b"\0", at)
        space = tree.find(b" ", at, end)
        if end < 0 or space < 0 or end + 1 + id_bytes > len(tree):
            raise Unreadable("one of its folders is broken")
        found[tree[space + 1 : end]] = tree[end + 1 : end + 1 + id_bytes].hex()
        at = end + 1 + id_bytes
    return found

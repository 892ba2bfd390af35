"""The journal: the outcome of every call, in a file that only the runner can access and that outlives the container.

It is a sequence of frames, append-only: one when a call is about to start, one with its output when it has ended. So a
repeated request is answered from the journal, and a call that started but never ended is known to be lost. It survives
the killing of any process, but not a power failure of the host (nothing is synced; the command would not have survived
either). Its size is bounded: when the file grows too large, the oldest outputs are dropped first, then the oldest
calls.
"""

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from . import frames

KEPT_CALLS: Final = 10_000  # when the file is compacted
KEPT_BYTES: Final = 32 << 20  # of output, when the file is compacted
FILE_LIMIT: Final = 96 << 20  # bytes, above which the file is compacted


class JournalEntry:
    """The journal's entry for one call.

    `request` is the digest of its request. `result` is None until the call has ended; its output has `size` bytes in
    the file at `offset`. `background` is the data with which a background call is listed, None for other calls.
    """

    __slots__ = ("background", "call_id", "offset", "request", "result", "size")

    def __init__(self, call_id: str, request: str, background: Mapping[str, Any] | None = None) -> None:
        self.call_id = call_id
        self.request = request
        self.result: dict[str, Any] | None = None
        self.offset = 0
        self.size = 0
        self.background = background


class Journal:
    """The journal's file and an index of the calls in it. Not thread-safe: `calls` holds its lock around every use."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._entries: dict[str, JournalEntry] = {}
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._end = self._replay()
        os.ftruncate(self._fd, self._end)

    def find(self, call_id: str) -> JournalEntry | None:
        return self._entries.get(call_id)

    def in_background(self) -> list[JournalEntry]:
        """Return the entries of background calls, oldest first."""
        return [entry for entry in self._entries.values() if entry.background is not None]

    def start(self, call_id: str, request: str, background: Mapping[str, Any] | None = None) -> None:
        """Record that a call is about to start. Raises OSError if that cannot be written."""
        more = {} if background is None else {"background": dict(background)}
        self._append({"call": call_id, "request": request, **more})
        self._entries[call_id] = JournalEntry(call_id, request, background=background)

    def finish(self, call_id: str, result: dict[str, Any], output: bytes) -> None:
        """Record the result and output of a call that has ended.

        If the disk is full, the output is not kept, and after a restart the result is lost too; the call itself is
        unaffected.
        """
        entry = self._entries[call_id]
        entry.result = {**result, "dropped": result["total"]}
        try:
            entry.offset = self._append({"call": call_id, "result": result}, output)
            entry.result, entry.size = result, len(output)
            if self._end > FILE_LIMIT:
                self._compact()
        except OSError as error:
            sys.stderr.write(f"The journal could not be written: {error}\n")

    def withdraw(self, call_id: str) -> None:
        """Forget a call that could not be started, so that it may be tried again.

        If the disk is full, the withdrawal cannot be recorded, and after a restart the call counts as lost.
        """
        self._entries.pop(call_id, None)
        try:
            self._append({"call": call_id, "withdrawn": True})
        except OSError as error:
            sys.stderr.write(f"The journal could not be written: {error}\n")

    def output(self, entry: JournalEntry) -> bytes:
        return os.pread(self._fd, entry.size, entry.offset)

    def _append(self, header: frames.Header, body: bytes = b"") -> int:
        """Append a frame and return the offset of its body in the file."""
        head = frames.encode_head(header, len(body))
        written = os.writev(self._fd, [head, body])
        if written != len(head) + len(body):
            os.ftruncate(self._fd, self._end)
            raise OSError("The journal could not be written.")
        offset = self._end + len(head)
        self._end = offset + len(body)
        return offset

    def _replay(self) -> int:
        """Rebuild the index and return the end of the last complete frame. An incomplete one is ignored."""
        size, position = os.fstat(self._fd).st_size, 0
        while position + frames.PREFIX.size <= size:
            lengths = frames.PREFIX.unpack(os.pread(self._fd, frames.PREFIX.size, position))
            body_at = position + frames.PREFIX.size + lengths[0]
            if body_at + lengths[1] > size:
                break
            try:
                frames.check_sizes(*lengths)
                header = frames.decode_header(os.pread(self._fd, lengths[0], position + frames.PREFIX.size))
            except frames.FrameError:
                break
            self._apply(header, body_at, lengths[1])
            position = body_at + lengths[1]
        return position

    def _apply(self, header: frames.Header, offset: int, size: int) -> None:
        """Update the index from one frame. Frames for unknown calls and repeated frames are ignored."""
        call_id, request, result = header.get("call"), header.get("request"), header.get("result")
        if not isinstance(call_id, str):
            return
        if isinstance(request, str):
            background = header.get("background")
            known = background if isinstance(background, dict) else None
            self._entries.setdefault(call_id, JournalEntry(call_id, request, background=known))
        if header.get("withdrawn"):
            self._entries.pop(call_id, None)
        if isinstance(result, dict) and (entry := self._entries.get(call_id)) and entry.result is None:
            entry.result, entry.offset, entry.size = result, offset, size

    def _compact(self) -> None:
        """Copy the newest calls and outputs to a new file, and replace the journal's file by it."""
        kept = list(self._entries.values())[-KEPT_CALLS:]
        outputs = self._outputs_to_keep(kept)
        temporary = f"{self._path}.new"
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        fresh = Journal(temporary)
        for entry in kept:
            fresh.start(entry.call_id, entry.request, entry.background)
            if entry.result is not None:
                output = self.output(entry) if entry.call_id in outputs else b""
                lost = entry.size - len(output)
                fresh.finish(entry.call_id, {**entry.result, "dropped": entry.result["dropped"] + lost}, output)
        os.rename(temporary, self._path)
        os.close(self._fd)
        self._fd, self._end, self._entries = fresh._fd, fresh._end, fresh._entries

    @staticmethod
    def _outputs_to_keep(entries: list[JournalEntry]) -> set[str]:
        """Return the ids of the newest calls whose outputs fit into `KEPT_BYTES` together."""
        wanted, budget = set(), KEPT_BYTES
        for entry in reversed(entries):
            budget -= entry.size
            if budget < 0:
                break
            wanted.add(entry.call_id)
        return wanted

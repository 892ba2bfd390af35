"""Collect the diagnostics that a server publishes in notifications, and wait until they are complete."""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Final

from lsprotocol import types

from tools_app.languages.protocol import Finding, read_published, to_path

SETTLE_SECONDS: Final = 0.15
"""Time without further notifications after which the diagnostics count as complete, since servers send several."""
MAX_FILES: Final = 500  # whose diagnostics are kept
BEGIN_PROGRESS: Final = "pyright/beginProgress"
END_PROGRESS: Final = "pyright/endProgress"
"""Between these two notifications, pyright analyses files again and withdraws their earlier diagnostics."""


class PublishedDiagnostics:
    """The published diagnostics of each file. Diagnostics for an older version of a file are ignored."""

    def __init__(self) -> None:
        self._published: OrderedDict[str, Mapping[str, Any]] = OrderedDict()
        self._versions: dict[str, int] = {}
        self._is_busy = False
        self._changed = asyncio.Event()

    def expect(self, path: str, version: int) -> None:
        """Record the new version of a file, and discard the diagnostics of its earlier version."""
        self._versions[path] = version
        self._published.pop(path, None)

    def receive(self, method: str, params: Any) -> None:
        """Handle a notification of the server. Malformed notifications, and notifications of other kinds, are
        ignored."""
        if method in {BEGIN_PROGRESS, END_PROGRESS}:
            self._is_busy = method == BEGIN_PROGRESS
            self._changed.set()
        elif method == types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS:
            self._store(params)

    def _store(self, params: Any) -> None:
        """Store a server's notification with the diagnostics of a file. Diagnostics are parsed only when needed, since
        a server may publish many."""
        uri, version = (params.get("uri"), params.get("version")) if isinstance(params, Mapping) else (None, None)
        path = to_path(uri) if isinstance(uri, str) else None
        if path is None or (isinstance(version, int) and version < self._versions.get(path, version)):
            return
        self._published[path] = params
        self._published.move_to_end(path)
        if len(self._published) > MAX_FILES:
            self._published.popitem(last=False)
        self._changed.set()

    async def wait_for(self, path: str) -> list[Finding]:
        """Return the diagnostics of a file's current version.

        Waits until the server has published diagnostics of this version, is not busy, and has sent nothing more for
        `SETTLE_SECONDS`.
        """
        previous = None
        while True:
            self._changed.clear()
            current = self._published.get(path)
            may_be_complete = current is not None and not self._is_busy
            if current is not None and may_be_complete and current is previous:
                return await asyncio.to_thread(read_published, current)
            previous = current
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(SETTLE_SECONDS if may_be_complete else None):
                    await self._changed.wait()

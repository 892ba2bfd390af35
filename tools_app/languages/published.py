"""What a server says about files by itself, and waiting for it."""

import asyncio
from collections import OrderedDict
from typing import Any, Final

from tools_app.languages.jsonrpc import ServerFailed
from tools_app.languages.protocol import Finding, read_published

SETTLED: Final = 0.15
"""Seconds without news after which what was said is taken for all there is: servers speak in several goes."""
MOST_KEPT: Final = 500


class Published:
    """By path. What was said about an older text of a file does not count."""

    def __init__(self) -> None:
        self._said: OrderedDict[str, tuple[int, list[Finding]]] = OrderedDict()
        self._wanted: dict[str, int] = {}
        self._count = 0
        self._news = asyncio.Event()

    def expect(self, path: str, version: int) -> None:
        """The file has a new text; what is known of it does not count any more."""
        self._wanted[path] = version
        self._said.pop(path, None)

    def hear(self, params: Any) -> None:
        """Nonsense is not heard."""
        try:
            path, version, findings = read_published(params)
        except ServerFailed:
            return
        if path is None or (version is not None and version < self._wanted.get(path, version)):
            return
        self._count += 1
        self._said[path] = (self._count, findings)
        self._said.move_to_end(path)
        if len(self._said) > MOST_KEPT:
            self._said.popitem(last=False)
        self._news.set()

    async def wait_for(self, path: str) -> list[Finding]:
        """As soon as something was said about its text, and nothing more for a moment."""
        heard = -1
        while True:
            self._news.clear()
            count, findings = self._said.get(path, (-1, []))
            if count >= 0 and count == heard:
                return findings
            heard = count
            try:
                async with asyncio.timeout(SETTLED if count >= 0 else None):
                    await self._news.wait()
            except TimeoutError:
                continue

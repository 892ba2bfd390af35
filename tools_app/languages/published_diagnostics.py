"""What a server says about files by itself, and waiting for it."""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Final

from lsprotocol import types

from tools_app.languages.protocol import Finding, read_published, to_path

SETTLED: Final = 0.15
"""Seconds without news after which what was said is taken for all there is: servers speak in several goes."""
MOST_KEPT: Final = 500
BEGINS: Final = "pyright/beginProgress"
ENDS: Final = "pyright/endProgress"
"""While it looks at files anew, pyright takes back what it said about them, and says this around it."""


class Published:
    """By path. What was said about an older text of a file does not count."""

    def __init__(self) -> None:
        self._said: OrderedDict[str, Mapping[str, Any]] = OrderedDict()
        self._wanted: dict[str, int] = {}
        self._is_busy = False
        self._news = asyncio.Event()

    def expect(self, path: str, version: int) -> None:
        """The file has a new text; what is known of it does not count any more."""
        self._wanted[path] = version
        self._said.pop(path, None)

    def hear(self, method: str, params: Any) -> None:
        """What is neither about files nor about work going on is not heard, and neither is nonsense."""
        if method in {BEGINS, ENDS}:
            self._is_busy = method == BEGINS
            self._news.set()
        elif method == types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS:
            self._take(params)

    def _take(self, params: Any) -> None:
        """It is read when somebody wants it: a server may say a lot that nobody asks for."""
        uri, version = (params.get("uri"), params.get("version")) if isinstance(params, Mapping) else (None, None)
        path = to_path(uri) if isinstance(uri, str) else None
        if path is None or (isinstance(version, int) and version < self._wanted.get(path, version)):
            return
        self._said[path] = params
        self._said.move_to_end(path)
        if len(self._said) > MOST_KEPT:
            self._said.popitem(last=False)
        self._news.set()

    async def wait_for(self, path: str) -> list[Finding]:
        """As soon as something was said about its text, the server is at rest, and nothing more came for a moment."""
        heard = None
        while True:
            self._news.clear()
            said = self._said.get(path)
            may_be_all = said is not None and not self._is_busy
            if said is not None and may_be_all and said is heard:
                return await asyncio.to_thread(read_published, said)
            heard = said
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(SETTLED if may_be_all else None):
                    await self._news.wait()

"""Watch a page between and during actions: its console, its requests, and dialogs and other features that agents cannot
use."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

from tools_app.browser.console import ConsoleLog, add_call, add_entry, add_exception
from tools_app.browser.devtools import BrowserFailed

MAX_NOTICES: Final = 10
MAX_REQUESTS: Final = 2_000
QUIET_SECONDS: Final = 0.2
STEP_SECONDS: Final = 0.02
AWAITED: Final = frozenset({"Document", "Stylesheet", "Image", "Font", "Script", "XHR", "Fetch"})
"""Kinds of requests after whose end a page is complete; not sockets and streams, which stay open."""

Later = Callable[[Coroutine[Any, Any, object]], None]
Call = Callable[..., Coroutine[Any, Any, Mapping[str, Any]]]


class PageWatch:
    """The state of one browser page, updated from its events. Commands that an event calls for are sent through
    `later`."""

    def __init__(self, call: Call, later: Later) -> None:
        self.console = ConsoleLog()
        self.elements: Mapping[str, int] = {}
        """The elements that the last outline of this document named."""
        self.failure: BrowserFailed | None = None
        self._call = call
        self._later = later
        self._frame = ""
        self._origin: Any = None
        self._requests: dict[str, tuple[str, str]] = {}
        self._loading = False
        self._changed_at = 0.0
        self._notices: list[str] = []
        self._handlers: dict[str, Callable[[Mapping[str, Any]], None]] = {
            "Page.frameNavigated": self._navigated,
            "Page.frameStartedLoading": lambda event: self._load(event, loading=True),
            "Page.frameStoppedLoading": lambda event: self._load(event, loading=False),
            "Page.javascriptDialogOpening": self._dialog,
            "Page.fileChooserOpened": lambda _: self.notice("The page asked for a file. Files cannot be uploaded."),
            "Runtime.consoleAPICalled": lambda event: add_call(self.console, event),
            "Runtime.exceptionThrown": lambda event: add_exception(self.console, event),
            "Log.entryAdded": lambda event: add_entry(self.console, event),
            "Network.requestWillBeSent": self._request,
            "Network.responseReceived": self._response,
            "Network.loadingFinished": self._ended,
            "Network.loadingFailed": self._failed,
            "Inspector.targetCrashed": self._crashed,
        }

    def begin(self, frame: str) -> None:
        """Set the id of the page's main frame."""
        self._frame = frame

    def forget(self) -> None:
        """Clear the console's log and the page's origin, because another page is about to be opened."""
        self.console.clear()
        self._origin = None

    def handle(self, method: str, event: Mapping[str, Any]) -> None:
        if handler := self._handlers.get(method):
            handler(event)

    def notice(self, words: str) -> None:
        """Store a sentence, which is added to the result of the current action."""
        if len(self._notices) < MAX_NOTICES and words not in self._notices:
            self._notices.append(words)

    def take_notices(self) -> list[str]:
        notices, self._notices = self._notices, []
        return notices

    async def settle(self, seconds: float) -> bool:
        """Wait until the page has loaded and requests nothing for a moment; at most `seconds`. False if it is still
        loading."""
        loop = asyncio.get_running_loop()
        end, self._changed_at = loop.time() + seconds, loop.time()
        while self.failure is None:
            if not self._loading and not self._requests and loop.time() - self._changed_at >= QUIET_SECONDS:
                return True
            if loop.time() >= end:
                return not self._loading
            await asyncio.sleep(STEP_SECONDS)
        raise self.failure

    def _changed(self) -> None:
        self._changed_at = asyncio.get_running_loop().time()

    def _navigated(self, event: Mapping[str, Any]) -> None:
        """Drop the named elements of the previous page. The console is kept if the new page has the same origin."""
        frame = event.get("frame")
        if isinstance(frame, dict) and frame.get("id") == self._frame:
            self.elements = {}
            origin = frame.get("securityOrigin")
            if self._origin is not None and origin != self._origin:
                self.console.clear()
            self._origin = origin
            self._changed()

    def _load(self, event: Mapping[str, Any], *, loading: bool) -> None:
        if event.get("frameId") == self._frame:
            self._loading = loading
            self._changed()

    def _dialog(self, event: Mapping[str, Any]) -> None:
        """Answer a dialog of the page, because the page is blocked until the dialog is answered."""
        kind, words = str(event.get("type", "alert")), str(event.get("message", ""))[:300]
        accepted = kind in ("alert", "beforeunload")
        self._later(self._call("Page.handleJavaScriptDialog", {"accept": accepted}))
        self.notice(
            f"The page showed the dialog {kind} {words!r}. It was answered with {'OK' if accepted else 'Cancel'}."
        )

    def _request(self, event: Mapping[str, Any]) -> None:
        request = event.get("request")
        kind = str(event.get("type", ""))
        if kind in AWAITED and isinstance(request, dict) and len(self._requests) < MAX_REQUESTS:
            address = f"{request.get('method', 'GET')} {str(request.get('url', ''))[:300]}"
            self._requests[str(event.get("requestId"))] = (address, kind)
            self._changed()

    def _response(self, event: Mapping[str, Any]) -> None:
        response, request = event.get("response"), self._requests.get(str(event.get("requestId")))
        status = response.get("status") if isinstance(response, dict) else None
        if isinstance(response, dict) and isinstance(status, int) and status >= 400:
            address = request[0] if request else str(response.get("url", ""))[:300]
            self.console.add("error", f"{address} was answered with {status} {response.get('statusText', '')}".rstrip())

    def _ended(self, event: Mapping[str, Any]) -> None:
        self._changed()
        self._requests.pop(str(event.get("requestId")), None)

    def _failed(self, event: Mapping[str, Any]) -> None:
        self._changed()
        request = self._requests.pop(str(event.get("requestId")), None)
        if request and not event.get("canceled"):
            reason = event.get("blockedReason") or event.get("errorText") or "unknown reason"
            self.console.add("error", f"{request[0]} failed: {reason}")

    def _crashed(self, _: Mapping[str, Any]) -> None:
        self.failure = BrowserFailed("The page crashed, perhaps because the memory of the workspace is full.")

"""One page in a browser, and the actions of an agent on it."""

import asyncio
import base64
import binascii
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from sandbox.ports import Process
from tools_app.browser.addresses import BLANK
from tools_app.browser.devtools import BrowserFailed, Devtools, Fields, NoAnswer, RequestRefused
from tools_app.browser.keys import key_event
from tools_app.browser.outline import Outline, outline_of
from tools_app.browser.targets import HOW, NoElement, described, find_element
from tools_app.browser.watching import PageWatch

WIDTH: Final = 1280
HEIGHT: Final = 720
MAX_HEIGHT: Final = 4_000  # pixels of a picture of the whole page
START_SECONDS: Final = 30.0
OPEN_SECONDS: Final = 10.0  # in which a server must begin to answer, besides the time to wait for the page
ABORTED: Final = "net::ERR_ABORTED"
JPEG_QUALITY: Final = 70
DOMAINS: Final = ("Page", "Runtime", "Network", "Log", "DOM")
SELECT_OPTION: Final = """function(wanted) {
  const found = [...this.options].find(each => each.label.trim() === wanted || each.value === wanted);
  if (!found) return [...this.options].slice(0, 50).map(each => each.label.trim());
  found.selected = true;
  this.dispatchEvent(new Event("input", {bubbles: true}));
  this.dispatchEvent(new Event("change", {bubbles: true}));
  return null;
}"""


class BrowserPage:
    """The page of a session in a browser of its own. The methods raise BrowserFailed and NoElement."""

    def __init__(self, process: Process) -> None:
        self._tasks: set[asyncio.Task[object]] = set()
        self._page = self._target = ""
        self._devtools = Devtools(process, self._on_event)
        self.watch = PageWatch(self._call, self._later)

    @classmethod
    async def start(cls, process: Process) -> "BrowserPage":
        """Return an empty page in a browser that has just been started."""
        page = cls(process)
        try:
            async with asyncio.timeout(START_SECONDS):
                await page._begin()
        except BaseException as error:
            page.close()
            if isinstance(error, TimeoutError):
                raise BrowserFailed(f"The browser did not start within {START_SECONDS:g} s.") from error
            raise
        return page

    @property
    def is_alive(self) -> bool:
        return self._devtools.failure is None and self.watch.failure is None

    @property
    def failure(self) -> BrowserFailed | None:
        return self._devtools.failure or self.watch.failure

    def close(self) -> None:
        self._devtools.close()
        for task in self._tasks:
            task.cancel()

    def begin_action(self) -> None:
        self._devtools.begin_action()

    async def shown(self) -> tuple[str, str]:
        """Return the address and the title of the shown page, from the browser's navigation history and not from
        scripts of the page."""
        history = await self._call("Page.getNavigationHistory")
        entry = history["entries"][history["currentIndex"]]
        return str(entry["url"]), str(entry["title"])

    async def open(self, address: str, seconds: float) -> bool:
        """Load an address in the page. False if it is still loading after `seconds`."""
        self.watch.forget()
        limit = seconds + OPEN_SECONDS
        try:
            answer = await self._call("Page.navigate", {"url": address}, seconds=limit)
        except NoAnswer as error:
            await self._call("Page.stopLoading")
            raise RequestRefused(f"{address} sent nothing within {limit:g} s. Is the program busy?") from error
        if reason := answer.get("errorText"):
            if (
                reason != ABORTED
            ):  # then the page before is still there; otherwise a page of the browser about the error
                await self.blank()
            raise RequestRefused(_explained(address, str(reason)))
        return await self.watch.settle(seconds)

    async def blank(self) -> None:
        """Show an empty page."""
        await self._call("Page.navigate", {"url": BLANK})

    async def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        await self._call("Emulation.setDeviceMetricsOverride", size)

    async def click(self, target: str) -> None:
        element = await self._find(target)
        x, y = await self._middle_of(element, target)
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            button = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
            await self._call("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **button})

    async def type(self, target: str | None, text: str) -> None:
        """Replace the content of a field, choose an option of a list, or type at the cursor if `target` is None."""
        if target is None:
            await self._call("Input.insertText", {"text": text})
            return
        element = await self._find(target)
        node = await described(self._devtools, self._page, backendNodeId=element)
        if node.get("nodeName") == "SELECT":
            await self._choose(element, text)
            return
        attributes = node.get("attributes", [])
        kinds = dict(zip(attributes[::2], attributes[1::2], strict=False))
        if node.get("nodeName") == "INPUT" and kinds.get("type", "").lower() == "file":
            raise NoElement("Files cannot be uploaded with this browser.")
        try:
            await self._call("DOM.focus", {"backendNodeId": element})
        except RequestRefused as error:
            raise NoElement(f"{target} is no field that takes text. {HOW}") from error
        await self._press({**key_event("Ctrl-a"), "commands": ["selectAll"]})
        if text:
            await self._call("Input.insertText", {"text": text})
        else:
            await self._press(key_event("Delete"))

    async def press(self, keys: Sequence[str]) -> None:
        for key in keys:
            await self._press(key_event(key))

    async def picture(self, *, whole: bool, most_bytes: int) -> bytes:
        """Return a picture of the visible part or of the whole page: a PNG, or a JPEG if the PNG would be larger than
        `most_bytes`."""
        options: dict[str, Any] = {"captureBeyondViewport": whole}
        if whole:
            size = (await self._call("Page.getLayoutMetrics"))["cssContentSize"]
            width, height = min(size["width"], 2 * WIDTH), min(size["height"], MAX_HEIGHT)
            options["clip"] = {"x": 0, "y": 0, "width": max(width, 1), "height": max(height, 1), "scale": 1}
        content = await self._captured({"format": "png", **options})
        if len(content) > most_bytes:
            content = await self._captured({"format": "jpeg", "quality": JPEG_QUALITY, **options})
        return content

    async def outline(self) -> Outline:
        """Return the outline of the page. The names that it gives to elements are valid until another page is
        loaded."""
        answer = await self._call("Accessibility.getFullAXTree")
        outline = outline_of(answer.get("nodes", ()))
        self.watch.elements = outline.elements
        return outline

    async def _begin(self) -> None:
        context = await self._devtools.call("Target.createBrowserContext", {"disposeOnDetach": True})
        own = context["browserContextId"]
        downloads = {"behavior": "deny", "browserContextId": own, "eventsEnabled": True}
        await self._devtools.call("Browser.setDownloadBehavior", downloads)
        wanted = {"url": BLANK, "browserContextId": own, "width": WIDTH, "height": HEIGHT}
        self._target = str((await self._devtools.call("Target.createTarget", wanted))["targetId"])
        attached = await self._devtools.call("Target.attachToTarget", {"targetId": self._target, "flatten": True})
        self._page = str(attached["sessionId"])
        for domain in DOMAINS:
            await self._call(f"{domain}.enable")
        await self._call("Page.setInterceptFileChooserDialog", {"enabled": True})
        await self.resize(WIDTH, HEIGHT)
        tree = await self._call("Page.getFrameTree")
        self.watch.begin(str(tree["frameTree"]["frame"]["id"]))
        await self._devtools.call("Target.setDiscoverTargets", {"discover": True})

    def _call(
        self, method: str, parameters: Fields | None = None, *, seconds: float | None = None
    ) -> Coroutine[Any, Any, Fields]:
        return self._devtools.call(method, parameters, page=self._page, seconds=seconds)

    def _later(self, work: Coroutine[Any, Any, object]) -> None:
        async def quietly() -> None:
            with suppress(BrowserFailed):
                await work

        task: asyncio.Task[object] = asyncio.create_task(quietly())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _on_event(self, method: str, event: Mapping[str, Any], session: str) -> None:
        if session and session == self._page:
            self.watch.handle(method, event)
        elif method == "Target.targetCreated":
            self._other_page(event)
        elif method == "Browser.downloadWillBegin":
            self.watch.notice("The page offered a file to download. Downloads are off: use `bash` for that.")

    def _other_page(self, event: Mapping[str, Any]) -> None:
        """Close a page that the shown page has opened, because an agent uses one page at a time."""
        target = event.get("targetInfo")
        if not isinstance(target, dict) or target.get("type") != "page" or target.get("targetId") == self._target:
            return
        self._later(self._devtools.call("Target.closeTarget", {"targetId": target.get("targetId")}))
        if target.get("openerId"):
            address = str(target.get("url") or "")[:300] or "an address"
            self.watch.notice(f"The page opened another tab ({address}), which was closed. Use `open` to see it.")

    async def _find(self, target: str) -> int:
        return await find_element(target, self.watch.elements, self._devtools, self._page)

    async def _middle_of(self, element: int, target: str) -> tuple[float, float]:
        try:
            await self._call("DOM.scrollIntoViewIfNeeded", {"backendNodeId": element})
            quads = (await self._call("DOM.getContentQuads", {"backendNodeId": element})).get("quads", [])
        except RequestRefused:
            quads = []
        if not quads:
            raise NoElement(f"{target} is not visible in the page as it is now. {HOW}")
        return sum(quads[0][::2]) / 4, sum(quads[0][1::2]) / 4

    async def _choose(self, element: int, text: str) -> None:
        resolved = await self._call("DOM.resolveNode", {"backendNodeId": element})
        call = {
            "objectId": resolved["object"]["objectId"],
            "functionDeclaration": SELECT_OPTION,
            "arguments": [{"value": text}],
            "returnByValue": True,
        }
        options = (await self._call("Runtime.callFunctionOn", call)).get("result", {}).get("value")
        if options is not None:
            raise NoElement(f"The list has no option {text!r}. Its options are: {', '.join(map(repr, options))}.")

    async def _press(self, key: Mapping[str, Any]) -> None:
        kind = "keyDown" if key.get("text") else "rawKeyDown"
        await self._call("Input.dispatchKeyEvent", {"type": kind, **key})
        up = {name: value for name, value in key.items() if name not in ("text", "commands")}
        await self._call("Input.dispatchKeyEvent", {"type": "keyUp", **up})

    async def _captured(self, options: Mapping[str, Any]) -> bytes:
        answer = await self._call("Page.captureScreenshot", options)
        try:
            return base64.b64decode(str(answer.get("data", "")), validate=True)
        except binascii.Error as error:
            raise BrowserFailed("The browser sent a picture that could not be read.") from error


def _explained(address: str, error: str) -> str:
    """Return a message that explains a network error and says what to do."""
    reasons = {
        "net::ERR_CONNECTION_REFUSED": "nothing listens there. Start the program in the background, and wait until it "
        "says that it listens",
        "net::ERR_EMPTY_RESPONSE": "the program closed the connection without an answer. Is it https?",
        "net::ERR_SSL_PROTOCOL_ERROR": "the program does not speak https. Try http://",
        "net::ERR_NAME_NOT_RESOLVED": "there is no such host, or the workspace has no network",
        "net::ERR_TUNNEL_CONNECTION_FAILED": "the network rules of this workspace do not let programs connect to it",
        "net::ERR_PROXY_CONNECTION_FAILED": "the workspace has no network",
        "net::ERR_INTERNET_DISCONNECTED": "the workspace has no network",
        "net::ERR_CERT_AUTHORITY_INVALID": "the browser does not trust its certificate. Let your own program serve "
        "http",
        "net::ERR_UNSAFE_PORT": "browsers refuse this port. Let the program listen on another one, such as 3000",
        ABORTED: "it answered with a file to download, or with nothing. Use `bash` for such addresses",
    }
    return f"{address} could not be opened: {reasons.get(error, 'the browser says ' + error)}."

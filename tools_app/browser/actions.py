"""The actions of the tool `browser`: each runs in the session's browser and returns the state of the page
afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final, Protocol

from sandbox.errors import SandboxError
from tools_app.browser.addresses import BLANK, PageAddress, shown_address
from tools_app.browser.browsers import IDLE_SECONDS, SessionBrowser, browser_of, close_browser, start_browser, why_ended
from tools_app.browser.devtools import BrowserFailed, NoAnswer
from tools_app.browser.targets import NoElement
from tools_app.media import recognise
from tools_app.spec import Attachment, ToolContext, ToolError, ToolResult
from tools_app.text import counted

NO_PAGE: Final = (
    "No page is open in the browser. Call `open` first. A browser that is not used ends after "
    f"{IDLE_SECONDS / 60:g} minutes."
)
MAX_JUDGED: Final = 100  # calls whose needs were collected and that have not run
MAX_SETTLE_SECONDS: Final = 2.0  # before the page is read
MAX_URL_CHARACTERS: Final = 500


class Action(Protocol):
    """The arguments of a call of the tool `browser`, with the attributes that `tools_app.builtin.browser` defines."""

    @property
    def action(self) -> str: ...
    @property
    def target(self) -> str | None: ...
    @property
    def text(self) -> str | None: ...
    @property
    def keys(self) -> list[str] | None: ...
    @property
    def whole(self) -> bool | None: ...
    @property
    def width(self) -> int | None: ...
    @property
    def height(self) -> int | None: ...
    @property
    def seconds(self) -> float: ...


async def address_for_call(ctx: ToolContext) -> tuple[PageAddress | None, bool]:
    """Return the address of the page that the browser shows, and whether `open` has opened a page of its origin.

    Records this address, so that `run_action` refuses the call if the browser shows another page by then.
    """
    browser = _running(ctx)
    with _failures_for_the_model():
        address = await _shown(browser)
    while len(browser.judged) >= MAX_JUDGED:
        del browser.judged[next(iter(browser.judged))]
    browser.judged[ctx.call_id] = _judged(address)
    return address, address is not None and address.origin in browser.opened


async def run_action(args: Action, address: PageAddress | None, ctx: ToolContext, *, most_bytes: int) -> ToolResult:
    """Run the action that the arguments name. `address` is the page to open, None for all actions except `open`. A
    screenshot has at most `most_bytes`."""
    if args.action == "close":
        closed = close_browser(ctx.session_id)
        return ToolResult("Closed the browser", "The browser was closed." if closed else "No browser was open.")
    with _failures_for_the_model():
        browser = await _for_open(ctx) if address else _running(ctx)
        async with browser.in_use(ctx.session_id):
            browser.page.begin_action()
            if address is None:
                await _require_page(browser, browser.judged.pop(ctx.call_id, ""))
            try:
                return await _done(args, address, browser, ctx, most_bytes)
            except NoAnswer as error:
                close_browser(ctx.session_id)
                raise BrowserFailed(
                    f"{error.message} It may be in an endless loop. The browser was ended: open the page again."
                ) from error


@contextmanager
def _failures_for_the_model() -> Iterator[None]:
    """Turn failures of the browser into ToolError."""
    try:
        yield
    except (BrowserFailed, NoElement) as error:
        raise ToolError(str(error)) from error
    except SandboxError as error:
        raise ToolError(f"The browser cannot be reached: {error.message}") from error
    except (LookupError, TypeError, ValueError) as error:
        raise ToolError("The browser sent an answer that could not be understood. Open the page again.") from error


async def _for_open(ctx: ToolContext) -> SessionBrowser:
    return browser_of(ctx.session_id) or await start_browser(ctx.session_id, ctx.runtime)


def _running(ctx: ToolContext) -> SessionBrowser:
    browser = browser_of(ctx.session_id)
    if browser is None:
        raise ToolError(f"{why_ended(ctx.session_id)} {NO_PAGE}".lstrip())
    return browser


async def _require_page(browser: SessionBrowser, judged: str) -> None:
    """Refuse a call if the browser no longer shows the page for which the call was permitted."""
    now = _judged(await _shown(browser))
    if judged != now:
        raise NoElement(f"The page has changed to {now} meanwhile. Look at it with `text`, then decide again.")


async def _done(
    args: Action, address: PageAddress | None, browser: SessionBrowser, ctx: ToolContext, most_bytes: int
) -> ToolResult:
    page = browser.page
    if args.width and args.height:
        await page.resize(args.width, args.height)
    match args.action:
        case "open" if address:
            browser.opened.add(address.origin)
            complete = await page.open(str(address), args.seconds)
            return await _state(f"Opened {address}", browser, "" if complete else "(The page is still loading.)")
        case "click":
            await page.click(args.target or "")
            await page.watch.settle(args.seconds)
            return await _state(f"Clicked {args.target}", browser)
        case "type":
            await page.type(args.target, args.text or "")
            await page.watch.settle(args.seconds)
            return await _state(f"Typed into {args.target or 'the page'}", browser)
        case "press":
            await page.press(args.keys or ())
            await page.watch.settle(args.seconds)
            return await _state(f"Pressed {' '.join(args.keys or ())}", browser)
    judged = _judged(await _shown(browser))
    await page.watch.settle(min(args.seconds, MAX_SETTLE_SECONDS))
    if args.action == "screenshot":
        return await _picture(args, browser, ctx, judged, most_bytes)
    lines = page.watch.console.lines() if args.action == "console" else await _outline(browser)
    await _require_page(browser, judged)
    title = "Read the console" if args.action == "console" else "Read the page"
    return await _result(title, "\n".join(lines or ["(It is empty.)"]), browser)


async def _outline(browser: SessionBrowser) -> list[str]:
    outline = await browser.page.outline()
    more = [] if outline.is_complete else ["(The page is longer than this. Use `bash` with curl for its source.)"]
    return [*outline.lines, *more]


async def _picture(args: Action, browser: SessionBrowser, ctx: ToolContext, judged: str, most_bytes: int) -> ToolResult:
    content = await browser.page.picture(whole=bool(args.whole), most_bytes=most_bytes)
    await _require_page(browser, judged)
    media = recognise(content)
    if media is None or media.kind != "image":
        raise BrowserFailed("The browser sent no picture.")
    attachment = await ctx.files().put(f"screenshot.{media.media_type.rpartition('/')[2]}", media.media_type, content)
    size = f"{media.width} x {media.height} pixels"
    words = f"The picture is attached ({size})."
    if not ctx.model.sees_images:
        words = f"The picture ({size}) is shown to the user. This model takes no pictures: use `text` and `console`."
    return await _result("Took a picture", words, browser, attachment)


async def _state(title: str, browser: SessionBrowser, note: str = "") -> ToolResult:
    """Return the result of an action that may change the page: the page's address, followed by `note`. The page's title
    is left out if the agent needs another permission to look at the page."""
    result = await _result(title, note, browser)
    url, name = str(result.metadata["url"]), result.metadata["page_title"]
    words = f"The page is {url[:MAX_URL_CHARACTERS]}{f' ({name})' if name else ''}"
    if not result.metadata["known"]:
        words += ", which is elsewhere: looking at it needs a permission of its own"
    return replace(result, output="\n\n".join(filter(None, [f"{words}.", result.output])))


async def _result(title: str, output: str, browser: SessionBrowser, *attachments: Attachment) -> ToolResult:
    """Return the result of an action, with notices about the page: its dialogs, and the number of errors in its
    console."""
    page = browser.page
    address, (url, name) = await _shown(browser), await page.shown()
    known = address is None or address.is_of_workspace or address.origin in browser.opened
    errors, notices = page.watch.console.errors if known else 0, page.watch.take_notices()
    if errors and title != "Read the console":
        notices.append(f"({counted(errors, 'error')} in the console: call `console`.)")
    metadata = {
        "url": str(address or url),
        "page_title": name[:MAX_URL_CHARACTERS] if known and name != url else "",
        "known": known,
        "errors": errors,
    }
    parts = [output, *(notices if known else ())]
    return ToolResult(title, "\n\n".join(filter(None, parts)), metadata, attachments)


async def _shown(browser: SessionBrowser) -> PageAddress | None:
    """Return the address of the page that is shown; None for an empty page. A page that must not be shown, such as a
    file, is replaced by an empty page, and BrowserFailed is raised."""
    url, _ = await browser.page.shown()
    address = shown_address(url)
    if address is None and url != BLANK:
        await browser.page.blank()
        raise BrowserFailed(f"The page led to {url[:MAX_URL_CHARACTERS]}, which the browser does not show.")
    return address


def _judged(address: PageAddress | None) -> str:
    return address.judged if address else BLANK

"""The running browsers, at most one for each session. `open` starts a browser. It ends on `close`, with its container,
or after a time without use."""

import asyncio
import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from sandbox.errors import SandboxError
from sandbox.ports import ProcessRequest, Runtime
from tools_app.browser.devtools import BrowserFailed
from tools_app.browser.page import BrowserPage
from tools_app.languages.programs import IMAGE_ENVIRONMENT, find_program

IDLE_SECONDS: Final = 600.0
"""Time without use after which a browser is ended. It occupies 90 MiB of the workspace's memory with a simple page."""
MAX_IN_WORKSPACE: Final = 2
PROGRAMS: Final = ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/google-chrome")
MISSING: Final = (
    "This workspace's image has no browser. Tell the user: an operator sets SANDBOX_BROWSER=true and starts the site "
    "again, or registers an image with the Debian package chromium-headless-shell; then the workspace is restarted."
)
NO_PROXY: Final = "http://127.0.0.1:9"  # where nothing listens
FLAGS: Final = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox",  # its own sandbox needs user namespaces, which the container forbids; the container confines it
    "--disable-dev-shm-usage",  # what is in /dev/shm is removed when a command ends
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--metrics-recording-only",
    "--log-level=3",  # only why it fails, not what pages write to their consoles
    "--mute-audio",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--renderer-process-limit=2",
    "--disable-site-isolation-trials",
    "--disable-features=IsolateOrigins,site-per-process,Translate,MediaRouter,OptimizationHints",
    "--disk-cache-size=1048576",
    "--js-flags=--max-old-space-size=512",  # MiB
)

MAX_REASONS: Final = 100  # sessions whose agent has not read the reason yet
_sessions: dict[str, "SessionBrowser"] = {}
_reasons: dict[str, str] = {}


@dataclass
class SessionBrowser:
    """The browser of one session. `container` identifies the start of the container in which the browser runs."""

    page: BrowserPage
    container: str
    loop: asyncio.AbstractEventLoop
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    opened: set[str] = field(default_factory=set)
    """The origins that `open` was allowed to open."""
    judged: dict[str, str] = field(default_factory=dict)
    """The address that was shown when the permission needs of a call were collected, by the id of the call."""
    timer: asyncio.TimerHandle | None = None

    @asynccontextmanager
    async def in_use(self, session_id: str) -> AsyncIterator[None]:
        """Let one action at a time use the browser. The browser is ended when no action has used it for a while."""
        async with self.lock:
            self.stop_timer()
            try:
                yield
            finally:
                self.start_timer(session_id)

    def start_timer(self, session_id: str) -> None:
        self.timer = self.loop.call_later(IDLE_SECONDS, self._end_idle, session_id)

    def stop_timer(self) -> None:
        if self.timer:
            self.timer.cancel()

    def _end_idle(self, session_id: str) -> None:
        """Close this browser after it was idle, unless the session has another browser by now."""
        if _sessions.get(session_id) is self:
            close_browser(session_id)


def browser_of(session_id: str) -> SessionBrowser | None:
    """Return the running browser of a session on the current event loop; None if it has none."""
    browser = _sessions.get(session_id)
    if browser and (browser.loop is not asyncio.get_running_loop() or not browser.page.is_alive):
        if failure := browser.page.failure:
            _note_end(session_id, failure.message)
        close_browser(session_id)
        return None
    return browser


def why_ended(session_id: str) -> str:
    """Return the reason why the last browser of a session ended by itself; "" if it did not, or if the reason was
    already returned."""
    return _reasons.pop(session_id, "")


def _note_end(session_id: str, reason: str) -> None:
    while len(_reasons) >= MAX_REASONS:
        del _reasons[next(iter(_reasons))]
    _reasons[session_id] = reason


async def start_browser(session_id: str, runtime: Runtime) -> SessionBrowser:
    """Start a browser for a session, after closing the session's previous browser. Raises BrowserFailed."""
    close_browser(session_id)
    why_ended(session_id)
    program = await find_program(PROGRAMS, runtime)
    if program is None:
        raise BrowserFailed(MISSING)
    container = (await runtime.ping()).boot_id
    others = [each for each in _sessions.values() if each.container == container and each.page.is_alive]
    if len(others) >= MAX_IN_WORKSPACE:
        raise BrowserFailed(
            f"{MAX_IN_WORKSPACE} browsers of other sessions run in this workspace, which is the limit. One that is not "
            f"used is ended after {IDLE_SECONDS / 60:g} minutes. Try again later."
        )
    try:
        page = await BrowserPage.start(await runtime.open_process(_request(session_id, program)))
    except SandboxError as error:
        raise BrowserFailed(f"The browser could not be started: {error.message}") from error
    browser = _sessions[session_id] = SessionBrowser(page, container, asyncio.get_running_loop())
    browser.start_timer(session_id)
    return browser


def close_browser(session_id: str) -> bool:
    """End the browser of a session. False if it had none."""
    browser = _sessions.pop(session_id, None)
    if browser is None:
        return False
    browser.stop_timer()
    if not browser.loop.is_closed():
        browser.page.close()
    return True


def _request(session_id: str, program: str) -> ProcessRequest:
    """Return the request to start a browser. The browser reads messages from descriptor 3 and writes them to descriptor
    4, so that its other output cannot get between them. Its profile is new each time. Pages outside the container are
    requested through the door or not at all; Chromium uses no proxy for loopback addresses."""
    profile = f"/tmp/.browser-{session_id}"  # noqa: S108 - in the container
    words = shlex.join([program, *FLAGS, f"--user-data-dir={profile}"])
    proxy = f'--proxy-server="${{HTTPS_PROXY:-{NO_PROXY}}}"'
    script = f"rm -rf {shlex.quote(profile)}; exec {words} {proxy} about:blank 3<&0 4>&1 </dev/null >/dev/null"
    return ProcessRequest(
        f"browser-{session_id}", ("/bin/bash", "-c", script), env={"PATH": IMAGE_ENVIRONMENT["PATH"]}, as_command=True
    )

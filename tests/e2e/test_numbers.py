"""A session is shown after few requests and bytes. Times are printed, not asserted: they depend on the machine."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Response, expect

from tests.e2e.workbench import finish_story, open_fresh_session, sign_in, start_story
from tests.support.running_site import RunningSite
from tests.support.site_shell import fill_session_of

pytestmark = pytest.mark.full  # of pages and sessions without measuring, others show that they work
CALLS: Final = 320
SLOW_4G: Final = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 94_000}
"""Network conditions: latency in milliseconds, throughput in bytes per second."""
SLOWER_CPU: Final = 4  # times
SMALL: Final = 1_400  # bytes that fit one packet
LARGEST_PAINT: Final = """() => new Promise((done) => {
  new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime))
    .observe({type: 'largest-contentful-paint', buffered: true});
})"""


class Fetched:
    """Responses that a page got from the site."""

    def __init__(self) -> None:
        self.reads: Counter[str] = Counter()
        self.plain: list[str] = []

    def note(self, response: Response) -> None:
        address = urlsplit(response.url)
        if "/api/v1/" not in address.path or response.request.method != "GET":
            return
        self.reads[f"{address.path}?{address.query}"] += 1
        length = int(response.headers.get("content-length", "0"))
        if length > SMALL and "content-encoding" not in response.headers:
            self.plain.append(address.path)


@contextmanager
def throttled(page: Page) -> Iterator[None]:
    tool = page.context.new_cdp_session(page)
    tool.send("Network.enable")
    tool.send("Network.emulateNetworkConditions", SLOW_4G)
    tool.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER_CPU})
    yield
    tool.detach()


def largest_paint(page: Page, address: str, shown: str) -> float:
    """Open a session's page, and return the time of its largest contentful paint, in milliseconds."""
    page.goto(address)
    expect(page.get_by_text(shown).first).to_be_visible(timeout=60_000)
    time: float = page.evaluate(LARGEST_PAINT)
    return time


def report(what: str, **numbers: Any) -> None:
    print(json.dumps({"what": what, **numbers}))


def test_a_session_fetches_nothing_twice_and_all_of_it_compressed(page: Page) -> None:
    sign_in(page)
    address = open_fresh_session(page)
    start_story(page)
    finish_story(page)
    page.goto("about:blank")  # the page of the story has asked for what changed at its end
    fetched = Fetched()
    page.on("response", fetched.note)
    report("session", largest_paint_ms=largest_paint(page, address, "9 tests pass"))
    page.wait_for_load_state("networkidle")
    assert {path: count for path, count in fetched.reads.items() if count > 1} == {}
    assert fetched.plain == []
    with throttled(page):
        report("session, slow 4G and CPU/4", largest_paint_ms=largest_paint(page, address, "9 tests pass"))


def test_a_session_of_320_calls_opens(page: Page, site: RunningSite) -> None:
    sign_in(page)
    address = open_fresh_session(page)
    fill_session_of(site, address.rsplit("/", 1)[1], turns=1, steps=CALLS)
    report("320 calls", largest_paint_ms=largest_paint(page, address, "Turn 0 is done."))
    report("320 calls", elements=page.evaluate("() => document.querySelectorAll('*').length"))
    with throttled(page):
        report("320 calls, slow 4G and CPU/4", largest_paint_ms=largest_paint(page, address, "Turn 0 is done."))

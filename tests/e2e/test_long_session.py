"""A long session in a real browser: its end first, and older messages on scrolling."""

import re
from typing import Final

from playwright.sync_api import Page, Route, expect

from tests.e2e.workbench import open_fresh_session, sign_in
from tests.support.running_site import RunningSite
from tests.support.site_shell import fill_session_of

TURNS: Final = 30
STEPS: Final = 10
PAGES: Final = re.compile(r"/conversation\?before=")


def test_older_messages_that_cannot_be_loaded_can_be_asked_for_again(page: Page, site: RunningSite) -> None:
    def fail(route: Route) -> None:
        route.fulfill(status=503, body="{}")

    sign_in(page)
    address = open_fresh_session(page)
    fill_session_of(site, address.rsplit("/", 1)[1], turns=TURNS, steps=STEPS)
    page.route(PAGES, fail)
    page.goto(address)
    expect(page.get_by_text(f"Turn {TURNS - 1} is done.")).to_be_in_viewport(timeout=20_000)
    page.get_by_test_id("conversation").press("Home")
    problem = page.get_by_test_id("earlier-messages").get_by_role("alert")
    expect(problem).to_contain_text("status 503", timeout=20_000)
    loaded = page.get_by_test_id("turn").count()
    assert loaded < TURNS
    page.unroute(PAGES)
    problem.get_by_role("button", name="Try again").click()
    expect(page.get_by_test_id("turn").nth(loaded)).to_be_attached(timeout=20_000)

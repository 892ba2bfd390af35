"""A long session in a real browser: its end first, and older messages on scrolling."""

import re
from typing import Final

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.conftest import Scheme, picture
from tests.e2e.workbench import allow_once, open_card, open_fresh_session, sign_in, start_story, turn_end
from tests.support.deadline import wait_until
from tests.support.running_site import RunningSite
from tests.support.site_shell import fill_session_of

pytestmark = (
    pytest.mark.full
)  # the pages of a conversation, test_conversation_pages and the interface's unit tests show
TURNS: Final = 30
STEPS: Final = 10
PATIENCE: Final = 20  # seconds, because other browsers may be busy too
PAGES: Final = re.compile(r"/conversation\?before=")
ROWS: Final = ".turn > *"
TOP_ROW: Final = """box => {
    const {left, top, width} = box.getBoundingClientRect();
    for (let y = top + 2; y < top + 600; y += 10) {
        const row = document.elementFromPoint(left + width / 2, y)?.closest(".turn > :not(.turn-fold)");
        if (row) { window.topRow = row; return row.getBoundingClientRect().top; }
    }
}"""


@pytest.fixture
def long_session(page: Page, site: RunningSite) -> str:
    """Return the address of a session of 30 turns with 11 answers each."""
    sign_in(page)
    address = open_fresh_session(page)
    fill_session_of(site, address.rsplit("/", 1)[1], turns=TURNS, steps=STEPS)
    return address


def open_end(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_text(f"Turn {TURNS - 1} is done.")).to_be_in_viewport(timeout=PATIENCE * 1000)


def test_home_leads_to_the_beginning_and_nothing_jumps(page: Page, long_session: str, scheme: Scheme) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(PAGES, hold)
    open_end(page, long_session)
    conversation, turns, rows = page.get_by_test_id("conversation"), page.get_by_test_id("turn"), page.locator(ROWS)
    assert turns.count() < TURNS
    picture(page, "long-session", scheme)
    while page.get_by_test_id("earlier-messages").count():
        conversation.press("Home")
        # evaluating lets Playwright call the handler of the route
        wait_until(lambda: page.evaluate("1") and held != [], "older messages are requested", seconds=PATIENCE)
        before, count = conversation.evaluate(TOP_ROW), rows.count()
        held.pop().continue_()
        expect(rows.nth(count)).to_be_attached(timeout=PATIENCE * 1000)
        after = page.evaluate("topRow.getBoundingClientRect().top")
        assert abs(after - before) <= 2
    conversation.press("Home")
    expect(page.get_by_text("Prompt 0", exact=True)).to_be_in_viewport()
    assert turns.count() == TURNS
    prompts = page.get_by_test_id("user-message").all_text_contents()
    assert prompts == [f"You wrote:Prompt {number}" for number in range(TURNS)]


def test_older_messages_that_cannot_be_loaded_can_be_asked_for_again(page: Page, long_session: str) -> None:
    def fail(route: Route) -> None:
        route.fulfill(status=503, body="{}")

    page.route(PAGES, fail)
    open_end(page, long_session)
    page.get_by_test_id("conversation").focus()
    page.keyboard.press("Home")
    problem = page.get_by_test_id("earlier-messages").get_by_role("alert")
    expect(problem).to_contain_text("status 503", timeout=PATIENCE * 1000)
    loaded = page.get_by_test_id("turn").count()
    assert loaded < TURNS
    page.unroute(PAGES)
    problem.get_by_role("button", name="Try again").click()
    expect(page.get_by_test_id("turn").nth(loaded)).to_be_attached(timeout=PATIENCE * 1000)


def test_a_link_to_an_old_request_loads_what_is_before_it(page: Page, site: RunningSite) -> None:
    sign_in(page)
    address = open_fresh_session(page)
    start_story(page)
    request = open_card(page).get_attribute("data-request")
    allow_once(page)
    allow_once(page)
    turn_end(page, "completed")
    fill_session_of(site, address.rsplit("/", 1)[1], turns=TURNS, steps=STEPS)
    open_end(page, address)
    page.goto(f"{address}#{request}")
    page.reload()
    row = page.locator(".tool-row:focus")
    expect(row).to_be_in_viewport(timeout=PATIENCE * 1000)
    expect(row).to_contain_text("python3 -m pytest")

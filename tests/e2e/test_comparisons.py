"""Several attempts at one prompt in a real browser: started by keyboard, compared, and one of them kept."""

from typing import Final

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Scheme, both_schemes, picture
from tests.e2e.workbench import faults_at, open_fresh_session, press_on, sign_in
from tests.support.model_server import ModelServer, calls, text, tool_call
from tests.support.running_site import RunningSite

PATH: Final = "teashop/pricing.py"


@pytest.fixture
def site(scripted_site: RunningSite) -> RunningSite:
    """Use the scripted site, also for the browser, instead of the site with the demo model."""
    return scripted_site


def attempts(page: Page) -> Locator:
    return page.get_by_test_id("attempt")


@both_schemes
@pytest.mark.full
def test_attempts_are_compared_and_one_is_kept_by_keyboard(
    page: Page, other_tab: Page, model: ModelServer, scheme: Scheme
) -> None:
    sign_in(page)
    open_fresh_session(page)
    story = model.script(
        calls(tool_call("read", filePath=PATH)),
        calls(tool_call("edit", filePath=PATH, oldString="BULK_QUANTITY = 10", newString="BULK_QUANTITY = 12")),
        text("Twelve is bulk now."),
        by="conversation",
    )
    page.get_by_label("Prompt", exact=True).fill(f"Sell twelve as bulk {story.marker}")
    press_on(page, page.get_by_role("button", name="Run several attempts"))
    form = page.get_by_role("dialog")
    form.get_by_label("Attempts").select_option("2")
    assert faults_at(page, 1440, 360) == {}
    press_on(page, form.get_by_role("button", name="Start 2 attempts"))
    page.wait_for_url("**/comparisons/*")
    other_tab.goto(page.url)
    page.reload()  # while they work
    for tab in (page, other_tab):
        expect(attempts(tab).filter(has_text="Done")).to_have_count(2, timeout=120_000)
        expect(attempts(tab).filter(has_text="BULK_QUANTITY = 12")).to_have_count(2)
    picture(page, "attempts", scheme)
    assert faults_at(page, 1440, 360) == {}

    press_on(page, page.get_by_role("button", name="Keep attempt 2"))
    press_on(page, page.get_by_role("dialog").get_by_role("button", name="Keep this one"))
    expect(page.locator("[data-kept]")).to_contain_text("Attempt 2")
    expect(attempts(page).first).to_contain_text("Not kept.")
    assert faults_at(page, 1440, 360) == {}
    other_tab.reload()
    expect(other_tab.locator("[data-kept]")).to_contain_text("Attempt 2")
    press_on(page, attempts(page).nth(1).get_by_role("link", name="Open"))
    expect(page.get_by_text("Twelve is bulk now.")).to_be_visible()

"""What a person does in the browser, in their words."""

from playwright.sync_api import Locator, Page, expect


def sign_in(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Use the demo login").click()
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()


def open_fresh_session(page: Page) -> str:
    """A session in a workspace of its own; its path."""
    page.goto("/")
    page.get_by_role("link", name="Tea shop").first.click()
    page.get_by_role("button", name="New session in a fresh workspace").first.click()
    page.wait_for_url("**/sessions/ses_*")
    expect(page.get_by_test_id("link-state")).to_have_attribute("data-link", "live")
    return page.url


def start_story(page: Page) -> None:
    page.get_by_test_id("suggested-prompt").click()


def open_card(page: Page) -> Locator:
    """The open permission card of the conversation."""
    card = page.get_by_test_id("conversation").locator('[data-testid="permission-card"][data-state="open"]')
    expect(card).to_be_visible(timeout=60_000)
    return card


def turn_end(page: Page, state: str) -> None:
    expect(page.get_by_test_id("turn-summary").last).to_have_attribute("data-state", state, timeout=60_000)

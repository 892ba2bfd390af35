"""Actions of a person in the browser, and checks of the page."""

from typing import Any, Final
from urllib.parse import urlsplit

from playwright.sync_api import Error, Locator, Page, expect

from tests.support.running_site import REPOSITORY

AXE: Final = REPOSITORY / "frontend" / "node_modules" / "axe-core" / "axe.min.js"


_signed_in: dict[tuple[str, str], Any] = {}
"""Cookies of people who have signed in before, by the site's address and their e-mail address."""


def sign_in(page: Page, email: str = "") -> None:
    """Sign in with the demo login, or as another person of the demo team, who has the same password.

    The form is used the first time only, because loading it and checking the password takes longer than many tests.
    """
    request = page.context.request
    who = (urlsplit(request.get("/api/v1/site").url).netloc, email)
    page.context.add_cookies(_signed_in.get(who, []))
    if who in _signed_in and request.get("/api/v1/me").ok:
        page.goto("/")
    else:
        sign_in_by_form(page, email)
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    _signed_in[who] = page.context.cookies()


def sign_in_by_form(page: Page, email: str = "") -> None:
    page.goto("/")
    page.get_by_role("button", name="Use the demo login").click()
    if email:
        page.get_by_label("E-mail").fill(email)
    page.get_by_role("button", name="Sign in", exact=True).click()


def demo_project(home: Page) -> Locator:
    """Return the link to the demo project in the list of projects, not a link to one of its sessions."""
    return home.get_by_role("region", name="Projects").get_by_role("link", name="Tea shop")


def open_fresh_session(page: Page, *, private: bool = False) -> str:
    """Open a session in a new workspace; return its address."""
    page.goto("/")
    demo_project(page).click()
    task = page.get_by_role("form", name="New task")
    task.get_by_label("Workspace", exact=True).select_option("New workspace")
    if private:
        task.get_by_role("checkbox", name="Private").check()
    task.get_by_role("button", name="Empty session").click()
    page.wait_for_url("**/sessions/ses_*")
    expect(page.get_by_test_id("link-state")).to_have_attribute("data-link", "live")
    return page.url


def say(page: Page, words: str) -> None:
    page.get_by_label("Prompt", exact=True).fill(words)
    page.keyboard.press("Enter")


def start_story(page: Page) -> None:
    page.get_by_test_id("suggested-prompt").click()


def open_card(page: Page) -> Locator:
    """Return the open permission card of the conversation."""
    card = page.get_by_test_id("conversation").locator('[data-testid="permission-card"][data-state="open"]')
    expect(card).to_be_visible(timeout=60_000)
    return card


def allow_once(page: Page) -> None:
    """Allow the open permission request, and wait until its card is closed."""
    card = open_card(page)
    request = card.get_attribute("data-request")
    card.get_by_role("button", name="Allow once").click()
    conversation = page.get_by_test_id("conversation")
    expect(conversation.locator(f'[data-request="{request}"][data-state="open"]')).to_have_count(0)


def finish_story(page: Page) -> None:
    """Allow both test runs of the demo story: one before the change and one after it."""
    allow_once(page)
    allow_once(page)
    turn_end(page, "completed")


def turn_end(page: Page, state: str) -> None:
    expect(page.get_by_test_id("turn-summary").last).to_have_attribute("data-state", state, timeout=60_000)


def serious_findings(page: Page) -> list[str]:
    return [f"{found['id']}: {found['html']}" for found in findings(page) if found["impact"] in ("serious", "critical")]


COLOURS: Final = ("color-contrast", "link-in-text-block")
"""Rules of axe that depend on the colour scheme."""


def findings(page: Page, *rules: str) -> list[dict[str, str]]:
    """Return the violations that axe finds, of any impact, by all rules or the named ones: {id, impact, html}.

    The code of axe is evaluated in the page, because the content security policy refuses added scripts.
    """
    page.evaluate(AXE.read_text())
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    violations = page.evaluate("async (options) => (await axe.run(options)).violations", options)
    return [
        {"id": found["id"], "impact": found["impact"], "html": node["html"][:160]}
        for found in violations
        for node in found["nodes"][:MOST_OF_ONE]
    ]


MOST_OF_ONE: Final = 5  # places that break the same rule


FITS: Final = "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"
TOO_WIDE: Final = """() => [...document.querySelectorAll("body *")]
  .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((element) => `too wide: ${element.tagName} ${element.className}`).slice(0, 8)"""


def faults_at(page: Page, *widths: int) -> dict[int, list[Any]]:
    """Return, for each width with faults, the violations that axe finds and the elements wider than the window.

    The window has its previous size afterwards.
    """
    before, found = page.viewport_size, {}
    for width in widths:
        page.set_viewport_size({"width": width, "height": 800})
        found[width] = [*findings(page), *what_is_too_wide(page)]
    if before:
        page.set_viewport_size(before)
    return {width: faults for width, faults in found.items() if faults}


def what_is_too_wide(page: Page) -> list[str]:
    """Return the elements that make the page wider than the window, after waiting until its layout fits the new
    width."""
    try:
        page.wait_for_function(FITS, timeout=5_000)
    except Error:
        found: list[str] = page.evaluate(TOO_WIDE)
        return found or ["the page is wider than the window"]
    return []


def press_on(page: Page, thing: Locator, key: str = "Enter") -> None:
    """Focus an element and press a key, as with the keyboard alone. The element must be focusable."""
    thing.focus()
    expect(thing).to_be_focused()
    page.keyboard.press(key)

"""The first minutes of a new user, in a real browser on real containers, in both colour schemes."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.conftest import Scheme, both_schemes, picture
from tests.e2e.workbench import (
    allow_once,
    demo_project,
    faults_at,
    finish_story,
    open_card,
    open_fresh_session,
    press_on,
    say,
    serious_findings,
    sign_in,
    sign_in_by_form,
    start_story,
    turn_end,
)
from tests.support.api_client import ApiClient
from tests.support.running_site import RunningSite


@both_schemes
def test_the_agent_fixes_the_failing_test_after_a_person_allowed_pytest(page: Page, scheme: Scheme) -> None:
    sign_in(page)
    picture(page, "home", scheme)
    open_fresh_session(page)
    picture(page, "empty-session", scheme)
    start_story(page)
    expect(open_card(page)).to_contain_text("python3 -m pytest")
    allow_once(page)
    expect(open_card(page)).to_contain_text("python3 -m pytest")
    picture(page, "permission", scheme)
    allow_once(page)
    turn_end(page, "completed")
    expect(page.get_by_test_id("assistant-text").last).to_contain_text("9 tests pass")
    page.get_by_role("tab", name="Diff").click()
    expect(page.get_by_test_id("changed-file")).to_contain_text("pricing.py")
    picture(page, "done", scheme)


def test_a_reload_in_the_middle_loses_nothing(page: Page) -> None:
    sign_in(page)
    open_fresh_session(page)
    start_story(page)
    expect(page.get_by_test_id("tool-row").first).to_be_visible(timeout=60_000)
    page.reload()
    expect(page.get_by_test_id("user-message")).to_contain_text("failing test")
    finish_story(page)


@pytest.mark.full  # of two people, test_together shows it
def test_a_second_tab_can_answer_and_the_first_sees_it(page: Page, context: BrowserContext) -> None:
    sign_in(page)
    address = open_fresh_session(page)
    start_story(page)
    open_card(page)
    second = context.new_page()
    second.goto(address)
    finish_story(second)
    turn_end(page, "completed")


def test_what_waits_is_answered_in_the_inbox_and_its_session_pinned_by_keyboard(page: Page) -> None:
    sign_in(page)
    session = open_fresh_session(page).rsplit("/", 1)[1]
    start_story(page)
    request = open_card(page).get_attribute("data-request")
    page.keyboard.press("Alt+i")
    page.wait_for_url("**/inbox")
    entry = page.get_by_test_id("inbox-entry").filter(has=page.locator(f'[data-request="{request}"]'))
    expect(entry).to_be_visible()
    assert faults_at(page, 1440, 1024, 390) == {}
    press_on(page, entry.get_by_role("button", name="Allow once"))
    expect(entry).to_have_count(0)
    pinned = page.get_by_role("list", name="Pinned").locator(f'a[href$="{session}"]')
    for action, count in (("Pin", 1), ("Unpin", 0)):
        link = page.get_by_role("navigation", name="Sessions").locator(f'a[href$="{session}"]')
        press_on(page, link.locator("xpath=..").get_by_role("button", name="Actions for"))
        press_on(page, page.get_by_role("menuitem", name=action, exact=True))
        expect(pinned).to_have_count(count)


SENTENCE = "Wait, please do Not run that: Add unit tests in Node first, and run npm test 1 2 3"


def test_typing_with_a_card_open_writes_a_prompt_and_decides_nothing(page: Page) -> None:
    sign_in(page)
    open_fresh_session(page)
    start_story(page)
    request = open_card(page).get_attribute("data-request")
    page.reload()
    open_card(page)
    page.keyboard.type(SENTENCE)
    expect(page.get_by_label("Prompt", exact=True)).to_have_value(SENTENCE)
    page.get_by_label("Prompt", exact=True).fill("")
    page.get_by_test_id("conversation").click(position={"x": 5, "y": 5})
    page.keyboard.type(SENTENCE)
    expect(page.get_by_label("Prompt", exact=True)).to_have_value(SENTENCE)
    open_card(page).focus()
    page.keyboard.type("also this")
    expect(page.get_by_label("Prompt", exact=True)).to_have_value(f"{SENTENCE}also this")
    expect(open_card(page)).to_have_attribute("data-request", request or "")


@pytest.mark.full
def test_typing_on_other_pages_decides_nothing_and_opens_nothing(page: Page) -> None:
    sign_in(page)
    address = open_fresh_session(page)
    start_story(page)
    request = open_card(page).get_attribute("data-request")
    settings = page.get_by_role("main").get_by_role("link", name="Settings")
    for way in (page.get_by_role("link", name="agentsite, home"), demo_project(page), settings.first):
        way.click()
        tray = page.get_by_test_id("waiting-tray")
        expect(tray).to_be_visible()
        if tray.get_by_role("button").first.get_attribute("aria-expanded") == "false":
            tray.get_by_role("button").first.click()
        before = page.url
        page.keyboard.type(SENTENCE)
        assert page.url == before
        expect(tray.locator(f'[data-request="{request}"][data-state="open"]')).to_be_visible()
    page.goto(address)
    open_card(page)


@pytest.mark.full
def test_keys_with_alt_answer_the_card(page: Page) -> None:
    sign_in(page)
    open_fresh_session(page)
    start_story(page)
    card = open_card(page)
    request = card.get_attribute("data-request")
    page.get_by_label("Prompt", exact=True).focus()
    page.keyboard.press("Alt+a")
    expect(page.locator(f'[data-request="{request}"][data-state="open"]')).to_have_count(0)
    allow_once(page)
    turn_end(page, "completed")


def test_always_allow_asks_once_more_and_then_asks_no_more(page: Page) -> None:
    sign_in(page)
    open_fresh_session(page)
    start_story(page)
    card = open_card(page)
    card.get_by_role("button", name="Always allow…").click()
    card.get_by_role("button", name="Cancel").click()
    card.get_by_role("button", name="Always allow…").click()
    expect(card).to_contain_text("bash python3 -m pytest")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    picture(page, "always-allow", "light")
    card.get_by_role("button", name="Yes, always allow").click()
    turn_end(page, "completed")


def test_a_rejection_stops_the_turn_and_the_next_prompt_goes_on(page: Page) -> None:
    sign_in(page)
    open_fresh_session(page)
    start_story(page)
    open_card(page).get_by_role("button", name="Reject", exact=True).click()
    turn_end(page, "aborted")
    say(page, "list the files")
    turn_end(page, "completed")


def test_stop_ends_a_running_command_at_once(page: Page, site: RunningSite) -> None:
    sign_in(page)
    address = open_fresh_session(page)
    say(page, "run `python3 -m http.server`")
    open_card(page).get_by_role("button", name="Allow once").click()
    row = page.locator('[data-testid="tool-row"][data-tool="bash"][data-state="running"]')
    expect(row).to_be_visible()
    page.get_by_role("button", name="Stop").first.click()
    turn_end(page, "aborted")
    with ApiClient(site.address) as client:
        snapshot = client.snapshot(address.rsplit("/", 1)[1])
    assert [call["state"] for call in snapshot["calls"]] == ["aborted"]


@pytest.mark.full
def test_a_wrong_password_says_so_and_lets_one_try_again(page: Page) -> None:
    page.goto("/")
    page.get_by_label("E-mail").fill("demo@agentsite.local")
    page.get_by_label("Password").fill("not the password")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("alert")).to_be_visible()
    sign_in_by_form(page)
    expect(page.get_by_role("heading", name="Home")).to_be_visible()


@both_schemes
def test_no_page_has_a_serious_accessibility_finding(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("button", name="Use the demo login")).to_be_visible()
    findings = {"sign in": serious_findings(page)}
    sign_in(page)
    findings["home"] = serious_findings(page)
    open_fresh_session(page)
    start_story(page)
    open_card(page)
    findings["permission"] = serious_findings(page)
    finish_story(page)
    page.get_by_role("tab", name="Diff").click()
    expect(page.get_by_test_id("changed-file")).to_be_visible()
    findings["done"] = serious_findings(page)
    assert {name: found for name, found in findings.items() if found} == {}

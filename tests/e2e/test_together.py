"""Several people share sessions, each in their own browser: presence, watching, permission requests and share links."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.conftest import browser_of_somebody
from tests.e2e.workbench import demo_project, open_card, open_fresh_session, say, sign_in, turn_end
from tests.support.api_client import ApiClient
from tests.support.running_site import RunningSite

SOON: Final = 20_000  # milliseconds, for what others do
AGAIN: Final = 60_000
MEMBER: Final = "member@agentsite.local"
VIEWER: Final = "viewer@agentsite.local"
SEARCH: Final = "/search?q=quinces"
ASKED: Final = "run `python3 -m pytest -q`"
ACTS: Final = ("Allow once", "Reject", "Queue", "Stop", "Share", "Fork this session")
"""Buttons of a session that waits for an answer."""
ASK: Final = """async ([path, body]) => {
    const headers = {"Content-Type": "application/json", "X-CSRFToken": /csrftoken=([^;]+)/.exec(document.cookie)[1]};
    const answer = await fetch(path, {method: "POST", headers, body: JSON.stringify(body)});
    return (await answer.json()).error?.code ?? "";
}"""


class People(NamedTuple):
    """Pages of three people of one team who are signed in: a member, the owner and a viewer."""

    mika: Page
    dana: Page
    vera: Page


@pytest.fixture(scope="module")
def people(chromium: Browser, site: RunningSite) -> Iterator[People]:
    with ExitStack() as browsers:

        def enter(email: str = "") -> Page:
            page = browsers.enter_context(browser_of_somebody(chromium, site)).new_page()
            sign_in(page, email)
            return page

        yield People(mika=enter(MEMBER), dana=enter(), vera=enter(VIEWER))


@pytest.fixture
def public_links(site: RunningSite) -> Iterator[None]:
    """Allow public share links in the policy of the demo project, and restore the policy at the end."""
    with ApiClient(site.address) as owner:
        path = f"/api/v1/policies/{owner.project().id}"
        before = owner.get(path)
        document = {name: before[name] for name in ("preset", "rules", "enforced", "expectations")}
        document["options"] = before["options"] | {"public_share_links": True}
        change = {"document": document, "base_version": before["version"], "reason": "Public links"}
        owner.http.put(path, json=change).raise_for_status()
        yield
        back = {"version": before["version"], "base_version": owner.get(path)["version"], "reason": "As before"}
        owner.post(f"{path}/rollback", back)


def path_of(address: str) -> str:
    return urlsplit(address).path


def open_together(first: Page, *others: Page) -> str:
    """Open a new session of the first person on all pages; return its path."""
    path = path_of(open_fresh_session(first))
    for page in others:
        page.goto(path)
        expect_live(page)
    return path


def expect_live(page: Page) -> None:
    expect(page.get_by_test_id("link-state")).to_have_attribute("data-link", "live", timeout=AGAIN)


def expect_there(page: Page, *words: str) -> None:
    """Wait until the page shows that exactly these people are present, in this order."""
    expect(page.get_by_test_id("presence").locator(".sr-only")).to_have_text(list(words), timeout=SOON)


def expect_nothing_to_act_with(page: Page) -> None:
    expect(
        page.get_by_text("You can watch this session, but your role does not allow you to send prompts.")
    ).to_be_visible()
    expect(page.get_by_label("Prompt", exact=True)).to_have_count(0)
    expect(page.get_by_test_id("session-title")).to_be_disabled()
    for name in ACTS:
        expect(page.get_by_role("button", name=name)).to_have_count(0)


def expect_everything_to_act_with(page: Page) -> None:
    expect(page.get_by_label("Prompt", exact=True)).to_be_editable()
    for name in ACTS:
        expect(page.get_by_role("button", name=name).first).to_be_visible()


def ask(page: Page, path: str, body: dict[str, Any]) -> str:
    """Send a request that the page does not offer; return the error code of the response."""
    code: str = page.evaluate(ASK, [path, body])
    return code


def card_in_tray(page: Page, request: str) -> Locator:
    """Go to the home page, open its tray of permission requests, and return the request with this id."""
    page.get_by_role("link", name="agentsite, home").click()
    tray = page.get_by_test_id("waiting-tray")
    tray.locator(".tray-head").click()
    card = tray.locator(f'[data-request="{request}"]')
    expect(card).to_be_visible(timeout=SOON)
    return card


def expect_not_asked(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("region", name="Projects")).to_be_visible(timeout=SOON)
    page.wait_for_load_state("networkidle")
    expect(page.get_by_test_id("waiting-tray")).to_have_count(0)


def say_quinces(page: Page, *, private: bool = False) -> str:
    """Send a prompt about quinces in a new session; return the session's path."""
    path = path_of(open_fresh_session(page, private=private))
    say(page, "Thanks for the quinces")
    turn_end(page, "completed")
    return path


def links_to(page: Page, path: str) -> Locator:
    return page.locator(f'main a[href="{path}"], nav a[href="{path}"]')


def test_two_share_a_session_and_its_requests_while_a_viewer_only_watches(people: People) -> None:
    mika, dana, vera = people
    path = open_together(mika, dana, vera)
    expect_there(mika, "Dana Demo: here", "You: here", "Vera Viewer: watching")
    say(mika, ASKED)
    card = open_card(vera)
    expect_there(dana, "You: here", "Mika Member: driving", "Vera Viewer: watching")
    expect_there(vera, "Dana Demo: here", "Mika Member: driving", "You: watching")
    expect(card).to_contain_text("Viewers cannot answer. Members and admins of the team can answer.")
    expect_everything_to_act_with(dana)
    expect_nothing_to_act_with(vera)
    request = card.get_attribute("data-request") or ""
    assert ask(vera, f"/api/v1{path}/prompts", {"text": "Mine"}) == "not_allowed"
    assert ask(vera, f"/api/v1/permission-requests/{request}/reply", {"reply": "once"}) == "not_allowed"
    expect_not_asked(vera)
    vera.goto(path)
    open_card(vera)

    cards = [card_in_tray(page, request) for page in (mika, dana)]
    cards[1].get_by_role("button", name="Allow once").click()
    for each in cards:
        expect(each).to_have_count(0, timeout=SOON)
    turn_end(vera, "completed")
    expect(vera.get_by_test_id("user-message")).to_contain_text("Mika Member")


@pytest.mark.chaos
def test_pages_come_back_by_themselves_with_who_is_there_when_the_web_process_dies(
    people: People, site: RunningSite
) -> None:
    mika, dana, vera = people
    path = open_together(mika, dana)
    expect_there(mika, "Dana Demo: here", "You: here")
    old = site.kill("web")
    for page in (mika, dana):
        expect(page.get_by_test_id("link-state")).not_to_have_attribute("data-link", "live")
    site.wait_for_replacement("web", old)
    for page in (mika, dana):
        expect_live(page)
    vera.goto(path)
    expect_there(mika, "Dana Demo: here", "You: here", "Vera Viewer: watching")
    expect_there(dana, "You: here", "Mika Member: here", "Vera Viewer: watching")
    say(dana, "Thanks")
    turn_end(mika, "completed")
    expect(mika.get_by_test_id("user-message")).to_contain_text("Dana Demo")


@pytest.mark.full  # what others are answered, tests/integration/agentsite/test_tenancy_private.py shows
def test_a_private_session_is_neither_listed_nor_found_nor_opened_by_anybody_else(people: People) -> None:
    mika, dana, _ = people
    shared = say_quinces(mika)
    private = say_quinces(mika, private=True)
    expect(mika.get_by_test_id("share-button")).to_have_text("Private")
    mika.goto(SEARCH)
    for path in (shared, private):
        expect(links_to(mika, path).first).to_be_visible(timeout=SOON)

    dana.goto("/")
    project = demo_project(dana).get_attribute("href") or ""
    for place in ("/", project, SEARCH):
        dana.goto(place)
        expect(links_to(dana, shared).first).to_be_visible(timeout=SOON)
        expect(links_to(dana, private)).to_have_count(0)
    dana.goto(private)
    expect(dana.get_by_role("heading", name="There is no such session")).to_be_visible(timeout=SOON)


@pytest.mark.full
@pytest.mark.usefixtures("public_links")
def test_whoever_has_a_link_reads_along_until_it_is_revoked(people: People, page: Page) -> None:
    mika, guest = people.mika, page
    open_fresh_session(mika)
    say(mika, "Thanks for the medlars")
    turn_end(mika, "completed")
    mika.get_by_test_id("share-button").click()
    dialog = mika.get_by_role("dialog", name="Share this session")
    dialog.get_by_label("Who can use it").select_option("public")
    dialog.get_by_role("button", name="Create link").click()
    guest.goto(path_of(dialog.get_by_test_id("made-link").get_by_role("textbox").input_value()))
    said = guest.get_by_role("main")
    expect(said).to_contain_text("Thanks for the medlars")
    expect(said).to_contain_text("You are welcome.")
    dialog.get_by_role("button", name="Close").click()
    say(mika, "Thanks again")
    expect(said).to_contain_text("Thanks again", timeout=SOON)
    mika.get_by_test_id("share-button").click()
    dialog.get_by_role("button", name="Revoke", exact=True).click()
    dialog.get_by_role("button", name="Revoke: the link stops working").click()
    expect(guest.get_by_role("alert")).to_contain_text("This link is not valid", timeout=SOON)
    expect(said).not_to_contain_text("medlars")

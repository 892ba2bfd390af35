"""A person goes from sign-up to a pull request without a mouse; the focus is always visible and never lost."""

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from deploy.demo_forge import Forge
from tests.e2e.keyboard import Keyboard
from tests.e2e.test_terminals import allow_terminals
from tests.e2e.workbench import open_card, turn_end
from tests.support.mail_server import MailServer
from tests.support.model_server import ModelServer, calls, text, tool_call
from tests.support.running_site import RunningSite

pytestmark = pytest.mark.full  # parts of the way are gone by keyboard in test_review, test_files, test_comparisons
EMAIL: Final = "kay@example.org"
PASSWORD: Final = "keys-without-a-mouse"
COMMAND: Final = "python3 -c 'print(6 * 7)'"
PORT: Final = 8000


@pytest.fixture
def site(scripted_site: RunningSite) -> RunningSite:
    return scripted_site


@pytest.fixture
def keys(page: Page) -> Iterator[Keyboard]:
    keys = Keyboard(page)
    yield keys
    assert "\n".join(sorted({*keys.faults})) == ""


def test_from_sign_up_to_a_pull_request_and_the_archive(
    keys: Keyboard, mailbox: MailServer, forge_site: Forge, model: ModelServer
) -> None:
    kim = forge_site.account("kim-without-a-mouse")
    shop = forge_site.repository("keys/lantern", {"README.md": b"# Lanterns\n"}, writers=[kim])
    sign_up(keys, mailbox)
    make_project(keys, forge_site.url, kim.token)
    prompt_and_answer(keys, model)
    dialogs_give_the_focus_back(keys)
    review(keys, model)
    files(keys)
    terminal(keys)
    preview(keys)
    close_terminal(keys)
    commit(keys)
    open_pull_request(keys)
    assert [pull.title for pull in shop.pulls] == ["Lamps"]
    archive(keys)


def sign_up(keys: Keyboard, mailbox: MailServer) -> None:
    page = keys.page
    page.goto("/")
    keys.choose(page.get_by_role("link", name="Create an account"))
    expect(page.get_by_role("heading", name="Create an account")).to_be_visible()
    for label, words in (("Name", "Kay"), ("E-mail", EMAIL), ("Password", PASSWORD)):
        keys.write(page.get_by_role("textbox", name=label, exact=True), words)
    keys.press("Enter")
    expect(page.get_by_role("heading", name="Confirm your e-mail address")).to_be_visible()
    link = re.search(r"https?://\S+/verify-email/\S+", mailbox.wait_for(EMAIL, "Confirm your e-mail address"))
    assert link
    page.goto(urlsplit(link.group()).path)
    keys.choose(page.get_by_role("button", name="Confirm"))
    expect(page.get_by_role("heading", name="Home")).to_be_visible()


def make_project(keys: Keyboard, forge: str, token: str) -> None:
    page = keys.page
    keys.write(page.get_by_role("textbox", name="Name of a new team", exact=True), "Lanterns")
    keys.press("Enter")
    expect(page.get_by_role("heading", name="Your first project")).to_be_visible()
    keys.write(page.get_by_role("textbox", name="Address of a self-hosted server"), forge)
    keys.write(page.get_by_role("textbox", name="Token", exact=True), token)
    keys.press("Enter")
    keys.to(page.get_by_role("radio", name="keys/lantern"))
    keys.press("Space")
    keys.choose(page.get_by_role("button", name="Create project"))
    expect(page.get_by_label("What should the agent do?")).to_be_visible()


def prompt_and_answer(keys: Keyboard, model: ModelServer) -> None:
    page = keys.page
    story = model.script(
        calls(tool_call("bash", command=COMMAND, description="Count")),
        calls(tool_call("write", filePath="LAMP.md", content="# Lamps\n\nTwo.\n")),
        text("Written."),
        by="conversation",
    )
    keys.write(page.get_by_label("What should the agent do?"), f"Write about lamps {story.marker}")
    keys.press("Enter")
    page.wait_for_url("**/sessions/ses_*")
    open_card(page)
    keys.press("Alt+w")
    keys.choose(open_card(page).get_by_role("button", name="Allow once"))
    turn_end(page, "completed")
    keys.holds("after a card was answered")


def dialogs_give_the_focus_back(keys: Keyboard) -> None:
    page = keys.page
    for opened in ("Alt+h", "Control+k"):
        before = keys.where()
        keys.press(opened)
        expect(page.get_by_role("dialog")).to_be_visible()
        keys.holds(f"in what {opened} opens")
        keys.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert keys.where() == before
    share = page.get_by_test_id("share-button")
    keys.choose(share, key="Shift+Tab")
    expect(page.get_by_role("dialog")).to_be_visible()
    keys.press("Escape")
    expect(share).to_be_focused()


def review(keys: Keyboard, model: ModelServer) -> None:
    page = keys.page
    keys.choose(page.get_by_role("link", name="Review").first)
    page.wait_for_url("**/review")
    grid = page.get_by_test_id("review-grid")
    expect(grid).to_contain_text("Two.")
    keys.to(grid)
    keys.press("Alt+ArrowDown", "Enter")
    keys.type("Why two?")
    keys.press("Control+Enter")
    expect(page.get_by_role("article", name="Comment")).to_have_attribute("data-state", "draft")
    keys.holds("after a comment was written")
    answer = model.script(text("1. One was not enough."), by="conversation")
    keys.choose(page.get_by_role("button", name="Send 1 comment"))
    keys.write(page.get_by_label("Introduction (optional)"), f"Please {answer.marker}")
    keys.choose(page.get_by_role("button", name="Send to the agent"))
    expect(page.get_by_role("article", name="Comment")).to_have_attribute("data-state", "done", timeout=60_000)
    keys.holds("after the comments were sent")
    keys.choose(page.get_by_role("link", name="Back to the session"), key="Shift+Tab")
    expect(page.get_by_test_id("conversation")).to_contain_text("One was not enough.")
    keys.holds("back in the session")


def to_tab(keys: Keyboard, name: str, key: str = "ArrowRight") -> None:
    """Go to a tab of the side panel from anywhere on the page, with the arrow keys in the list of tabs."""
    page = keys.page
    keys.to(page.locator("[role=tab][aria-selected=true]"))
    keys.to(page.get_by_role("tab", name=name), key=key)
    keys.press("Enter")
    keys.holds(f"after the tab {name} was chosen")


def files(keys: Keyboard) -> None:
    page = keys.page
    to_tab(keys, "Files")
    keys.to(page.locator("[data-path='LAMP.md']"))
    keys.press("Enter")
    field = page.get_by_role("textbox", name="Text of LAMP.md")
    expect(field).to_be_visible()
    keys.holds("after a file was opened")
    keys.to(field)
    keys.press("Control+End")
    keys.type("Three.")
    keys.press("Control+s")
    expect(page.get_by_text("Changed, not saved")).to_have_count(0)
    keys.holds("after a file was saved")
    keys.press("Escape")
    keys.choose(page.get_by_role("button", name="Back to all files"), key="Shift+Tab")
    expect(page.locator("[data-path='LAMP.md']")).to_be_visible()
    keys.holds("after a file was closed")


def terminal(keys: Keyboard) -> None:
    page = keys.page
    allow_terminals(page, page.url.rsplit("/", 1)[1])
    page.reload()
    expect(page.get_by_test_id("conversation")).to_be_visible()
    to_tab(keys, "Terminal")
    keys.choose(page.get_by_role("button", name="New terminal"))
    rows = page.locator(".xterm-rows")
    expect(rows).to_contain_text("$", timeout=30_000)
    keys.to(page.get_by_role("textbox", name="Terminal 1"))
    keys.type(f"echo $((40 + 2)) lamps; python3 -m http.server {PORT}\n")
    expect(rows).to_contain_text("42 lamps")
    keys.press("Control+Shift+L")
    expect(page.get_by_role("tab", name="Terminal")).to_be_focused()


def preview(keys: Keyboard) -> None:
    page = keys.page
    to_tab(keys, "Preview")
    keys.choose(page.get_by_role("button", name=f"Port {PORT}"))
    frame = page.frame_locator(f'iframe[title="Preview of port {PORT}"]')
    expect(frame.get_by_role("link", name="LAMP.md")).to_be_visible()
    keys.to(page.locator("iframe"))
    keys.press("Tab")
    path = page.get_by_role("textbox", name="Path of the page")
    keys.to(path, key="Shift+Tab")
    keys.press("Control+a")
    keys.type("/LAMP.md")
    keys.press("Enter")
    expect(frame.locator("body")).to_contain_text("Three.")
    keys.holds("after another page was loaded")


def close_terminal(keys: Keyboard) -> None:
    page = keys.page
    to_tab(keys, "Terminal", key="ArrowLeft")
    keys.choose(page.get_by_role("button", name="Close Terminal 1"))
    expect(page.get_by_text("A terminal is a shell in this session's workspace.")).to_be_visible()
    keys.holds("after a terminal was closed")


def commit(keys: Keyboard) -> None:
    """Commit and push, starting with the button in the header, which leads to the form."""
    page = keys.page
    keys.choose(page.get_by_role("button", name="Commit", exact=True), key="Shift+Tab")
    panel = page.get_by_role("region", name="Commits")
    expect(panel).to_be_focused()
    keys.choose(panel.get_by_role("button", name="Commit…"))
    expect(panel.get_by_role("status").last).not_to_be_empty()  # of the draft
    keys.press("Control+a")
    keys.type("Write about lamps")
    keys.choose(panel.get_by_role("button", name="Commit", exact=True))
    expect(panel.get_by_role("status").first).to_contain_text("1 commit not pushed")
    keys.holds("after the commit")
    keys.choose(panel.get_by_role("button", name="Push"))
    expect(panel.get_by_role("status").first).to_contain_text("Everything is committed")
    keys.holds("after the push")


def open_pull_request(keys: Keyboard) -> None:
    page = keys.page
    keys.choose(page.get_by_role("button", name="Open a PR"), key="Shift+Tab")
    panel = page.get_by_role("region", name="Pull request")
    expect(panel).to_be_focused()
    keys.choose(panel.get_by_role("button", name="Open a pull request"))
    expect(panel.get_by_role("status").last).not_to_be_empty()  # of the draft
    keys.press("Control+a")
    keys.type("Lamps")
    keys.press("Enter")
    expect(panel.get_by_role("link", name="keys/lantern #1")).to_be_visible()
    keys.holds("after the pull request was opened")


def archive(keys: Keyboard) -> None:
    page = keys.page
    menu = page.locator(".session-header").get_by_role("button", name=re.compile("^Actions for"))
    keys.choose(menu, key="Shift+Tab")
    keys.to(page.get_by_role("menuitem", name="Archive"), key="ArrowDown")
    keys.press("Enter")
    expect(page.get_by_text("This session is archived.")).to_be_visible()
    expect(menu).to_be_focused()
    keys.choose(page.get_by_role("button", name="Restore from the archive"))
    expect(page.get_by_label("Prompt", exact=True)).to_be_focused()

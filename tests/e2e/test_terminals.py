"""The tab Terminal of a session in a real browser: typing, colours, reload, killed processes, a phone, the keyboard."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Scheme, both_schemes, picture
from tests.e2e.workbench import open_fresh_session, say, serious_findings, sign_in, turn_end
from tests.support.running_site import RunningSite


def allow_terminals(page: Page, session: str) -> None:
    """Allow terminals in the policy of the session's project, as an admin does."""
    project = page.request.get(f"/api/v1/sessions/{session}").json()["project_id"]
    address = f"/api/v1/policies/{project}"
    policy = page.request.get(address).json()
    document = {name: policy[name] for name in ("preset", "rules", "enforced", "options", "expectations")}
    document["options"]["sandbox"]["terminals"] = True
    token = next(cookie["value"] for cookie in page.context.cookies() if cookie["name"].endswith("csrftoken"))
    answer = page.request.put(
        address, data={"document": document, "base_version": policy["version"]}, headers={"X-CSRFToken": token}
    )
    assert answer.ok, answer.text()


@pytest.fixture
def terminal(page: Page, site: RunningSite) -> Page:
    """Open a page with a new terminal in the workspace of the demo project."""
    sign_in(page)
    session = open_fresh_session(page).rsplit("/", 1)[1]
    say(page, "List the files")
    turn_end(page, "completed")
    allow_terminals(page, session)
    page.get_by_role("tab", name="Terminal").click()
    page.get_by_role("button", name="New terminal").click()
    expect(rows(page)).to_contain_text("$", timeout=30_000)
    return page


def rows(page: Page) -> Locator:
    return page.locator(".xterm-rows")


def run(page: Page, command: str) -> None:
    page.get_by_role("textbox", name="Terminal 1").focus()
    page.keyboard.type(f"{command}\n")


def shows(page: Page, words: str) -> None:
    """Wait until a line of the terminal consists of these words."""
    expect(rows(page).locator("> div").filter(has_text=re.compile(rf"^{re.escape(words)}\s*$"))).not_to_have_count(0)


def test_a_person_types_and_a_reload_loses_nothing(terminal: Page) -> None:
    run(terminal, "kept=$((40 + 2)); echo first $kept; ls")
    shows(terminal, "first 42")
    run(terminal, r"printf '\e[31mred\e[0m \e[38;2;0;128;0mgreen\e[0m\n'")
    red = rows(terminal).locator("span", has_text=re.compile("^red$")).last
    expect(red).to_have_css("color", re.compile(r"rgb\((17|18)\d, 3\d, 3\d\)"))
    green = rows(terminal).locator("span", has_text=re.compile("^green$")).last
    expect(green).to_have_css("color", re.compile(r"rgb\(0, 128, 0\)"))

    terminal.reload()
    terminal.get_by_role("tab", name="Terminal").click()
    shows(terminal, "first 42")
    run(terminal, "echo again $kept")
    shows(terminal, "again 42")


@pytest.mark.parametrize("process", ["sandbox", pytest.param("web", marks=pytest.mark.full)])
def test_a_killed_process_leaves_the_shell_and_its_screen(terminal: Page, site: RunningSite, process: str) -> None:
    run(terminal, "kept=$((40 + 2)); echo before $kept")
    shows(terminal, "before 42")
    old = site.kill(process)
    site.wait_for_replacement(process, old)
    expect(terminal.locator(".terminal-screen")).to_have_attribute("data-state", "here", timeout=60_000)
    shows(terminal, "before 42")
    terminal.get_by_role("textbox", name="Terminal 1").focus()
    for _ in range(20):  # what is typed while nobody listens may be lost
        terminal.keyboard.type("echo after $kept\n")
        if rows(terminal).get_by_text("after 42").count():
            break
        terminal.wait_for_timeout(500)
    shows(terminal, "after 42")


@pytest.mark.full
def test_the_keyboard_leaves_the_terminal_and_a_closed_one_is_gone(terminal: Page) -> None:
    terminal.get_by_role("textbox", name="Terminal 1").focus()
    terminal.keyboard.press("Tab")
    expect(terminal.get_by_role("textbox", name="Terminal 1")).to_be_focused()
    terminal.keyboard.press("Control+Shift+L")
    expect(terminal.get_by_role("tab", name="Terminal")).to_be_focused()
    assert serious_findings(terminal) == []
    terminal.get_by_role("button", name="Close Terminal 1").click()
    expect(terminal.get_by_text("A terminal is a shell in this session's workspace.")).to_be_visible()


@pytest.mark.full
@both_schemes
def test_how_it_looks(terminal: Page, scheme: Scheme) -> None:
    run(terminal, "clear; ls -la --color=always; git status | head -20")
    shows(terminal, "On branch main")
    for name, width in (("wide", 1440), ("middle", 1024), ("phone", 390)):
        terminal.set_viewport_size({"width": width, "height": 844})
        if not rows(terminal).is_visible():
            terminal.get_by_role("button", name="Diff, files and details").click()
        expect(rows(terminal)).to_be_visible()
        picture(terminal, f"terminal-{name}", scheme)

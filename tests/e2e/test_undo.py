"""Undo and redo in a real browser: by keyboard, in two tabs, after a reload, and where others changed the same
lines."""

from typing import Final

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Scheme, both_schemes, picture
from tests.e2e.workbench import faults_at, open_fresh_session, press_on, say, sign_in, turn_end
from tests.support.model_server import ModelServer, calls, text, tool_call
from tests.support.running_site import RunningSite

PATH: Final = "teashop/pricing.py"
LINE: Final = "if quantity > BULK_QUANTITY:"
FIRST: Final = "if quantity >= BULK_QUANTITY:"
SECOND: Final = "if quantity + 1 > BULK_QUANTITY:"


@pytest.fixture
def site(scripted_site: RunningSite) -> RunningSite:
    """Use the scripted site, also for the browser, instead of the site with the demo model."""
    return scripted_site


def change(page: Page, model: ModelServer, old: str, new: str, answer: str) -> None:
    """Run a turn that edits one file and writes another one."""
    ended = page.get_by_test_id("turn-summary").count()
    story = model.script(
        calls(tool_call("read", filePath=PATH)),
        calls(
            tool_call("edit", filePath=PATH, oldString=old, newString=new),
            tool_call("write", filePath=f"note-{ended}.md", content=f"{answer}\n"),
        ),
        text(answer),
        by="conversation",
    )
    say(page, f"Change it {story.marker}")
    expect(page.get_by_test_id("turn-summary")).to_have_count(ended + 1, timeout=60_000)
    turn_end(page, "completed")


def dialog(page: Page) -> Locator:
    shown = page.get_by_role("dialog")
    expect(shown.get_by_test_id("undo")).to_be_visible()
    return shown


def confirm(page: Page, verb: str) -> None:
    button = dialog(page).get_by_role("button", name=verb, exact=True)
    expect(button).to_be_enabled()
    press_on(page, button)
    expect(page.get_by_role("dialog")).to_have_count(0)


def changed_paths(page: Page) -> list[str]:
    """Return the paths that the tab *Diff* lists."""
    return [str(file.get_attribute("data-path")) for file in page.get_by_test_id("changed-file").all()]


def test_a_turn_is_undone_and_redone_by_keyboard_in_two_tabs(page: Page, other_tab: Page, model: ModelServer) -> None:
    sign_in(page)
    address = open_fresh_session(page)
    change(page, model, LINE, FIRST, "Ten is bulk now.")
    other_tab.goto(address)
    expect(other_tab.get_by_test_id("assistant-text").get_by_text("Ten is bulk now.")).to_be_visible()
    expect(other_tab.get_by_test_id("changed-file")).to_have_count(2)

    press_on(page, page.get_by_role("button", name="Undo this turn"))
    expect(dialog(page)).to_contain_text("will be hidden from people and the model")
    expect(dialog(page).get_by_role("list", name="Files").get_by_role("listitem")).to_have_count(2)
    expect(dialog(page)).to_contain_text("note-0.mdis removed")
    confirm(page, "Undo")
    for tab in (page, other_tab):
        expect(tab.get_by_test_id("revert-bar")).to_contain_text("2 files taken back")
        expect(tab.get_by_test_id("assistant-text").get_by_text("Ten is bulk now.")).to_have_count(0)
        expect(tab.get_by_test_id("changed-file")).to_have_count(0)
    page.reload()
    expect(page.get_by_test_id("revert-bar")).to_contain_text("The next prompt makes this final.")
    expect(page.get_by_test_id("assistant-text").get_by_text("Ten is bulk now.")).to_have_count(0)

    press_on(other_tab, other_tab.get_by_role("button", name="Redo"))
    confirm(other_tab, "Redo")
    for tab in (page, other_tab):
        expect(tab.get_by_test_id("revert-bar")).to_have_count(0)
        expect(tab.get_by_test_id("assistant-text").get_by_text("Ten is bulk now.")).to_be_visible()
        expect(tab.get_by_test_id("changed-file")).to_have_count(2)
    assert changed_paths(page) == ["note-0.md", PATH]


@pytest.mark.full
def test_the_next_prompt_makes_an_undo_final(page: Page, model: ModelServer) -> None:
    sign_in(page)
    open_fresh_session(page)
    change(page, model, LINE, FIRST, "Ten is bulk now.")
    press_on(page, page.get_by_role("button", name="Undo this turn"))
    confirm(page, "Undo")
    answer = model.script(text("Nothing is left of it."))
    say(page, f"What do you see? {answer.marker}")
    expect(page.get_by_test_id("assistant-text").get_by_text("Nothing is left of it.")).to_be_visible(timeout=60_000)
    expect(page.get_by_test_id("revert-bar")).to_have_count(0)
    (asked,) = answer.requests(at_least=1)
    assert "Ten is bulk now." not in str(asked["body"]["messages"])
    page.reload()
    expect(page.get_by_test_id("assistant-text").get_by_text("Nothing is left of it.")).to_be_visible()
    expect(page.get_by_test_id("assistant-text").get_by_text("Ten is bulk now.")).to_have_count(0)


@both_schemes
@pytest.mark.full
def test_a_conflict_is_decided_by_keyboard(page: Page, model: ModelServer, scheme: Scheme) -> None:
    sign_in(page)
    open_fresh_session(page)
    change(page, model, LINE, FIRST, "Ten is bulk now.")
    change(page, model, FIRST, SECOND, "So it is still.")
    press_on(page, page.get_by_role("button", name="Undo this turn").first)
    press_on(page, dialog(page).get_by_role("radio", name="Only the files of this turn"), "Space")
    decision = dialog(page).get_by_role("group", name=f"Decision about {PATH}")
    expect(decision).to_be_visible()
    expect(dialog(page).get_by_role("button", name="Undo", exact=True)).to_be_disabled()
    press_on(page, dialog(page).get_by_role("button", name=PATH))
    picture(page, "undo-conflict", scheme)
    assert faults_at(page, 1440, 360) == {}

    press_on(page, decision.get_by_role("radio", name="Take it back anyway"), "Space")
    confirm(page, "Undo")
    expect(page.get_by_test_id("revert-bar")).to_contain_text("2 files taken back.")
    expect(page.get_by_test_id("assistant-text").get_by_text("Ten is bulk now.")).to_be_visible()
    expect(page.get_by_test_id("changed-file")).to_have_count(1)
    assert changed_paths(page) == ["note-1.md"]
    assert faults_at(page, 1440, 360) == {}

    press_on(page, page.get_by_role("button", name="Redo"))
    confirm(page, "Redo")
    expect(page.locator(f'[data-path="{PATH}"]')).to_contain_text(SECOND)

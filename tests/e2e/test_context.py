"""The page about the model's context in a real browser: the groups of content that fill the context, and the system
prompt as it was sent."""

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.e2e.conftest import Scheme, both_schemes, picture
from tests.e2e.workbench import faults_at, open_fresh_session, press_on, say, sign_in, turn_end
from tests.support.model_server import ModelServer, calls, text, tool_call
from tests.support.running_site import RunningSite

pytestmark = pytest.mark.full

WIDTHS = (1440, 1024, 390)
DESK: ViewportSize = {"width": 1440, "height": 900}


@pytest.fixture
def site(scripted_site: RunningSite) -> RunningSite:
    """Override the fixture `site`, so that the browser also uses the site whose model follows scripts."""
    return scripted_site


def pictures(page: Page, name: str, scheme: Scheme) -> None:
    """Take pictures of the page at every width. Where the side panel is a drawer, a button opens it."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        if not page.get_by_role("tab", name="Details").is_visible():
            page.get_by_role("button", name="Diff, files and details").click()
        picture(page, f"{name}-{width}", scheme)
    page.set_viewport_size(DESK)


@both_schemes
def test_the_context_is_taken_apart_and_read_by_keyboard(page: Page, model: ModelServer, scheme: Scheme) -> None:
    sign_in(page)
    open_fresh_session(page)
    page.get_by_role("tab", name="Details").click()
    expect(page.get_by_text("Nothing has been sent to a model in this session yet.")).to_be_visible()
    story = model.script(
        calls(tool_call("read", filePath="teashop/pricing.py"), tool_call("read", filePath="README.md")),
        text("It is about tea. " * 200),
        by="conversation",
    )
    say(page, f"What is this? {story.marker}")
    turn_end(page, "completed")

    panel = page.get_by_test_id("context-panel")
    for group in ("System prompt", "Tools", "Prompts", "Answers", "Tool results"):
        expect(panel.get_by_test_id("context-group").filter(has_text=group).first).to_be_visible()
    press_on(page, panel.get_by_test_id("context-group").filter(has_text="Tool results").locator("summary"))
    expect(panel.get_by_text("read, 2 calls")).to_be_visible()
    pictures(page, "context", scheme)
    assert faults_at(page, *WIDTHS) == {}

    press_on(page, panel.get_by_role("button", name="System prompt as it was sent"))
    dialog = page.get_by_role("dialog", name="System prompt as it was sent")
    expect(dialog.get_by_role("region", name="System prompt")).not_to_be_empty()
    picture(page, "context-system-prompt", scheme)
    assert faults_at(page, *WIDTHS) == {}
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(panel.get_by_role("button", name="Compact now")).to_be_enabled()

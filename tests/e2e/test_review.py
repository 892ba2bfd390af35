"""A review by keyboard in a real browser: reading, comments on lines that are sent to the agent, and approved files."""

from typing import Final

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Scheme, both_schemes, picture
from tests.e2e.workbench import open_card, open_fresh_session, serious_findings, sign_in, turn_end
from tests.support.model_server import ModelServer, calls, text, tool_call
from tests.support.running_site import RunningSite

WIDTHS: Final = (1440, 1024, 390)
PATH: Final = "teashop/pricing.py"
LINE: Final = "if quantity > BULK_QUANTITY:"
MAKE: Final = (
    "mkdir -p env/lib; touch env/pyvenv.cfg; for n in $(seq 1200); do echo $n > env/lib/$n.py; done;"
    'for n in $(seq 2000); do echo "total_$n = price($n) * 2  # line $n"; done > teashop/table.py;'
    "echo '{}' > package-lock.json; mv README.md GUIDE.md"
)


@pytest.fixture
def site(scripted_site: RunningSite) -> RunningSite:
    """Use the scripted site, also for the browser, instead of the site with the demo model."""
    return scripted_site


def change_files(page: Page, model: ModelServer) -> None:
    story = model.script(
        calls(tool_call("read", filePath=PATH)),
        calls(tool_call("edit", filePath=PATH, oldString=LINE, newString=LINE.replace(">", ">="))),
        calls(tool_call("bash", command=MAKE, description="Make files")),
        text("Done."),
        by="conversation",
    )
    page.get_by_role("textbox", name="Prompt").fill(f"Change it {story.marker}")
    page.keyboard.press("Enter")
    open_card(page).get_by_role("button", name="Allow once").click()
    turn_end(page, "completed")


def active_row(page: Page) -> Locator:
    return page.locator('[role=row][aria-selected="true"]')


@both_schemes
def test_a_review_by_keyboard_goes_to_the_agent(page: Page, model: ModelServer, scheme: Scheme) -> None:
    sign_in(page)
    open_fresh_session(page)
    change_files(page, model)
    page.get_by_role("tabpanel").get_by_role("link", name="Review", exact=True).click()
    grid = page.get_by_test_id("review-grid")
    expect(grid).to_contain_text("if quantity >= BULK_QUANTITY:")
    expect(page.get_by_test_id("folded-folder")).to_have_count(0)  # it is below the file of 2,000 lines
    expect(page.get_by_role("navigation", name="Changed files").get_by_role("listitem")).to_have_count(4)
    assert page.locator("[role=row]").count() < 200  # of more than 2,000: the others are out of view
    picture(page, "review", scheme)

    grid.focus()
    page.keyboard.type("y1-approve?")  # printable keys decide nothing
    page.keyboard.press("Alt+PageDown")
    expect(active_row(page)).to_contain_text("GUIDE.md")
    page.keyboard.press("Alt+PageDown")
    expect(active_row(page)).to_contain_text(PATH)
    page.keyboard.press("Alt+ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.type("Is ten already bulk? Say y or n.")
    picture(page, "review-comment", scheme)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("article", name="Comment")).to_have_attribute("data-state", "draft")
    grid.focus()
    page.keyboard.press("Alt+v")
    expect(page.get_by_role("navigation", name="Changed files").get_by_text("approved")).to_have_count(1)

    answer = model.script(text("1. Yes, ten is bulk."), by="conversation")
    page.get_by_role("button", name="Send 1 comment").press("Enter")
    page.get_by_label("Introduction (optional)").fill(f"Please {answer.marker}")
    page.get_by_role("button", name="Send to the agent").press("Enter")
    page.get_by_role("button", name=PATH).first.click()
    expect(page.get_by_role("article", name="Comment")).to_have_attribute("data-state", "done", timeout=60_000)
    assert findings_at_every_width(page, scheme) == {}


def findings_at_every_width(page: Page, scheme: Scheme) -> dict[int, list[str]]:
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        picture(page, f"review-{width}", scheme)
        found[width] = serious_findings(page)
        wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        found[width] += ["the page is wider than the window"] if wide > 0 else []
    return {width: findings for width, findings in found.items() if findings}

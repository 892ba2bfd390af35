"""Details of a review in a real browser: turns, commits, words, white space, pictures, renamed and generated files,
ranges of lines, approvals, and one reverted change of several."""

import base64
from typing import Final

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Scheme, both_schemes, picture
from tests.e2e.test_revert_killed import run_turn
from tests.e2e.test_together import VIEWER
from tests.e2e.workbench import faults_at, press_on, sign_in
from tests.support.api_client import ApiClient
from tests.support.model_server import ModelServer
from tests.support.pictures import png
from tests.support.running_site import RunningSite

pytestmark = pytest.mark.full

WIDTHS: Final = (1440, 1024, 390)
LINES: Final = "lines.txt"
GIT: Final = "git -c user.name=Dana -c user.email=dana@example.org"
START: Final = (
    f"seq -f 'line %.0f' 40 > {LINES}; printf 'def tea():\\n    if True:\\n        return 1\\n' > spaces.py; "
    f"echo {base64.b64encode(png(40, 30)).decode()} | base64 -d > logo.png; git init -q .; git add -A; "
    f"{GIT} commit -qm Start"
)
FIRST: Final = (
    "git mv README.md GUIDE.md; sed -i 's/quantity > BULK/quantity >= BULK/' teashop/pricing.py; "
    "sed -i 's/^    /        /' spaces.py; echo '{\"lockfileVersion\": 3}' > package-lock.json; "
    f"echo {base64.b64encode(png(80, 20)).decode()} | base64 -d > logo.png; git add -A; "
    f"{GIT} commit -qm 'Sell ten in bulk'"
)
SECOND: Final = f"sed -i 's/^line 3$/line three/; s/^line 30$/line thirty/' {LINES}"


@pytest.fixture
def site(scripted_site: RunningSite) -> RunningSite:
    """Override the fixture `site`, so that the browser also uses the site whose model follows scripts."""
    return scripted_site


@pytest.fixture
def reviewed(client: ApiClient, model: ModelServer) -> str:
    """Run a session of two turns in a workspace with a repository, in which the first turn makes a commit; return the
    session's id."""
    first = client.site.session(client.open_session())
    run_turn(client, model, first, START)
    session = client.site.start_session(client.project().id, workspace_id=first.view().workspace_id)
    run_turn(client, model, session, FIRST)
    run_turn(client, model, session, SECOND)
    return session.id


def open_review(page: Page, session: str) -> Locator:
    sign_in(page)
    page.goto(f"/sessions/{session}/review")
    grid = page.get_by_test_id("review-grid")
    expect(grid.get_by_role("row").first).to_be_visible()
    return grid


def listed(page: Page) -> Locator:
    return page.get_by_role("navigation", name="Changed files").get_by_role("listitem")


def go_to(page: Page, path: str) -> None:
    press_on(page, page.get_by_role("navigation", name="Changed files").get_by_role("button", name=path))


def faults(page: Page, name: str, scheme: Scheme) -> dict[int, list[str]]:
    """Take pictures of the page at every width, and return the faults that axe finds."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        picture(page, f"{name}-{width}", scheme)
    page.set_viewport_size({"width": 1440, "height": 900})
    return faults_at(page, *WIDTHS)


@both_schemes
def test_everything_that_changed_is_shown_as_what_it_is(page: Page, reviewed: str, scheme: Scheme) -> None:
    grid = open_review(page, reviewed)
    expect(listed(page)).to_have_count(6)
    go_to(page, "teashop/pricing.py")
    expect(grid.locator(".line-add .review-word").filter(has_text="=")).to_have_count(1)
    go_to(page, "logo.png")
    for label in ("before", "after"):
        shown = grid.get_by_alt_text(f"logo.png, {label}")
        expect(shown).to_be_visible()
        assert shown.evaluate("(image) => image.decode().then(() => image.naturalWidth)") in (40, 80)
    assert faults(page, "review-pictures", scheme) == {}
    go_to(page, "GUIDE.md")
    expect(grid).to_contain_text("README.md")
    go_to(page, "package-lock.json")
    expect(grid).to_contain_text("lockfileVersion")
    assert faults(page, "review-details", scheme) == {}

    press_on(page, page.get_by_role("radio", name="Side by side"), "ArrowLeft")
    expect(page.get_by_role("radio", name="Unified")).to_be_checked()
    expect(grid.locator(".review-pair")).to_have_count(0)
    picture(page, "review-unified", scheme)
    press_on(page, page.get_by_role("checkbox", name="Ignore white space"), "Space")
    go_to(page, "spaces.py")
    expect(grid).not_to_contain_text("if True:")
    assert "space=ignored" in page.url


def test_a_turn_and_a_commit_are_reviewed_alone_and_the_address_says_so(page: Page, reviewed: str) -> None:
    grid = open_review(page, reviewed)
    commits = page.get_by_label("Changes of a commit")
    name = commits.get_by_role("option").filter(has_text="Sell ten in bulk").inner_text()
    commits.select_option(name)
    expect(listed(page)).to_have_count(5)
    expect(listed(page).filter(has_text=LINES)).to_have_count(0)
    assert "commit=" in page.url
    turns = page.locator(".review-turn select")
    turns.select_option(index=2)
    expect(listed(page)).to_have_count(1)
    expect(grid).to_contain_text("line thirty")
    assert "commit=" not in page.url
    page.reload()
    expect(listed(page)).to_have_count(1)
    with page.expect_download() as loading:
        press_on(page, page.get_by_role("link", name="Patch"))
    assert "+line thirty" in loading.value.path().read_text()


def test_lines_are_marked_and_files_approved_by_keyboard(page: Page, reviewed: str) -> None:
    grid = open_review(page, reviewed)
    go_to(page, LINES)
    grid.focus()
    page.keyboard.press("Alt+ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Comment: Lines 3 to 4")).to_be_focused()
    page.keyboard.type("Words for numbers, please.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("article", name="Comment")).to_contain_text("Lines 3 to 4")
    grid.focus()
    page.keyboard.press("Alt+v")
    expect(listed(page).filter(has_text=LINES)).to_contain_text("approved")


@both_schemes
def test_one_change_of_several_is_taken_back(page: Page, reviewed: str, scheme: Scheme) -> None:
    sign_in(page)
    page.goto(f"/sessions/{reviewed}")
    press_on(page, page.get_by_role("button", name="Undo this turn").last)
    dialog = page.get_by_role("dialog")
    press_on(page, dialog.get_by_role("radio", name="Single files or changes of this turn"), "Space")
    press_on(page, dialog.get_by_role("checkbox", name=LINES), "Space")
    press_on(page, dialog.get_by_role("checkbox", name="Change 1 of 2"), "Space")
    undo = dialog.get_by_role("button", name="Undo", exact=True)
    expect(undo).to_be_enabled()
    assert faults(page, "undo-one-change", scheme) == {}
    press_on(page, undo)
    expect(page.get_by_test_id("revert-bar")).to_contain_text("1 file taken back.")
    grid = open_review(page, reviewed)
    go_to(page, LINES)
    expect(grid).to_contain_text("line three")
    expect(grid).not_to_contain_text("line thirty")


def test_a_viewer_sees_the_changes_and_can_take_nothing_back(page: Page, client: ApiClient, reviewed: str) -> None:
    draft = {"path": LINES, "text": "A draft.", "first_line": 0, "last_line": 0, "quote": ""}
    client.post(f"/api/v1/sessions/{reviewed}/review-comments", draft)
    sign_in(page, VIEWER)
    page.goto(f"/sessions/{reviewed}")
    expect(page.get_by_test_id("changed-file").first).to_be_visible()
    for verb in ("Undo this turn", "Try again", "Edit this prompt", "Fork from here", "Run several attempts"):
        expect(page.get_by_role("button", name=verb)).to_have_count(0)
    page.goto(f"/sessions/{reviewed}/review")
    grid = page.get_by_test_id("review-grid")
    go_to(page, LINES)
    expect(grid).to_contain_text("line thirty")
    grid.focus()
    page.keyboard.press("Alt+ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.press("Alt+v")
    expect(page.get_by_role("textbox", name="Comment")).to_have_count(0)
    expect(page.get_by_role("article", name="Comment")).to_have_count(0)  # drafts of others
    expect(page.get_by_role("checkbox", name="Approved")).to_have_count(0)
    expect(page.get_by_role("link", name="Patch")).to_have_count(0)
    assert faults_at(page, 1440, 360) == {}

"""The tab Files of a session: a person reads, searches and changes files of the workspace while the agent works."""

import zipfile

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Scheme, both_schemes, picture
from tests.e2e.workbench import open_fresh_session, say, serious_findings, sign_in, turn_end
from tests.support.running_site import RunningSite

PRICING = "teashop/pricing.py"


@pytest.fixture
def files(page: Page, site: RunningSite) -> Page:
    """Open a session whose workspace has the demo project, and show its files."""
    sign_in(page)
    open_fresh_session(page)
    say(page, "List the files")
    turn_end(page, "completed")
    page.get_by_role("tab", name="Files").click()
    expect(page.locator("[data-path=teashop]")).to_be_visible(timeout=30_000)
    return page


def _open(page: Page) -> None:
    page.locator("[data-path=teashop]").click()
    page.locator(f"[data-path='{PRICING}']").click()
    expect(page.get_by_role("textbox", name=f"Text of {PRICING}")).to_be_visible()


def test_a_person_edits_a_file_and_nothing_is_lost_by_a_reload(files: Page) -> None:
    _open(files)
    text = files.get_by_role("textbox", name=f"Text of {PRICING}")
    text.click()
    files.keyboard.press("Control+Home")
    files.keyboard.type("# mine\n")
    expect(files.get_by_text("Changed, not saved")).to_be_visible()

    files.reload()
    files.get_by_role("tab", name="Files").click()
    _open(files)
    expect(files.get_by_text("Changed, not saved")).to_be_visible()
    files.get_by_role("button", name="Save", exact=True).click()
    expect(files.get_by_text("Changed, not saved")).to_have_count(0)
    files.get_by_role("button", name="Back to all files").click()
    files.get_by_role("searchbox").fill("# mine")
    expect(files.get_by_role("list", name="Found files").get_by_role("button")).to_contain_text([PRICING])


@pytest.mark.full
def test_a_file_that_somebody_changed_meanwhile_is_shown_and_not_overwritten(files: Page) -> None:
    _open(files)
    session = files.url.rsplit("/", 1)[1]
    address = f"/api/v1/sessions/{session}/files/content"
    seen = files.request.get(f"{address}?path={PRICING}").json()
    files.get_by_role("textbox", name=f"Text of {PRICING}").click()
    files.keyboard.press("Control+Home")
    files.keyboard.type("# mine\n")

    token = next(cookie["value"] for cookie in files.context.cookies() if cookie["name"].endswith("csrftoken"))
    body = {"path": PRICING, "text": f"# theirs\n{seen['text']}", "seen_sha256": seen["sha256"]}
    assert files.request.put(address, data=body, headers={"X-CSRFToken": token}).ok
    files.keyboard.press("Control+s")

    conflict = files.get_by_role("alert", name="Conflict")
    expect(conflict).to_contain_text("The file changed since you began to edit it.")
    assert files.request.get(f"{address}?path={PRICING}").json()["text"].startswith("# theirs\n")
    conflict.get_by_role("button", name="Replace it with my text").click()
    expect(conflict).to_have_count(0)
    assert files.request.get(f"{address}?path={PRICING}").json()["text"].startswith("# mine\n")


@pytest.mark.full
def test_files_are_reached_by_keyboard(files: Page) -> None:
    files.locator("[data-path=teashop]").focus()
    files.keyboard.press("ArrowRight")
    expect(files.locator(f"[data-path='{PRICING}']")).to_be_visible()
    files.keyboard.press("ArrowRight")
    expect(files.locator("[data-path^='teashop/']:focus")).to_have_count(1)
    files.keyboard.press("ArrowLeft")
    expect(files.locator("[data-path=teashop]")).to_be_focused()


@pytest.mark.full
def test_a_folder_is_downloaded_by_a_click(files: Page) -> None:
    files.locator("[data-path=teashop]").hover()
    with files.expect_download() as download:
        files.get_by_role("link", name="Download teashop as a zip file").click()
    assert download.value.suggested_filename == "teashop.zip"
    with zipfile.ZipFile(download.value.path()) as archive:
        assert any(name.endswith("pricing.py") for name in archive.namelist())


@pytest.mark.full
@both_schemes
def test_the_tab_is_accessible_in_both_schemes(files: Page, scheme: Scheme) -> None:
    picture(files, "files", scheme)
    assert serious_findings(files) == []
    _open(files)
    picture(files, "file", scheme)
    assert serious_findings(files) == []

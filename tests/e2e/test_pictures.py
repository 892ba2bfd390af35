"""Take pictures of a first task at three widths and in both schemes; some of them are kept in docs/images."""

from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Scheme, picture
from tests.e2e.workbench import allow_once, findings, open_card, open_fresh_session, sign_in, start_story, turn_end
from tests.support.api_client import ApiClient

pytestmark = pytest.mark.full  # what the pages do, test_story, test_review and others show
SIZES: Final = ((1440, 900), (1024, 768), (390, 844))


@pytest.mark.parametrize("scheme", ["light", "dark"], indirect=True)
def test_the_story_of_a_first_task_without_faults(page: Page, scheme: Scheme, client: ApiClient) -> None:
    faults: list[str] = []

    def keep(name: str, *, panel: bool = False) -> None:
        faults.extend(f"{name}: {found['id']} {found['html']}" for found in findings(page))
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            if panel and not page.get_by_role("tab", name="Files").is_visible():
                page.get_by_role("button", name="Diff, files and details").click()
                expect(page.get_by_role("tab", name="Files")).to_be_visible()
            picture(page, f"story-{name}-{width}", scheme)
        page.set_viewport_size({"width": 1440, "height": 900})

    def visit(path: str, name: str, ready: Callable[[], object]) -> None:
        page.goto(path)
        ready()
        keep(name)

    sign_in(page)
    session = open_fresh_session(page)
    start_story(page)
    allow_once(page)
    open_card(page)
    keep("permission")
    visit("/inbox", "inbox", lambda: expect(page.get_by_test_id("inbox-entry").first).to_be_visible())
    page.goto(session)
    allow_once(page)
    turn_end(page, "completed")
    page.get_by_role("tab", name="Diff").click()
    expect(page.get_by_test_id("changed-file")).to_contain_text("pricing.py")
    keep("done")
    page.get_by_role("tab", name="Files").click()
    expect(page.locator("[data-path=teashop]")).to_be_visible()
    keep("files", panel=True)
    project = client.get(f"/api/v1/sessions/{session.rsplit('/', 1)[1]}")["project_id"]
    workspace = client.get(f"/api/v1/sessions/{session.rsplit('/', 1)[1]}")["workspace_id"]
    visit(f"{session}/review", "review", lambda: expect(page.get_by_text("pricing.py").first).to_be_visible())
    visit(f"/policies/{project}", "policy", lambda: expect(page.get_by_role("tab", name="Rules")).to_be_visible())
    visit(f"/workspaces/{workspace}", "workspace", lambda: expect(page.get_by_role("meter").first).to_be_visible())
    visit("/", "home", lambda: expect(page.get_by_role("heading", name="Home")).to_be_visible())
    assert faults == []

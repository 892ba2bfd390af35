"""The tab Environment of a project: in two browser tabs, offline, by keyboard and on a phone."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.conftest import Scheme, picture
from tests.e2e.workbench import serious_findings, sign_in
from tests.support.api_client import ApiClient
from tests.support.running_site import RunningSite

pytestmark = pytest.mark.full


@pytest.fixture
def environment_tab(page: Page, site: RunningSite) -> Iterator[Page]:
    """Open the tab Environment of the demo project, and clear its texts at the end."""
    sign_in(page)
    with ApiClient(site.address) as client:
        project = client.project().id
        page.goto(f"/projects/{project}/settings/environment")
        expect(page.get_by_role("textbox", name="Script")).to_be_editable()
        yield page
        path = f"/api/v1/projects/{project}/setup"
        tag = client.http.get(path).headers["ETag"]
        body = {"script": "", "services": ""}
        client.http.put(path, json=body, headers={"If-Match": tag}).raise_for_status()


def test_two_tabs_never_overwrite_each_other(environment_tab: Page, context: BrowserContext) -> None:
    other = context.new_page()
    other.goto(environment_tab.url)
    script, script_there = (tab.get_by_role("textbox", name="Script") for tab in (environment_tab, other))
    script_there.fill("echo mine")
    script.fill("echo theirs")
    environment_tab.get_by_role("button", name="Save script").click()
    expect(environment_tab.get_by_role("button", name="Save script")).to_be_disabled()

    other.get_by_role("textbox", name="Programs to run").fill("[redis]")
    other.get_by_role("button", name="Save services").click()
    expect(other.get_by_role("button", name="Save services")).to_be_disabled()
    notice = other.get_by_role("alert", name="Somebody else saved")
    expect(notice).to_contain_text("saved another text while you were editing")
    expect(script_there).to_have_value("echo mine")

    notice.get_by_role("button", name="Continue with my draft").click()
    other.get_by_role("button", name="Save script").click()
    expect(other.get_by_role("button", name="Save script")).to_be_disabled()
    expect(script).to_have_value("echo mine", timeout=15_000)
    expect(environment_tab.get_by_role("textbox", name="Programs to run")).to_have_value("[redis]")


def test_a_cut_line_loses_no_text(environment_tab: Page, context: BrowserContext) -> None:
    form = environment_tab.get_by_role("form", name="Set-up script")
    script = form.get_by_role("textbox", name="Script")
    script.fill("echo kept")
    variable = environment_tab.get_by_role("form", name="New variable")
    variable.get_by_role("textbox", name="Name").fill("KEPT_NAME")
    variable.get_by_role("textbox", name="Value").fill("kept value")
    context.set_offline(True)
    form.get_by_role("button", name="Save script").click()
    expect(form.get_by_role("alert")).to_be_visible()
    variable.get_by_role("button", name="Add variable").click()
    expect(variable.get_by_role("alert")).to_be_visible()
    expect(script).to_have_value("echo kept")
    expect(variable.get_by_role("textbox", name="Value")).to_have_value("kept value")

    context.set_offline(False)
    form.get_by_role("button", name="Save script").click()
    expect(form.get_by_role("alert")).to_have_count(0)
    expect(form.get_by_role("button", name="Save script")).to_be_disabled()
    variable.get_by_role("button", name="Add variable").click()
    row = environment_tab.get_by_test_id("variable-row").filter(has_text="KEPT_NAME")
    expect(row).to_have_count(1)
    row.get_by_role("button").first.click()
    environment_tab.get_by_role("button", name="Remove…").click()
    environment_tab.get_by_role("dialog").get_by_role("button", name="Remove", exact=True).click()
    expect(row).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"], indirect=True)
def test_everything_is_reached_by_keyboard_on_a_phone(environment_tab: Page, scheme: Scheme) -> None:
    page = environment_tab
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    script = page.get_by_role("textbox", name="Script")
    script.focus()
    page.keyboard.type("echo by keyboard")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Save script")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Save script")).to_be_disabled()
    services = page.get_by_role("textbox", name="Programs to run")
    while not services.evaluate("each => each === document.activeElement"):
        page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(services).to_have_value("[postgres]\n")
    variable = page.get_by_role("form", name="New variable")
    name = variable.get_by_role("textbox", name="Name")
    while not name.evaluate("each => each === document.activeElement"):
        page.keyboard.press("Tab")
    page.keyboard.type("BY_KEYBOARD")
    page.keyboard.press("Tab")
    page.keyboard.type("value")
    expect(variable.get_by_role("button", name="Add variable")).to_be_enabled()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert serious_findings(page) == []
    picture(page, "environment-phone", scheme)

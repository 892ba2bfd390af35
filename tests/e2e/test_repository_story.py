"""The whole way in a real browser: connect, choose a repository, prompt, review, push, pull request."""

import re

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from deploy import demo_project
from deploy.demo_forge import Forge
from deploy.demo_project import fix
from tests.e2e.conftest import Scheme, both_schemes, picture
from tests.e2e.workbench import allow_once, serious_findings, sign_in, turn_end

PHONE: ViewportSize = {"width": 390, "height": 844}
DESK: ViewportSize = {"width": 1440, "height": 900}


def pictures(page: Page, name: str, scheme: Scheme) -> None:
    """Look at a page on a desk and on a phone."""
    picture(page, name, scheme)
    page.set_viewport_size(PHONE)
    picture(page, f"{name}-phone", scheme)
    page.set_viewport_size(DESK)


@pytest.mark.full  # in `make test` the Python client goes the same way (test_documented_examples)
@both_schemes
def test_from_a_connection_to_a_pull_request(page: Page, forge_site: Forge, scheme: Scheme) -> None:
    kim = forge_site.account(f"kim-of-the-{scheme}-story")
    shop = forge_site.repository(f"tea/{scheme}-story", demo_project.files(), writers=[kim])
    sign_in(page)
    page.get_by_role("button", name="New project").click()
    dialog = page.get_by_role("dialog", name="Create a project")
    dialog.get_by_role("combobox", name="From").select_option("Connect a forge")
    dialog.get_by_role("textbox", name="Address").fill(forge_site.url)
    dialog.get_by_role("textbox", name="Token", exact=True).fill("wrong")
    dialog.get_by_role("button", name="Connect", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("wrong, expired or revoked")
    pictures(page, "story-refused", scheme)
    dialog.get_by_role("textbox", name="Token", exact=True).fill(kim.token)
    dialog.get_by_role("button", name="Connect", exact=True).click()
    expect(dialog.get_by_role("radio", name=shop.full_name)).to_be_checked()
    dialog.get_by_role("button", name="Create project").click()
    field = page.get_by_label("What should the agent do?")
    expect(field).to_be_focused()
    pictures(page, "story-project", scheme)
    assert serious_findings(page) == []
    field.fill("Fix the failing test, commit, and push the branch")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sessions/ses_*")
    end = page.get_by_test_id("turn-summary")
    card = page.get_by_test_id("conversation").locator('[data-testid="permission-card"][data-state="open"]')
    end.or_(card).first.wait_for(timeout=60_000)
    while not end.count():
        allow_once(page)
        end.or_(card).first.wait_for(timeout=60_000)
    turn_end(page, "completed")
    panel = page.get_by_role("region", name="Pull request")
    panel.get_by_role("button", name="Open a pull request").click()
    panel.get_by_role("textbox", name="Title").fill("Give the bulk discount for ten packets")
    pictures(page, "story-form", scheme)
    panel.get_by_role("button", name="Open", exact=True).click()
    link = panel.get_by_role("link", name=f"{shop.full_name} #1")
    expect(link).to_have_attribute("href", re.compile(r"/pull/1$"))
    pictures(page, "story-pull-request", scheme)
    assert serious_findings(page) == []
    [pull] = shop.pulls
    assert fix.NEW in shop.read(fix.PATH, branch=pull.head)

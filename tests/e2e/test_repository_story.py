"""The whole way in a real browser: connect, choose a repository, prompt, review, push, pull request."""

import re

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

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


def connect_a_forge(page: Page, forge_site: Forge) -> Locator:
    """Return the dialog for a new project, with the form of a new connection open and without a token."""
    page.get_by_role("button", name="New project").click()
    dialog = page.get_by_role("dialog", name="Create a project")
    dialog.get_by_role("combobox", name="From").select_option("Connect a forge")
    dialog.get_by_role("textbox", name="Address").fill(forge_site.url)
    return dialog


def create_project(dialog: Locator, token: str, repository: str) -> None:
    dialog.get_by_role("textbox", name="Token", exact=True).fill(token)
    dialog.get_by_role("button", name="Connect", exact=True).click()
    expect(dialog.get_by_role("radio", name=repository)).to_be_checked()
    dialog.get_by_role("button", name="Create project").click()


def allow_until_the_end(page: Page) -> None:
    """Allow what the agent asks for until its turn is completed."""
    end = page.get_by_test_id("turn-summary")
    card = page.get_by_test_id("conversation").locator('[data-testid="permission-card"][data-state="open"]')
    end.or_(card).first.wait_for(timeout=60_000)
    while not end.count():
        allow_once(page)
        end.or_(card).first.wait_for(timeout=60_000)
    turn_end(page, "completed")


@pytest.mark.full  # in `make test` the Python client goes the same way (test_documented_examples)
@both_schemes
def test_from_a_connection_to_a_pull_request(page: Page, forge_site: Forge, scheme: Scheme) -> None:
    kim = forge_site.account(f"kim-of-the-{scheme}-story")
    shop = forge_site.repository(f"tea/{scheme}-story", demo_project.files(), writers=[kim])
    sign_in(page)
    dialog = connect_a_forge(page, forge_site)
    dialog.get_by_role("textbox", name="Token", exact=True).fill("wrong")
    dialog.get_by_role("button", name="Connect", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("wrong, expired or revoked")
    pictures(page, "story-refused", scheme)
    create_project(dialog, kim.token, shop.full_name)
    field = page.get_by_label("What should the agent do?")
    expect(field).to_be_focused()
    pictures(page, "story-project", scheme)
    assert serious_findings(page) == []
    field.fill("Fix the failing test, commit, and push the branch")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sessions/ses_*")
    allow_until_the_end(page)
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


@pytest.mark.full  # tests/integration/sessions_app/test_working_copy.py commits and pushes over the API
@both_schemes
def test_a_person_commits_and_pushes_what_the_agent_changed(page: Page, forge_site: Forge, scheme: Scheme) -> None:
    lee = forge_site.account(f"lee-of-{scheme}-commits")
    shop = forge_site.repository(f"tea/{scheme}-commits", demo_project.files(), writers=[lee])
    sign_in(page)
    dialog = connect_a_forge(page, forge_site)
    create_project(dialog, lee.token, shop.full_name)
    page.get_by_label("What should the agent do?").fill("Fix the failing test")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sessions/ses_*")
    allow_until_the_end(page)

    panel = page.get_by_role("region", name="Commits")
    expect(panel.get_by_role("status")).to_contain_text("1 file not committed")
    pictures(page, "commits-changed", scheme)
    panel.get_by_role("button", name="Commit…").press("Enter")
    page.keyboard.type("Give the bulk discount for ten packets")  # the field has the focus
    panel.get_by_role("button", name="Commit", exact=True).press("Enter")
    expect(panel.get_by_role("status")).to_contain_text("1 commit not pushed")
    panel.get_by_role("button", name="Push").press("Enter")
    expect(panel.get_by_role("status")).to_contain_text("Everything is committed on agentsite/")
    expect(panel.get_by_role("button")).to_have_count(0)
    pictures(page, "commits-pushed", scheme)
    assert serious_findings(page) == []
    [branch] = shop.heads().keys() - {"main"}
    assert fix.NEW in shop.read(fix.PATH, branch=branch)

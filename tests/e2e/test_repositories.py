"""A team's own repository in a real browser: connect a forge, choose a repository and a branch, open a session."""

import re

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from deploy.demo_forge import Forge
from tests.e2e.conftest import Scheme, picture
from tests.e2e.workbench import serious_findings, sign_in

PHONE: ViewportSize = {"width": 390, "height": 844}
DESK: ViewportSize = {"width": 1440, "height": 900}


def test_an_admin_makes_a_project_from_a_repository_of_a_forge(page: Page, forge_site: Forge, scheme: Scheme) -> None:
    kim = forge_site.account("kim")
    shop = forge_site.repository("tea/porcelain", {"README.md": "# Cups\n"}, writers=[kim])
    shop.commit({"README.md": "# Pots\n"}, branch="pots")
    forge_site.repository("tea/leaves", {"a": "a"}, writers=[kim])
    sign_in(page)

    page.get_by_role("button", name="New project").click()
    dialog = page.get_by_role("dialog", name="Create a project")
    dialog.get_by_role("textbox", name="Address").fill(forge_site.url)
    dialog.locator("input[type=password]").fill(kim.token)
    picture(page, "new-project-connect", scheme)
    dialog.get_by_role("button", name="Connect", exact=True).click()
    dialog.get_by_label("Search").fill("porc")
    expect(dialog.get_by_role("radio", name="tea/leaves")).to_have_count(0)
    dialog.get_by_role("radio", name="tea/porcelain").check()
    expect(dialog.get_by_label("Name")).to_have_value("porcelain")
    expect(dialog.get_by_text("2 branches and tags")).to_be_visible()
    assert serious_findings(page) == []
    picture(page, "new-project-repository", scheme)
    page.set_viewport_size(PHONE)
    picture(page, "new-project-repository-phone", scheme)
    page.set_viewport_size(DESK)
    dialog.get_by_role("button", name="Create project").click()

    expect(page.get_by_role("heading", name="porcelain", exact=True)).to_be_visible()
    page.get_by_label("Branch, tag or commit").fill("pots")
    assert serious_findings(page) == []
    picture(page, "project-branch", scheme)
    page.get_by_role("main").get_by_role("link", name="Settings").click()
    page.get_by_role("navigation", name="Settings").get_by_role("link", name="Repository").click()
    expect(page.get_by_test_id("repository-summary")).to_contain_text("tea/porcelain")
    assert serious_findings(page) == []
    picture(page, "project-repository", scheme)
    page.get_by_label("Names of session branches begin with").fill("bot/")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("button", name="Save")).to_be_enabled()
    page.reload()
    expect(page.get_by_label("Names of session branches begin with")).to_have_value("bot/")


@pytest.mark.full
def test_a_connection_is_shown_tested_and_revoked(page: Page, forge_site: Forge, team: str, scheme: Scheme) -> None:
    lee = forge_site.account("lee")
    sign_in(page)
    page.goto(f"/teams/{team}/repositories")
    page.get_by_role("button", name="Connect a forge").click()
    dialog = page.get_by_role("dialog", name="Connect a forge")
    dialog.get_by_role("combobox", name="Forge").select_option("GitLab")
    dialog.get_by_role("textbox", name="Address").fill(forge_site.url.replace("127.0.0.1", "localhost"))
    dialog.locator("input[type=password]").fill(lee.token)
    dialog.get_by_role("button", name="Connect", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("cannot be used")
    dialog.get_by_role("textbox", name="Address").fill(forge_site.url + "/")
    dialog.locator("input[type=password]").fill("wrong-token-0123")
    dialog.get_by_role("button", name="Connect", exact=True).click()
    row = page.get_by_test_id("connection-row").filter(has_text="GitLab")
    expect(row).to_contain_text("Failed")
    expect(row).to_contain_text("wrong, expired or revoked")
    row.get_by_role("button", expanded=False).first.click()
    row.get_by_role("button", name="Replace credential").click()
    page.locator("input[type=password]").fill(lee.token)
    page.get_by_role("button", name="Replace", exact=True).click()
    expect(row).to_contain_text("Connected")
    expect(row).to_contain_text("signed in as lee")
    assert serious_findings(page) == []
    picture(page, "connections", scheme)
    page.set_viewport_size(PHONE)
    picture(page, "connections-phone", scheme)
    row.get_by_role("button", name="Revoke…").click()
    page.get_by_test_id("confirm").get_by_role("button", name="Revoke").click()
    expect(row).to_contain_text("Revoked")


@pytest.mark.full
def test_a_deploy_key_is_made_shown_and_copied_and_commits_have_settings(page: Page, team: str, scheme: Scheme) -> None:
    sign_in(page)
    page.goto(f"/teams/{team}/repositories")
    page.get_by_role("button", name="Connect a forge").click()
    dialog = page.get_by_role("dialog", name="Connect a forge")
    dialog.get_by_label("Address").fill("git@git.example.org:tea/shop.git")
    expect(dialog.get_by_role("combobox", name="Forge")).to_have_value("ssh")
    dialog.get_by_role("button", name="Connect", exact=True).click()
    row = page.get_by_test_id("connection-row").filter(has_text="deploy key")
    expect(row).to_contain_text("Not tested")
    row.get_by_role("button", expanded=False).first.click()
    expect(row.get_by_label("Public key")).to_have_value(re.compile("^ssh-ed25519 "))
    form = page.get_by_role("form", name="Commits")
    form.get_by_label("Name of the committer").fill("Tea bot")
    form.get_by_label("Sign commits with the team's key").check()
    form.get_by_role("button", name="Save").click()
    expect(page.get_by_label("Public key of signatures")).to_have_value(re.compile("^ssh-ed25519 "))
    assert serious_findings(page) == []
    picture(page, "deploy-key", scheme)
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    picture(page, "deploy-key-phone", scheme)
    form.get_by_label("Sign commits with the team's key").uncheck()
    form.get_by_label("Name of the committer").fill("")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("button", name="Save")).to_be_enabled()

"""The whole story in a real browser: connect a forge, choose a repository, prompt, review, push, and open a pull
request."""

import re

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from deploy import demo_project
from deploy.demo_forge import Forge, ForgeRepository
from deploy.demo_project import fix
from tests.e2e.conftest import Scheme, both_schemes, picture
from tests.e2e.workbench import allow_once, serious_findings, sign_in, turn_end

PHONE: ViewportSize = {"width": 390, "height": 844}
DESK: ViewportSize = {"width": 1440, "height": 900}


def pictures(page: Page, name: str, scheme: Scheme) -> None:
    """Take pictures of a page at the width of a desktop and of a phone."""
    picture(page, name, scheme)
    page.set_viewport_size(PHONE)
    picture(page, f"{name}-phone", scheme)
    page.set_viewport_size(DESK)


def picture_of_panel(page: Page, name: str, scheme: Scheme, *, shown: str = "Base branch") -> None:
    """Take pictures of the side panel at the width of a desktop, and of a phone, where a button opens it."""
    picture(page, name, scheme)
    page.set_viewport_size(PHONE)
    page.get_by_role("button", name="Diff, files and details").click()
    page.get_by_role("region", name=shown, exact=True).scroll_into_view_if_needed()
    picture(page, f"{name}-phone", scheme)
    page.keyboard.press("Escape")
    page.set_viewport_size(DESK)


def connect_a_forge(page: Page, forge_site: Forge) -> Locator:
    """Open the dialog "Create a project", choose "Connect a forge" and fill in the forge's address. Returns the dialog,
    in which the token is still missing."""
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
    dialog.page.wait_for_url("**/projects/prj_*")


def allow_until_the_end(page: Page) -> None:
    """Allow the agent's permission requests until its turn is completed."""
    end = page.get_by_test_id("turn-summary")
    card = page.get_by_test_id("conversation").locator('[data-testid="permission-card"][data-state="open"]')
    end.or_(card).first.wait_for(timeout=60_000)
    while not end.count():
        allow_once(page)
        end.or_(card).first.wait_for(timeout=60_000)
    turn_end(page, "completed")


def give_feedback_to_the_agent(page: Page, shop: ForgeRepository, scheme: Scheme) -> None:
    """Read a failed check and a comment of the pull request, and let the agent fix the check."""
    panel, [pull] = page.get_by_role("region", name="Pull request"), shop.pulls
    pull.comments.append({"id": 7, "author": "lee", "path": fix.PATH, "line": 3, "body": "Why not nine packets?"})
    shop.add_check(pull.head, "tests", "failure", "E   assert 9 == 10")
    panel.get_by_role("button", name="Refresh").press("Enter")
    found = panel.get_by_role("list", name="Failed checks and comments")
    expect(found.get_by_role("listitem")).to_have_count(2)
    expect(found).to_contain_text("Why not nine packets?")
    picture_of_panel(page, "story-feedback", scheme, shown="Pull request")
    assert serious_findings(page) == []
    found.get_by_role("button", name="Fix it: tests").press("Enter")
    sent = page.get_by_test_id("conversation").get_by_text("A check of pull request #1 failed.")
    expect(sent).to_be_visible()
    pictures(page, "story-fix", scheme)


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
    give_feedback_to_the_agent(page, shop, scheme)


def follow_the_base_branch(page: Page, shop: ForgeRepository, scheme: Scheme) -> None:
    """Merge new commits of main, meet a conflict and undo the merge, and start a session from the branch."""
    panel = page.get_by_role("region", name="Commits")
    shop.commit({"NEWS.md": "More tea.\n"}, "Add news")
    page.reload()
    moved = page.get_by_role("region", name="Base branch")
    expect(moved.get_by_role("status")).to_contain_text("main has 1 new commit.")
    picture_of_panel(page, "base-moved", scheme)
    moved.get_by_role("button", name="Merge main").press("Enter")
    expect(moved).to_have_count(0)
    shop.commit({fix.PATH: "print('theirs')\n"}, "Rewrite")
    page.reload()
    moved.get_by_role("button", name="Merge main").press("Enter")
    expect(moved.get_by_role("status")).to_contain_text("A merge with main is not finished: 1 file in conflict.")
    expect(panel.get_by_role("button", name="Commit…")).to_have_count(0)
    picture_of_panel(page, "base-conflict", scheme)
    assert serious_findings(page) == []
    moved.get_by_role("button", name="Undo the merge").press("Enter")
    expect(moved.get_by_role("status")).to_contain_text("main has 1 new commit.")
    before = page.url
    panel.get_by_role("button", name="New session from this branch").press("Enter")
    page.wait_for_url(lambda url: url != before and "/sessions/ses_" in url)


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
    expect(panel.get_by_role("status").first).to_contain_text("1 file not committed")
    pictures(page, "commits-changed", scheme)
    panel.get_by_role("button", name="Commit…").press("Enter")
    expect(panel.get_by_role("status").last).not_to_be_empty()  # of the draft
    page.keyboard.press("Control+a")
    page.keyboard.type("Give the bulk discount for ten packets")  # the field has the focus
    panel.get_by_role("button", name="Commit", exact=True).press("Enter")
    expect(panel.get_by_role("status").first).to_contain_text("1 commit not pushed")
    panel.get_by_role("button", name="Push").press("Enter")
    expect(panel.get_by_role("status").first).to_contain_text("Everything is committed on agentsite/")
    expect(panel.get_by_role("button", name="Push")).to_have_count(0)
    pictures(page, "commits-pushed", scheme)
    assert serious_findings(page) == []
    [branch] = shop.heads().keys() - {"main"}
    assert fix.NEW in shop.read(fix.PATH, branch=branch)
    follow_the_base_branch(page, shop, scheme)

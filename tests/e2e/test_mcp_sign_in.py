"""Two people sign in at one MCP server in the browser, each with an account of their own, and get their own data."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Scheme, both_schemes, browser_of_somebody, picture
from tests.e2e.workbench import faults_at, press_on, say, sign_in, turn_end
from tests.support.api_client import ApiClient
from tests.support.model_server import ModelServer, calls, text, tool_call
from tests.support.oauth_site import NotesSite, notes_site
from tests.support.running_site import RunningSite

pytestmark = pytest.mark.full
MEMBER = "member@agentsite.local"
WIDTHS = (1440, 390)


@pytest.fixture
def site(scripted_site: RunningSite) -> RunningSite:
    """Use the scripted site under the name `localhost`, because the authorization server redirects people to that
    name."""
    return replace(scripted_site, address=scripted_site.address.replace("127.0.0.1", "localhost"))


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory, notes_ports: tuple[int, int]) -> Iterator[NotesSite]:
    with notes_site(tmp_path_factory.mktemp("notes"), ports=notes_ports) as running:
        yield running


@both_schemes
def test_two_people_with_two_accounts_get_their_own_data(
    site: RunningSite, notes: NotesSite, model: ModelServer, client: ApiClient, chromium: Browser, scheme: Scheme
) -> None:
    team = client.site.me().teams[0].id
    project = client.site.create_project(team, f"Notes {scheme}").id
    body = {"name": "notes", "kind": "remote", "url": notes.url}
    server = client.post(f"/api/v1/projects/{project}/mcp-servers", body)["id"]
    client.post(f"/api/v1/mcp-servers/{server}/check", {"workspace_id": ""})
    session = client.site.start_session(project, new_workspace=True).id
    with (
        browser_of_somebody(chromium, site, scheme) as first,
        browser_of_somebody(chromium, site, scheme) as second,
    ):
        pages = {"ada": first.new_page(), "bob": second.new_page()}
        for (who, page), email in zip(pages.items(), ("", MEMBER), strict=True):
            sign_in(page, email)
            sign_in_at_the_server(page, server, who, scheme)
        for who, page in pages.items():
            page.goto(f"/sessions/{session}")
            script = model.script(calls(tool_call("notes_whoami")), text(f"That is it, {who}."), by="conversation")
            say(page, f"Whose notes? {script.marker}")
            card = page.get_by_test_id("conversation").locator('[data-testid="permission-card"][data-state="open"]')
            expect(card).to_be_visible(timeout=60_000)
            assert faults_at(page, *WIDTHS) == {}
            picture(page, f"mcp-card-{who}", scheme)
            card.get_by_role("button", name="Allow once").click()
            expect(page.get_by_text(f"That is it, {who}.")).to_be_visible(timeout=60_000)
            turn_end(page, "completed")
            assert client.snapshot(session)["calls"][-1]["output"] == f"These are the notes of {who}."
        page = pages["ada"]
        page.goto(f"/mcp-servers/{server}")
        page.get_by_role("button", name="Sign out…").click()
        page.get_by_role("button", name="Sign out", exact=True).last.click()
        expect(page.get_by_role("button", name="Sign in")).to_be_visible()
        page.goto(f"/sessions/{session}")
        script = model.script(calls(tool_call("notes_whoami")), text("It cannot be."), by="conversation")
        say(page, f"And now? {script.marker}")
        page.get_by_role("button", name="Allow once").click()
        expect(page.get_by_text("It cannot be.")).to_be_visible(timeout=60_000)
        turn_end(page, "completed")
        assert "needs a sign-in" in client.snapshot(session)["calls"][-1]["output"]
        assert faults_at(page, *WIDTHS) == {}
        picture(page, "mcp-call-without-sign-in", scheme)
    client.http.delete(f"/api/v1/mcp-servers/{server}").raise_for_status()


def sign_in_at_the_server(page: Page, server: str, who: str, scheme: Scheme) -> None:
    """Sign in at the authorization server of an MCP server, by keyboard, starting from the page of the MCP server."""
    page.goto(f"/mcp-servers/{server}")
    expect(page.get_by_test_id("mcp-status")).to_have_text("Needs a sign-in")
    assert faults_at(page, *WIDTHS) == {}
    picture(page, f"mcp-sign-in-{who}", scheme)
    press_on(page, page.get_by_role("button", name="Sign in"))
    page.get_by_role("link", name=f"As {who}", exact=True).click()
    page.wait_for_url(f"**/mcp-servers/{server}")
    expect(page.get_by_text("You are signed in")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("notes_whoami")).to_be_visible(timeout=60_000)
    assert faults_at(page, *WIDTHS) == {}
    picture(page, f"mcp-signed-in-{who}", scheme)

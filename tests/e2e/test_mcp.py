"""MCP servers in a real browser are added, checked, shown, disabled and removed, also by keyboard and on a phone."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Scheme, picture
from tests.e2e.workbench import serious_findings, sign_in
from tests.support.api_client import ApiClient
from tests.support.running_site import RunningSite
from tests.support.site_shell import operator_of

pytestmark = pytest.mark.full
MEMBER = "member@agentsite.local"
PROGRAM = (Path(__file__).parents[1] / "support" / "scripted_mcp_server.py").read_text()


def test_an_admin_adds_servers_and_sees_what_becomes_of_them(page: Page, site: RunningSite, scheme: Scheme) -> None:
    sign_in(page)
    with ApiClient(site.address) as client:
        project = client.project().id
        client.open_session()  # with a workspace, in which the servers run
        name = f"works-{scheme}"
        command = ["python3", "-c", PROGRAM, "chatter"]
        client.post(f"/api/v1/projects/{project}/mcp-servers", {"name": name, "kind": "local", "command": command})
    page.goto(f"/projects/{project}/settings/mcp")
    row = page.get_by_test_id("mcp-server-row").filter(has_text=name)
    row.get_by_role("button").first.click()
    row.get_by_role("button", name="Check now").click()
    expect(row.get_by_test_id("mcp-status")).to_have_text("Connected", timeout=60_000)
    row.get_by_text(f"{name}_echo").click()
    expect(row).to_contain_text("Echo.")
    try_the_tool(page, f"{name}_echo")
    row.get_by_text("Log", exact=True).click()
    expect(row).to_contain_text("Ready!")
    assert serious_findings(page) == []
    picture(page, "mcp-server", scheme)

    choose_from_the_gallery(page)
    form = page.get_by_role("form", name="New MCP server")
    form.get_by_label("Name", exact=True).fill(f"fails-{scheme}")
    form.get_by_label("Command, one word in each line").fill("bash\n-c\necho out of order >&2; exit 3")
    form.get_by_role("button", name="Add server").press("Enter")
    failing = page.get_by_test_id("mcp-server-row").filter(has_text=f"fails-{scheme}")
    failing.get_by_role("button").first.press("Enter")
    failing.get_by_role("button", name="Check now").press("Enter")
    expect(failing.get_by_test_id("mcp-status")).to_have_text("Failed", timeout=60_000)
    expect(failing).to_contain_text("It ended with exit code 3: out of order.")
    failing.get_by_role("button", name="Disable").click()
    expect(failing.get_by_test_id("mcp-status")).to_have_text("Disabled")

    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert serious_findings(page) == []
    picture(page, "mcp-servers-narrow", scheme)
    for each in (row, failing):
        each.get_by_role("button", name="Remove…").click()
        page.get_by_role("button", name="Remove", exact=True).click()
        expect(each).to_have_count(0)


def try_the_tool(page: Page, tool: str) -> None:
    """Call a tool from its form by keyboard. The rules ask about the tool; sending the form allows it once."""
    form = page.get_by_role("form", name=f"Try {tool}")
    form.get_by_role("button", name="Allow once and call").press("Enter")
    expect(form.get_by_test_id("mcp-try-result")).to_contain_text("The tool answered after", timeout=60_000)
    expect(form.get_by_test_id("mcp-try-result")).to_contain_text("done")


def test_operators_add_a_server_for_the_whole_site(page: Page, site: RunningSite, scheme: Scheme) -> None:
    with operator_of(site, MEMBER):
        sign_in(page, MEMBER)
        page.goto("/mcp-servers")
        expect(page.get_by_role("heading", name="MCP servers of the site")).to_be_visible()
        page.get_by_role("button", name="Add a server").press("Enter")
        form = page.get_by_role("form", name="New MCP server")
        form.get_by_label("Name", exact=True).fill(f"everywhere-{scheme}")
        form.get_by_label("Command, one word in each line").fill("true")
        form.get_by_role("button", name="Add server").press("Enter")
        row = page.get_by_test_id("mcp-server-row").filter(has_text=f"everywhere-{scheme}")
        expect(row).to_be_visible()
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert serious_findings(page) == []
        picture(page, "mcp-servers-of-the-site", scheme)
        row.get_by_role("button").first.click()
        row.get_by_role("button", name="Remove…").click()
        page.get_by_role("button", name="Remove", exact=True).click()
        expect(row).to_have_count(0)


def choose_from_the_gallery(page: Page) -> None:
    page.get_by_role("button", name="Choose a well-known server").click()
    page.get_by_role("button", name="Use GitHub").click()
    form = page.get_by_role("form", name="New MCP server")
    expect(form.get_by_label("Address")).to_have_value("https://api.githubcopilot.com/mcp/")
    expect(form.get_by_label("Header with the key")).to_have_value("Authorization")
    assert serious_findings(page) == []
    page.get_by_role("button", name="Add a server").click()

"""No page or card about MCP servers has a fault that axe finds, in wide and narrow windows and both colour schemes."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Scheme, both_schemes, picture
from tests.e2e.workbench import faults_at, say, sign_in, turn_end
from tests.support.api_client import ApiClient
from tests.support.model_server import ModelServer, calls, text, tool_call
from tests.support.running_site import RunningSite

pytestmark = pytest.mark.full
PROGRAM: Final = (Path(__file__).parents[1] / "support" / "scripted_mcp_server.py").read_text()
DECLARED: Final = {
    "tea": {"command": "python3", "args": ["tea.py", "form"], "env": {"TEA_HOUSE": "Darjeeling Lane 4"}},
    "far": {"type": "http", "url": "https://mcp.example.org/mcp", "headers": {"X-Shop": "tea"}},
    "odd": {"args": ["no", "command"]},
}
WIDTHS: Final = (1440, 390)


@pytest.fixture
def site(scripted_site: RunningSite) -> RunningSite:
    return scripted_site


def looks_well(page: Page, name: str, scheme: Scheme, part: Locator | None = None) -> None:
    """Check that axe finds no faults at any of `WIDTHS`, and save screenshots."""
    assert faults_at(page, *WIDTHS) == {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        if part is not None:
            part.scroll_into_view_if_needed()
        picture(page, f"mcp-{name}-{width}", scheme)
    page.set_viewport_size({"width": 1440, "height": 900})


@both_schemes
def test_a_server_of_a_file_from_its_card_to_the_form_that_it_shows(
    page: Page, client: ApiClient, model: ModelServer, scheme: Scheme
) -> None:
    team = client.site.me().teams[0].id
    project = client.site.create_project(team, f"Tea house {scheme}").id
    session = client.site.start_session(project, new_workspace=True).id
    run(client, model, session, tool_call("glob", pattern="*"))  # now the workspace has started
    for path, content in {"tea.py": PROGRAM, ".mcp.json": json.dumps({"mcpServers": DECLARED})}.items():
        body = {"path": path, "text": content, "seen_sha256": None}
        client.http.put(f"/api/v1/sessions/{session}/files/content", json=body).raise_for_status()
    run(client, model, session, tool_call("glob", pattern="*"))  # the files are read before each call
    sign_in(page)
    page.goto(f"/projects/{project}/settings/mcp")
    rows = page.get_by_test_id("declared-mcp-server")
    expect(rows.filter(has_text="An agent asks before it uses it")).to_have_count(1)
    looks_well(page, "declared", scheme, rows.first)

    page.goto(f"/sessions/{session}")
    script = model.script(
        calls(tool_call("mcp_start", server="tea")), calls(tool_call("tea_echo")), text("It is ordered."),
        by="conversation",
    )  # fmt: skip
    say(page, f"Order tea. {script.marker}")
    card = open_card(page)
    expect(card).to_contain_text("TEA_HOUSE")
    looks_well(page, "server-card", scheme, card)
    card.get_by_role("button", name="Allow once").click()
    expect(open_card(page)).to_contain_text("of the MCP server")
    looks_well(page, "tool-card", scheme, open_card(page))
    open_card(page).get_by_role("button", name="Allow once").click()
    question = page.get_by_test_id("question-card").last
    expect(question).to_contain_text("What would you like?", timeout=60_000)
    looks_well(page, "form-card", scheme, question)
    answer(question)
    expect(page.get_by_text("It is ordered.")).to_be_visible(timeout=60_000)
    turn_end(page, "completed")
    assert '"action": "accept"' in client.snapshot(session)["calls"][-1]["output"]
    looks_well(page, "answered-form", scheme)

    page.goto(f"/projects/{project}/settings/mcp")
    expect(rows.filter(has=page.get_by_text("Allowed", exact=True))).to_have_count(1)
    looks_well(page, "declared-allowed", scheme, rows.first)


def run(client: ApiClient, model: ModelServer, session: str, *tools: Any) -> None:
    script = model.script(*(calls(tool) for tool in tools), text("Done."), by="conversation")
    turn = client.wait_for_turn(session, client.prompt(session, f"Go. {script.marker}"))
    assert turn["state"] == "completed", turn["error"]


def open_card(page: Page) -> Locator:
    card = page.get_by_test_id("conversation").locator('[data-testid="permission-card"][data-state="open"]')
    expect(card).to_have_count(1, timeout=60_000)
    return card


def answer(question: Locator) -> None:
    """Answer the question of an MCP server by keyboard."""
    question.get_by_label("Your own answer: Your name").fill("Ada")
    question.get_by_label("Darjeeling").press("Space")
    question.get_by_role("button", name="Send answers").press("Enter")


@both_schemes
def test_a_server_of_a_project_its_log_tools_and_calls(
    page: Page, client: ApiClient, model: ModelServer, scheme: Scheme
) -> None:
    team = client.site.me().teams[0].id
    project = client.site.create_project(team, f"Chatter {scheme}").id
    session = client.site.start_session(project, new_workspace=True).id
    command = ["python3", "-c", PROGRAM, "chatter"]
    body = {"name": "chatter", "kind": "local", "command": command}
    server = client.post(f"/api/v1/projects/{project}/mcp-servers", body)["id"]
    sign_in(page)
    page.goto(f"/projects/{project}/settings/mcp")
    page.get_by_role("button", name="Choose a well-known server").click()
    looks_well(page, "gallery", scheme)
    page.get_by_role("button", name="Use GitHub").click()
    looks_well(page, "new-server", scheme, page.get_by_role("form", name="New MCP server"))

    page.reload()
    row = page.get_by_test_id("mcp-server-row").filter(has_text="chatter")
    row.get_by_role("button").first.click()
    row.get_by_role("button", name="Check now").click()
    expect(row.get_by_test_id("mcp-status")).to_have_text("Connected", timeout=60_000)
    row.get_by_text("chatter_echo").click()
    form = page.get_by_role("form", name="Try chatter_echo")
    form.get_by_role("button", name="Allow once and call").press("Enter")
    expect(form.get_by_test_id("mcp-try-result")).to_contain_text("done", timeout=60_000)
    looks_well(page, "try", scheme, form)
    script = model.script(calls(tool_call("chatter_echo")), text("Done."), by="conversation")
    turn = client.prompt(session, f"Go. {script.marker}")
    client.wait_for_turn(session, turn, states=("waiting",))
    (request,) = [each for each in client.snapshot(session)["permission_requests"] if each["state"] == "open"]
    client.reply(request["id"])
    client.wait_for_turn(session, turn)
    row.get_by_text("Log", exact=True).click()
    expect(row).to_contain_text("Ready!")
    row.get_by_text("Last calls").click()
    expect(row).to_contain_text("completed", ignore_case=True)
    looks_well(page, "log-and-calls", scheme, row.get_by_text("Last calls"))
    page.goto(f"/mcp-servers/{server}")
    expect(page.get_by_text("chatter_echo")).to_be_visible()
    looks_well(page, "page-of-a-server", scheme)


@both_schemes
def test_options_and_servers_of_people(page: Page, client: ApiClient, scheme: Scheme) -> None:
    team = client.site.me().teams[0].id
    sign_in(page)
    page.goto(f"/policies/{team}/options")
    hosts = page.get_by_label("Hosts of MCP servers that repositories may declare")
    hosts.fill("*.example.org")
    page.get_by_label("MCP servers of people’s own").select_option("false")
    looks_well(page, "options", scheme, hosts)
    page.goto("/account/mcp")
    expect(page.get_by_role("button", name="Add a server")).to_be_visible()
    page.get_by_role("button", name="Add a server").click()
    looks_well(page, "own-servers", scheme)
    page.goto(f"/teams/{team}/mcp")
    expect(page.get_by_role("button", name="Add a server")).to_be_visible()
    looks_well(page, "servers-of-a-team", scheme)

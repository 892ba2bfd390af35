"""An agent asks to open a pull request: the card shows what would be opened, and a person answers with the keyboard."""

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from deploy.demo_forge import Forge
from tests.e2e.conftest import Scheme, both_schemes, picture
from tests.e2e.workbench import open_card, press_on, serious_findings, sign_in, turn_end
from tests.support.api_client import ApiClient
from tests.support.model_server import ModelServer, calls, text, tool_call
from tests.support.running_site import RunningSite

pytestmark = pytest.mark.full

PHONE: ViewportSize = {"width": 390, "height": 844}
RULES = [
    {"permission": "bash", "pattern": "*", "action": "allow"},
    {"permission": "git_push", "pattern": "agentsite/*", "action": "allow"},
]
PUSH = "echo more > more.txt && git add -A && git commit -qm More && git push -q origin HEAD"
BODY = "The shop closes at ten.\n\n- [x] read `README.md`\n" + "- a line that says why\n" * 30


@pytest.fixture
def site(scripted_site: RunningSite) -> RunningSite:
    return scripted_site


@both_schemes
def test_a_person_sees_what_an_agent_would_open_and_allows_it(
    page: Page, client: ApiClient, model: ModelServer, forge_site: Forge, scheme: Scheme
) -> None:
    kim = forge_site.account(f"kim-of-the-{scheme}-card")
    shop = forge_site.repository(f"card/{scheme}", {"README.md": "# Tea\n"}, writers=[kim])
    team = client.site.me().teams[0].id
    connection = client.site.connect(team, "github", kim.token, address=shop.site_url, name=f"Card {scheme}")
    project = client.site.create_project(team, f"Card {scheme}", shop.full_name, connection=connection.id)
    version = client.get(f"/api/v1/policies/{project.id}")["version"]
    body = {"document": {"rules": RULES}, "base_version": version, "reason": "For the story"}
    client.http.put(f"/api/v1/policies/{project.id}", json=body).raise_for_status()
    session = client.site.start_session(project.id, new_workspace=True)
    script = model.script(
        calls(tool_call("bash", command=PUSH)),
        calls(tool_call("pull_request", title="Say when the shop closes", body=BODY)),
        text("Opened."),
        by="conversation",
    )
    session.prompt(f"Go. {script.marker}")

    sign_in(page)
    page.goto(f"/sessions/{session.id}")
    card = open_card(page)
    expect(card).to_contain_text("Say when the shop closes")
    expect(card).to_contain_text("The shop closes at ten.")
    picture(page, "pull-request-card", scheme)
    assert serious_findings(page) == []
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    picture(page, "pull-request-card-phone", scheme)
    press_on(page, card.get_by_role("button", name="Allow once"))
    turn_end(page, "completed")
    [pull] = shop.pulls
    assert (pull.title, pull.base) == ("Say when the shop closes", "main")
    client.http.delete(f"/api/v1/projects/{project.id}/repository").raise_for_status()
    client.http.delete(f"/api/v1/connections/{connection.id}").raise_for_status()

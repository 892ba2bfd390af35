"""An agent asks to open a pull request: the card shows the pull request, and a person decides with the keyboard."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from agentsite.client import Session
from deploy.demo_forge import Forge, ForgeRepository
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


TEMPLATE = "## What\n\n## How it was checked\n"


@dataclass
class Story:
    """A project with a repository of its own, and a session in it."""

    shop: ForgeRepository
    session: Session


@contextmanager
def story_of(client: ApiClient, forge_site: Forge, name: str, files: dict[str, str]) -> Iterator[Story]:
    """Create a project that allows commands and pushes of session branches, and a session; disconnect the repository at
    the end."""
    kim = forge_site.account(f"kim-of-{name}")
    shop = forge_site.repository(f"card/{name}", files, writers=[kim])
    team = client.site.me().teams[0].id
    connection = client.site.connect(team, "github", kim.token, address=shop.site_url, name=f"Card {name}")
    project = client.site.create_project(team, f"Card {name}", shop.full_name, connection=connection.id)
    version = client.get(f"/api/v1/policies/{project.id}")["version"]
    body = {"document": {"rules": RULES}, "base_version": version, "reason": "For the story"}
    client.http.put(f"/api/v1/policies/{project.id}", json=body).raise_for_status()
    yield Story(shop, client.site.start_session(project.id, new_workspace=True))
    client.http.delete(f"/api/v1/projects/{project.id}/repository").raise_for_status()
    client.http.delete(f"/api/v1/connections/{connection.id}").raise_for_status()


@both_schemes
def test_a_person_sees_what_an_agent_would_open_and_allows_it(
    page: Page, client: ApiClient, model: ModelServer, forge_site: Forge, scheme: Scheme
) -> None:
    with story_of(client, forge_site, f"the-{scheme}-card", {"README.md": "# Tea\n"}) as story:
        allow_on_the_card(page, model, story, scheme)


def allow_on_the_card(page: Page, model: ModelServer, story: Story, scheme: Scheme) -> None:
    script = model.script(
        calls(tool_call("bash", command=PUSH)),
        calls(tool_call("pull_request", title="Say when the shop closes", body=BODY)),
        text("Opened."),
        by="conversation",
    )
    story.session.prompt(f"Go. {script.marker}")

    sign_in(page)
    page.goto(f"/sessions/{story.session.id}")
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
    [pull] = story.shop.pulls
    assert (pull.title, pull.base) == ("Say when the shop closes", "main")


@both_schemes
def test_without_the_small_model_the_form_has_the_template_and_says_why(
    page: Page, client: ApiClient, model: ModelServer, forge_site: Forge, scheme: Scheme
) -> None:
    files = {"README.md": "# Tea\n", ".github/pull_request_template.md": TEMPLATE}
    with story_of(client, forge_site, f"no-{scheme}-draft", files) as story:
        dead = model.script(text("", fault="status", status=503), loop=True)
        push = PUSH.replace("-qm More", f"-qm 'More tea {dead.marker}'")  # drafts quote commits
        script = model.script(calls(tool_call("bash", command=push)), text("Pushed."), by="conversation")
        story.session.prompt(f"Go. {script.marker}")
        sign_in(page)
        page.goto(f"/sessions/{story.session.id}")
        turn_end(page, "completed")

        panel = page.get_by_role("region", name="Pull request")
        press_on(page, panel.get_by_role("button", name="Open a pull request"))
        expect(panel.get_by_role("status").last).to_contain_text("No model drafted this.")
        expect(panel.get_by_label("Title")).to_have_value(f"More tea {dead.marker}")
        expect(panel.get_by_label("Text")).to_have_value(TEMPLATE.strip())
        picture(page, "pull-request-undrafted", scheme)
        assert serious_findings(page) == []
        press_on(page, panel.get_by_role("button", name="Open", exact=True))
        expect(panel.get_by_role("link", name=f"{story.shop.full_name} #1")).to_be_visible()
        [pull] = story.shop.pulls
        assert pull.body.startswith(TEMPLATE.strip())

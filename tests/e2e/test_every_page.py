"""axe finds no fault of any impact on any page of the router, in either colour scheme."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.e2e.conftest import browser_of_somebody
from tests.e2e.workbench import COLOURS, findings, sign_in
from tests.support.api_client import ApiClient
from tests.support.model_server import ModelServer, calls, text, tool_call
from tests.support.running_site import REPOSITORY, RunningSite
from tests.support.site_shell import operator_of

pytestmark = pytest.mark.full  # test_story and others check the most used pages in `make test`
SOURCES: Final = REPOSITORY / "frontend" / "src"
ROUTERS: Final = ("app/App.tsx", "signed-out/SignedOut.tsx")
PATH: Final = "teashop/pricing.py"
OPERATOR: Final = "demo@agentsite.local"
SIDE_TABS: Final = ("Diff", "Files", "Terminal", "Preview", "Details")


@pytest.fixture
def site(scripted_site: RunningSite) -> RunningSite:
    """Use the scripted site, where anybody may sign up."""
    return scripted_site


def routes() -> list[str]:
    """Return the patterns of all routes, in the order of the router."""
    text = "".join((SOURCES / name).read_text() for name in ROUTERS)
    found = re.findall(r'<Route\b[^>]*?\bpath="([^"]+)"', text)
    assert len(found) > 20
    return [*dict.fromkeys(found)]


def tab_names(path: str) -> list[str]:
    """Return the names of tabs in a source file, from objects {name: "..."} or from the list ALL_TABS."""
    text = (SOURCES / path).read_text()
    listed = re.search(r"ALL_TABS = \[([^\]]+)\]", text)
    found = re.findall(r'"(\w+)"', listed[1]) if listed else re.findall(r'^    name: "(\w+)"', text, re.MULTILINE)
    assert len(found) > 3
    return found


def with_tabs(base: str, tabs: str) -> list[str]:
    return [f"{base}/{tab}" for tab in tab_names(tabs)]


@dataclass
class Seeded:
    """Ids of the objects that the pages show."""

    team: str
    project: str
    session: str
    workspace: str
    comparison: str
    server: str
    secret: str

    def addresses(self) -> dict[str, list[str]]:
        """Return addresses to visit for each route of the router. A route without an entry fails the test."""
        places = ("site", self.team, self.project)
        policies = [path for place in places for path in with_tabs(f"/policies/{place}", "policies/tabs.tsx")]
        return {
            "/shared/:secret": [f"/shared/{self.secret}", "/shared/unknown"],
            "/": ["/"],
            "/inbox": ["/inbox"],
            "/settings": ["/settings"],
            "/search": ["/search", "/search?q=twelve"],
            "/projects/:id/settings/:tab?": with_tabs(f"/projects/{self.project}/settings", "project/tabs.ts"),
            "/projects/:id": [f"/projects/{self.project}"],
            "/sessions/:id/review": [f"/sessions/{self.session}/review"],
            "/sessions/:id": [f"/sessions/{self.session}", "/sessions/ses_unknown"],
            "/comparisons/:id": [f"/comparisons/{self.comparison}"],
            "/mcp-servers/:id": [f"/mcp-servers/{self.server}"],
            "/policies/:place/:tab?": [path for path in policies if path != "/policies/site/grants"],
            "/agents/:place": [f"/agents/{place}" for place in places],
            "/agents/:place/*": ["/agents/site/build", f"/agents/{self.team}/new"],
            "/mcp-servers": ["/mcp-servers"],
            "/known-models": ["/known-models"],
            "/configuration": ["/configuration"],
            "/workspaces": ["/workspaces", f"/workspaces?project={self.project}"],
            "/workspaces/:id": [f"/workspaces/{self.workspace}"],
            "/account/:tab?": with_tabs("/account", "account/tabs.ts"),
            "/teams/:id/:tab?": with_tabs(f"/teams/{self.team}", "team/tabs.ts"),
            **{path: [] for path in SIGNED_OUT},
        }


SIGNED_OUT: Final = {
    "/sign-up": "/sign-up",
    "/forgot-password": "/forgot-password",
    "/reset-password/:key": "/reset-password/unknown",
    "/verify-email/:key": "/verify-email/unknown",
    "/invitations/:secret": "/invitations/unknown",
}


@pytest.fixture(scope="module")
def seeded(scripted_site: RunningSite, model: ModelServer) -> Iterator[Seeded]:
    with ApiClient(scripted_site.address) as client:
        yield seed(client, model)


def seed(client: ApiClient, model: ModelServer) -> Seeded:
    """Create a session with changed files and a waiting permission request, and one object of every other kind that has
    a page."""
    team = client.site.me().teams[0].id
    session = client.open_session()
    story = model.script(
        calls(tool_call("read", filePath=PATH), tool_call("todowrite", todos=[])),
        calls(tool_call("edit", filePath=PATH, oldString="BULK_QUANTITY = 10", newString="BULK_QUANTITY = 12")),
        text("## Twelve\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nprint(12)\n```\n\n- [ ] more\n\n$x^2$"),
        by="conversation",
    )
    client.wait_for_turn(session, client.prompt(session, f"Sell twelve as bulk {story.marker}"))
    waits = model.script(calls(tool_call("bash", command="make tea", description="Make tea")), by="conversation")
    turn = client.prompt(session, f"Go on {waits.marker}")
    client.wait_for_turn(session, turn, states=("waiting",))
    row = client.get(f"/api/v1/sessions/{session}")
    attempt = {"text": f"Again {model.script(text('Done.'), by='conversation').marker}", "models": ["", ""]}
    server = {"name": "chatter", "kind": "local", "command": ["python3", "-c", "pass"]}
    return Seeded(
        team=team,
        project=row["project_id"],
        session=session,
        workspace=row["workspace_id"],
        comparison=client.post(f"/api/v1/sessions/{session}/comparisons", attempt)["id"],
        server=client.post(f"/api/v1/projects/{row['project_id']}/mcp-servers", server)["id"],
        secret=client.post(f"/api/v1/sessions/{session}/share-links")["secret"],
    )


@dataclass
class Walk:
    """A walk through one page after another, which collects the faults that axe finds."""

    page: Page
    faults: dict[str, list[str]] = field(default_factory=dict)

    def look(self, name: str) -> None:
        """Check the page with axe in both colour schemes without reloading it; in the dark scheme, check only the rules
        about colours."""
        self._note(name, findings(self.page))
        self.page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        self._note(f"{name} (dark)", findings(self.page, *COLOURS))
        self.page.emulate_media(color_scheme="light", reduced_motion="reduce")

    def _note(self, name: str, found: list[dict[str, str]]) -> None:
        for fault in found:
            self.faults.setdefault(f"{fault['id']}: {fault['html']}", []).append(name)

    def visit(self, address: str) -> None:
        self.page.goto(address)
        with suppress(PlaywrightTimeout):  # a page that asks again and again
            self.page.wait_for_load_state("networkidle", timeout=5_000)
        expect(self.page.get_by_role("main")).to_be_visible()
        expect(self.page.locator(".skeleton, .boot")).to_have_count(0)
        self.look(address)


@pytest.fixture
def walk(page: Page) -> Iterator[Walk]:
    walk = Walk(page)
    yield walk
    assert walk.faults == {}


def test_every_page_of_somebody_who_is_signed_in(walk: Walk, site: RunningSite, seeded: Seeded) -> None:
    addresses = seeded.addresses()
    assert sorted(routes()) == sorted(addresses), "each route of the router needs an address here"
    with operator_of(site, OPERATOR):
        sign_in(walk.page)
        for address in [*(each for pages in addresses.values() for each in pages), "/nowhere"]:
            walk.visit(address)


def test_every_part_of_a_session(walk: Walk, seeded: Seeded) -> None:
    page = walk.page
    sign_in(page)
    page.goto(f"/sessions/{seeded.session}")
    for name in SIDE_TABS:
        page.get_by_role("tab", name=name).click()
        page.wait_for_load_state("networkidle")
        walk.look(name)
    page.get_by_role("tab", name="Files").click()
    page.locator("[data-path=teashop]").click()
    page.locator(f"[data-path='{PATH}']").click()
    expect(page.get_by_role("textbox", name=f"Text of {PATH}")).to_be_visible()
    walk.look("a file")
    for keys, dialog in (("Control+k", "palette"), ("Alt+h", "keys")):
        page.keyboard.press(keys)
        expect(page.get_by_role("dialog")).to_be_visible()
        walk.look(dialog)
        page.keyboard.press("Escape")
    page.get_by_test_id("share-button").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    walk.look("share")


def test_every_page_of_somebody_who_is_not_signed_in(chromium: Browser, site: RunningSite, seeded: Any) -> None:
    with browser_of_somebody(chromium, site) as context:
        walk = Walk(context.new_page())
        for address in ["/", *SIGNED_OUT.values(), f"/shared/{seeded.secret}", "/shared/unknown"]:
            walk.visit(address)
        assert walk.faults == {}

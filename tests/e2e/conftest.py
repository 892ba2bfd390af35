"""Running sites with real containers, and a real Chromium to use them.

Starting a site takes as long as several tests, so all modules share two: one with the demo model, and one whose model,
search server, mail server and identity provider belong to the tests. With `--dist loadfile` the tests of each site run
in one process.
"""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from xdist.scheduler import LoadScopeScheduling

from deploy.demo_forge import Forge, forge
from tests.support.api_client import ApiClient
from tests.support.browser import CHROMIUM, OFFLINE
from tests.support.canaries import CANARIES, make_secrets, strays
from tests.support.engine import TestEngine, docker_engine
from tests.support.identity_provider import NAME, identity_provider
from tests.support.lanes import EVERYTHING
from tests.support.mail_server import MailServer, mail_server
from tests.support.model_server import ModelServer, run_model_server
from tests.support.own_database import take_copy
from tests.support.push_service import PushService
from tests.support.remote_mcp import RemoteMcp, remote_mcp
from tests.support.running_site import REPOSITORY, RunningSite, free_port, running_site
from tests.support.search_server import SearchSite, searching

__all__ = ["docker_engine"]

STATE: Final = REPOSITORY / "var" / "test" / f"e2e{os.environ.get('PYTEST_XDIST_WORKER', '')}"
PICTURES: Final = REPOSITORY / "var" / "test" / "screenshots"
OF_SCRIPTED_SITE: Final = frozenset(
    {
        "test_accounts",
        "test_alternatives",
        "test_budgets",
        "test_by_keyboard",
        "test_chaos",
        "test_comparisons",
        "test_context",
        "test_credential_canary",
        "test_every_page",
        "test_every_tool",
        "test_first_page",
        "test_mcp_calls",
        "test_mcp_pages",
        "test_mcp_sign_in",
        "test_pull_request_card",
        "test_push",
        "test_repository_killed",
        "test_revert_killed",
        "test_review",
        "test_review_details",
        "test_tools",
        "test_undo",
        "test_workspaces",
    }
)
PATIENCE: Final = 20_000
"""Milliseconds that a page may take: long enough beside three lanes on two processors."""
HERE: Final = Path(__file__).parent.relative_to(REPOSITORY)
Scheme = Literal["light", "dark"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.e2e)


class OneSiteEach(LoadScopeScheduling):  # type: ignore[misc]  # untyped library
    """A scheduler that runs all tests of a site in one process. (The groups of xdist need another version of
    pytest.)"""

    def _split_scope(self, nodeid: str) -> str:
        module = Path(nodeid.partition("::")[0])
        if module.parent != HERE:
            return str(module)
        return "scripted site" if module.stem in OF_SCRIPTED_SITE else "site"


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> OneSiteEach | None:
    return OneSiteEach(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.fixture(scope="session")
def forge_site() -> Iterator[Forge]:
    with forge() as running:
        yield running


@pytest.fixture(scope="session")
def site(docker_engine: TestEngine, forge_site: Forge) -> Iterator[RunningSite]:
    """Run the site with the demo model. At its end, check that the secrets planted in the site have not spread."""
    environment = {"DOCKER_HOST": docker_engine.host, "NETWORK_ALLOW": forge_site.place, **CANARIES}
    environment["AGENTSITE_PREVIEW_URL"] = ""
    with running_site(STATE, environment, prepare=take_copy) as site:
        made = make_secrets(site)
        yield site
        assert strays(site, made=made) == []


@pytest.fixture(scope="session")
def model() -> Iterator[ModelServer]:
    yield from run_model_server()


@pytest.fixture(scope="session")
def search_server() -> Iterator[SearchSite]:
    with searching() as site:
        yield site


@pytest.fixture(scope="session")
def mailbox() -> Iterator[MailServer]:
    with mail_server() as mailbox:
        yield mailbox


@pytest.fixture(scope="session")
def push_service() -> Iterator[PushService]:
    service = PushService()
    yield service
    service.close()


@pytest.fixture(scope="session")
def issuer() -> Iterator[str]:
    with identity_provider() as issuer:
        yield issuer


@pytest.fixture(scope="session")
def remote_mcp_site() -> Iterator[RemoteMcp]:
    with remote_mcp() as running:
        yield running


@pytest.fixture(scope="session")
def notes_ports() -> tuple[int, int]:
    """Return free ports for an authorization server and an MCP server, which a test starts."""
    return free_port(), free_port()


@pytest.fixture(scope="session")
def scripted_site(
    docker_engine: TestEngine,
    forge_site: Forge,
    remote_mcp_site: RemoteMcp,
    notes_ports: tuple[int, int],
    model: ModelServer,
    search_server: SearchSite,
    mailbox: MailServer,
    push_service: PushService,
    issuer: str,
) -> Iterator[RunningSite]:
    """Run a site whose model follows scripts of the tests.

    Its tools may fetch from the server of that model, its e-mails arrive in `mailbox`, and anybody may sign up or sign
    in through `issuer`.
    """
    environment = {
        "DOCKER_HOST": docker_engine.host,
        "MODEL_NAME": "scripted",
        "MODEL_BASE_URL": model.base_url,
        "MODEL_API_KEY": "sk-test-0123456789",
        "NETWORK_ALLOW": ",".join(
            [forge_site.place, remote_mcp_site.place, *(f"127.0.0.1:{port}" for port in notes_ports)]
        ),
        "WEB_ALLOW": urlsplit(model.base_url).netloc,
        "SEARCH_SERVER": search_server.url,
        "PUSH_ALLOW": push_service.place,
        "SIGN_UP": "open",
        "OIDC_ISSUER": issuer,
        "OIDC_NAME": NAME,
        "OIDC_CLIENT_ID": "agentsite",
        "OIDC_CLIENT_SECRET": "not-checked",
        **mailbox.environment,
        **({"AGENTSITE_PREVIEW_URL": ""} if EVERYTHING else {}),
    }
    with running_site(STATE.with_name(f"{STATE.name}-scripted"), environment, prepare=take_copy) as site:
        yield site


@pytest.fixture
def client(site: RunningSite) -> Iterator[ApiClient]:
    with ApiClient(site.address) as client:
        yield client


@pytest.fixture
def team(client: ApiClient) -> Iterator[str]:
    """Return the id of the demo team, and restore its policy at the end."""
    team: str = client.get("/api/v1/me")["teams"][0]["id"]
    before: dict[str, Any] = client.get(f"/api/v1/policies/{team}")
    yield team
    now = client.get(f"/api/v1/policies/{team}")
    document = {name: before[name] for name in ("preset", "rules", "enforced", "options", "expectations")}
    body = {"document": document, "base_version": now["version"], "reason": "As it was"}
    client.http.put(f"/api/v1/policies/{team}", json=body).raise_for_status()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OFFLINE)
        expect.set_options(timeout=PATIENCE)
        yield browser
        browser.close()


both_schemes = pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.full)], indirect=True)
"""Runs a test in both colour schemes: for pictures and accessibility. The behaviour of a page is the same in both."""


@pytest.fixture
def scheme(request: pytest.FixtureRequest) -> Scheme:
    scheme: Scheme = getattr(request, "param", "light")
    return scheme


@contextmanager
def browser_of_somebody(
    chromium: Browser, site: RunningSite, scheme: Scheme = "light", *, refusals: Collection[str] = ()
) -> Iterator[BrowserContext]:
    """Open a browser with its own cookies, as on another machine.

    When the browser is closed, its console must contain no message about the content security policy, unless it starts
    with one of `refusals`, which hostile pages cause.
    """
    context = chromium.new_context(
        base_url=site.address, color_scheme=scheme, viewport={"width": 1440, "height": 900}, reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE)
    refused: list[str] = []
    context.on("console", lambda said: refused.append(said.text) if "Content Security Policy" in said.text else None)
    yield context
    context.close()
    assert [each for each in refused if not each.startswith(tuple(refusals))] == [], (
        "the page asked for what its own policy refuses"
    )


@pytest.fixture
def context(
    chromium: Browser, site: RunningSite, scheme: Scheme, request: pytest.FixtureRequest
) -> Iterator[BrowserContext]:
    refusals = [mark.args[0] for mark in request.node.iter_markers("refusal")]
    with browser_of_somebody(chromium, site, scheme, refusals=refusals) as context:
        yield context


@pytest.fixture
def other_tab(context: BrowserContext) -> Page:
    """Open a second tab of the same person."""
    return context.new_page()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


def picture(page: Page, name: str, scheme: Scheme) -> None:
    """Save a screenshot of the page as an artefact of `make test-all`."""
    if not EVERYTHING:
        return
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}-{scheme}.png")

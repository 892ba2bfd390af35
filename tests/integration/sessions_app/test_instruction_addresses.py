"""Instructions at web addresses: a guarded process fetches them. Addresses named in a repository's files are fetched
only if the rules allow it without asking."""

import json
from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest
from django.utils import timezone

from agentsite.base.background import background
from sessions_app.models import Configuration, Grant, Workspace
from sessions_app.workers.sandbox import deployment, instruction_addresses, project_files
from sessions_app.workers.sandbox.project_files import refresh_project_files
from tests.support.asking import set_policy
from tests.support.model_server import text
from tests.support.session_site import SessionSite
from tests.support.web_server import WebServer, page, serving

pytestmark = pytest.mark.one_database


def allowing(site: SessionSite, pattern: str) -> None:
    set_policy(site.project, rules=[{"permission": "webfetch", "pattern": pattern, "action": "allow"}])


class Published:
    """A web server with instructions, and a workspace whose files contain the server's address."""

    def __init__(self, site: SessionSite, server: WebServer) -> None:
        self.site, self.server = site, server
        self.address = f"http://{server.place}/rules.md"

    def name(self, *addresses: str) -> None:
        (self.site.files / "opencode.json").write_text(json.dumps({"instructions": [*addresses]}))

    def allow(self) -> None:
        allowing(self.site, f"http://{self.server.place}/*")

    def say(self, body: str, status: str = "200 OK") -> None:
        self.server.pages = {"/rules.md": page(body, "text/markdown", status=status)}
        instruction_addresses._kept.clear()

    def read(self) -> tuple[list[dict[str, str]], dict[str, str]]:
        """Refresh the project's files; return the workspace's instructions, and the problem with each address."""
        seen = project_files._seen.get(self.site.workspace.pk)
        workspace = Workspace.objects.select_related("project").get(pk=self.site.workspace.pk)
        refresh_project_files(workspace, deployment.runtime_of(workspace), starting=seen is not None)
        found = Workspace.objects.get(pk=workspace.pk)
        patterns = found.configuration.get("instructions", [])
        return found.instructions, {each["pattern"]: each["problem"] for each in patterns}


@pytest.fixture
def published(site: SessionSite) -> Iterator[Published]:
    project_files._seen.clear()
    instruction_addresses._kept.clear()
    stack = AsyncExitStack()
    server = background.run(stack.enter_async_context(serving({"/rules.md": page("Be brief.", "text/markdown")})))
    site.settings.WEB_ALLOW = [server.place]
    deployment.runtime_of(site.workspace)
    yield Published(site, server)
    background.run(stack.aclose())


def test_a_repository_sends_no_request_that_nobody_allowed(published: Published) -> None:
    published.name(published.address)
    found, problems = published.read()
    assert (found, problems[published.address]) == ([], instruction_addresses.NOT_ALLOWED)
    assert published.server.asked == []


def test_texts_reach_the_model_once_a_rule_allows_the_address(published: Published) -> None:
    published.name(published.address)
    published.allow()
    assert published.read() == ([{"path": published.address, "text": "Be brief."}], {published.address: ""})
    posted = published.site.script(text("ok"))
    published.site.run_prompt()
    system = posted.requests(at_least=1)[0]["body"]["messages"][0]["content"]
    assert f"Instructions from {published.address}:\nBe brief." in system
    assert published.server.asked == ["/rules.md"]


def test_a_grant_for_the_whole_project_allows_it_too(published: Published) -> None:
    published.name(published.address)
    site = published.site
    Grant.objects.create(
        team=site.team, project=site.project, scope="project", permission="webfetch",
        pattern=f"http://{published.server.place}/*", granted_by=site.user,
    )  # fmt: skip
    assert [each["text"] for each in published.read()[0]] == ["Be brief."]


def test_an_address_of_the_teams_document_needs_no_rule(published: Published) -> None:
    team = published.site.team
    Configuration.objects.create(
        place=team.public_id,
        team=team,
        text=json.dumps({"instructions": [published.address]}),
        changed_at=timezone.now(),
    )
    assert [each["text"] for each in published.read()[0]] == ["Be brief."]


def test_what_was_read_stays_while_the_address_is_down(published: Published) -> None:
    published.name(published.address)
    published.allow()
    published.read()
    published.say("", status="500 Broken")
    found, problems = published.read()
    assert [each["text"] for each in found] == ["Be brief."]
    assert problems[published.address].endswith("The text that was read before still applies.")
    published.say("Be kind.")
    assert [each["text"] for each in published.read()[0]] == ["Be kind."]


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("http://169.254.169.254/latest/meta-data/", "link-local"),
        ("https://localhost/x", "local network"),
        ("https://user:password@x.example/", "user name or password"),
        ("https://x.example:22/", "only the ports"),
    ],
)
def test_addresses_inside_are_refused_and_named_whatever_the_rules_say(
    address: str, why: str, published: Published
) -> None:
    published.name(address)
    allowing(published.site, "*")
    found, problems = published.read()
    assert found == []
    assert why in problems[address]


def test_too_many_and_too_large_ones_are_named(published: Published) -> None:
    published.name(*(f"{published.address}?{number}" for number in range(12)))
    published.allow()
    big = page("x" * 40_000, "text/plain")
    published.server.pages = {f"/rules.md?{number}": big for number in range(12)}
    found, problems = published.read()
    assert found == []
    assert [sum(word in each for each in problems.values()) for word in ("larger than", "Only 10")] == [10, 2]

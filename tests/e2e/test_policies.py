"""Policies in a real browser: an admin changes one and reverts it, and everybody can see the reason of a decision."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Scheme, both_schemes, picture
from tests.e2e.workbench import serious_findings, sign_in
from tests.support.api_client import ApiClient
from tests.support.running_site import RunningSite

MEMBER: Final = "member@agentsite.local"
COMMAND: Final = "echo tried"
PUSH: Final = "git push origin main"
RULE: Final = {"permission": "bash", "pattern": "git push *", "action": "ask"}


@pytest.fixture
def client(site: RunningSite) -> Iterator[ApiClient]:
    with ApiClient(site.address) as client:
        yield client


@pytest.fixture
def team(client: ApiClient) -> str:
    """Return the id of the demo team, after saving a policy with one rule and no limits."""
    team: str = client.get("/api/v1/me")["teams"][0]["id"]
    save(client, team, rules=[RULE])
    return team


def save(client: ApiClient, place: str, *, rules: list[Mapping[str, str]], reason: str = "A fresh start") -> int:
    """Save a policy with these rules only; return its version."""
    body = {"document": {"rules": rules}, "base_version": version_of(client, place), "reason": reason}
    answer = client.http.put(f"/api/v1/policies/{place}", json=body)
    answer.raise_for_status()
    version: int = answer.json()["version"]
    return version


def version_of(client: ApiClient, place: str) -> int:
    version: int = client.get(f"/api/v1/policies/{place}")["version"]
    return version


def run_command(client: ApiClient, command: str, **answer: str) -> str:
    """Start a session in which the agent runs the command; answer its permission request if there is one. Return the
    session's id."""
    session = client.open_session()
    turn = client.prompt(session, f"run `{command}`")
    states = ("waiting", "completed", "failed", "aborted")
    if client.wait_for_turn(session, turn, states=states)["state"] == "waiting":
        client.reply(open_request(client, session)["id"], **answer)
        client.wait_for_turn(session, turn)
    return session


def open_request(client: ApiClient, session: str) -> dict[str, Any]:
    requests = client.snapshot(session)["permission_requests"]
    found: dict[str, Any] = next(item for item in requests if item["state"] == "open")
    return found


def open_policy(page: Page, place: str, tab: str = "rules") -> None:
    page.goto(f"/policies/{place}/{tab}")
    expect(page.get_by_test_id("policy-version")).to_be_visible()


def limits(page: Page) -> Locator:
    return page.get_by_test_id("table-enforced").get_by_test_id("rule")


def add_limit_by_keyboard(page: Page, pattern: str) -> None:
    page.get_by_role("button", name="Add limit").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Pattern of Limits 1")).to_be_focused()
    page.keyboard.type(pattern)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.type("deny")
    expect(page.get_by_label("Action of Limits 1")).to_have_value("deny")


def save_draft(page: Page, reason: str) -> None:
    page.get_by_test_id("draft-bar").get_by_role("button", name="Save…").click()
    page.get_by_label("Reason").fill(reason)
    page.keyboard.press("Enter")


def expect_version(page: Page, version: int) -> None:
    expect(page.get_by_test_id("policy-version")).to_contain_text(f"Version {version} ")


def test_an_admin_adds_a_limit_tries_it_saves_it_and_takes_it_back(
    page: Page, client: ApiClient, team: str, scheme: Scheme
) -> None:
    run_command(client, COMMAND)
    before = version_of(client, team)
    sign_in(page)
    open_policy(page, team)
    add_limit_by_keyboard(page, "echo *")
    picture(page, "policy-draft", scheme)
    page.get_by_role("tab", name="Simulator").click()
    page.get_by_role("button", name="Simulate").click()
    change = page.get_by_test_id("simulated-change").filter(has_text="echo tried").first
    expect(change).to_contain_text("Denied")
    expect(change).to_contain_text("A limit of your team says: never allow echo *")
    picture(page, "policy-simulator", scheme)
    save_draft(page, "No echoes here")
    expect_version(page, before + 1)
    expect(page.get_by_test_id("policy-version")).to_contain_text("No echoes here")
    page.get_by_role("tab", name="Versions").click()
    page.get_by_test_id("version").first.get_by_role("button").first.click()
    expect(page.get_by_test_id("version-diff")).to_contain_text("! deny bash echo *")
    picture(page, "policy-versions", scheme)
    page.get_by_role("button", name=f"Roll back to version {before}", exact=True).click()
    page.get_by_label("Reason").fill("Echoes were fine")
    page.get_by_role("button", name=f"Roll back to version {before}", exact=True).last.click()
    expect_version(page, before + 2)
    page.get_by_role("tab", name="Rules").click()
    expect(limits(page)).to_have_count(0)
    assert client.get(f"/api/v1/policies/{team}")["restored_from"] == before


@pytest.mark.full
def test_rules_change_places_by_keyboard_and_the_text_says_the_same(page: Page, team: str) -> None:
    sign_in(page)
    open_policy(page, team)
    page.get_by_role("button", name="Add rule").click()
    page.keyboard.type("make *")
    page.keyboard.press("Alt+ArrowUp")
    expect(page.get_by_label("Pattern of Rules 1")).to_be_focused()
    page.get_by_text("Text", exact=True).click()
    text = page.get_by_label("Rules as text")
    expect(text).to_have_value("ask bash make *\nask bash git push *")
    text.fill("permit bash *\n! deny read *.pem")
    expect(page.get_by_role("status").filter(has_text="Line 1")).to_contain_text("“permit” is not an action")
    text.fill("# only this\n! deny read *.pem")
    page.get_by_text("Table", exact=True).click()
    expect(page.get_by_label("Pattern of Limits 1")).to_have_value("*.pem")
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_label("Pattern of Rules 1")).to_have_value("git push *")


@pytest.mark.full
def test_somebody_else_saving_meanwhile_costs_no_draft(page: Page, client: ApiClient, team: str) -> None:
    sign_in(page)
    open_policy(page, team)
    add_limit_by_keyboard(page, "mine *")
    theirs = save(client, team, rules=[{**RULE, "pattern": "theirs *"}], reason="Faster")
    save_draft(page, "Mine too")
    behind = page.get_by_test_id("behind")
    expect(behind).to_contain_text(f"saved version {theirs} while you were editing")
    behind.get_by_role("button", name="Changes by").click()
    expect(behind).to_contain_text("ask bash theirs *")
    behind.get_by_role("button", name="Continue with my draft").click()
    save_draft(page, "Mine too")
    expect_version(page, theirs + 1)
    assert [rule["pattern"] for rule in client.get(f"/api/v1/policies/{team}")["enforced"]] == ["mine *"]


@pytest.mark.full
def test_a_member_reads_the_policy_and_cannot_change_it(page: Page, team: str) -> None:
    sign_in(page, MEMBER)
    open_policy(page, team)
    expect(page.get_by_test_id("read-only")).to_contain_text("Only admins of the team can change it")
    expect(page.get_by_label("Pattern of Rules 1")).not_to_be_editable()
    for name in ("Add rule", "Add limit", "Save…"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    page.get_by_role("tab", name="Versions").click()
    expect(page.get_by_test_id("version").first).to_be_visible()
    expect(page.get_by_role("button", name="Roll back")).to_have_count(0)


@pytest.mark.full
def test_a_call_says_why_and_its_grant_can_be_taken_back(
    page: Page, client: ApiClient, team: str, scheme: Scheme
) -> None:
    session = run_command(client, PUSH, reply="always", scope="project")
    sign_in(page)
    page.goto(f"/sessions/{session}")
    row = page.locator('[data-testid="tool-row"][data-tool="bash"]').first
    row.get_by_role("button", name="Why").click()
    decision = row.get_by_test_id("why-decision")
    expect(decision).to_contain_text("git push origin main")
    decision.get_by_text("matched").click()
    expect(decision).to_contain_text("Your team's policy: ask before git push *")
    page.get_by_role("tab", name="Details").click()
    page.get_by_role("button", name="Rules").click()
    grant = page.get_by_test_id("rules-panel").get_by_test_id("grant").filter(has_text="git push *")
    expect(grant.first).to_contain_text("in the whole project")
    picture(page, "why-and-rules", scheme)
    open_policy(page, client.project().id, "grants")
    grants = page.get_by_test_id("grant").filter(has_text="git push *")
    expect(grants.first).to_contain_text("by Dana Demo")
    while grants.count():
        left = grants.count()
        grants.first.get_by_role("button", name="Revoke").click()
        expect(grants).to_have_count(left - 1)
    assert client.get(f"/api/v1/sessions/{session}/grants")["items"] == []


@pytest.mark.full
@both_schemes
def test_no_page_about_policies_has_a_serious_accessibility_finding(page: Page, client: ApiClient, team: str) -> None:
    session = run_command(client, COMMAND)
    sign_in(page)
    findings = {}
    for tab in ("rules", "options", "expectations", "simulator", "why", "versions", "grants"):
        open_policy(page, team, tab)
        findings[tab] = serious_findings(page)
    page.goto(f"/teams/{team}/audit")
    page.get_by_role("button", name="Verify the chain").click()
    expect(page.get_by_test_id("verified")).to_contain_text("the chain is intact")
    page.get_by_test_id("audit-entry").first.get_by_role("button").click()
    findings["audit"] = serious_findings(page)
    page.goto(f"/sessions/{session}")
    page.get_by_role("tab", name="Details").click()
    page.get_by_role("button", name="Rules").click()
    expect(page.get_by_test_id("layer").first).to_be_visible()
    findings["session rules"] = serious_findings(page)
    assert {name: found for name, found in findings.items() if found} == {}

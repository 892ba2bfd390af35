"""Budgets with real workers: a turn stops and continues, and a worker dies after a reservation and before it is
settled."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.workbench import say, serious_findings, sign_in, turn_end
from tests.support.api_client import ApiClient
from tests.support.deadline import wait_until
from tests.support.model_server import ModelServer, calls, text, tool_call
from tests.support.running_site import RunningSite

MEMBER: Final = "member@agentsite.local"
USED: Final = {"prompt_tokens": 100_000, "completion_tokens": 100}
COST: Final = Decimal("0.1004")  # at a dollar for a million tokens of input, four for output


@pytest.fixture
def site(scripted_site: RunningSite) -> RunningSite:
    """Override the fixture `site`, so that the browser also uses the site whose model follows scripts."""
    return scripted_site


@pytest.fixture
def client(scripted_site: RunningSite) -> Iterator[ApiClient]:
    """Provide an API client of an admin."""
    with ApiClient(scripted_site.address) as client:
        yield client


def bound(client: ApiClient, session_id: str, limit: str) -> dict[str, Any]:
    """Create a hard budget for the session with the amount `limit`. The budget assumes a price for the scripted
    model."""
    said = {"scope": "session", "target": session_id, "period": "total", "limit": limit}
    price = {"unknown_prices": "assume", "assumed_input": "1", "assumed_output": "4"}
    made: dict[str, Any] = client.post(f"/api/v1/teams/{client.project().team_id}/budgets", said | price)
    return made


def now(client: ApiClient, budget: dict[str, Any]) -> dict[str, Decimal]:
    """Return the sums that a budget has spent and reserved, and its limit, and check that the limit is not exceeded."""
    found = client.get(f"/api/v1/budgets/{budget['id']}")
    sums = {name: Decimal(found[name]) for name in ("spent", "reserved", "limit")}
    assert sums["spent"] + sums["reserved"] <= sums["limit"]
    return sums


def test_a_turn_stops_at_a_budget_and_goes_on_by_itself_when_an_admin_raises_it(
    client: ApiClient, model: ModelServer, page: Page
) -> None:
    session_id = client.open_session()
    budget = bound(client, session_id, "0.15")
    script = model.script(calls(tool_call("todoread"), usage=USED), text("All done.", usage=USED), by="conversation")
    sign_in(page, MEMBER)
    page.goto(f"/sessions/{session_id}")
    expect(page.get_by_test_id("link-state")).to_have_attribute("data-link", "live")
    say(page, f"Go. {script.marker}")
    stopped = page.get_by_test_id("stopped-turn")
    expect(stopped).to_contain_text("The budget of this session has no room", timeout=60_000)
    expect(stopped).to_contain_text("$0.1004 of $0.15 in total is used")
    expect(stopped).to_contain_text("The turn continues when somebody raises the budget")
    assert serious_findings(page) == []
    stopped.get_by_role("button", name="Continue").click()
    expect(stopped).to_contain_text("has no room")
    client.http.patch(f"/api/v1/budgets/{budget['id']}", json={"limit": "5"}).raise_for_status()
    turn_end(page, "completed")
    expect(page.get_by_text("All done.")).to_be_visible()
    expect(stopped).to_have_count(0)
    page.get_by_test_id("session-cost").click()
    expect(page.get_by_role("meter")).to_have_attribute("aria-valuetext", "$0.2008 of $5.00 in total")
    assert serious_findings(page) == []


@pytest.mark.chaos
def test_a_worker_killed_with_a_call_half_paid_loses_nothing_and_passes_no_limit(
    scripted_site: RunningSite, client: ApiClient, model: ModelServer
) -> None:
    session_id = client.open_session()
    budget = bound(client, session_id, "1")
    held = text("Half of it is said.", chunk_size=5, hold="budget-goes-on", hold_after=2, usage=USED)
    script = model.script(held, by="conversation")
    turn_id = client.prompt(session_id, f"Talk. {script.marker}")
    script.requests(at_least=1, state="held", timeout=60)
    reserved = now(client, budget)["reserved"]
    assert reserved > 0
    old = scripted_site.kill("agent")
    model.release("budget-goes-on")
    scripted_site.wait_for_replacement("agent", old)
    turn = client.wait_for_turn(session_id, turn_id, seconds=120)
    assert turn["state"] == "completed", turn["error"]
    wait_until(lambda: now(client, budget)["reserved"] == 0, "nothing is held any more", seconds=60, step=0.5)
    assert now(client, budget)["spent"] == reserved + COST

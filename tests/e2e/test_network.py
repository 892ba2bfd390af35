"""The network of a workspace in a real browser: an admin opens it, a command is refused, and a person decides."""

from typing import Final

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Scheme, picture
from tests.e2e.workbench import allow_once, open_card, open_fresh_session, say, serious_findings, sign_in, turn_end
from tests.support.api_client import ApiClient
from tests.support.running_site import RunningSite

COMMAND: Final = "run `curl -sS https://downloads.example.org/tool.tar.gz`"


def choose_network(page: Page, team: str, label: str) -> None:
    page.goto(f"/policies/{team}/options")
    page.get_by_label("Network of programs").select_option(label)
    page.get_by_test_id("draft-bar").get_by_role("button", name="Save…").click()
    page.get_by_label("Reason").fill("Downloads, if somebody agrees")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("policy-version")).to_contain_text("Downloads, if somebody agrees")


def test_a_person_decides_about_a_host_that_a_command_wanted(
    page: Page, site: RunningSite, team: str, scheme: Scheme
) -> None:
    sign_in(page)
    choose_network(page, team, "Allowed hosts")
    picture(page, "policy-network", scheme)
    open_fresh_session(page)
    say(page, COMMAND)
    allow_once(page)
    card = open_card(page)
    expect(card).to_contain_text("Connect to this address?")
    expect(card).to_contain_text("downloads.example.org")
    assert serious_findings(page) == []
    picture(page, "network-request", scheme)
    allow_once(page)
    turn_end(page, "completed")
    conversation = page.get_by_test_id("conversation")
    expect(conversation).to_contain_text("downloads.example.org is allowed now.")
    say(page, COMMAND)
    allow_once(page)
    open_card(page).get_by_role("button", name="Reject", exact=True).click()
    turn_end(page, "completed")
    expect(conversation).to_contain_text("A person refused this.")
    with ApiClient(site.address) as client:
        page.goto(f"/projects/{client.project().id}/settings/environment")
    expect(page.get_by_role("region", name="Network")).to_contain_text("downloads.example.org")
    for section in ("Image", "Set-up", "Variables"):
        expect(page.get_by_role("region", name=section)).to_be_visible()
    assert serious_findings(page) == []
    picture(page, "environment", scheme)

"""Secret variables in a real browser: an admin chooses who gets a secret, and nobody can read it afterwards."""

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Scheme, picture
from tests.e2e.workbench import serious_findings, sign_in
from tests.support.api_client import ApiClient
from tests.support.running_site import RunningSite

VALUE = "tok-canary-5f0c1e77aa"


def test_an_admin_adds_a_secret_to_the_requests_for_a_host(page: Page, site: RunningSite, scheme: Scheme) -> None:
    sign_in(page)
    with ApiClient(site.address) as client:
        page.goto(f"/projects/{client.project().id}/settings/environment")
    form = page.get_by_role("form", name="New variable")
    form.get_by_label("Name").fill("API_TOKEN")
    form.get_by_label("Value").fill(VALUE)
    form.get_by_label("Secret: nobody can read it again").check()
    form.get_by_label("Hosts, one a line").fill("*.example.com")
    form.get_by_label("Added as").select_option("A header of your choice")
    form.get_by_label("Header", exact=True).fill("X-Api-Key")
    form.get_by_role("button", name="Add variable").click()
    expect(form).to_contain_text("without wildcards")
    picture(page, "secret-refused", scheme)
    form.get_by_label("Hosts, one a line").fill("api.example.com\ngit.example.com:8443")
    form.get_by_role("button", name="Add variable").click()
    row = page.get_by_test_id("variable-row").filter(has_text="API_TOKEN").first
    expect(row).to_contain_text("Secret, added to requests for api.example.com, git.example.com:8443")
    expect(form.get_by_label("Value")).to_have_value("")
    row.get_by_role("button").first.click()
    change = page.get_by_role("form", name="Change API_TOKEN")
    expect(change.get_by_label("Hosts, one a line")).to_have_value("api.example.com\ngit.example.com:8443")
    assert serious_findings(page) == []
    picture(page, "secret-for-hosts", scheme)
    change.get_by_label("Hosts, one a line").fill("api.example.com")
    change.get_by_role("button", name="Save").click()
    expect(row).not_to_contain_text("git.example.com")
    assert VALUE not in page.content()
    form.get_by_label("Name").fill("PASSWORD")
    form.get_by_label("Value").fill(VALUE)
    form.get_by_label("Secret: nobody can read it again").check()
    form.get_by_label("Who gets it").select_option("Given to commands")
    form.get_by_role("button", name="Add variable").click()
    expect(form).to_contain_text("Secrets cannot be given to commands here: no policy allows it.")
    form.get_by_label("Who gets it").select_option("For set-up only")
    form.get_by_role("button", name="Add variable").click()
    expect(page.get_by_test_id("variable-row").filter(has_text="Secret, for set-up only")).to_contain_text("PASSWORD")
    page.get_by_test_id("variable-row").filter(has_text="API_TOKEN").first.scroll_into_view_if_needed()
    picture(page, "secret-variables", scheme)

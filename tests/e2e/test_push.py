"""Push notices in a real browser with its service worker: turned on in the settings, received, and opened to allow a
call.

The test replaces the push service: it receives the notices from the site and delivers them to the browser.
"""

import json
from typing import Any, Final

import pytest
from playwright.sync_api import Page, Worker, expect

from tests.e2e.conftest import Scheme, both_schemes, picture
from tests.e2e.workbench import allow_once, findings, open_card, open_fresh_session, sign_in, turn_end
from tests.support.api_client import ApiClient
from tests.support.deadline import wait_until
from tests.support.model_server import ModelServer, calls, text, tool_call
from tests.support.push_service import PushService, ReceivingBrowser
from tests.support.running_site import RunningSite

pytestmark = pytest.mark.full
AS_SUBSCRIBED: Final = """
  const given = %s;
  const subscription = {
    endpoint: given.endpoint,
    toJSON: () => ({ endpoint: given.endpoint, keys: { p256dh: given.p256dh, auth: given.auth } }),
    unsubscribe: async () => { localStorage.removeItem("test.subscribed"); return true; },
  };
  PushManager.prototype.getSubscription = async () =>
    localStorage.getItem("test.subscribed") ? subscription : null;
  PushManager.prototype.subscribe = async (options) => {
    localStorage.setItem("test.subscribed", options.applicationServerKey);
    return subscription;
  };
  Object.defineProperty(Notification, "permission", { get: () => "default" });
"""
"""JavaScript that simulates a push subscription. The Chromium of tests has no push service and no system notifications,
and reports that they are denied."""
REMEMBER: Final = """() => {
  self.shown = [];
  const note = async (title, options) => void self.shown.push({ title, ...options });
  ServiceWorkerRegistration.prototype.showNotification = note;
}"""


@pytest.fixture
def site(scripted_site: RunningSite) -> RunningSite:
    return scripted_site


@pytest.fixture
def nothing_waits(client: ApiClient) -> None:
    """End what tests before have left waiting, because a notice counts all requests of a person."""
    for request in client.get("/api/v1/permission-requests")["items"]:
        client.post(f"/api/v1/sessions/{request['session_id']}/abort")
    wait_until(lambda: client.get("/api/v1/permission-requests")["items"] == [], "nothing waits")


@pytest.fixture
def receiver(page: Page, site: RunningSite, push_service: PushService) -> ReceivingBrowser:
    receiver = push_service.browser(f"browser-{len(push_service.notices)}")
    page.context.grant_permissions(["notifications"], origin=site.address)
    page.add_init_script(AS_SUBSCRIBED % json.dumps(receiver.subscription()))
    return receiver


def arrived(service: PushService, receiver: ReceivingBrowser, number: int) -> dict[str, Any]:
    """Return the notice with this number that the site has sent to the browser."""

    def bodies() -> list[bytes]:
        return [body for path, _, body in service.notices if receiver.endpoint.endswith(path)]

    wait_until(lambda: len(bodies()) > number, "the notice is sent", seconds=90)
    return receiver.read(bodies()[number])


def deliver(page: Page, site: RunningSite, notice: dict[str, Any]) -> None:
    """Deliver the notice to the browser, as its push service would."""
    session = page.context.new_cdp_session(page)
    registrations: list[str] = []
    session.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda event: registrations.extend(each["registrationId"] for each in event["registrations"]),
    )
    session.send("ServiceWorker.enable")
    page.wait_for_timeout(0)  # lets the event arrive
    wait_until(lambda: bool(page.evaluate("() => true") and registrations), "the registration is known")
    session.send(
        "ServiceWorker.deliverPushMessage",
        {"origin": site.address, "registrationId": registrations[-1], "data": json.dumps(notice)},
    )


def worker_of(page: Page) -> Worker:
    wait_until(lambda: bool(page.evaluate("() => true") and page.context.service_workers), "the worker runs")
    return page.context.service_workers[0]


@both_schemes
@pytest.mark.usefixtures("nothing_waits")
def test_a_card_is_answered_from_a_push_notice(
    page: Page, site: RunningSite, receiver: ReceivingBrowser, push_service: PushService, model: ModelServer,
    scheme: Scheme,
) -> None:  # fmt: skip
    sign_in(page)
    assert page.evaluate("async () => (await navigator.serviceWorker.getRegistrations()).length") == 0
    page.goto("/account/notifications")
    assert page.evaluate("async () => (await navigator.serviceWorker.getRegistrations()).length") == 0
    page.get_by_role("button", name="Turn push notices on").click()
    row = page.get_by_test_id("push-browser")
    expect(row).to_contain_text("This browser")
    row.get_by_role("button", name="Send a test").click()
    test = arrived(push_service, receiver, 0)
    assert test["text"] == "Push notices reach this browser."
    expect(row).to_contain_text("last notice", timeout=30_000)
    assert findings(page) == []
    picture(page, "notifications", scheme)
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        picture(page, f"notifications-{width}", scheme)

    script = model.script(
        calls(tool_call("bash", command="make tea", description="Make tea")), text("Done."), by="conversation"
    )
    address = open_fresh_session(page)
    page.get_by_label("Prompt", exact=True).fill(f"Make tea. {script.marker}")
    page.keyboard.press("Enter")
    open_card(page)
    page.goto("/")  # the session is no longer open

    notice = arrived(push_service, receiver, 1)
    assert notice["title"] == "An agent is waiting for your answer"
    assert "make tea" not in json.dumps(notice)
    worker = worker_of(page)
    worker.evaluate(REMEMBER)
    deliver(page, site, notice)
    wait_until(lambda: bool(worker.evaluate("() => self.shown.length")), "the notification is shown")
    (shown,) = worker.evaluate("() => self.shown")
    assert (shown["title"], shown["data"]["path"]) == (notice["title"], notice["path"])

    # A click needs the windows of a system; what it asks of the open page is asked here
    opened = worker.evaluate("async (path) => ask((await openPages())[0], path)", notice["path"])
    assert opened is True
    page.wait_for_url(f"{address}#per_*")
    allow_once(page)
    turn_end(page, "completed")

    page.get_by_role("button", name="Account of").click()
    page.get_by_role("menuitem", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    assert page.evaluate("async () => (await navigator.serviceWorker.getRegistrations()).length") == 0

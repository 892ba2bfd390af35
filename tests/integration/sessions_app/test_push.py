"""Push notices: their recipients, one delivery of each, the responses of push services, and browsers that get no more
notices."""

import json
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from http.server import BaseHTTPRequestHandler
from typing import Any

import jwt
import pytest
from allauth.usersessions.models import UserSession
from django.test import Client
from django.utils import timezone

from agentsite.tenancy.accounts.devices import sign_out_devices
from agentsite.tenancy.encryption import unseal
from agentsite.tenancy.models import AuditEntry, OutgoingMail, User
from sessions_app.actions.notification_choices import WayChange, set_reminder_preferences
from sessions_app.actions.recover import recover
from sessions_app.actions.reminders import send_reminders
from sessions_app.models import PushBrowser, PushKey, PushNotice
from sessions_app.push import sending
from sessions_app.push.actions import MAX_BROWSERS
from sessions_app.push.encryption import base64url, public_of, read_private
from sessions_app.push.keys import private_key
from sessions_app.spending.budgets import create_budget
from sessions_app.spending.notices import notify_share
from tests.support.builders import bearer, browser_of
from tests.support.model_server import calls, text, tool_call
from tests.support.push_service import PushService, ReceivingBrowser
from tests.support.receiver import answering
from tests.support.session_site import SessionSite

pytestmark = pytest.mark.one_database
PATH = "/api/v1/me/push"


@pytest.fixture
def service(site: SessionSite) -> Iterator[PushService]:
    service = PushService()
    site.settings.PUSH_ALLOW = [service.place]
    yield service
    service.close()


def turn_on(browser: Client, at: ReceivingBrowser) -> Any:
    return browser.post(f"{PATH}/browsers", at.subscription(), content_type="application/json")


def signed_in(user: User, at: ReceivingBrowser) -> Client:
    """Return a signed-in browser in which push notices are on."""
    browser = browser_of(user)
    assert browser.get(PATH).json()["public_key"]
    assert turn_on(browser, at).status_code == 201
    return browser


def later(minutes: float = 0) -> datetime:
    return timezone.now() + timedelta(minutes=minutes)


def quiet_now() -> tuple[str, str]:
    now = timezone.now()
    return (f"{now - timedelta(hours=1):%H:%M}", f"{now + timedelta(hours=1):%H:%M}")


def ask(site: SessionSite, title: str = "Tea") -> Any:
    """Create a permission request that waits for the site's user."""
    site.script(calls(tool_call("bash", command="make hush")))
    site.run_prompt(session=site.open_session(title))
    return site.open_requests().last()


def send_all() -> None:
    """Send all stored push notices in the sender's thread, as the agent worker does."""
    for pk in list(PushNotice.objects.order_by("id").values_list("pk", flat=True)):
        sending._threads.submit(sending.send_now, pk).result(60)


def test_what_waits_reaches_a_browser_at_once_and_once(site: SessionSite, service: PushService) -> None:
    at = service.browser()
    signed_in(site.user, at)
    request = ask(site)
    assert [send_reminders(later()), send_reminders(later())] == [1, 0]
    send_all()
    ((path, headers, body),) = service.notices
    assert path == "/push/one"
    shown = at.read(body)
    assert shown["title"] == "An agent is waiting for your answer"
    assert shown["text"] == f"An agent asks for permission in “Tea” ({site.project.name})."
    assert shown["path"] == f"sessions/{request.session.public_id}#{request.public_id}"
    assert "hush" not in json.dumps(shown)
    assert not PushNotice.objects.exists()
    assert send_reminders(later(6)) == 1, "the e-mail, if it still waits"
    assert send_reminders(later(60)) == 0
    assert OutgoingMail.objects.count() == 1

    assert headers["Content-Encoding"] == "aes128gcm"
    assert (headers["Urgency"], headers["Topic"], int(headers["TTL"]) > 3600) == ("high", shown["topic"], True)
    token = headers["Authorization"].split("t=")[1].split(",")[0]
    claims = jwt.decode(token, private_key().public_key(), algorithms=["ES256"], audience=f"http://{service.place}")
    assert claims["sub"].startswith(("mailto:", "https://"))


def test_several_things_of_which_one_waits_open_the_inbox(site: SessionSite, service: PushService) -> None:
    at = service.browser()
    signed_in(site.user, at)
    site.script(text("Done."))
    site.run_prompt(session=site.open_session("one"))
    ask(site, "two")
    send_reminders(later())
    send_all()
    (shown,) = (at.read(body) for _, _, body in service.notices)
    assert shown["path"] == "inbox"
    assert shown["title"] == "2 things happened in your sessions, 1 of them waits for your answer"


def test_several_sessions_that_ended_are_one_notice_that_opens_home(site: SessionSite, service: PushService) -> None:
    at = service.browser()
    signed_in(site.user, at)
    site.script(text("Done."), text("Done."))
    for title in ("one", "two"):
        site.run_prompt(session=site.open_session(title))
    send_reminders(later())
    send_all()
    (shown,) = (at.read(body) for _, _, body in service.notices)
    assert (shown["title"], shown["path"]) == ("2 things happened in your sessions", "")


def test_each_browser_of_a_person_gets_it_and_nobody_else_s(site: SessionSite, service: PushService) -> None:
    mine = [service.browser(name) for name in ("laptop", "phone")]
    for at in mine:
        signed_in(site.user, at)
    signed_in(site.member(), service.browser("member"))
    ask(site)
    send_reminders(later())
    send_all()
    assert sorted(path for path, *_ in service.notices) == ["/push/laptop", "/push/phone"]


def test_what_a_person_does_not_want_is_not_pushed(site: SessionSite, service: PushService) -> None:
    signed_in(site.user, service.browser())
    off = WayChange("off", [])
    set_reminder_preferences(actor=site.user, what="off", delay_minutes=5, push=off)
    ask(site)
    site.script(text("Done."))
    site.run_prompt(session=site.open_session("two"))
    assert send_reminders(later()) == 0


def test_quiet_hours_hold_for_push_notices_too(site: SessionSite, service: PushService) -> None:
    at = service.browser()
    signed_in(site.user, at)
    set_reminder_preferences(actor=site.user, what="off", delay_minutes=5, quiet=quiet_now())
    ask(site)
    budget = create_budget(
        actor=site.user, team=site.team, scope="team", target="", limit=Decimal(5), period="month",
        unknown_prices="refuse",
    )  # fmt: skip
    notify_share(budget, 80)
    assert send_reminders(later(20)) == 0
    assert recover(later(20))["pushes"] == 0
    assert recover(later(62))["pushes"] == 1, "the budget"
    assert send_reminders(later(62)) == 1
    assert set(PushNotice.objects.values_list("title", flat=True)) == {
        "News of a budget", "An agent is waiting for your answer",
    }  # fmt: skip


@pytest.mark.parametrize("status", [404, 410])
def test_a_browser_that_is_gone_is_deleted(site: SessionSite, service: PushService, status: int) -> None:
    service.answer = answering(status)
    signed_in(site.user, service.browser())
    ask(site)
    send_reminders(later())
    send_all()
    assert (PushBrowser.objects.count(), PushNotice.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    ("answer", "least", "said"),
    [
        (answering(429, Retry_After="3000"), 3000, "gets too many notices"),
        (answering(503), 8, "is down (status 503)"),
        (answering(500, Retry_After="nonsense"), 8, "is down (status 500)"),
    ],
)
def test_a_busy_push_service_is_asked_again_later(
    site: SessionSite, service: PushService, answer: Any, least: int, said: str
) -> None:
    at, now = service.browser(), timezone.now()
    service.answer = answer
    signed_in(site.user, at)
    ask(site)
    send_reminders(later())
    send_all()
    waiting = PushNotice.objects.select_related("browser").get()
    assert timedelta(seconds=least) <= waiting.due_at - now < timedelta(seconds=least * 2 + 60)
    assert said in waiting.browser.problem
    send_all()
    assert len(service.notices) == 1, "not before it is due"

    service.answer = answering(201)
    PushNotice.objects.update(due_at=now)
    assert recover(later())["pushes"] == 1
    send_all()
    (_, first, _), (_, second, _) = service.notices
    assert first["Topic"] == second["Topic"], "the browser shows it once, if it got the first"
    row = PushBrowser.objects.get()
    assert (row.problem, row.used_at is not None, PushNotice.objects.count()) == ("", True, 0)


def test_a_push_service_that_refuses_for_good_is_not_asked_again(site: SessionSite, service: PushService) -> None:
    service.answer = answering(403)
    browser = signed_in(site.user, service.browser())
    ask(site)
    send_reminders(later())
    send_all()
    assert not PushNotice.objects.exists()
    (row,) = browser.get(PATH).json()["browsers"]
    assert "refused the last notice (status 403)" in row["problem"]


def test_a_push_service_that_never_answers_costs_seconds_only(
    site: SessionSite, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "TIMEOUT_SECONDS", 0.5)
    over = threading.Event()

    def wait(request: BaseHTTPRequestHandler) -> None:
        over.wait(30)
        answering(201)(request)

    service.answer = wait
    signed_in(site.user, service.browser())
    ask(site)
    send_reminders(later())
    send_all()
    over.set()
    row = PushNotice.objects.select_related("browser").get()
    assert (row.lease_until, row.attempts) == (None, 1)
    assert "took longer" in row.browser.problem


def test_a_worker_that_dies_while_it_sends_loses_nothing(
    site: SessionSite, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed_in(site.user, service.browser())
    ask(site)
    send_reminders(later())
    with monkeypatch.context() as patch:
        patch.setattr(sending, "settle", lambda *_: 1 / 0)
        send_all()
    send_all()
    assert len(service.notices) == 1, "another worker still has it"
    assert recover(later(2))["pushes"] == 1
    PushNotice.objects.update(lease_until=timezone.now())
    send_all()
    assert (len(service.notices), PushNotice.objects.count()) == (2, 0)


def test_signing_out_ends_them_in_this_browser(site: SessionSite, service: PushService) -> None:
    here = signed_in(site.user, service.browser("here"))
    signed_in(site.user, service.browser("there"))
    here.logout()
    assert [unseal(row.address)[-5:] for row in PushBrowser.objects.all()] == ["there"]


def test_signing_out_everywhere_ends_them_everywhere(site: SessionSite, service: PushService) -> None:
    for name in ("here", "there"):
        browser = signed_in(site.user, service.browser(name))
        key = browser.session.session_key or ""
        UserSession.objects.create(user=site.user, ip="127.0.0.1", session_key=key, user_agent="x")
    sign_out_devices(site.user)
    assert not PushBrowser.objects.exists()


def test_a_session_that_has_ended_in_another_way_gets_nothing_any_more(site: SessionSite, service: PushService) -> None:
    signed_in(site.user, service.browser())
    ask(site)
    send_reminders(later())
    site.user.set_password("another one")
    site.user.save()
    send_all()
    assert (service.notices, PushBrowser.objects.count()) == ([], 0)


def test_they_go_with_the_account(site: SessionSite, service: PushService) -> None:
    member = site.member()
    signed_in(member, service.browser())
    member.delete()
    assert not PushBrowser.objects.exists()


def test_a_browser_is_listed_tested_and_removed(site: SessionSite, service: PushService) -> None:
    at = service.browser()
    browser = signed_in(site.user, at)
    given = browser.get(PATH).json()
    assert given["public_key"] == public_of(private_key())
    (row,) = given["browsers"]
    assert (row["is_current"], row["used_at"], row["problem"], row["service"]) == (True, None, "", "127.0.0.1")
    assert browser_of(site.user).get(PATH).json()["browsers"][0]["is_current"] is False

    assert browser.post(f"{PATH}/browsers/{row['id']}/test").status_code == 202
    send_all()
    assert at.read(service.notices[0][2])["text"] == "Push notices reach this browser."
    assert browser.get(PATH).json()["browsers"][0]["used_at"]
    assert browser_of(site.member()).post(f"{PATH}/browsers/{row['id']}/test").status_code == 404

    assert browser.delete(f"{PATH}/browsers/{row['id']}").status_code == 204
    assert browser.get(PATH).json()["browsers"] == []
    assert browser.delete(f"{PATH}/browsers/{row['id']}").status_code == 404
    entries = AuditEntry.objects.filter(action__startswith="account.push").order_by("id")
    assert [each.action for each in entries] == ["account.push_on", "account.push_off"]


def test_tests_that_wait_are_limited(site: SessionSite, service: PushService) -> None:
    browser = signed_in(site.user, service.browser())
    address = f"{PATH}/browsers/{PushBrowser.objects.get().public_id}/test"
    assert [browser.post(address).status_code for _ in range(4)] == [202, 202, 202, 429]


def test_a_new_address_replaces_the_one_of_this_browser_and_a_taken_one_its_person(
    site: SessionSite, service: PushService
) -> None:
    browser = signed_in(site.user, service.browser("old"))
    assert turn_on(browser, service.browser("new")).status_code == 201
    assert [unseal(row.address)[-3:] for row in PushBrowser.objects.all()] == ["new"]
    member = site.member()
    signed_in(member, service.browser("new"))
    assert [row.user_id for row in PushBrowser.objects.all()] == [member.pk]


def test_a_person_has_a_limited_number_of_browsers(site: SessionSite, service: PushService) -> None:
    for number in range(MAX_BROWSERS):
        signed_in(site.user, service.browser(f"n{number}"))
    refused = turn_on(browser_of(site.user), service.browser("more"))
    assert refused.status_code == 429
    assert "Remove one" in refused.json()["error"]["hint"]


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://fcm.googleapis.com/x",  # not encrypted
        "https://push.example.org/x",
        "https://fcm.googleapis.com.example.org/x",
        "https://fcm.googleapis.com:9443/x",
        "https://user@fcm.googleapis.com/x",
        "http://127.0.0.1:1/x",
        "http://169.254.169.254/latest",
        "https://localhost/x",
        "file:///etc/passwd",
    ],
)
def test_other_addresses_than_those_of_push_services_are_refused(site: SessionSite, endpoint: str) -> None:
    refused = turn_on(browser_of(site.user), ReceivingBrowser(endpoint))
    assert refused.status_code == 400
    assert list(refused.json()["error"]["fields"]) == ["endpoint"]


def test_wrong_keys_are_refused_by_name(site: SessionSite, service: PushService) -> None:
    wrong = {**service.browser().subscription(), "auth": "AAAA"}
    refused = browser_of(site.user).post(f"{PATH}/browsers", wrong, content_type="application/json")
    assert (refused.status_code, list(refused.json()["error"]["fields"])) == (400, ["auth"])


def test_programs_cannot_turn_them_on(site: SessionSite, service: PushService) -> None:
    refused = Client(headers=bearer(site.user)).post(
        f"{PATH}/browsers", service.browser().subscription(), content_type="application/json"
    )
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_with_token")


def test_the_site_s_key_is_made_once_and_encrypted(site: SessionSite) -> None:
    keys = {browser_of(site.user).get(PATH).json()["public_key"] for _ in range(2)}
    row = PushKey.objects.get()
    assert keys == {row.public}
    assert public_of(read_private(unseal(row.private))) == row.public


def test_an_operator_may_have_a_key_pair_of_their_own(site: SessionSite) -> None:
    number = base64url(bytes(range(32)))
    site.settings.VAPID_PRIVATE_KEY = number
    site.settings.VAPID_PUBLIC_KEY = public_of(read_private(number))
    assert browser_of(site.user).get(PATH).json()["public_key"] == site.settings.VAPID_PUBLIC_KEY
    assert public_of(private_key()) == site.settings.VAPID_PUBLIC_KEY
    site.settings.VAPID_PRIVATE_KEY = base64url(bytes(range(1, 33)))
    with pytest.raises(ValueError, match="is not the public key of"):
        private_key()


def test_a_site_without_keys_says_that_it_sends_none(site: SessionSite) -> None:
    site.settings.SEALING_PUBLIC_KEY = ""
    assert browser_of(site.user).get(PATH).json() == {"public_key": None, "browsers": []}
    refused = turn_on(browser_of(site.user), ReceivingBrowser("https://fcm.googleapis.com/fcm/send/x"))
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "no_sealing_key")

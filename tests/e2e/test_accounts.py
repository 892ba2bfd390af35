"""Accounts in a real browser: invitations and confirmations by e-mail, MFA, passkeys and devices."""

import re
import time
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.conftest import Scheme, both_schemes, picture
from tests.e2e.workbench import serious_findings, sign_in
from tests.support.api_client import ApiClient
from tests.support.deadline import wait_until
from tests.support.identity_provider import NAME
from tests.support.mail_server import MailServer
from tests.support.running_site import RunningSite

PASSWORD: Final = "rain-on-tin-roofs"
NEXT: Final = "gulls-over-the-harbour"


@pytest.fixture
def site(scripted_site: RunningSite) -> RunningSite:
    """Use the scripted site, where anybody may sign up and tests can read the e-mails."""
    return scripted_site


@pytest.fixture
def elsewhere(chromium: Browser, site: RunningSite) -> Iterator[Page]:
    """Open a page of the site in another browser."""
    context = chromium.new_context(base_url=site.address)
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()


def _path(letter: str, page: str) -> str:
    found = re.search(rf"https?://\S+/{page}/\S+", letter)
    assert found, letter
    return urlsplit(found.group()).path


def _code(secret: str) -> str:
    """Return the current code of an authenticator app with this secret, when at least 10 of its 30 seconds are left to
    type it."""
    wait_until(lambda: time.time() % 30 < 20, "a new code", seconds=12)
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // 30)))


def _fill_sign_in(page: Page, email: str, password: str = PASSWORD) -> None:
    page.goto("/")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()


def _expect_home(page: Page) -> None:
    expect(page.get_by_role("heading", name="Home")).to_be_visible()


def _sign_out(page: Page) -> None:
    page.get_by_role("button", name=re.compile("^Account of")).click()
    page.get_by_role("menuitem", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in to agentsite")).to_be_visible()


def _confirm(page: Page, password: str = PASSWORD) -> None:
    dialog = page.get_by_role("dialog", name="Confirm that it is you")
    dialog.get_by_label("Your password").fill(password)
    dialog.get_by_role("button", name="Confirm").click()
    expect(dialog).not_to_be_visible()


def _sign_up(page: Page, mailbox: MailServer, email: str) -> None:
    page.goto("/")
    page.get_by_role("link", name="Create an account").click()
    page.get_by_label("Name", exact=True).fill("Nell New")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", name="Confirm your e-mail address")).to_be_visible()
    page.goto(_path(mailbox.wait_for(email, "Confirm your e-mail address"), "verify-email"))
    page.get_by_role("button", name="Confirm").click()
    _expect_home(page)


def test_somebody_invited_comes_in_protects_the_account_and_ends_a_device(
    page: Page, elsewhere: Page, site: RunningSite, mailbox: MailServer
) -> None:
    email = "invited@example.org"
    with ApiClient(site.address) as owner:
        team = owner.get("/api/v1/me")["teams"][0]["id"]
        owner.post(f"/api/v1/teams/{team}/invitations", {"email": email, "role": "member"})
    page.goto(_path(mailbox.wait_for(email, "Invitation"), "invitations"))
    page.get_by_label("Name", exact=True).fill("Ivy Invited")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    _expect_home(page)
    expect(page.get_by_role("link", name="Tea shop").first).to_be_visible()

    page.goto("/account/security")
    page.get_by_role("button", name="Set up").click()
    secret = page.get_by_test_id("totp-secret").inner_text()
    page.get_by_label("Code", exact=True).fill(_code(secret))
    page.get_by_role("button", name="Turn on").click()
    _confirm(page)
    expect(page.get_by_text("On. Signing in with your password")).to_be_visible()
    page.get_by_role("button", name="Show", exact=True).click()
    recovery = page.get_by_test_id("recovery-codes").get_by_role("listitem").first.inner_text()

    _sign_out(page)
    _fill_sign_in(page, email)
    page.get_by_label("Code").fill(_code(secret))
    page.get_by_role("button", name="Continue").click()
    _expect_home(page)

    _fill_sign_in(elsewhere, email)
    elsewhere.get_by_role("button", name="Use a recovery code").click()
    elsewhere.get_by_label("Recovery code").fill(recovery)
    elsewhere.get_by_role("button", name="Continue").click()
    _expect_home(elsewhere)

    page.goto("/account/devices")
    expect(page.get_by_test_id("device")).to_have_count(2)
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_test_id("device")).to_have_count(1)
    expect(elsewhere.get_by_role("heading", name="Sign in to agentsite")).to_be_visible()


@pytest.mark.full
def test_a_forgotten_password_is_set_by_letter(page: Page, mailbox: MailServer) -> None:
    email = "forgetful@example.org"
    _sign_up(page, mailbox, email)
    _sign_out(page)
    page.get_by_role("link", name="Forgot your password?").click()
    page.get_by_label("E-mail").fill(email)
    page.get_by_role("button", name="Send e-mail").click()
    expect(page.get_by_role("heading", name="Check your e-mail")).to_be_visible()
    page.goto(_path(mailbox.wait_for(email, "Set a new password"), "reset-password"))
    page.get_by_role("textbox", name="New password").fill("short")
    page.get_by_role("button", name="Set password").click()
    expect(page.get_by_role("alert")).to_contain_text("at least 12 characters")
    page.get_by_role("textbox", name="New password").fill(NEXT)
    page.get_by_role("button", name="Set password").click()
    expect(page.get_by_role("heading", name="Your password was set")).to_be_visible()
    _fill_sign_in(page, email, NEXT)
    _expect_home(page)


@pytest.mark.full
def test_a_provider_of_identities_signs_people_in_and_may_refuse(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name=f"Sign in with {NAME}").click()
    expect(page.get_by_role("heading", name="Authorize Client")).to_be_visible()
    page.get_by_role("button", name="Deny").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("button", name=f"Sign in with {NAME}").click()
    expect(page.get_by_role("heading", name="Authorize Client")).to_be_visible()
    page.locator('input[name="sub"]').first.fill("ada")
    page.get_by_role("button", name="Authorize", exact=True).click()
    _expect_home(page)


@pytest.fixture
def with_passkeys(chromium: Browser, site: RunningSite) -> Iterator[BrowserContext]:
    """Open a browser at the site's name `localhost`, because passkeys are bound to a name."""
    context = chromium.new_context(base_url=site.address.replace("127.0.0.1", "localhost"))
    context.set_default_timeout(20_000)
    yield context
    context.close()


def test_a_passkey_signs_in_without_a_password(with_passkeys: BrowserContext, mailbox: MailServer) -> None:
    page = with_passkeys.new_page()
    devtools = with_passkeys.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    _sign_up(page, mailbox, "keyholder@example.org")
    page.goto("/account/security")
    page.get_by_label("Name of the new passkey").fill("This laptop")
    page.get_by_role("button", name="Add a passkey").click()
    _confirm(page)
    expect(page.get_by_test_id("passkey")).to_contain_text("This laptop")
    _sign_out(page)
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("heading", name="Security")).to_be_visible()


@pytest.mark.full
@both_schemes
def test_the_pages_can_be_used_by_everybody(page: Page, scheme: Scheme, mailbox: MailServer) -> None:
    found: dict[str, list[str]] = {}
    for path in ("/", "/sign-up", "/forgot-password", "/reset-password/none", "/verify-email/none"):
        page.goto(path)
        expect(page.locator(".sign-in-card")).to_be_visible()
        found[path] = serious_findings(page)
        picture(page, f"signed-out{path.replace('/', '-')}", scheme)
    sign_in(page)
    for tab in ("profile", "security", "devices", "data"):
        page.goto(f"/account/{tab}")
        expect(page.get_by_test_id("settings-page")).to_be_visible()
        page.wait_for_load_state("networkidle")
        for width in (375, 1000, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (tab, width)
            picture(page, f"account-{tab}-{width}", scheme)
        found[tab] = serious_findings(page)
    assert {path: findings for path, findings in found.items() if findings} == {}

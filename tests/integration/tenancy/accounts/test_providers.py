"""Signing in through a real identity provider on this machine, with the redirects to the provider and back to the
site."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest
from allauth.socialaccount.models import SocialAccount
from pytest_django.fixtures import Settings

from agentsite.tenancy.actions.invitations import invite
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Role
from tests.support.account_browser import AccountBrowser, codes_wanted, letters, make_account
from tests.support.builders import make_member, make_team
from tests.support.identity_provider import NAME, identity_provider

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_database]
REDIRECT = "/_allauth/browser/v1/auth/provider/redirect"


@dataclass
class Provider:
    address: str

    def let_in(self, browser: AccountBrowser, sub: str, *, process: str = "login", back: str = "/") -> str:
        """Go to the identity provider, sign in there and come back; return the address of the final redirect."""
        form = {"provider": "oidc", "process": process, "callback_url": back}
        token = browser.client.cookies["csrftoken"].value
        body = urlencode({**form, "csrfmiddlewaretoken": token})
        leaving = browser.client.post(REDIRECT, body, content_type="application/x-www-form-urlencoded")
        onward = re.search(r'content="0; url=([^"]+)"', leaving.content.decode())
        assert onward, leaving.content
        there = httpx.post(html.unescape(onward[1]), data={"sub": sub}, trust_env=False)
        coming = urlsplit(there.headers["location"])
        assert coming.path == "/_allauth/oidc/oidc/login/callback/"
        back_again = browser.client.get(f"{coming.path}?{coming.query}")
        assert back_again.status_code == 302, back_again.content
        return str(back_again.headers["Location"])


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    with identity_provider() as address:
        app = {
            "provider_id": "oidc",
            "name": NAME,
            "client_id": "agentsite",
            "secret": "not-checked",
            "settings": {"server_url": address, "oauth_pkce_enabled": True},
        }
        settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [app]}}
        yield Provider(address)


def _error(address: str) -> str:
    return parse_qs(urlsplit(address).query).get("error", [""])[0]


def test_the_first_page_offers_the_provider(provider: Provider) -> None:
    config = AccountBrowser().ask("GET", "config").json()["data"]
    assert [(one["id"], one["name"]) for one in config["socialaccount"]["providers"]] == [("oidc", "Example")]


def test_a_new_person_comes_in_on_an_open_site_with_the_name_they_have_there(
    provider: Provider, settings: Settings
) -> None:
    settings.SIGN_UP = "open"
    browser = AccountBrowser()
    assert provider.let_in(browser, "ada", back="/projects") == "/projects"
    assert browser.is_signed_in
    assert User.objects.get(email="ada@example.org").name == "Ada"


def test_an_address_that_the_provider_did_not_confirm_is_confirmed_here(provider: Provider, settings: Settings) -> None:
    settings.SIGN_UP = "open"
    browser = AccountBrowser()
    provider.let_in(browser, "new")
    assert not browser.is_signed_in
    assert codes_wanted(browser.ask("GET", "auth/session")) == ["verify_email"]


def test_a_new_person_does_not_come_in_without_an_invitation(provider: Provider) -> None:
    browser = AccountBrowser()
    assert _error(provider.let_in(browser, "ada")) == "signup_closed"
    assert not User.objects.exists()


def test_an_invited_person_comes_in_and_back_to_the_invitation(provider: Provider) -> None:
    team = make_team()
    issued = invite(actor=make_member(team, Role.OWNER), team=team, email="ada@example.org", role="member")
    browser = AccountBrowser()
    page = f"/invitations/{issued.secret}"
    assert provider.let_in(browser, "ada", back=page) == page
    assert browser.is_signed_in


@pytest.mark.parametrize("sub", ["ada", "eve"])
def test_the_address_of_an_account_does_not_open_it(sub: str, provider: Provider, settings: Settings) -> None:
    settings.SIGN_UP = "open"
    user = make_account("ada@example.org")
    browser = AccountBrowser()
    provider.let_in(browser, sub)
    assert not browser.is_signed_in
    assert not SocialAccount.objects.filter(user=user).exists()
    assert letters()[-1].subject == "You already have an account"


def test_it_is_linked_and_unlinked_by_who_is_signed_in(provider: Provider) -> None:
    make_account("ada@example.org")
    here = AccountBrowser()
    here.sign_in("ada@example.org")
    refused = provider.let_in(here, "ada", process="connect", back="/account/security")
    assert _error(refused) == "reauthentication_required"
    here.confirm()
    assert provider.let_in(here, "ada", process="connect", back="/account/security") == "/account/security"
    there = AccountBrowser()
    provider.let_in(there, "ada")
    assert there.is_signed_in
    (linked,) = here.ask("GET", "account/providers").json()["data"]
    here.ask("DELETE", "account/providers", {"provider": "oidc", "account": linked["uid"]})
    assert not SocialAccount.objects.exists()
    again = AccountBrowser()
    provider.let_in(again, "ada")
    assert not again.is_signed_in

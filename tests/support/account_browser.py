"""A browser for the sign-in pages, through allauth's headless API under our CSRF rule, and the e-mails of the site."""

import re
from typing import Any, Final

from django.core import mail
from django.test import Client
from django.utils import timezone

from agentsite.tenancy.accounts.trusted_addresses import mark_address_verified
from agentsite.tenancy.mail import deliver_due
from agentsite.tenancy.models import User
from tests.support.builders import PASSWORD, make_user

API: Final = "/_allauth/browser/v1"


def make_account(email: str = "", *, name: str = "") -> User:
    """Create a person who can sign in with PASSWORD."""
    user = make_user(email, name=name)
    mark_address_verified(user)
    return user


class AccountBrowser:
    """A browser with the IP address `address` that has loaded the page and thus has the CSRF cookie."""

    def __init__(self, *, address: str = "192.0.2.1", agent: str = "Firefox") -> None:
        self.client = Client(enforce_csrf_checks=True, REMOTE_ADDR=address, HTTP_USER_AGENT=agent)
        self.client.get("/")

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Send a request to a path below allauth's API, or to a path that begins with /api/."""
        address = path if path.startswith("/api/") else f"{API}/{path}"
        token = {"X-CSRFToken": self.client.cookies["csrftoken"].value}
        content = {} if body is None else {"data": body, "content_type": "application/json"}
        return getattr(self.client, method.lower())(address, headers={**token, **headers}, **content)

    def sign_in(self, email: str, password: str = PASSWORD) -> Any:
        return self.ask("POST", "auth/login", {"email": email, "password": password})

    def sign_out(self) -> Any:
        return self.ask("DELETE", "auth/session")

    def confirm(self, password: str = PASSWORD) -> Any:
        """Authenticate the signed-in person again with the password."""
        return self.ask("POST", "auth/reauthenticate", {"password": password})

    @property
    def is_signed_in(self) -> bool:
        return bool(self.client.get("/api/v1/me").status_code == 200)


def letters() -> list[Any]:
    """Send all pending e-mails; return all e-mails so far, the oldest first."""
    deliver_due(timezone.now())
    return list(mail.outbox)


def key_in(text: str, page: str) -> str:
    """Return the key in an e-mail's link to a page."""
    found = re.search(rf"/{page}/(\S+)", text)
    assert found, f"no link to {page} in {text!r}"
    return found.group(1)


def codes_wanted(answer: Any) -> list[str]:
    """Return the ids of the sign-in steps that are still pending in allauth's response."""
    return [flow["id"] for flow in answer.json()["data"]["flows"] if flow.get("is_pending")]

"""Turn push notices on and off in a browser, and send a test notice."""

import hashlib
import json
from typing import Final

from django.db import transaction
from django.utils import timezone

from agentsite.base.errors import BadInput, Missing, TooMany
from agentsite.base.ids import new_id
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.encryption import seal
from agentsite.tenancy.models import User
from sessions_app.models import MailChoice
from sessions_app.push.encryption import BrowserKeys
from sessions_app.push.models import PushBrowser, PushNotice
from sessions_app.push.outbox import Message, queue_notice
from sessions_app.push.services import service_address

MAX_BROWSERS: Final = 10  # of one person
MAX_WAITING_TESTS: Final = 3  # of one browser
TEST_TOPIC: Final = "test:"


def add_browser(
    *, actor: User, session_key: str, endpoint: str, p256dh: str, auth: str, user_agent: str = ""
) -> PushBrowser:
    """Turn push notices on in a browser of a person. A changed address or changed keys of the browser replace the
    stored ones. If another person had turned push notices on in the browser, they are turned off for that person.
    Raises BadInput or TooMany."""
    address = service_address(endpoint)
    try:
        BrowserKeys.read(p256dh, auth)
    except ValueError as error:
        raise BadInput("The keys of the browser are not valid.", fields={str(error): "not a valid key"}) from error
    place = hashlib.sha256(str(address).encode()).hexdigest()
    keys = json.dumps({"p256dh": p256dh, "auth": auth})
    facts = {
        "user": actor, "session_key": session_key, "address": seal(str(address)), "keys": seal(keys),
        "service": address.host[:255], "user_agent": user_agent[:300], "problem": "",
    }  # fmt: skip
    with sqlite_write_lock(), transaction.atomic():
        MailChoice.objects.get_or_create(user=actor)
        choice = MailChoice.objects.select_for_update(of=("self",)).get(user=actor)
        PushBrowser.objects.filter(session_key=session_key).exclude(place=place).delete()
        PushBrowser.objects.filter(place=place).exclude(user=actor).delete()
        others = PushBrowser.objects.filter(user=actor).exclude(place=place).count()
        if others >= MAX_BROWSERS:
            raise TooMany(
                f"Push notices can be on in at most {MAX_BROWSERS} browsers.", hint="Remove one that you no longer use."
            )
        row, is_new = PushBrowser.objects.update_or_create(place=place, defaults=facts)
        if not others and is_new:
            choice.push_since = timezone.now()
            choice.save(update_fields=["push_since"])
        if is_new:
            _record(actor, row, "account.push_on")
    return row


def remove_browser(*, actor: User, browser: PushBrowser) -> None:
    """Turn push notices off in the browser, and delete the notices that wait for it."""
    with sqlite_write_lock(), transaction.atomic():
        if not PushBrowser.objects.filter(pk=browser.pk).delete()[0]:
            raise Missing("This browser gets no push notices any more.")
        _record(actor, browser, "account.push_off")


def send_test(*, browser: PushBrowser) -> None:
    """Queue a test notice for the browser."""
    with sqlite_write_lock(), transaction.atomic():
        waiting = PushNotice.objects.filter(browser=browser, topic__startswith=TEST_TOPIC).count()
        if waiting >= MAX_WAITING_TESTS:
            raise TooMany(
                "Earlier tests of this browser are still waiting.",
                hint="Wait a minute. The row of the browser then says what is wrong.",
            )
        text = "Push notices reach this browser."
        message = Message(f"{TEST_TOPIC}{new_id().hex}", "A test", text, "account/notifications", is_urgent=True)
        queue_notice(message, [browser])


def _record(actor: User, row: PushBrowser, action: str) -> None:
    audit.record(team_id=None, actor=actor, action=action, subject=row.public_id, data={"service": row.service})

"""Send push notices on threads of their own, so that a slow push service delays no step."""

import json
import uuid
from concurrent.futures import ThreadPoolExecutor
from email.utils import parseaddr
from typing import Final

import structlog
from django.conf import settings
from django.db import connection
from django.utils import timezone

from agentsite.base.background import background
from agentsite.tenancy.browser_sessions import is_browser_session_alive
from agentsite.tenancy.encryption import CannotUnseal, unseal
from sessions_app.push.deliveries import PushOutcome, claim, seconds_to_live, settle
from sessions_app.push.encryption import BrowserKeys, authorization, encrypt, topic_of
from sessions_app.push.keys import private_key
from sessions_app.push.models import PushKey, PushNotice
from tools_app.web.address import parse_address
from tools_app.web.posting import PostOrder, post

TIMEOUT_SECONDS: Final = 10.0
READ_BYTES: Final = 200  # of the response, for the log
THREADS: Final = 4
NO_KEY: Final = "The keys of this browser or of the site cannot be decrypted. Turn push notices on again."

_threads: Final = ThreadPoolExecutor(THREADS, thread_name_prefix="push")
logger = structlog.get_logger(__name__)


def send_push(notice_id: uuid.UUID) -> None:
    """Send a push notice in a background thread; returns at once."""
    _threads.submit(send_now, notice_id)


def send_now(notice_id: uuid.UUID) -> None:
    """Send a push notice if it is due, and record the outcome."""
    try:
        notice = claim(notice_id, timezone.now())
        if notice is not None:
            settle(notice, _deliver(notice), timezone.now())
    except Exception as error:  # the lease expires, and `recover` sends the notice again
        logger.error("push_failed", notice=str(notice_id), exc_info=error)
    finally:
        connection.close()


def _deliver(notice: PushNotice) -> PushOutcome:
    """Make one attempt to send a notice, and return its outcome, which includes errors of the push service and the
    network."""
    browser = notice.browser
    if not browser.user.is_active or not is_browser_session_alive(browser.session_key, browser.user):
        return PushOutcome(0, is_over=True)
    try:
        order = order_of(notice)
    except (CannotUnseal, ValueError, PushKey.DoesNotExist) as error:
        logger.error("push_without_keys", browser=browser.public_id, error=str(error))
        return PushOutcome(400, NO_KEY)
    answer = background.run(post(order))
    if not 200 <= answer.status < 300:
        said = answer.beginning if answer.status else answer.problem
        logger.warning("push_not_accepted", browser=browser.public_id, status=answer.status, said=said)
    return PushOutcome(answer.status, answer.problem, answer.retry_after)


def order_of(notice: PushNotice) -> PostOrder:
    """Return the HTTP request that sends a notice to its push service. Raises CannotUnseal or ValueError."""
    address = parse_address(unseal(notice.browser.address))
    keys = json.loads(unseal(notice.browser.keys))
    shown = {"title": notice.title, "text": notice.text, "path": notice.path, "topic": topic_of(notice.topic)}
    headers = {
        "Authorization": authorization(address.origin, private_key(), contact=_contact()),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(seconds_to_live(notice)),
        "Topic": topic_of(notice.topic),
        "Urgency": "high" if notice.is_urgent else "normal",
        "User-Agent": "agentsite-push/1",
    }
    return PostOrder(
        url=str(address),
        headers=headers,
        body=encrypt(json.dumps(shown).encode(), BrowserKeys.read(keys["p256dh"], keys["auth"])),
        seconds=TIMEOUT_SECONDS,
        limit=READ_BYTES,
        allowed=settings.PUSH_ALLOW,
        certificates=settings.WEB_CERTIFICATES,
    )


def _contact() -> str:
    """Return the contact address of the operators that RFC 8292 requires: the site's URL, or a mailto address if that
    URL is not https."""
    url: str = settings.SITE_URL
    return url if url.startswith("https://") else f"mailto:{parseaddr(settings.DEFAULT_FROM_EMAIL)[1]}"

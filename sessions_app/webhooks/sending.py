"""Send webhooks on their own threads, so that a slow receiver delays no step.

After each delivery, the webhook goes to the end of the queue, so that its backlog does not delay other webhooks.
`claim_delivery` allows at most two deliveries to one webhook at a time, across all workers of the site.
"""

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import structlog
from django.conf import settings
from django.db import connection
from django.utils import timezone

from agentsite.base.background import background
from agentsite.tenancy.encryption import CannotUnseal, unseal
from sessions_app.webhooks.deliveries import MAX_CONCURRENT, AttemptOutcome, claim_delivery, settle_delivery
from sessions_app.webhooks.models import Delivery, Webhook
from sessions_app.webhooks.signing import signed_headers
from tools_app.web.posting import PostOrder, post

TIMEOUT_SECONDS: Final = 10.0
KEPT_RESPONSE_BYTES: Final = 1024
THREADS: Final = 8

_threads: Final = ThreadPoolExecutor(THREADS, thread_name_prefix="webhooks")
_lock: Final = threading.Lock()
_active_senders: Final[dict[uuid.UUID, int]] = {}
logger = structlog.get_logger(__name__)


def send_webhook(webhook_id: uuid.UUID) -> None:
    """Queue the sending of a webhook's due deliveries, and return at once."""
    with _lock:
        if _active_senders.get(webhook_id, 0) >= MAX_CONCURRENT:
            return
        _active_senders[webhook_id] = _active_senders.get(webhook_id, 0) + 1
    _threads.submit(_send_next, webhook_id)


def _send_next(webhook_id: uuid.UUID) -> None:
    more = False
    try:
        delivery = claim_delivery(webhook_id, timezone.now())
        if delivery is not None:
            settle_delivery(delivery, deliver(delivery), timezone.now())
            more = True
    except Exception as error:  # the lease expires, and `recover` sends the webhook again
        logger.error("webhook_failed", webhook=str(webhook_id), exc_info=error)
    finally:
        connection.close()
        if more:
            _threads.submit(_send_next, webhook_id)
        else:
            _finish_sending(webhook_id)


def _finish_sending(webhook_id: uuid.UUID) -> None:
    with _lock:
        _active_senders[webhook_id] -= 1
        if not _active_senders[webhook_id]:
            del _active_senders[webhook_id]


def deliver(delivery: Delivery) -> AttemptOutcome:
    """Make one attempt to send a delivery, and return its outcome. Errors of the receiver and the network are part of
    the outcome and not raised."""
    now = timezone.now()
    try:
        secrets = _valid_secrets(delivery.webhook)
    except CannotUnseal:
        return AttemptOutcome(0, 0, problem="The webhook's secret cannot be decrypted. Create a new secret.")
    headers = signed_headers(
        secrets, event_id=delivery.event_id, timestamp=int(now.timestamp()), body=delivery.body.encode()
    )
    order = PostOrder(
        url=delivery.webhook.url,
        headers={"Content-Type": "application/json", "Webhook-Event": delivery.kind, **headers},
        body=delivery.body,
        seconds=TIMEOUT_SECONDS,
        limit=KEPT_RESPONSE_BYTES,
        allowed=settings.WEBHOOK_ALLOW,
        certificates=settings.WEB_CERTIFICATES,
    )
    answer = background.run(post(order))
    problem = answer.problem
    if 300 <= answer.status < 400:
        problem = "The receiver answered with a redirect, which is not followed. Set the final address."
    return AttemptOutcome(answer.status, answer.milliseconds, answer.beginning, problem)


def _valid_secrets(webhook: Webhook) -> list[str]:
    secrets = [unseal(webhook.secret)]
    if webhook.old_secret and webhook.old_secret_until and webhook.old_secret_until > timezone.now():
        secrets.append(unseal(webhook.old_secret))
    return secrets

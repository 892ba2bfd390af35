"""The queues and the clock of tenancy's own tasks."""

import uuid
from typing import Final

import structlog
from celery import current_app
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

logger = structlog.get_logger(__name__)

# Served by the agent worker alone, because it alone can unseal a webhook's secret. Its tasks only pass the word on to
# threads of their own, so that a slow receiver holds up no turn.
WEBHOOK_QUEUE: Final = "agent"

# Served by the beat worker alone, because it alone knows the mail server's password.
MAIL_QUEUE: Final = "mail"
SCHEDULE: Final = {
    "send-due-mail": {
        "task": "tenancy.send_due_mail",
        "schedule": 30.0,
        "options": {"queue": MAIL_QUEUE, "expires": 30.0},
    },
    "cut-audit": {
        "task": "tenancy.cut_audit",
        "schedule": 3600.0,
        "options": {"queue": "beat", "expires": 3600.0},
    },
    # Every hour and not once a day: the clock begins anew with its process, and one that is restarted daily would never
    # come to it.
    "sweep-over": {
        "task": "tenancy.sweep_over",
        "schedule": 3600.0,
        "options": {"queue": "beat", "expires": 3600.0},
    },
}


def wake_webhook(webhook_id: uuid.UUID) -> None:
    """Something is due for it. A lost word is sent again by `recover`."""
    try:
        current_app.send_task("tenancy.send_webhook", args=(str(webhook_id),), queue=WEBHOOK_QUEUE, ignore_result=True)
    except (OSError, OperationalError, RedisError) as error:
        logger.warning("enqueue_failed", task="tenancy.send_webhook", error=repr(error))

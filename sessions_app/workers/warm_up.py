"""Import slow modules in the background when a worker is ready, so that its first task does not wait for them."""

import importlib
import threading
from typing import Any

import structlog
from celery.signals import worker_ready
from django.conf import settings

from agentsite.base.garbage import spare_loaded
from sandbox.errors import SandboxError

logger = structlog.get_logger(__name__)


@worker_ready.connect
def warm_worker(**_sender: Any) -> None:
    threading.Thread(target=_warm, name="warming", daemon=True).start()


def _warm() -> None:
    try:
        if settings.ROLE == "agent":
            from sessions_app.workers.agent.provider_keys import gateway

            importlib.import_module("sessions_app.actions.model_table").take_over_table()
            gateway.warm("litellm" if settings.MODEL_KIND == "litellm" else "openai_compatible")
        elif settings.ROLE == "sandbox":
            importlib.import_module("sessions_app.workers.sandbox.tool_call")
            importlib.import_module("sessions_app.workers.sandbox.deployment").deployment()
            _offer_metrics()
    except (ImportError, OSError, ValueError, SandboxError) as error:
        # the first call fails in the same way and reports it properly
        logger.warning("warming_failed", error=repr(error))
    spare_loaded()


def _offer_metrics() -> None:
    from agentsite.base import metrics

    metrics.delete_stale_metrics()
    if settings.METRICS_ADDRESS:
        metrics.serve(settings.METRICS_ADDRESS)

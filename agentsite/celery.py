"""The Celery application. Tasks carry ids, are acknowledged late, and may be delivered twice or never.

Queues: `agent` (steps and site work), `sandbox.<node>` (tool calls of the workspaces on that Docker host) and
`sandbox.place` (work for whichever node takes it first). There is no result backend: the database is the truth.
"""

import os
from typing import Final

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentsite.settings")

from django.conf import settings

from agentsite.heartbeat import Heartbeat

AGENT_QUEUE: Final = "agent"
PLACE_QUEUE: Final = "sandbox.place"
# More than any worker's life: Celery would else close the thread's connection after each task.
_KEEP_CONNECTIONS: Final = 2**31


def node_queue(node: str) -> str:
    return f"sandbox.{node}"


app = Celery("agentsite")
app.conf.update(
    broker_url=settings.BROKER_URL,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={"visibility_timeout": 3600, "socket_keepalive": True, "polling_interval": 1},
    result_backend=None,
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_default_queue=AGENT_QUEUE,
    task_create_missing_queues=True,
    task_serializer="json",
    accept_content=["json"],
    worker_pool="threads",
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    worker_redirect_stdouts=False,
    worker_send_task_events=False,
    worker_enable_remote_control=False,
    timezone="UTC",
    CELERY_DB_REUSE_MAX=_KEEP_CONNECTIONS if settings.EMBEDDED_DATABASE else None,
)
app.autodiscover_tasks(["sessions_app"])
app.steps["worker"].add(Heartbeat)

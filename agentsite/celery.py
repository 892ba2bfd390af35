"""The Celery application. Tasks carry ids, are acknowledged late, and may be delivered twice or never.

Queues: `agent` (steps), `sandbox.<node>` (tool calls of the workspaces on that Docker host), `sandbox.place` (work for
whichever node takes it first), `beat` (recovery, for any worker that is free) and `mail` (letters, for the beat worker
alone). There is no result backend: the database is the truth.
"""

import os
import warnings
from typing import Final

from celery import Celery
from celery.exceptions import SecurityWarning

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentsite.settings")
# Celery would run all of Django's checks at start, which load the web tier. Ours run when the apps are ready.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

from django.conf import settings

from agentsite.base.environment import ProcessRole
from agentsite.heartbeat import Heartbeat
from agentsite.scheduler import Clock
from agentsite.tenancy.queueing import SCHEDULE as TENANCY_SCHEDULE
from sessions_app.queueing import AGENT_QUEUE, SCHEDULE

# More than any worker's life: Celery would else close the thread's connection after each task.
_KEEP_CONNECTIONS: Final = 2**31

# A private container engine needs root, and its worker with it. What Celery warns of is pickled messages: we take none.
warnings.filterwarnings("ignore", category=SecurityWarning)

app = Celery("agentsite")
app.set_default()  # in every thread: the web server handles each request in a thread of its own
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
    beat_schedule={**SCHEDULE, **TENANCY_SCHEDULE},
    beat_schedule_filename=str(settings.RUN_DIR / "beat-schedule"),
    CELERY_DB_REUSE_MAX=_KEEP_CONNECTIONS if settings.EMBEDDED_DATABASE else None,
)
app.autodiscover_tasks(["agentsite.tenancy", "sessions_app"])
app.steps["worker"].add(Heartbeat)
if settings.ROLE is ProcessRole.SANDBOX:
    app.steps["worker"].add("sessions_app.workers.sandbox.node_heartbeat:NodeSign")
if settings.ROLE is ProcessRole.BEAT:
    app.steps["worker"].add(Clock)

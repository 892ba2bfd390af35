"""The Celery application. Tasks carry ids and may be delivered twice or never.

A worker takes a message off its queue before it does the work; the broker keeps no list of messages in progress, which
would cost a fifth of each worker's CPU. A worker that stops puts unfinished messages back. If a worker is killed,
`recover` enqueues its tasks again, because rows in the database say what has to be done.

Queues: `agent` (steps), `sandbox.<node>` (tool calls of the workspaces on that Docker host), `sandbox.place` (work for
the first node that takes it), `beat` (recovery, for any free worker), `mail` (e-mails, consumed by the beat worker
alone) and `door` (requests to forges, for any door). There is no result backend: results are stored in the database.
"""

import os
import warnings
from typing import Final

from celery import Celery
from celery.exceptions import SecurityWarning

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentsite.settings")
# At startup Celery would run all Django checks, which load the web tier. `SiteConfig.ready` runs the needed ones.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

from django.conf import settings

from agentsite.base.environment import ProcessRole
from agentsite.heartbeat import Heartbeat
from agentsite.tenancy.queueing import SCHEDULE as TENANCY_SCHEDULE
from sessions_app.queueing import AGENT_QUEUE, SCHEDULE

# More tasks than a worker ever runs. Without it Celery closes the thread's database connection after each task.
_TASKS_PER_CONNECTION: Final = 2**31

# The worker of a private container engine must run as root. Celery warns about root because of pickled messages, which
# we do not accept.
warnings.filterwarnings("ignore", category=SecurityWarning)

app = Celery("agentsite")
app.set_default()  # for all threads: the web server handles each request in its own thread
app.conf.update(
    broker_url=settings.BROKER_URL,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={"ack_emulation": False, "socket_keepalive": True, "polling_interval": 1},
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
    CELERY_DB_REUSE_MAX=_TASKS_PER_CONNECTION if settings.EMBEDDED_DATABASE else None,
)
app.autodiscover_tasks(["sessions_app"])
app.steps["worker"].add(Heartbeat)
if settings.ROLE is ProcessRole.SANDBOX:
    app.steps["worker"].add("sessions_app.workers.sandbox.node_heartbeat:NodeHeartbeat")
if settings.ROLE is ProcessRole.BEAT:
    app.steps["worker"].add("agentsite.scheduler:BeatThread")

"""The door (the proxy for workspaces) and the sandbox worker, run in threads of the test, so that requests for data of
forges and workspaces are answered."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from celery import current_app
from django.db import connections
from pytest_django.fixtures import Settings

from agentsite.base import task_table
from deploy.demo_forge import Forge, forge
from sessions_app.queueing import DOOR_QUEUE
from sessions_app.workers.door import forge_queries

AT_ONCE = ("sessions.answer_workspace_query", "sessions.write_draft")


@pytest.fixture(scope="module")
def running_forge() -> Iterator[Forge]:
    with forge() as running:
        yield running


@pytest.fixture
def forge_site(running_forge: Forge, settings: Settings) -> Forge:
    """Return a forge in a private network that the site may reach because the operator exempts it."""
    settings.NETWORK_ALLOW = [running_forge.place]
    return running_forge


@pytest.fixture
def door_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run tasks for the door (the network proxy), workspace queries and drafts immediately, in threads."""
    forge_queries.transport.cache_clear()
    send = task_table._send

    def work(name: str, args: tuple[Any, ...]) -> None:
        try:
            current_app.tasks[name](*args)
        finally:
            connections.close_all()

    def deliver(name: str, *args: Any, queue: str, delay: float = 0.0) -> None:
        if queue == DOOR_QUEUE or name in AT_ONCE:
            threading.Thread(target=work, args=(name, args)).start()
        else:
            send(name, *args, queue=queue, delay=delay)

    monkeypatch.setattr(task_table, "_send", deliver)

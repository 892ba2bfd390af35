"""Two nodes of one site in one process. Each has its own name, marker files and engine; database and storage are
shared."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from sandbox.ports import Deployment
from sessions_app.actions.nodes import renew_node
from sessions_app.actions.recover import recover
from sessions_app.workers.sandbox import deployment as this_node
from tests.support.session_site import SessionSite


@pytest.fixture
def archives(settings: Settings, tmp_path: Path) -> Path:
    """Switch archives on; return the folder that they are stored in."""
    settings.ARCHIVE_AFTER_TURNS = True
    settings.ARCHIVE_STORAGE = (tmp_path / "archives").as_uri()
    settings.SPOOL_DIR = tmp_path / "spool"
    settings.WORKSPACE_MARKERS_DIR = tmp_path / "held"
    return tmp_path / "archives"


def stored(archives: Path) -> list[str]:
    return sorted(path.name for path in archives.rglob("*.tar.gz"))


def seen(name: str, *, ago: float = 0.0, up_for: float = 3600.0) -> None:
    """Record that a node was last seen `ago` seconds ago, `up_for` seconds after its start."""
    at = timezone.now() - timedelta(seconds=ago)
    renew_node(name, now=at, started_at=at - timedelta(seconds=up_for), facts={})


def lose_node(name: str, *, to: str) -> dict[str, int]:
    """Run recovery as beat does, when the node `name` has been silent for too long and the node `to` is available."""
    seen(name, ago=61)
    seen(to)
    return recover(timezone.now())


def in_a_while(seconds: float = 10) -> datetime:
    return timezone.now() + timedelta(seconds=seconds)


@contextmanager
def on_node(site: SessionSite, name: str, deployment: Deployment | None = None) -> Iterator[None]:
    """Let the worker of the node `name` run the tasks that are delivered during the block."""
    old: tuple[Any, ...] = (site.settings.NODE_NAME, site.settings.WORKSPACE_MARKERS_DIR, this_node.deployment)
    site.settings.NODE_NAME = name
    site.settings.WORKSPACE_MARKERS_DIR = old[1].with_name(f"held-{name}")
    if deployment is not None:
        this_node.deployment = lambda: deployment
    try:
        yield
    finally:
        site.settings.NODE_NAME, site.settings.WORKSPACE_MARKERS_DIR, this_node.deployment = old

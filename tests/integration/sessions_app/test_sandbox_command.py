"""`manage.py sandbox`, with a node that answers like a real one."""

import io
import tarfile
import threading
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.core.management import CommandError, call_command
from django.db import connections

from agentsite.base import task_table
from agentsite.tenancy.models import AuditEntry
from sessions_app.models import Workspace
from sessions_app.queries import live
from sessions_app.workers.sandbox.deployment import sandbox_spec
from tests.support.session_site import SessionSite

pytestmark = pytest.mark.one_database


@pytest.fixture(autouse=True)
def _node_at_work(monkeypatch: pytest.MonkeyPatch, site: SessionSite) -> None:
    """Run tasks for this node while the command runs; drop tasks for other nodes."""

    def work(name: str, args: tuple[Any, ...]) -> None:
        try:
            current_app.tasks[name](*args)
        finally:
            connections.close_all()

    def deliver(name: str, *args: Any, queue: str, delay: float = 0.0) -> None:
        if queue == f"sandbox.{site.settings.NODE_NAME}":
            threading.Thread(target=work, args=(name, args)).start()

    monkeypatch.setattr(task_table, "_send", deliver)
    monkeypatch.setattr(live, "NODE_TIMEOUT", 5.0)


def run(*words: str) -> str:
    out = io.StringIO()
    call_command("sandbox", *words, stdout=out, stderr=out)
    return out.getvalue()


def test_list_shows_every_workspace_with_what_the_node_says_of_it(site: SessionSite) -> None:
    site.write("a.txt", "a")
    Workspace.objects.filter(pk=site.workspace.pk).update(
        name="a\x1b]0;b",
        usage={"memory": {"used": 9 << 20, "limit": 1024 << 20}, "disk": {"used": 3 << 20, "limit": 0}},
    )
    header, line = run("list").splitlines()
    assert header.split() == ["workspace", "node", "state", "container", "runtime", "disk", "memory", "team", "name"]
    assert line.split()[:4] == [site.workspace.public_id, "local", "running", "running"]
    assert "9/1024 MiB" in line
    assert " 3 MiB" in line
    assert line.endswith("a?]0;b")


def test_list_says_which_node_is_silent(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "NODE_TIMEOUT", 0.2)
    Workspace.objects.filter(pk=site.workspace.pk).update(node="gone")
    assert "The node 'gone' did not answer in time." in run("list")
    assert site.workspace.public_id not in run("list", "--node", "local")


def test_a_sandbox_without_a_workspace_is_listed_and_reaped(site: SessionSite) -> None:
    stranger = Workspace(project=site.project, name="stranger")
    site.workspace.project = site.project
    from agentsite.base.background import background

    background.run(site.deployment.ensure(sandbox_spec(stranger)))
    assert f"{stranger.public_id} has a container but no workspace" in run("list")
    assert f"removed from containers: {stranger.public_id}" in run("reap")
    assert "nothing to remove" in run("reap", "--node", "local")


def test_reap_fails_for_a_node_that_is_not_reached(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "NODE_TIMEOUT", 0.2)
    with pytest.raises(CommandError, match="These nodes did not answer: gone"):
        run("reap", "--node", "gone")


@pytest.mark.parametrize("words", [("check", "wsp_0"), ("check", "x"), ("check", "wsp_" + "0" * 32)])
def test_check_of_what_is_no_workspace_says_so(words: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match="There is no"):
        run(*words)


def test_export_writes_a_fresh_archive_to_a_file_and_to_the_audit_log(site: SessionSite, tmp_path: Path) -> None:
    site.write("a.txt", "kept")
    target = tmp_path / "archive.tar.gz"

    assert "bytes" in run("export", site.workspace.public_id, str(target), "--timeout", "20")

    assert target.stat().st_mode & 0o777 == 0o600
    with tarfile.open(target) as archive:
        assert any(name.endswith("a.txt") for name in archive.getnames())
    assert AuditEntry.objects.filter(action="workspace.export", subject=site.workspace.public_id).exists()
    with pytest.raises(CommandError, match="already exists"):
        run("export", site.workspace.public_id, str(target), "--timeout", "20")


def test_export_of_a_node_that_is_not_there_ends_and_says_so(site: SessionSite, tmp_path: Path) -> None:
    Workspace.objects.filter(pk=site.workspace.pk).update(node="gone")
    with pytest.raises(CommandError, match="The node 'gone' created no archive"):
        run("export", site.workspace.public_id, str(tmp_path / "archive.tar.gz"), "--timeout", "0.3")
    assert list(tmp_path.iterdir()) == []


def test_export_to_a_folder_that_is_not_there_says_so_and_makes_no_copy(site: SessionSite, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="is not writable"):
        run("export", site.workspace.public_id, str(tmp_path / "none" / "copy.tar.gz"))
    assert not AuditEntry.objects.filter(action="workspace.export").exists()

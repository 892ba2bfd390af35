"""Archives of a workspace's files: decide when a new archive is due, and record it on the workspace's row."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Stale
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.access import require
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.actions.nodes import alive_nodes
from sessions_app.actions.workspaces import record_act
from sessions_app.models import ToolCall, Turn, Workspace
from sessions_app.queueing import enqueue_archive

LARGE_ARCHIVE_INTERVAL: Final = timedelta(seconds=60)
"""Minimum time between two archives of a workspace whose last archive was large."""
LARGE_ARCHIVE_BYTES: Final = 64 << 20
MAX_ARCHIVE_AGE: Final = timedelta(minutes=15)
"""If the last archive is older than this, a new one is made even while turns are open."""
MAX_ARCHIVES_PER_RUN: Final = 200


@dataclass(frozen=True, slots=True)
class Archive:
    """A stored archive: its name, its size in bytes, the state of the files in it, and when it was made."""

    name: str
    size: int
    state: str
    at: datetime


def is_due(workspace: Workspace, now: datetime) -> bool:
    """Return whether an archive may be made now: archives are enabled, the workspace runs, no call or open turn delays
    the archive, and no large archive was made shortly before."""
    if not settings.ARCHIVE_AFTER_TURNS or not workspace.seeded or workspace.state != Workspace.State.RUNNING:
        return False
    made = workspace.archived_at
    if made and workspace.archive_size > LARGE_ARCHIVE_BYTES and made > now - LARGE_ARCHIVE_INTERVAL:
        return False
    return not must_wait(workspace, now)


def must_wait(workspace: Workspace, now: datetime) -> bool:
    """Return whether archiving must wait: while calls run, and while turns are open unless the last archive is older
    than `MAX_ARCHIVE_AGE`."""
    calls = ToolCall.objects.filter(session__workspace=workspace)
    if calls.filter(state=ToolCall.State.RUNNING).exists():
        return True
    if (workspace.archived_at or workspace.created_at) < now - MAX_ARCHIVE_AGE:
        return False
    turns = Turn.objects.filter(session__workspace=workspace)
    return turns.filter(state__in=(Turn.State.QUEUED, Turn.State.RUNNING)).exists()


def record_archive(workspace: Workspace, archive: Archive) -> bool:
    """Record a new archive on the workspace's row. Returns False if the workspace has moved to another node since."""
    rows = Workspace.objects.filter(pk=workspace.pk, node=workspace.node, generation=workspace.generation)
    return bool(
        rows.update(
            archive=archive.name, archive_size=archive.size, archived_at=archive.at, archived_state=archive.state
        )
    )


def confirm_archive(workspace: Workspace, *, at: datetime) -> bool:
    """Record that the workspace's files at the time `at` are the same as in the last archive. Returns False if the
    workspace has moved to another node, or has another archive by now."""
    rows = Workspace.objects.filter(pk=workspace.pk, generation=workspace.generation, archive=workspace.archive)
    return bool(rows.update(archived_at=at))


def enqueue_missed_archives(now: datetime) -> int:
    """Enqueue an archive of each running workspace in which a turn has ended since the last archive.

    Such an archive was postponed, or its task was lost. Returns the number of enqueued archives.
    """
    if not settings.ARCHIVE_AFTER_TURNS:
        return 0
    alive = alive_nodes(now).values("name")
    ready = Workspace.objects.filter(state=Workspace.State.RUNNING, seeded=True, node__in=alive)
    newer = Q(archived_at=None) | Q(sessions__turns__ended_at__gt=F("archived_at"))
    ended = ready.filter(newer, sessions__turns__ended_at__isnull=False).order_by().distinct()
    rows = list(ended.values_list("id", "node")[:MAX_ARCHIVES_PER_RUN])
    for workspace_id, node in rows:
        enqueue_archive(workspace_id, node=node)
    return len(rows)


def export_workspace(*, actor: User | None, workspace: Workspace) -> None:
    """Enqueue a fresh archive, even while somebody works in the workspace. `actor` is None when an operator requests it
    from the command line."""
    if actor is not None:
        require(actor, Act.PROMPT, team_id=workspace.project.team_id)
    if not workspace.seeded or not workspace.node:
        raise Stale(
            "This workspace has no files yet, or is being restored.",
            code=ErrorCode.WORKSPACE_NOT_READY,
            hint="Wait until the workspace has started, then export it.",
        )
    _record(actor, workspace, "export")
    enqueue_archive(workspace.id, node=workspace.node, wanted=True)


def find_archive(*, actor: User, workspace: Workspace) -> str:
    """Return the name of the last archive for a download.

    The archive contains all files and the home directory, including files that agents may read only with permission.
    Therefore the actor must be allowed to answer permission requests.
    """
    require(actor, Act.ANSWER, team_id=workspace.project.team_id)
    if not workspace.archive:
        raise Stale(
            "This workspace has no archive yet.",
            code=ErrorCode.NO_ARCHIVE,
            hint="Export it first (POST to its 'export'), and try again when `archived_at` is set.",
        )
    _record(actor, workspace, "download")
    return workspace.archive


def _record(actor: User | None, workspace: Workspace, verb: str) -> None:
    with sqlite_write_lock(), transaction.atomic():
        record_act(actor, workspace, verb)

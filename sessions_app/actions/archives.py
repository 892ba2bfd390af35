"""Archives of a workspace's files: when one is due, and what is kept of it on the row."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from agentsite.base.errors import Stale
from agentsite.base.sqlite_lock import writers_turn
from agentsite.tenancy.access import require
from agentsite.tenancy.roles import Act
from sessions_app.actions.nodes import alive_nodes
from sessions_app.actions.workspaces import record_act
from sessions_app.models import ToolCall, Turn, Workspace
from sessions_app.queueing import enqueue_archive

PAUSE: Final = timedelta(seconds=60)
"""Between two archives of a large workspace."""
LARGE: Final = 64 << 20  # bytes of an archive
OVERDUE: Final = timedelta(minutes=15)
"""So old an archive no longer gives way to what the agents do."""
SWEEP: Final = 200


@dataclass(frozen=True, slots=True)
class Archive:
    """One that is stored: its name, its size in bytes, and the state of the files that it holds."""

    name: str
    size: int
    state: str
    at: datetime


def is_due(workspace: Workspace, now: datetime) -> bool:
    """Whether one may be made now: they are wanted, nobody works in the workspace, and no large one was made just
    before."""
    if not settings.ARCHIVE_AFTER_TURNS or not workspace.seeded or workspace.state != Workspace.State.RUNNING:
        return False
    made = workspace.archived_at
    if made and workspace.archive_size > LARGE and made > now - PAUSE:
        return False
    return not gives_way(workspace, now)


def gives_way(workspace: Workspace, now: datetime) -> bool:
    """Calls that run come first, always; turns as long as the last archive is not too old."""
    calls = ToolCall.objects.filter(session__workspace=workspace)
    if calls.filter(state=ToolCall.State.RUNNING).exists():
        return True
    if (workspace.archived_at or workspace.created_at) < now - OVERDUE:
        return False
    turns = Turn.objects.filter(session__workspace=workspace)
    return turns.filter(state__in=(Turn.State.QUEUED, Turn.State.RUNNING)).exists()


def keep_archive(workspace: Workspace, archive: Archive) -> bool:
    """Name it on the row. False when the workspace has moved to another node meanwhile."""
    rows = Workspace.objects.filter(pk=workspace.pk, node=workspace.node, generation=workspace.generation)
    return bool(
        rows.update(
            archive=archive.name, archive_size=archive.size, archived_at=archive.at, archived_state=archive.state
        )
    )


def confirm_archive(workspace: Workspace, *, at: datetime) -> bool:
    """The files are still what the last archive holds."""
    rows = Workspace.objects.filter(pk=workspace.pk, generation=workspace.generation, archive=workspace.archive)
    return bool(rows.update(archived_at=at))


def sweep_archives(now: datetime) -> int:
    """Have archives made that were put off, or whose wake-up was lost: where something ended since the last one."""
    if not settings.ARCHIVE_AFTER_TURNS:
        return 0
    alive = alive_nodes(now).values("name")
    ready = Workspace.objects.filter(state=Workspace.State.RUNNING, seeded=True, node__in=alive)
    newer = Q(archived_at=None) | Q(sessions__turns__ended_at__gt=F("archived_at"))
    ended = ready.filter(newer, sessions__turns__ended_at__isnull=False).order_by().distinct()
    rows = list(ended.values_list("id", "node")[:SWEEP])
    for workspace_id, node in rows:
        enqueue_archive(workspace_id, node=node)
    return len(rows)


def export_workspace(*, actor: Any, workspace: Workspace) -> None:
    """Have a fresh archive made, whoever works in it. Without an actor it is the site's operator who wants one."""
    if actor is not None:
        require(actor, Act.PROMPT, team_id=workspace.project.team_id)
    if not workspace.seeded or not workspace.node:
        raise Stale(
            "This workspace has no files yet, or is being restored.",
            code="workspace_not_ready",
            hint="Wait until it has started, then export it.",
        )
    _record(actor, workspace, "export")
    enqueue_archive(workspace.id, node=workspace.node, wanted=True)


def find_archive(*, actor: Any, workspace: Workspace) -> str:
    """The name of the last archive, for somebody who takes it away: all files and the home, also those that no diff
    shows and that an agent has to ask for. So it takes somebody who may say yes to that."""
    require(actor, Act.ANSWER, team_id=workspace.project.team_id)
    if not workspace.archive:
        raise Stale(
            "There is no archive of this workspace yet.",
            code="no_archive",
            hint="Export it first (POST to its 'export'), and try again when its archive has a time.",
        )
    _record(actor, workspace, "download")
    return workspace.archive


def _record(actor: Any, workspace: Workspace, verb: str) -> None:
    with writers_turn(), transaction.atomic():
        record_act(actor, workspace, verb)

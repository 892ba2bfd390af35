"""Store the hosts that commands of a project were not allowed to connect to. Calls without refusals write nothing."""

import uuid
from collections.abc import Sequence
from typing import Final

from django.db.models import F

from sandbox.limits import RefusedConnection
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import RefusedHost, ToolCall

MAX_HOSTS_PER_PROJECT: Final = 300  # the ones refused longest ago are forgotten


def note_refused_hosts(call: ToolCall, refused: Sequence[RefusedConnection]) -> None:
    """Store the hosts to which a call was not allowed to connect. Each host is counted only once per call.

    Raises Missing if the session was deleted.
    """
    hosts = [each for each in refused if each.permission == "egress"]
    if not hosts:
        return
    with session_write(call.session_id) as write:
        added = [_note(write, call.public_id, each) for each in hosts]
        if any(added):
            _forget_oldest(write.session.project_id)


def _note(write: SessionWrite, call_id: str, refused: RefusedConnection) -> bool:
    """Store one refused connection. Returns whether it is the first refused connection of the session to this host."""
    last = {
        "reason": refused.reason[:500],
        "cause": refused.cause,
        "may_ask": refused.may_ask,
        "call_id": call_id,
        "last_at": write.now,
    }
    row, is_new = RefusedHost.objects.get_or_create(
        session=write.session,
        name=refused.name[:300],
        defaults={"project_id": write.session.project_id, **last},
    )
    if not is_new and row.call_id != call_id:
        RefusedHost.objects.filter(pk=row.pk).update(times=F("times") + 1, **last)
    return is_new


def _forget_oldest(project_id: uuid.UUID) -> None:
    rows = RefusedHost.objects.filter(project_id=project_id).order_by("-last_at", "-id")
    oldest = list(rows.values_list("pk", flat=True)[MAX_HOSTS_PER_PROJECT:][:MAX_HOSTS_PER_PROJECT])
    if oldest:
        RefusedHost.objects.filter(pk__in=oldest).delete()

"""Read the changes that tool calls made in the workspace: the calls of a turn, or all calls from a message on."""

import uuid
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Final

from django.db.models import Q, QuerySet

from sessions_app.models import Message, Part, Session, Turn

IN_FILES: Final = Q(message__turn__files_taken_back=False) & (
    Q(message__turn__root=None) | Q(message__turn__root__files_taken_back=False)
)


def patches_of_turn(turn: Turn) -> list[Mapping[str, Any]]:
    """Return the patches of a turn and its sub-agents, in the order of their calls, without hidden patches."""
    return _patches(Q(message__turn=turn) | Q(message__turn__root=turn))


def patches_of_turns(turns: Collection[uuid.UUID]) -> list[Mapping[str, Any]]:
    """Return the patches of some turns and their sub-agents, in the order of their calls, without hidden patches."""
    return _patches(Q(message__turn__in=turns) | Q(message__turn__root__in=turns))


def patches_since(session: Session, message: Message | None) -> list[Mapping[str, Any]]:
    """Return the patches of the session and its sub-agents from `message` on (all patches if it is None), in the order
    of their calls. Hidden patches are left out, and so are patches that were taken back when another answer was
    chosen."""
    of_session = IN_FILES & (Q(session=session) | Q(message__turn__root__session=session))
    return _patches(of_session if message is None else of_session & Q(message__gte=message.pk))


def patches_after(session: Session, message: Message) -> list[Mapping[str, Any]]:
    """Return the patches of all sessions in the session's workspace since `message`, the oldest first, without hidden
    patches and patches that were undone (see `patches_since`). Patches of other sessions are included if they were
    created after the message."""
    own = Q(session=session) | Q(message__turn__root__session=session)
    later = (own & Q(message__gte=message.pk)) | (~own & Q(created_at__gte=message.created_at))
    parts = _shown(IN_FILES & later & Q(session__workspace=session.workspace_id))
    return list(parts.order_by("created_at", "id").values_list("data", flat=True))


def has_patches_since(session: Session, at: datetime, *, before: datetime) -> bool:
    """Return whether a call changed files of the session's workspace after `at` and before `before`."""
    between = Q(created_at__gt=at, created_at__lt=before)
    return _shown(between & Q(session__workspace=session.workspace_id)).exists()


def _shown(which: Q) -> QuerySet[Part]:
    return Part.objects.filter(which, type=Part.Type.PATCH, message__reverted_by__isnull=True)


def _patches(which: Q) -> list[Mapping[str, Any]]:
    return list(_shown(which).order_by("id").values_list("data", flat=True))

"""Store which tools a session's model has found with the tool search, so that the next steps offer these tools to
it."""

import uuid
from collections.abc import Sequence
from typing import Final

from django.db import transaction

from agentsite.base.sqlite_lock import sqlite_write_lock
from sessions_app.models import Session

MAX_KEPT: Final = 200


def keep_found_tools(session_id: uuid.UUID, names: Sequence[str]) -> None:
    """Append tools to the list of tools that the session's agent has found by search. At most the newest `MAX_KEPT`
    names are kept."""
    with sqlite_write_lock(), transaction.atomic():
        rows = Session.objects.select_for_update().filter(pk=session_id)
        before = rows.values_list("found_tools", flat=True).first()
        if before is None:
            return
        found = [*(name for name in before if name not in names), *names][-MAX_KEPT:]
        Session.objects.filter(pk=session_id).update(found_tools=found)

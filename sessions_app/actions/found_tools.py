"""Remember which tools the model of a session has found, so that the following steps offer them."""

import uuid
from collections.abc import Sequence
from typing import Final

from django.db import transaction

from agentsite.base.sqlite_lock import sqlite_write_lock
from sessions_app.models import Session

MAX_KEPT: Final = 200


def keep_found_tools(session_id: uuid.UUID, names: Sequence[str]) -> None:
    """Add names to the tools that a session has found. The newest are last, and at most `MAX_KEPT` are kept."""
    with sqlite_write_lock(), transaction.atomic():
        rows = Session.objects.select_for_update().filter(pk=session_id)
        before = rows.values_list("found_tools", flat=True).first()
        if before is None:
            return
        found = [*(name for name in before if name not in names), *names][-MAX_KEPT:]
        Session.objects.filter(pk=session_id).update(found_tools=found)
